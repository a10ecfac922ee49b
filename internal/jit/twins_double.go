package jit

// f64, 9.7.3. A NaN operand stays, quieted: the last one by num, the first one by the machine and
// by the other position of the guess nan-order-f64. A NaN that an operation makes is the machine's.

import "ptxvm.invalid/ptxvm/internal/uop"

const (
	quietF64 = 1 << 51
	signF64  = 1 << 63
	magF64   = signF64 - 1
	infF64   = 0x7ff0000000000000
	minF64   = 1 << 52 // 2^-1022
)

var doubleTwins = twins{
	uop.MinF64: minmax64(cFMin, cOr), uop.MaxF64: minmax64(cFMax, cAnd),
	uop.AbsQuietF64: func(p *program, in []val) val { return orQuiet(p, in[0], p.and(in[0], p.x(magF64))) },
	uop.NegQuietF64: func(p *program, in []val) val { return orQuiet(p, in[0], p.xor(in[0], p.x(signF64))) },

	uop.FiniteF64: func(p *program, in []val) val {
		return p.cmp(cmpLTS, p.and(in[0], p.x(magF64)), p.x(infF64))
	},
	uop.InfiniteF64:   func(p *program, in []val) val { return p.cmp(cmpEQ, p.and(in[0], p.x(magF64)), p.x(infF64)) },
	uop.NumberF64:     func(p *program, in []val) val { return p.op2(cFCmp, tM, in[0], in[0], fcmpORD) },
	uop.NotANumberF64: func(p *program, in []val) val { return p.isNaN(in[0]) },

	uop.CvtF64F32: func(p *program, in []val) val { return p.op1(cF2D, tX, in[0], 0) },
	uop.CvtF32F64: func(p *program, in []val) val { return p.op1(cD2F, tW, in[0], 0) },
	uop.CvtF64U64: func(p *program, in []val) val { return f64FromHalves(p, in[0], p.shrI(in[0], 32), 0, roundNear) },
	uop.CvtF64S64: func(p *program, in []val) val {
		return f64FromHalves(p, in[0], p.shrI(p.xor(in[0], p.x(signF64)), 32), signF64, roundNear)
	},
}

// doubles are the operations of f64 that round, by which NaN operand stays.
var doubles = []struct {
	code        code
	last, first byRounding
}{
	{cFAdd, byRounding{uop.AddF64, uop.AddRZF64, uop.AddRMF64, uop.AddRPF64},
		byRounding{uop.AddFirstF64, uop.AddRZFirstF64, uop.AddRMFirstF64, uop.AddRPFirstF64}},
	{cFSub, byRounding{uop.SubF64, uop.SubRZF64, uop.SubRMF64, uop.SubRPF64},
		byRounding{uop.SubFirstF64, uop.SubRZFirstF64, uop.SubRMFirstF64, uop.SubRPFirstF64}},
	{cFMul, byRounding{uop.MulF64, uop.MulRZF64, uop.MulRMF64, uop.MulRPF64},
		byRounding{uop.MulFirstF64, uop.MulRZFirstF64, uop.MulRMFirstF64, uop.MulRPFirstF64}},
	{cFFma, byRounding{uop.FmaF64, uop.FmaRZF64, uop.FmaRMF64, uop.FmaRPF64},
		byRounding{uop.FmaFirstF64, uop.FmaRZFirstF64, uop.FmaRMFirstF64, uop.FmaRPFirstF64}},
	{cFDiv, byRounding{uop.DivF64, uop.DivRZF64, uop.DivRMF64, uop.DivRPF64},
		byRounding{uop.DivFirstF64, uop.DivRZFirstF64, uop.DivRMFirstF64, uop.DivRPFirstF64}},
}

var (
	doubleRoots       = byRounding{uop.SqrtF64, uop.SqrtRZF64, uop.SqrtRMF64, uop.SqrtRPF64}
	doubleReciprocals = byRounding{uop.RcpF64, uop.RcpRZF64, uop.RcpRMF64, uop.RcpRPF64}
	doubleIntegral    = byRounding{uop.CvtRniF64F64, uop.CvtRziF64F64, uop.CvtRmiF64F64, uop.CvtRpiF64F64}
	doubleToS32       = byRounding{uop.CvtRniS32F64, uop.CvtRziS32F64, uop.CvtRmiS32F64, uop.CvtRpiS32F64}
)

func fillDoubleTwins() {
	for i, how := range roundings {
		for _, d := range doubles {
			doubleTwins.put(d.last[i], lastNaN(d.code, how))
			doubleTwins.put(d.first[i], firstNaN(d.code, how))
		}
		doubleTwins.put(doubleRoots[i], func(p *program, in []val) val { return p.op1(cFSqrt, tX, in[0], how) })
		doubleTwins.put(doubleReciprocals[i], func(p *program, in []val) val {
			return p.op2(cFDiv, tX, p.x(0x3ff0000000000000), in[0], how)
		})
		whole := func(p *program, in []val) val { return p.op1(cFInt, tX, in[0], how) }
		doubleTwins.put(doubleIntegral[i], whole)
		doubleTwins.put(doubleToS32[i], func(p *program, in []val) val { return s32FromF64(p, whole(p, in)) })
	}
	doubleTwins.put(uop.CvtRziU32F64, func(p *program, in []val) val {
		return u32FromF64(p, p.op1(cFInt, tX, in[0], roundZero))
	})
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
func f64FromHalves(p *program, a, high val, bias, how uint64) val {
	const two84, two63 = 0x4530000000000000, 0x00000400 << 21 // 2^63 in units of the last place of 2^84
	magic := uint64(two84)
	if bias != 0 {
		magic |= two63
	}
	low := p.op2(cFSub, tX, p.or(p.and(a, p.x(0xffffffff)), p.x(two52)), p.x(two52), roundNear)
	return p.op2(cFAdd, tX, p.op2(cFSub, tX, p.or(high, p.x(two84)), p.x(magic), roundNear), low, how)
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
