package jit

// Comparisons, 9.7.6 and 9.7.7.

import "ptxvm.invalid/ptxvm/internal/uop"

var compareTwins = twins{
	uop.Eq32: comparing(cmpEQ), uop.Ne32: comparing(cmpNE), uop.Eq64: comparing(cmpEQ), uop.Ne64: comparing(cmpNE),
	uop.LtS32: comparing(cmpLTS), uop.LeS32: comparing(cmpLES), uop.GtS32: swapped(cmpLTS), uop.GeS32: swapped(cmpLES),
	uop.LtU32: comparing(cmpLTU), uop.LeU32: comparing(cmpLEU), uop.GtU32: swapped(cmpLTU), uop.GeU32: swapped(cmpLEU),
	uop.LtS64: comparing(cmpLTS), uop.LeS64: comparing(cmpLES), uop.GtS64: swapped(cmpLTS), uop.GeS64: swapped(cmpLES),
	uop.LtU64: comparing(cmpLTU), uop.LeU64: comparing(cmpLEU), uop.GtU64: swapped(cmpLTU), uop.GeU64: swapped(cmpLEU),
	uop.LtS16: signed16(comparing(cmpLTS)), uop.LeS16: signed16(comparing(cmpLES)),
	uop.GtS16: signed16(swapped(cmpLTS)), uop.GeS16: signed16(swapped(cmpLES)),
}

func comparing(how uint64) twin {
	return func(p *program, in []val) val { return p.cmp(how, in[0], in[1]) }
}

func swapped(how uint64) twin {
	return func(p *program, in []val) val { return p.cmp(how, in[1], in[0]) }
}

// fcompare is a comparison of floats; swap exchanges the sources.
func fcompare(how uint64, swap bool) twin {
	return func(p *program, in []val) val {
		a, b := in[0], in[1]
		if swap {
			a, b = b, a
		}
		return p.op2(cFCmp, tM, a, b, how)
	}
}

// floatCompares are the float comparisons by format, with .ftz too. What is not ordered fails the plain ones and
// holds for those with u.
var floatCompares = []struct {
	twin                             twin
	f32, f64, ftz, f16, ftzF16, bf16 uop.Op
}{
	{fcompare(fcmpEQ, false), uop.EqF32, uop.EqF64, uop.EqFtzF32, uop.EqF16, uop.EqFtzF16, uop.EqBF16},
	{fcompare(fcmpLT, false), uop.LtF32, uop.LtF64, uop.LtFtzF32, uop.LtF16, uop.LtFtzF16, uop.LtBF16},
	{fcompare(fcmpLE, false), uop.LeF32, uop.LeF64, uop.LeFtzF32, uop.LeF16, uop.LeFtzF16, uop.LeBF16},
	{fcompare(fcmpLT, true), uop.GtF32, uop.GtF64, uop.GtFtzF32, uop.GtF16, uop.GtFtzF16, uop.GtBF16},
	{fcompare(fcmpLE, true), uop.GeF32, uop.GeF64, uop.GeFtzF32, uop.GeF16, uop.GeFtzF16, uop.GeBF16},
	{fcompare(fcmpNEQ, false), uop.NeuF32, uop.NeuF64, uop.NeuFtzF32, uop.NeuF16, uop.NeuFtzF16, uop.NeuBF16},
	{fcompare(fcmpNLT, false), uop.GeuF32, uop.GeuF64, uop.GeuFtzF32, uop.GeuF16, uop.GeuFtzF16, uop.GeuBF16},
	{fcompare(fcmpNLE, false), uop.GtuF32, uop.GtuF64, uop.GtuFtzF32, uop.GtuF16, uop.GtuFtzF16, uop.GtuBF16},
	{fcompare(fcmpNLT, true), uop.LeuF32, uop.LeuF64, uop.LeuFtzF32, uop.LeuF16, uop.LeuFtzF16, uop.LeuBF16},
	{fcompare(fcmpNLE, true), uop.LtuF32, uop.LtuF64, uop.LtuFtzF32, uop.LtuF16, uop.LtuFtzF16, uop.LtuBF16},
	{fcompare(fcmpORD, false), uop.NumF32, uop.NumF64, uop.NumFtzF32, uop.NumF16, uop.NumFtzF16, uop.NumBF16},
	{fcompare(fcmpUNORD, false), uop.NanF32, uop.NanF64, uop.NanFtzF32, uop.NanF16, uop.NanFtzF16, uop.NanBF16},
	{fcompare(fcmpNEQO, false), uop.NeF32, uop.NeF64, uop.NeFtzF32, uop.NeF16, uop.NeFtzF16, uop.NeBF16},
	{fcompare(fcmpEQU, false), uop.EquF32, uop.EquF64, uop.EquFtzF32, uop.EquF16, uop.EquFtzF16, uop.EquBF16},
}

func fillCompareTwins() {
	for _, c := range floatCompares {
		compareTwins[c.f32], compareTwins[c.f64], compareTwins[c.ftz] = c.twin, c.twin, flushed(c.twin)
	}
}
