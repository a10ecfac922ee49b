package jit

// The .approx instructions around the special function unit, as num/approx.go and num/sfu.go have
// them: the quadratic is one operation (cUnit), operands that it does not take are selected around it.
// Of what it gets, cUnit makes
//
//	rcp    bits of an f32 that is no zero and has an exponent: those of the magnitude; less than those of
//	       2^-126, as signed numbers, where that is too small
//	rsqrt  bits of an f32 above zero that has an exponent: those of the result
//	ex2    a number with 23 bits of fraction: bits of the f32
//	lg2    as rsqrt; of 1 it is not 0
//	sqrt   as rsqrt
//	sin    23 bits of fraction of a quarter turn: bits of the f32

import (
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

const (
	minNormF32 = 0x00800000 // 2^-126
	big126F32  = 0x7e800000 // 2^126
	two24F32   = 0x4b800000 // 2^24
	two12F32   = 0x45800000
	quarterF32 = 0x3e800000
	fracF32    = 0x007fffff
)

var approxTwins = twins{
	uop.RcpApproxFtzF32:   approximate(func(p *program, in []val) val { return unitRcp(p, in[0], true) }),
	uop.RcpApproxF32:      approximate(func(p *program, in []val) val { return rcpApprox(p, in[0]) }),
	uop.RsqrtApproxFtzF32: approximate(func(p *program, in []val) val { return unitRsqrt(p, in[0], true) }),
	uop.RsqrtApproxF32:    approximate(func(p *program, in []val) val { return rsqrtApprox(p, in[0]) }),
	uop.SqrtApproxFtzF32:  approximate(func(p *program, in []val) val { return unitSqrt(p, in[0]) }),
	uop.SqrtApproxF32:     approximate(func(p *program, in []val) val { return sqrtApprox(p, in[0]) }),
	uop.Ex2ApproxFtzF32:   approximate(func(p *program, in []val) val { return ex2ApproxFtz(p, in[0]) }),
	uop.Ex2ApproxF32:      approximate(func(p *program, in []val) val { return ex2Approx(p, in[0]) }),
	uop.Lg2ApproxFtzF32:   approximate(func(p *program, in []val) val { return unitLg2(p, in[0], true) }),
	uop.Lg2ApproxF32:      approximate(func(p *program, in []val) val { return lg2Approx(p, in[0]) }),
	uop.DivApproxF32:      approximate(func(p *program, in []val) val { return divApprox(p, in[0], in[1], false) }),
	uop.DivFullF32:        approximate(func(p *program, in []val) val { return divApprox(p, in[0], in[1], true) }),
	uop.DivApproxFtzF32:   approximate(func(p *program, in []val) val { return divApproxFtz(p, in[0], in[1], false) }),
	uop.DivFullFtzF32:     approximate(func(p *program, in []val) val { return divApproxFtz(p, in[0], in[1], true) }),
	uop.SinApproxF32:      approximate(func(p *program, in []val) val { return unitTurn(p, turns(p, in[0]), 0) }),
	uop.CosApproxF32:      approximate(func(p *program, in []val) val { return unitTurn(p, p.and(turns(p, in[0]), p.w(magF32)), 1) }),
	uop.SinApproxFtzF32:   approximate(func(p *program, in []val) val { return unitTurn(p, turns(p, flushF32(p, in[0])), 0) }),
	uop.CosApproxFtzF32: approximate(func(p *program, in []val) val {
		return unitTurn(p, p.and(turns(p, flushF32(p, in[0])), p.w(magF32)), 1)
	}),
}

// approximate makes the NaNs of a function canonical.
func approximate(t twin) twin {
	return func(p *program, in []val) val {
		return p.canon(t(p, in))
	}
}

func (p *program) fmul(a, b val) val { return p.op2(cFMul, tW, a, b, roundNear) }

// exponent is the biased exponent of an f32.
func (p *program) exponent(a val) val { return p.and(p.shrI(a, 23), p.w(0xff)) }

func (p *program) isNaN(a val) val { return p.op2(cFCmp, tM, a, a, fcmpUNORD) }

// belowNormal: |a| < 2^-126.
func (p *program) belowNormal(a val) val {
	const zeros, subnormals = 1<<1 | 1<<2, 1 << 5
	if p.evex {
		return p.op1(cClass, tM, a, zeros|subnormals)
	}
	return p.cmp(cmpLTS, p.and(a, p.w(magF32)), p.w(minNormF32))
}

// aboveBig: 2^126 < |a| ≤ infinity; for NaNs it does not matter what they are scaled by.
func (p *program) aboveBig(a val) val {
	return p.cmp(cmpLTS, p.w(big126F32), p.and(a, p.w(magF32)))
}

func (p *program) unit(u num.Unit, a val) val { return p.op1(cUnit, tW, a, uint64(u)) }

// What cFix makes of the classes of an operand: four bits for each, in the order of vfixupimmps.
const (
	fixNaN     = 0x22 // a NaN of every NaN
	fixZero    = 8    // shifts of the classes
	fixOne     = 12
	fixMinus   = 16 // -infinity
	fixPlus    = 20 // infinity
	fixBelow   = 24 // other numbers below zero
	asNaN      = 3
	asMinusInf = 4
	asInf      = 5
	asSigned   = 6 // infinity with the sign of the operand
	asZero     = 8
)

// fix is v, but where a is of a class that has an entry in the table.
func (p *program) fix(v, a val, table uint64) val {
	if p.evex {
		return p.op2(cFix, tW, v, a, table)
	}
	sign := func() val { return p.and(a, p.w(signF32)) }
	become := func(class int, how val) {
		switch table >> class & 15 {
		case asNaN:
			v = p.sel(how, p.w(nanF32), v)
		case asMinusInf:
			v = p.sel(how, p.w(signF32|infF32), v)
		case asInf:
			v = p.sel(how, p.w(infF32), v)
		case asSigned:
			v = p.sel(how, p.or(sign(), p.w(infF32)), v)
		case asZero:
			v = p.sel(how, p.w(0), v)
		}
	}
	become(fixBelow, p.cmp(cmpLTS, a, p.w(0)))
	become(fixPlus, p.cmp(cmpEQ, a, p.w(infF32)))
	become(fixMinus, p.cmp(cmpEQ, a, p.w(signF32|infF32)))
	become(fixOne, p.cmp(cmpEQ, a, p.w(oneF32)))
	become(fixZero, p.op2(cFCmp, tM, a, p.w(0), fcmpEQ))
	return p.sel(p.isNaN(a), p.w(nanF32), v)
}

// orZero is v, or zero where its bits are below those of 2^-126.
func (p *program) orZero(v val) val {
	return p.sel(p.cmp(cmpLTS, v, p.w(minNormF32)), p.w(0), v)
}

// infinite is v, but with ftz the infinity of a's sign where a is subnormal or zero.
func (p *program) infinite(v, a val, ftz bool) val {
	if !ftz {
		return v
	}
	return p.sel(p.belowNormal(a), p.or(p.and(a, p.w(signF32)), p.w(infF32)), v)
}

// unitRcp is MUFU.RCP; without ftz no operand is subnormal.
func unitRcp(p *program, a val, ftz bool) val {
	v := p.or(p.and(a, p.w(signF32)), p.orZero(p.unit(num.UnitRcp, a)))
	return p.fix(p.infinite(v, a, ftz), a, fixNaN|asSigned<<fixZero)
}

// rcpApprox scales the operand to where neither it nor the result is subnormal.
func rcpApprox(p *program, a val) val {
	k := p.sel(p.aboveBig(a), p.w(quarterF32), p.w(oneF32))
	k = p.sel(p.belowNormal(a), p.w(two24F32), k)
	return p.fmul(k, unitRcp(p, p.fmul(a, k), false))
}

// unitRsqrt is MUFU.RSQ; without ftz no operand is subnormal.
func unitRsqrt(p *program, a val, ftz bool) val {
	v := p.fix(p.unit(num.UnitRsqrt, a), a, fixNaN|asSigned<<fixZero|asNaN<<fixMinus|asZero<<fixPlus|asNaN<<fixBelow)
	return p.infinite(v, a, ftz)
}

func rsqrtApprox(p *program, a val) val {
	tiny := p.belowNormal(a)
	v := unitRsqrt(p, p.fmul(a, p.sel(tiny, p.w(two24F32), p.w(oneF32))), false)
	return p.fmul(v, p.sel(tiny, p.w(two12F32), p.w(oneF32)))
}

// unitSqrt is MUFU.SQRT.
func unitSqrt(p *program, a val) val {
	v := p.fix(p.unit(num.UnitSqrt, a), a, fixNaN|asNaN<<fixMinus|asInf<<fixPlus|asNaN<<fixBelow)
	return p.sel(p.belowNormal(a), p.and(a, p.w(signF32)), v)
}

func sqrtApprox(p *program, a val) val {
	const twoTo12 = 0x39800000 // 2^-12
	tiny := p.belowNormal(a)
	v := unitSqrt(p, p.fmul(a, p.sel(tiny, p.w(two24F32), p.w(oneF32))))
	return p.fmul(v, p.sel(tiny, p.w(twoTo12), p.w(oneF32)))
}

// unitEx2 is 2^(a·k) with k a power of two; from -127 down it has no exponent, and zeros for its fraction.
func unitEx2(p *program, a, k val, least uint32) val {
	const two7F32 = 0x43000000
	b := p.op2(cFMax, tW, a, p.w(least), 0)
	b = p.op2(cFMin, tW, b, p.w(two7F32), 0)
	return p.fix(p.unit(num.UnitEx2, p.op1(cF2I, tW, p.fmul(b, k), 0)), a, fixNaN)
}

const two23F32 = 0x4b000000

// ex2ApproxFtz is MUFU.EX2.
func ex2ApproxFtz(p *program, a val) val {
	const minus127 = 0xc2fe0000
	v := unitEx2(p, a, p.w(two23F32), minus127)
	return p.sel(p.op2(cFCmp, tM, a, p.w(0xc2fc0000), fcmpLT), p.w(0), v)
}

// ex2Approx gives the square of 2^(a/2) below -126; that of what is below 2^-126 is zero.
func ex2Approx(p *program, a val) val {
	const two22F32, minus126, minus254 = 0x4a800000, 0xc2fc0000, 0xc37e0000
	low := p.op2(cFCmp, tM, a, p.w(minus126), fcmpLT)
	v := unitEx2(p, a, p.sel(low, p.w(two22F32), p.w(two23F32)), minus254)
	return p.fmul(v, p.sel(low, v, p.w(oneF32)))
}

// unitLg2 is MUFU.LG2; without ftz no operand is subnormal.
func unitLg2(p *program, a val, ftz bool) val {
	v := p.fix(p.unit(num.UnitLg2, a), a, fixNaN|asMinusInf<<fixZero|asZero<<fixOne|asNaN<<fixMinus|asInf<<fixPlus|asNaN<<fixBelow)
	if !ftz {
		return v
	}
	return p.sel(p.belowNormal(a), p.w(signF32|infF32), v)
}

func lg2Approx(p *program, a val) val {
	const minus24 = 0xc1c00000
	tiny := p.belowNormal(a)
	v := unitLg2(p, p.fmul(a, p.sel(tiny, p.w(two24F32), p.w(oneF32))), false)
	return p.sel(tiny, p.op2(cFAdd, tW, v, p.w(minus24), roundNear), v)
}

// divApprox is a times the reciprocal of b, both scaled where b is subnormal, and, if full, where
// it is above 2^126.
func divApprox(p *program, a, b val, full bool) val {
	k := p.w(oneF32)
	if full {
		k = p.sel(p.aboveBig(b), p.w(quarterF32), k)
	}
	k = p.sel(p.belowNormal(b), p.w(two24F32), k)
	return p.fmul(unitRcp(p, p.fmul(b, k), false), p.fmul(a, k))
}

// divApproxFtz is the same for flushed operands and products.
func divApproxFtz(p *program, a, b val, full bool) val {
	mul := func(a, b val) val { return flushed(flushing(cFMul, roundNear))(p, []val{a, b}) }
	if full {
		k := p.sel(p.aboveBig(b), p.w(quarterF32), p.w(oneF32))
		big := p.aboveBig(b)
		a, b = p.sel(big, mul(a, k), a), p.sel(big, mul(b, k), b)
	}
	return mul(unitRcp(p, b, true), a)
}

// turns is the product with 1/(2π), rounded toward zero. The unit flushes what is subnormal.
func turns(p *program, a val) val {
	const invTwoPi = 0x3e22f983
	if p.evex {
		return p.op2(cFMul, tW, a, p.w(invTwoPi), roundZero)
	}
	v := p.fmul(a, p.w(invTwoPi))
	rest := p.op3(cFFma, tW, a, p.w(invTwoPi), p.xor(v, p.w(signF32)), roundNear)
	toward := p.xor(rest, p.and(v, p.w(signF32))) // exact where v matters: negative where v is one too far from zero
	away := p.sel(p.op2(cFCmp, tM, toward, p.w(0), fcmpLT), p.w(1), p.w(0))
	return p.sub(v, away)
}

// unitTurn is MUFU.SIN, or with a quadrant more MUFU.COS, of turns: the fraction of a turn to 25 bits.
func unitTurn(p *program, a val, quadrant uint32) val {
	e := p.exponent(a)
	sig := p.or(p.and(a, p.w(fracF32)), p.w(minNormF32))
	right := p.bin(cShr, sig, p.sub(p.w(125), e))
	left := p.sel(p.cmp(cmpLTS, e, p.w(150)), p.bin(cShl, sig, p.sub(e, p.w(125))), p.w(0))
	fix := p.sel(p.cmp(cmpLTS, e, p.w(125)), right, left)
	fix = p.sel(p.cmp(cmpEQ, e, p.w(0)), p.w(0), fix)
	q, f := p.sum(p.shrI(fix, 23), p.w(quadrant)), p.and(fix, p.w(fracF32))
	odd := p.cmp(cmpEQ, p.and(q, p.w(1)), p.w(1))
	f = p.sel(odd, p.xor(f, p.w(fracF32)), f)
	sign := p.and(p.xor(a, p.shlI(q, 30)), p.w(signF32))
	v := p.or(sign, p.unit(num.UnitSin, f))
	return p.sel(p.cmp(cmpEQ, e, p.w(255)), p.w(nanF32), v)
}
