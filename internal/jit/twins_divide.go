package jit

// Division, wide products and dot products of integers, 9.7.1.

import "ptxvm.invalid/ptxvm/internal/uop"

var divideTwins = twins{
	uop.DivU32: divided(false, false), uop.RemU32: divided(false, true), uop.DivS32: divided(true, false), uop.RemS32: divided(true, true),
	uop.DivU16: low16(divided(false, false)), uop.RemU16: low16(divided(false, true)),
	uop.DivS16: low16(signed16(divided(true, false))), uop.RemS16: low16(signed16(divided(true, true))),
	uop.DivU64: divided64(divideU), uop.RemU64: divided64(remainderU), uop.DivS64: divided64(divideS), uop.RemS64: divided64(remainderS),

	uop.MulHiU64: mulHiU64, uop.MulHiS64: mulHiS64, uop.MadHiU64: plus(mulHiU64), uop.MadHiS64: plus(mulHiS64),
	uop.MadHiU16:    func(p *program, in []val) val { return p.lowBits(p.sum(intTwins[uop.MulHiU16](p, in[:2]), in[2]), 16) },
	uop.MadHiS16:    func(p *program, in []val) val { return p.lowBits(p.sum(intTwins[uop.MulHiS16](p, in[:2]), in[2]), 16) },
	uop.MadHiSatS32: func(p *program, in []val) val { return addSat(p, []val{p.bin(cMulHiS, in[0], in[1]), in[2]}) },
	uop.Mul24HiU32:  mul24HiU, uop.Mul24HiS32: mul24HiS, uop.Mad24HiU32: plus(mul24HiU), uop.Mad24HiS32: plus(mul24HiS),
	uop.Mad24HiSatS32: func(p *program, in []val) val { return addSat(p, []val{mul24HiS(p, in), in[2]}) },

	uop.SadU16: func(p *program, in []val) val { return p.lowBits(sad(p, in, cMaxU, cMinU), 16) },
	uop.SadS16: func(p *program, in []val) val {
		return p.lowBits(sad(p, []val{p.sext16(in[0]), p.sext16(in[1]), in[2]}, cMaxS, cMinS), 16)
	},
	uop.SadU64: func(p *program, in []val) val { return sad(p, in, cMaxU, cMinU) },
	uop.SadS64: func(p *program, in []val) val { return sad(p, in, cMaxS, cMinS) },

	uop.CvtRziU32F32: toU32(roundZero), uop.CvtRniU32F32: toU32(roundNear), uop.CvtRmiU32F32: toU32(roundDown), uop.CvtRpiU32F32: toU32(roundUp),
	uop.CvtRziFtzU32F32: toU32(roundZero), uop.CvtRziFtzS32F32: toS32(roundZero), uop.CvtRniFtzS32F32: toS32(roundNear), // what is flushed becomes 0 anyway
	uop.CvtF64U32:  func(p *program, in []val) val { return f64FromU32(p, in[0]) },
	uop.F32FromS16: func(p *program, in []val) val { return p.op1(cI2F, tW, p.sext16(in[0]), 0) },
	uop.F32FromS8:  func(p *program, in []val) val { return p.op1(cI2F, tW, p.sext8(in[0]), 0) },
	uop.F64FromS16: func(p *program, in []val) val { return p.op1(cI2F, tX, p.sext16(in[0]), 0) },
	uop.F64FromS8:  func(p *program, in []val) val { return p.op1(cI2F, tX, p.sext8(in[0]), 0) },
}

// dots are the dot products by the signs of their sources.
var dots = []struct {
	signs                [2]bool
	bytes, lower, higher uop.Op
}{
	{[2]bool{false, false}, uop.Dp4aUU, uop.Dp2aLoUU, uop.Dp2aHiUU}, {[2]bool{false, true}, uop.Dp4aUS, uop.Dp2aLoUS, uop.Dp2aHiUS},
	{[2]bool{true, false}, uop.Dp4aSU, uop.Dp2aLoSU, uop.Dp2aHiSU}, {[2]bool{true, true}, uop.Dp4aSS, uop.Dp2aLoSS, uop.Dp2aHiSS},
}

func fillDivideTwins() {
	for _, d := range dots {
		divideTwins.put(d.bytes, func(p *program, in []val) val { return dot(p, in, d.signs, 8, 0, 4) })
		divideTwins.put(d.lower, func(p *program, in []val) val { return dot(p, in, d.signs, 16, 0, 2) })
		divideTwins.put(d.higher, func(p *program, in []val) val { return dot(p, in, d.signs, 16, 2, 2) })
	}
}

