package jit

// Comparisons, 9.7.6 and 9.7.7.

var compareTwins = map[string]twin{
	"Eq32": comparing(cmpEQ), "Ne32": comparing(cmpNE), "Eq64": comparing(cmpEQ), "Ne64": comparing(cmpNE),
	"LtS32": comparing(cmpLTS), "LeS32": comparing(cmpLES), "GtS32": swapped(cmpLTS), "GeS32": swapped(cmpLES),
	"LtU32": comparing(cmpLTU), "LeU32": comparing(cmpLEU), "GtU32": swapped(cmpLTU), "GeU32": swapped(cmpLEU),
	"LtS64": comparing(cmpLTS), "LeS64": comparing(cmpLES), "GtS64": swapped(cmpLTS), "GeS64": swapped(cmpLES),
	"LtU64": comparing(cmpLTU), "LeU64": comparing(cmpLEU), "GtU64": swapped(cmpLTU), "GeU64": swapped(cmpLEU),
	"LtS16": signed16(comparing(cmpLTS)), "LeS16": signed16(comparing(cmpLES)),
	"GtS16": signed16(swapped(cmpLTS)), "GeS16": signed16(swapped(cmpLES)),
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

// floatCompares are the float comparisons by the part of their name before the format. What is
// not ordered fails the plain ones and holds for those with u.
var floatCompares = map[string]twin{
	"Eq": fcompare(fcmpEQ, false), "Lt": fcompare(fcmpLT, false), "Le": fcompare(fcmpLE, false),
	"Gt": fcompare(fcmpLT, true), "Ge": fcompare(fcmpLE, true),
	"Neu": fcompare(fcmpNEQ, false), "Geu": fcompare(fcmpNLT, false), "Gtu": fcompare(fcmpNLE, false),
	"Leu": fcompare(fcmpNLT, true), "Ltu": fcompare(fcmpNLE, true),
	"Num": fcompare(fcmpORD, false), "Nan": fcompare(fcmpUNORD, false),
	"Ne": fcompare(fcmpNEQO, false), "Equ": fcompare(fcmpEQU, false),
}

func fillCompareTwins() {
	for name, t := range floatCompares {
		compareTwins[name+"F32"], compareTwins[name+"F64"] = t, t
		compareTwins[lowerFirst(name)+"FtzF32"] = flushed(t)
	}
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }
