package jit

// f64, 9.7.3. A NaN operand stays, quieted: the last one by num, the first one by the machine and
// by the other position of the guess nan-order-f64. A NaN that an operation makes is the machine's.

const (
	quietF64 = 1 << 51
	signF64  = 1 << 63
	magF64   = signF64 - 1
	infF64   = 0x7ff0000000000000
	minF64   = 1 << 52 // 2^-1022
)

var doubleTwins = map[string]twin{
	"MinF64": minmax64(cFMin, cOr), "MaxF64": minmax64(cFMax, cAnd),
	"AbsQuietF64": func(p *program, in []val) val { return orQuiet(p, in[0], p.and(in[0], p.x(magF64))) },
	"NegQuietF64": func(p *program, in []val) val { return orQuiet(p, in[0], p.xor(in[0], p.x(signF64))) },

	"FiniteF64": func(p *program, in []val) val {
		return p.cmp(cmpLTS, p.and(in[0], p.x(magF64)), p.x(infF64))
	},
	"InfiniteF64":   func(p *program, in []val) val { return p.cmp(cmpEQ, p.and(in[0], p.x(magF64)), p.x(infF64)) },
	"NumberF64":     func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpORD) },
	"NotANumberF64": func(p *program, in []val) val { return p.isNaN(in[0]) },

	"CvtF64F32": func(p *program, in []val) val { return p.op1(cF2D, tX, in[0], 0) },
	"CvtF32F64": func(p *program, in []val) val { return p.op1(cD2F, tW, in[0], 0) },
	"CvtF64U64": func(p *program, in []val) val { return f64FromHalves(p, in[0], p.shrI(in[0], 32), 0) },
	"CvtF64S64": func(p *program, in []val) val {
		return f64FromHalves(p, in[0], p.shrI(p.xor(in[0], p.x(signF64)), 32), signF64)
	},
}

func fillDoubleTwins() {
	for name, c := range map[string]code{"Add": cFAdd, "Sub": cFSub, "Mul": cFMul, "Fma": cFFma, "Div": cFDiv} {
		for mode, how := range roundings {
			doubleTwins[name+mode+"F64"] = lastNaN(c, how)
			doubleTwins[name+mode+"FirstF64"] = firstNaN(c, how)
		}
	}
	for mode, how := range roundings {
		doubleTwins["Sqrt"+mode+"F64"] = func(p *program, in []val) val { return p.op1(cFSqrt, tX, in[0], how) }
		doubleTwins["Rcp"+mode+"F64"] = func(p *program, in []val) val {
			return p.op2(cFDiv, tX, p.x(0x3ff0000000000000), in[0], how)
		}
	}
	for mode, how := range map[string]uint64{"Rni": roundNear, "Rzi": roundZero, "Rmi": roundDown, "Rpi": roundUp} {
		whole := func(p *program, in []val) val { return p.op1(cFInt, tX, in[0], how) }
		doubleTwins["Cvt"+mode+"F64F64"] = whole
		doubleTwins["Cvt"+mode+"S32F64"] = func(p *program, in []val) val { return s32FromF64(p, whole(p, in)) }
	}
	doubleTwins["CvtRziU32F64"] = func(p *program, in []val) val {
		return u32FromF64(p, p.op1(cFInt, tX, in[0], roundZero))
	}
}

// firstNaN is an operation as the machine has it; of an fma's factors it may take either first.
func firstNaN(c code, how uint64) twin {
	return func(p *program, in []val) val {
		if c != cFFma {
			return p.op2(c, tX, in[0], in[1], how)
		}
		v := p.op3(c, tX, in[0], in[1], in[2], how)
		return p.sel(p.op2(cFCmp, tM, in[0], in[1], fcmpUNORD), p.op2(cFAdd, tX, in[0], in[1], roundNear), v)
	}
}

// lastNaN is an operation with the last NaN operand.
func lastNaN(c code, how uint64) twin {
	return func(p *program, in []val) val {
		a, b := in[0], in[1]
		switch c {
		case cFAdd, cFMul:
			return p.op2(c, tX, b, a, how)
		case cFFma:
			v := p.op3(c, tX, a, b, in[2], how)
			return p.sel(p.op2(cFCmp, tM, b, in[2], fcmpUNORD), p.op2(cFAdd, tX, in[2], b, roundNear), v)
		}
		return p.sel(p.isNaN(b), p.or(b, p.x(quietF64)), p.op2(c, tX, a, b, how))
	}
}

func quieted(p *program, a val) val { return orQuiet(p, a, a) }

// orQuiet is d, or a NaN a with its quiet bit set.
func orQuiet(p *program, a, d val) val { return p.sel(p.isNaN(a), p.or(a, p.x(quietF64)), d) }

// minmax64 is minmax with the second of two NaNs, quieted; one alone gives the other source.
func minmax64(c, equal code) twin {
	return func(p *program, in []val) val {
		a, b := in[0], in[1]
		v := p.op2(c, tX, a, b, 0) // b if unordered or equal
		v = p.sel(p.op2(cFCmp, tM, a, b, fcmpEQ), p.bin(equal, a, b), v)
		return p.sel(p.isNaN(b), p.sel(p.isNaN(a), p.or(b, p.x(quietF64)), a), v)
	}
}

// f64FromHalves adds the low half of a and high·2^32 - bias: both are exact, the sum is rounded.
func f64FromHalves(p *program, a, high val, bias uint64) val {
	const two84, two63 = 0x4530000000000000, 0x00000400 << 21 // 2^63 in units of the last place of 2^84
	magic := uint64(two84)
	if bias != 0 {
		magic |= two63
	}
	low := p.op2(cFSub, tX, p.or(p.and(a, p.x(0xffffffff)), p.x(two52)), p.x(two52), roundNear)
	return p.op2(cFAdd, tX, p.op2(cFSub, tX, p.or(high, p.x(two84)), p.x(magic), roundNear), low, roundNear)
}

// s32FromF64 converts an integral value. What the machine cannot convert, NaNs too, is 0x80000000,
// which is right but for what is above the range.
func s32FromF64(p *program, a val) val {
	const max = 0x41dfffffffc00000 // 2^31 - 1
	return p.op1(cD2I, tW, p.op2(cFMin, tX, p.x(max), a, 0), 0)
}

// u32FromF64 clamps an integral value and finds it in the low bits of its sum with 2^52; a NaN is 2^31.
func u32FromF64(p *program, a val) val {
	const max, two31 = 0x41efffffffe00000, 0x41e0000000000000
	v := p.op2(cFMax, tX, p.x(0), p.op2(cFMin, tX, p.x(max), a, 0), 0)
	v = p.sel(p.isNaN(a), p.x(two31), v)
	return p.trunc(p.op2(cFAdd, tX, v, p.x(two52), roundNear))
}