const (
	two52  = 0x4330000000000000 // 2^52: an integer below it is in the low bits of their sum
	three5 = 0x4338000000000000 // 1.5 * 2^52, for negative ones
)

func f64FromU32(p *program, a val) val {
	return p.op2(cFSub, tX, p.or(p.zext(a), p.x(two52)), p.x(two52), roundNear)
}

// divided divides as f64: of 32-bit integers a quotient that is not whole is further from the next
// whole number than its rounding error, so cutting it is exact. Division by 0 gives all ones.
func divided(signed, rest bool) twin {
	return func(p *program, in []val) val {
		convert, magic := func(a val) val { return f64FromU32(p, a) }, p.x(two52)
		if signed {
			convert, magic = func(a val) val { return p.op1(cI2F, tX, a, 0) }, p.x(three5)
		}
		q := p.op1(cFInt, tX, p.op2(cFDiv, tX, convert(in[0]), convert(in[1]), roundNear), roundZero)
		v := p.trunc(p.op2(cFAdd, tX, q, magic, roundNear))
		if rest {
			v = p.sub(in[0], p.mul(v, in[1]))
		}
		return p.sel(p.cmp(cmpEQ, in[1], p.w(0)), p.w(0xffffffff), v)
	}
}

// How 64-bit integers are divided: imm of cDivide.
const (
	divideU = iota
	remainderU
	divideS
	remainderS
)

func divided64(how uint64) twin {
	return func(p *program, in []val) val { return p.op2(cDivide, tX, in[0], in[1], how) }
}

// mulHiU64 is the high half of a product from products of 32 bits.
func mulHiU64(p *program, in []val) val {
	a, b, low := in[0], in[1], p.x(0xffffffff)
	ah, bh := p.shrI(a, 32), p.shrI(b, 32)
	m1, m2 := p.bin(cMulLU, ah, b), p.bin(cMulLU, a, bh)
	mid := p.sum(p.shrI(p.bin(cMulLU, a, b), 32), p.sum(p.and(m1, low), p.and(m2, low)))
	return p.sum(p.sum(p.bin(cMulLU, ah, bh), p.shrI(mid, 32)), p.sum(p.shrI(m1, 32), p.shrI(m2, 32)))
}

// mulHiS64 takes from it what a negative factor counts too much.
func mulHiS64(p *program, in []val) val {
	a, b := in[0], in[1]
	return p.sub(p.sub(mulHiU64(p, in), p.and(b, p.sarI(a, 63))), p.and(a, p.sarI(b, 63)))
}

func mul24HiU(p *program, in []val) val {
	return p.trunc(p.shrI(p.bin(cMulLU, p.zext(p.lowBits(in[0], 24)), p.zext(p.lowBits(in[1], 24))), 16))
}

func mul24HiS(p *program, in []val) val {
	return p.trunc(p.shrI(p.bin(cMulLS, p.sext(sext24(p, in[0])), p.sext(sext24(p, in[1]))), 16))
}

// dot is c plus n products of parts of a, which have some bits, and bytes of b from one on.
func dot(p *program, in []val, signed [2]bool, bits, first, n uint64) val {
	v := in[2]
	for k := range n {
		v = p.sum(v, p.mul(p.field(in[0], k*bits, bits, signed[0]), p.field(in[1], (first+k)*8, 8, signed[1])))
	}
	return v
}

// field is n bits of a word, extended.
func (p *program) field(a val, at, n uint64, signed bool) val {
	if up := 32 - at - n; up > 0 {
		a = p.shlI(a, up)
	}
	if signed {
		return p.sarI(a, 32-n)
	}
	return p.shrI(a, 32-n)
}

// toU32 rounds and clamps; from 2^31 on the machine converts what is above it. A NaN gives 0.
func toU32(how uint64) twin {
	const two31, two32 = 0x4f000000, 0x4f800000
	return func(p *program, in []val) val {
		a := in[0]
		if how != roundZero {
			a = p.op1(cFInt, tW, a, how)
		}
		above := p.op2(cFSub, tW, a, p.w(two31), roundNear)
		v := p.sel(p.op2(cFCmp, tM, a, p.w(two31), fcmpLT), p.op1(cF2I, tW, a, 0), p.xor(p.op1(cF2I, tW, above, 0), p.w(1<<31)))
		v = p.sel(p.op2(cFCmp, tM, p.w(two32), a, fcmpLE), p.w(0xffffffff), v)
		return p.sel(p.op2(cFCmp, tM, p.w(0), a, fcmpLE), v, p.w(0))
	}
}
