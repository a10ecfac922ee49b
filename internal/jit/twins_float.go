package jit

// Floats, 9.7.3. A result that is a NaN is the canonical one for f32.

const (
	signF32 = 1 << 31
	magF32  = signF32 - 1
	infF32  = 0x7f800000
	oneF32  = 0x3f800000
	nanF32  = 0x7fffffff
)

var floatTwins = map[string]twin{
	"AbsF32": func(p *program, in []val) val { return absF32(p, in[0]) },
	"NegF32": func(p *program, in []val) val { return p.canon(p.xor(in[0], p.w(signF32))) },
	"CopysignF32": func(p *program, in []val) val {
		return p.or(p.and(in[0], p.w(signF32)), p.and(in[1], p.w(magF32)))
	},
	"AbsF64": func(p *program, in []val) val { return p.and(in[0], p.x(1<<63-1)) },
	"NegF64": func(p *program, in []val) val { return p.xor(in[0], p.x(1<<63)) },
	"CopysignF64": func(p *program, in []val) val {
		return p.or(p.and(in[0], p.x(1<<63)), p.and(in[1], p.x(1<<63-1)))
	},

	"MinF32": minmax(cFMin, cOr), "MaxF32": minmax(cFMax, cAnd),

	"FiniteF32":     func(p *program, in []val) val { return p.mnot(exponentFull(p, in[0])) },
	"InfiniteF32":   func(p *program, in []val) val { return p.cmp(cmpEQ, p.and(in[0], p.w(magF32)), p.w(infF32)) },
	"NumberF32":     func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpORD) },
	"NotANumberF32": func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpUNORD) },
}

// arithmetic are the float operations by the part of their name before modifiers and format.
var arithmetic = map[string]code{"Add": cFAdd, "Sub": cFSub, "Mul": cFMul, "Fma": cFFma, "Div": cFDiv, "Sqrt": cFSqrt}

// roundings are the roundings by their part of a name.
var roundings = map[string]uint64{"": roundNear, "RZ": roundZero, "RM": roundDown, "RP": roundUp}

func fillFloatTwins() {
	for name, c := range arithmetic {
		for mode, how := range roundings {
			t := rounded(c, how)
			floatTwins[name+mode+"F32"] = t
			if c != cFDiv && c != cFSqrt {
				floatTwins[name+mode+"SatF32"] = saturated(t)
			}
		}
		t := rounded(c, roundNear)
		switch c {
		case cFAdd, cFSub:
			// a sum of f32 below 2^-126 is exact, so whether it is tiny before or after rounding is one question
			floatTwins[name+"FtzF32"] = flushed(flush(t))
		}
	}
	floatTwins["RcpF32"] = func(p *program, in []val) val {
		return p.canon(p.op2(cFDiv, tW, p.w(oneF32), in[0], roundNear))
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
