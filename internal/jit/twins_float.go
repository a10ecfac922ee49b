package jit

// Floats, 9.7.3. A result that is a NaN is the canonical one for f32.

import "ptxvm.invalid/ptxvm/internal/uop"

const (
	signF32 = 1 << 31
	magF32  = signF32 - 1
	infF32  = 0x7f800000
	oneF32  = 0x3f800000
	nanF32  = 0x7fffffff
)

var floatTwins = twins{
	uop.AbsF32: func(p *program, in []val) val { return absF32(p, in[0]) },
	uop.NegF32: func(p *program, in []val) val { return p.canon(p.xor(in[0], p.w(signF32))) },
	uop.CopysignF32: func(p *program, in []val) val {
		return p.or(p.and(in[0], p.w(signF32)), p.and(in[1], p.w(magF32)))
	},
	uop.AbsF64: func(p *program, in []val) val { return p.and(in[0], p.x(1<<63-1)) },
	uop.NegF64: func(p *program, in []val) val { return p.xor(in[0], p.x(1<<63)) },
	uop.CopysignF64: func(p *program, in []val) val {
		return p.or(p.and(in[0], p.x(1<<63)), p.and(in[1], p.x(1<<63-1)))
	},

	uop.MinF32: minmax(cFMin, cOr), uop.MaxF32: minmax(cFMax, cAnd),

	uop.FiniteF32:     func(p *program, in []val) val { return p.mnot(exponentFull(p, in[0])) },
	uop.InfiniteF32:   func(p *program, in []val) val { return p.cmp(cmpEQ, p.and(in[0], p.w(magF32)), p.w(infF32)) },
	uop.NumberF32:     func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpORD) },
	uop.NotANumberF32: func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpUNORD) },
}

// byRounding are the operations of one kind in the order of roundings.
type byRounding [4]uop.Op

var roundings = [4]uint64{roundNear, roundZero, roundDown, roundUp}

// arithmetic are the operations of f32 that round, with .sat, .ftz and both.
var arithmetic = []struct {
	code        code
	plain, sat  byRounding
	ftz, ftzSat byRounding
}{
	{cFAdd,
		byRounding{uop.AddF32, uop.AddRZF32, uop.AddRMF32, uop.AddRPF32}, byRounding{uop.AddSatF32, uop.AddRZSatF32, uop.AddRMSatF32, uop.AddRPSatF32},
		byRounding{uop.AddFtzF32, uop.AddRZFtzF32, uop.AddRMFtzF32, uop.AddRPFtzF32}, byRounding{uop.AddFtzSatF32, uop.AddRZFtzSatF32, uop.AddRMFtzSatF32, uop.AddRPFtzSatF32}},
	{cFSub,
		byRounding{uop.SubF32, uop.SubRZF32, uop.SubRMF32, uop.SubRPF32}, byRounding{uop.SubSatF32, uop.SubRZSatF32, uop.SubRMSatF32, uop.SubRPSatF32},
		byRounding{uop.SubFtzF32, uop.SubRZFtzF32, uop.SubRMFtzF32, uop.SubRPFtzF32}, byRounding{uop.SubFtzSatF32, uop.SubRZFtzSatF32, uop.SubRMFtzSatF32, uop.SubRPFtzSatF32}},
	{cFMul,
		byRounding{uop.MulF32, uop.MulRZF32, uop.MulRMF32, uop.MulRPF32}, byRounding{uop.MulSatF32, uop.MulRZSatF32, uop.MulRMSatF32, uop.MulRPSatF32},
		byRounding{uop.MulFtzF32, uop.MulRZFtzF32, uop.MulRMFtzF32, uop.MulRPFtzF32}, byRounding{uop.MulFtzSatF32, uop.MulRZFtzSatF32, uop.MulRMFtzSatF32, uop.MulRPFtzSatF32}},
	{cFFma,
		byRounding{uop.FmaF32, uop.FmaRZF32, uop.FmaRMF32, uop.FmaRPF32}, byRounding{uop.FmaSatF32, uop.FmaRZSatF32, uop.FmaRMSatF32, uop.FmaRPSatF32},
		byRounding{uop.FmaFtzF32, uop.FmaRZFtzF32, uop.FmaRMFtzF32, uop.FmaRPFtzF32}, byRounding{uop.FmaFtzSatF32, uop.FmaRZFtzSatF32, uop.FmaRMFtzSatF32, uop.FmaRPFtzSatF32}},
	{cFDiv,
		byRounding{uop.DivF32, uop.DivRZF32, uop.DivRMF32, uop.DivRPF32}, byRounding{},
		byRounding{uop.DivFtzF32, uop.DivRZFtzF32, uop.DivRMFtzF32, uop.DivRPFtzF32}, byRounding{}},
	{cFSqrt,
		byRounding{uop.SqrtF32, uop.SqrtRZF32, uop.SqrtRMF32, uop.SqrtRPF32}, byRounding{},
		byRounding{uop.SqrtFtzF32, uop.SqrtRZFtzF32, uop.SqrtRMFtzF32, uop.SqrtRPFtzF32}, byRounding{}},
}

