package jit

// Conversions, 9.7.9.21, and plain copies.

import (
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

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
	uop.CvtF32U32: func(p *program, in []val) val { return f32FromU32(p, in[0], roundNear) },
	uop.CvtF64S32: func(p *program, in []val) val { return p.op1(cI2F, tX, in[0], 0) },

	uop.CvtRniF32F32: integral(roundNear), uop.CvtRziF32F32: integral(roundZero),
	uop.CvtRmiF32F32: integral(roundDown), uop.CvtRpiF32F32: integral(roundUp),
	uop.CvtRniS32F32: toS32(roundNear), uop.CvtRziS32F32: toS32(roundZero),
	uop.CvtRmiS32F32: toS32(roundDown), uop.CvtRpiS32F32: toS32(roundUp),
}

// builtConversions have what the builder of conversions makes (ops_convert.go).
var builtConversions = map[uop.Op]num.Cvt{
	uop.CvtF32S64: {Dst: num.F32, Src: num.S64}, uop.CvtF32U64: {Dst: num.F32, Src: num.U64},
	uop.CvtRziS64F32: {Dst: num.S64, Src: num.F32, Round: num.RZ}, uop.CvtRziU64F32: {Dst: num.U64, Src: num.F32, Round: num.RZ},
	uop.CvtRziS64F64: {Dst: num.S64, Src: num.F64, Round: num.RZ}, uop.CvtRziU64F64: {Dst: num.U64, Src: num.F64, Round: num.RZ},
	uop.CvtRziFtzS64F32: {Dst: num.S64, Src: num.F32, Round: num.RZ, Ftz: true}, uop.CvtRziFtzU64F32: {Dst: num.U64, Src: num.F32, Round: num.RZ, Ftz: true},
}

// packedIntegers are the widths of elements that two integers are clamped to, over the low bits of a third (9.7.9.22).
var packedIntegers = []struct {
	op     uop.Op
	width  uint64
	signed bool
}{
	{uop.PackSatU16, 16, false}, {uop.PackSatS16, 16, true}, {uop.PackSatU8, 8, false}, {uop.PackSatS8, 8, true},
	{uop.PackSatU4, 4, false}, {uop.PackSatS4, 4, true}, {uop.PackSatU2, 2, false}, {uop.PackSatS2, 2, true},
}

func fillConvertTwins() {
	for op, c := range builtConversions {
		convertTwins.put(op, func(p *program, in []val) val { return convertedOne(p, &c, in[0], int(c.Dst.Width())) })
	}
	for _, k := range packedIntegers {
		convertTwins.put(k.op, func(p *program, in []val) val {
			low, high := uint32(0), uint32(1)<<k.width-1
			if k.signed {
				high >>= 1
				low = ^high
			}
			clamp := func(a val) val { return p.lowBits(p.minS(p.maxS(a, p.w(low)), p.w(high)), int(k.width)) }
			v := p.or(p.shlI(clamp(in[0]), k.width), clamp(in[1]))
			if len(in) == 3 {
				v = p.or(v, p.shlI(in[2], 2*k.width))
			}
			return v
		})
	}
}

// f32FromU32 without AVX-512 rounds the sum of two exact halves.
func f32FromU32(p *program, a val, how uint64) val {
	if p.evex {
		return p.op1(cU2F, tW, a, how)
	}
	const two16 = 0x47800000
	high, low := p.op1(cI2F, tW, p.shrI(a, 16), 0), p.op1(cI2F, tW, p.lowBits(a, 16), 0)
	return p.op3(cFFma, tW, high, p.w(two16), low, how)
}

func integral(how uint64) twin {
	return func(p *program, in []val) val { return p.canon(p.op1(cFInt, tW, in[0], how)) }
}

// s32FromF32 rounds and clamps: the machine gives 0x80000000 for whatever it cannot, which is right
// below the range; at 2^31 and above the result is the largest integer, for a NaN 0.
func s32FromF32(p *program, a val, how uint64) val {
	if how != roundZero {
		a = p.op1(cFInt, tW, a, how)
	}
	v := p.op1(cF2I, tW, a, 0)
	v = p.sel(p.op2(cFCmp, tM, p.w(0x4f000000), a, fcmpLE), p.w(0x7fffffff), v)
	return p.sel(p.isNaN(a), p.w(0), v)
}

func toS32(how uint64) twin {
	return func(p *program, in []val) val { return s32FromF32(p, in[0], how) }
}
