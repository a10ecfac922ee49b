package jit

// Conversions, 9.7.9.21, and plain copies.

import "ptxvm.invalid/ptxvm/internal/uop"

var convertTwins = twins{
	uop.Copy32:      func(_ *program, in []val) val { return in[0] },
	uop.Copy64:      func(_ *program, in []val) val { return in[0] },
	uop.Zext8:       func(p *program, in []val) val { return p.lowBits(in[0], 8) },
	uop.Zext16:      func(p *program, in []val) val { return p.lowBits(in[0], 16) },
	uop.Sext8:       func(p *program, in []val) val { return p.sext8(in[0]) },
	uop.Sext16:      func(p *program, in []val) val { return p.sext16(in[0]) },
	uop.Sext8to16:   func(p *program, in []val) val { return p.lowBits(p.sext8(in[0]), 16) },
	uop.Zext8to64:   func(p *program, in []val) val { return p.zext(p.lowBits(in[0], 8)) },
	uop.Zext16to64:  func(p *program, in []val) val { return p.zext(p.lowBits(in[0], 16)) },
	uop.Sext8To64:   func(p *program, in []val) val { return p.sext(p.sext8(in[0])) },
	uop.Sext16To64:  func(p *program, in []val) val { return p.sext(p.sext16(in[0])) },
	uop.Zext32To64:  func(p *program, in []val) val { return p.zext(in[0]) },
	uop.Sext32To64:  func(p *program, in []val) val { return p.sext(in[0]) },
	uop.Trunc64To32: func(p *program, in []val) val { return p.trunc(in[0]) },
	uop.Trunc64to16: func(p *program, in []val) val { return p.lowBits(p.trunc(in[0]), 16) },
	uop.Trunc64to8:  func(p *program, in []val) val { return p.lowBits(p.trunc(in[0]), 8) },

	uop.CvtF32S32: func(p *program, in []val) val { return p.op1(cI2F, tW, in[0], 0) },
	uop.CvtF32U32: func(p *program, in []val) val { return f32FromU32(p, in[0]) },
	uop.CvtF64S32: func(p *program, in []val) val { return p.op1(cI2F, tX, in[0], 0) },

	uop.CvtRniF32F32: integral(roundNear), uop.CvtRziF32F32: integral(roundZero),
	uop.CvtRmiF32F32: integral(roundDown), uop.CvtRpiF32F32: integral(roundUp),
	uop.CvtRniS32F32: toS32(roundNear), uop.CvtRziS32F32: toS32(roundZero),
	uop.CvtRmiS32F32: toS32(roundDown), uop.CvtRpiS32F32: toS32(roundUp),
}

// f32FromU32 without AVX-512 rounds the sum of two exact halves.
func f32FromU32(p *program, a val) val {
	if p.evex {
		return p.op1(cU2F, tW, a, 0)
	}
	const two16 = 0x47800000
	high, low := p.op1(cI2F, tW, p.shrI(a, 16), 0), p.op1(cI2F, tW, p.lowBits(a, 16), 0)
	return p.op3(cFFma, tW, high, p.w(two16), low, roundNear)
}

func integral(how uint64) twin {
	return func(p *program, in []val) val { return p.canon(p.op1(cFInt, tW, in[0], how)) }
}

// toS32 rounds and clamps: the machine gives 0x80000000 for whatever it cannot, which is right
// below the range; at 2^31 and above the result is the largest integer, for a NaN 0.
func toS32(how uint64) twin {
	return func(p *program, in []val) val {
		a := in[0]
		if how != roundZero {
			a = p.op1(cFInt, tW, a, how)
		}
		v := p.op1(cF2I, tW, a, 0)
		v = p.sel(p.op2(cFCmp, tM, p.w(0x4f000000), a, fcmpLE), p.w(0x7fffffff), v)
		return p.sel(p.op2(cFCmp, tM, a, a, fcmpUNORD), p.w(0), v)
	}
}