var reciprocals = byRounding{uop.RcpF32, uop.RcpRZF32, uop.RcpRMF32, uop.RcpRPF32}

func fillFloatTwins() {
	for _, a := range arithmetic {
		for i, how := range roundings {
			t := rounded(a.code, how)
			floatTwins.put(a.plain[i], t)
			floatTwins.put(a.sat[i], saturated(t))
		}
		switch a.code {
		case cFAdd, cFSub:
			// a sum of f32 below 2^-126 is exact, so whether it is tiny before or after rounding is one question
			floatTwins.put(a.ftz[0], flushed(flush(rounded(a.code, roundNear))))
		}
	}
	for i, how := range roundings {
		floatTwins.put(reciprocals[i], func(p *program, in []val) val {
			return p.canon(p.op2(cFDiv, tW, p.w(oneF32), in[0], how))
		})
	}
}

// rounded is a float operation with one rounding.
func rounded(c code, how uint64) twin {
	return func(p *program, in []val) val {
		switch c {
		case cFSqrt:
			return p.canon(p.op1(c, tW, in[0], how))
		case cFFma:
			return p.canon(p.op3(c, tW, in[0], in[1], in[2], how))
		}
		return p.canon(p.op2(c, tW, in[0], in[1], how))
	}
}

// saturated clamps to [0, 1]; what is not above 0, NaNs too, becomes +0.
func saturated(t twin) twin {
	return func(p *program, in []val) val {
		v := t(p, in)
		return p.sel(p.op2(cFCmp, tM, p.w(0), v, fcmpLT), p.minS(v, p.w(oneF32)), p.w(0))
	}
}

// flushF32 replaces a subnormal by the zero of its sign.
func flushF32(p *program, a val) val {
	tiny := p.cmp(cmpEQ, p.and(a, p.w(infF32)), p.w(0))
	return p.sel(tiny, p.and(a, p.w(signF32)), a)
}

// flushed flushes the sources of a twin, flush its result.
func flushed(t twin) twin {
	return func(p *program, in []val) val {
		list := make([]val, len(in))
		for i := range in {
			list[i] = flushF32(p, in[i])
		}
		return t(p, list)
	}
}

func flush(t twin) twin {
	return func(p *program, in []val) val { return flushF32(p, t(p, in)) }
}

func absF32(p *program, a val) val { return p.canon(p.and(a, p.w(magF32))) }

func exponentFull(p *program, a val) val {
	return p.cmp(cmpEQ, p.and(a, p.w(infF32)), p.w(infF32))
}

// minmax is min or max: of equal values the one by sign (equal combines their bits), of one NaN
// the other source, of two the canonical NaN.
func minmax(c, equal code) twin {
	return func(p *program, in []val) val {
		a, b := in[0], in[1]
		v := p.op2(c, tW, a, b, 0) // b if unordered or equal
		v = p.sel(p.op2(cFCmp, tM, a, b, fcmpEQ), p.bin(equal, a, b), v)
		v = p.sel(p.op2(cFCmp, tM, b, b, fcmpUNORD), a, v)
		return p.canon(v)
	}
}
