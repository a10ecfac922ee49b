package jit

// The .approx instructions around the special function unit, as num/approx.go and num/sfu.go have
// them: the quadratic is one operation (cUnit), operands that it does not take are selected around it.

import "ptxvm/internal/num"

const (
	minNormF32 = 0x00800000 // 2^-126
	big126F32  = 0x7e800000 // 2^126
	two24F32   = 0x4b800000 // 2^24
	two12F32   = 0x45800000
	quarterF32 = 0x3e800000
	fracF32    = 0x007fffff
)

var approxTwins = map[string]twin{
	"RcpApproxFtzF32":   func(p *program, in []val) val { return unitRcp(p, in[0]) },
	"RcpApproxF32":      func(p *program, in []val) val { return rcpApprox(p, in[0]) },
	"RsqrtApproxFtzF32": func(p *program, in []val) val { return unitRsqrt(p, in[0]) },
	"RsqrtApproxF32":    func(p *program, in []val) val { return rsqrtApprox(p, in[0]) },
	"SqrtApproxF32":     rounded(cFSqrt, roundNear),
	"SqrtApproxFtzF32":  flushed(rounded(cFSqrt, roundNear)),
	"Ex2ApproxFtzF32":   func(p *program, in []val) val { return unitEx2(p, in[0]) },
	"Ex2ApproxF32":      func(p *program, in []val) val { return ex2Approx(p, in[0]) },
	"Lg2ApproxFtzF32":   func(p *program, in []val) val { return unitLg2(p, in[0]) },
	"Lg2ApproxF32":      func(p *program, in []val) val { return lg2Approx(p, in[0]) },
	"DivApproxF32":      func(p *program, in []val) val { return divApprox(p, in[0], in[1], false) },
	"SinApproxF32":      func(p *program, in []val) val { return unitTurn(p, turns(p, in[0]), 0) },
	"CosApproxF32":      func(p *program, in []val) val { return unitTurn(p, p.and(turns(p, in[0]), p.w(magF32)), 1) },
	"SinApproxFtzF32":   func(p *program, in []val) val { return unitTurn(p, turns(p, flushF32(p, in[0])), 0) },
	"CosApproxFtzF32": func(p *program, in []val) val {
		return unitTurn(p, p.and(turns(p, flushF32(p, in[0])), p.w(magF32)), 1)
	},
	"DivFullF32": func(p *program, in []val) val { return divApprox(p, in[0], in[1], true) },
}

func (p *program) fmul(a, b val) val { return p.op2(cFMul, tW, a, b, roundNear) }

// exponent is the biased exponent of an f32.
func (p *program) exponent(a val) val { return p.and(p.shrI(a, 23), p.w(0xff)) }

func (p *program) isNaN(a val) val { return p.op2(cFCmp, tM, a, a, fcmpUNORD) }

// belowNormal: |a| < 2^-126.
func (p *program) belowNormal(a val) val {
	return p.cmp(cmpLTS, p.and(a, p.w(magF32)), p.w(minNormF32))
}

// aboveBig: 2^126 < |a| ≤ infinity; for NaNs it does not matter what they are scaled by.
func (p *program) aboveBig(a val) val {
	return p.cmp(cmpLTS, p.w(big126F32), p.and(a, p.w(magF32)))
}

func (p *program) unit(u num.Unit, frac, exp val) val {
	return p.op2(cUnit, tW, frac, exp, uint64(u))
}

// pack makes 2^(e-127)·m/2^23 of a biased exponent and a significand of up to 2^24; zero below
// 2^-126.
func (p *program) pack(e, m val) val {
	v := p.sum(p.shlI(e, 23), p.sub(m, p.w(minNormF32)))
	return p.sel(p.cmp(cmpLTS, v, p.w(minNormF32)), p.w(0), v)
}

// unitRcp is MUFU.RCP.
func unitRcp(p *program, a val) val {
	sign, e, f := p.and(a, p.w(signF32)), p.exponent(a), p.and(a, p.w(fracF32))
	v := p.pack(p.sub(p.w(253), e), p.unit(num.UnitRcp, f, f))
	v = p.sel(p.cmp(cmpEQ, e, p.w(255)), p.w(0), v)
	v = p.sel(p.cmp(cmpEQ, e, p.w(0)), p.w(infF32), v)
	return p.sel(p.isNaN(a), p.w(nanF32), p.or(sign, v))
}

// rcpApprox scales the operand to where neither it nor the result is subnormal.
func rcpApprox(p *program, a val) val {
	k := p.sel(p.aboveBig(a), p.w(quarterF32), p.w(oneF32))
	k = p.sel(p.belowNormal(a), p.w(two24F32), k)
	return p.fmul(k, unitRcp(p, p.fmul(a, k)))
}

// unitRsqrt is MUFU.RSQ. Its significand of [1, 4) has 24 bits of fraction; 1 is exact.
func unitRsqrt(p *program, a val) val {
	e := p.sub(p.exponent(a), p.w(127))
	fx := p.or(p.and(a, p.w(fracF32)), p.shlI(p.and(e, p.w(1)), 23))
	h := p.sarI(e, 1)
	v := p.sum(p.shlI(p.sub(p.w(126), h), 23), p.sub(p.unit(num.UnitRsqrt, fx, fx), p.w(minNormF32)))
	v = p.sel(p.cmp(cmpEQ, fx, p.w(0)), p.shlI(p.sub(p.w(127), h), 23), v)
	v = p.sel(p.cmp(cmpEQ, a, p.w(infF32)), p.w(0), v)
	v = p.sel(p.cmp(cmpLTS, a, p.w(0)), p.w(nanF32), v)
	v = p.sel(p.cmp(cmpEQ, p.exponent(a), p.w(0)), p.or(p.and(a, p.w(signF32)), p.w(infF32)), v)
	return p.sel(p.isNaN(a), p.w(nanF32), v)
}

func rsqrtApprox(p *program, a val) val {
	tiny := p.belowNormal(a)
	v := unitRsqrt(p, p.sel(tiny, p.fmul(a, p.w(two24F32)), a))
	return p.canon(p.sel(tiny, p.fmul(v, p.w(two12F32)), v))
}

// unitEx2 is MUFU.EX2: the operand as a number with 23 bits of fraction; below zero its fraction is
// complemented, not negated.
func unitEx2(p *program, a val) val {
	e := p.exponent(a)
	sig := p.or(p.and(a, p.w(fracF32)), p.w(minNormF32))
	// sig·2^(e-127): to the left by e-127 (below 7), or to the right by 127-e
	fix := p.sel(p.cmp(cmpLTS, e, p.w(127)), p.bin(cShr, sig, p.sub(p.w(127), e)), p.bin(cShl, sig, p.sub(e, p.w(127))))
	n, f, sign := p.shrI(fix, 23), p.and(fix, p.w(fracF32)), p.sarI(a, 31)
	whole := p.cmp(cmpEQ, f, p.w(0))
	n = p.sum(p.xor(n, sign), p.sel(whole, p.shrI(a, 31), p.w(0)))
	f = p.sel(whole, f, p.xor(f, p.and(sign, p.w(fracF32))))
	v := p.pack(p.sum(n, p.w(127)), p.unit(num.UnitEx2, f, f))
	v = p.sel(p.cmp(cmpLTS, p.w(133), e), p.bin(cAndn, sign, p.w(infF32)), v)
	v = p.sel(p.cmp(cmpEQ, e, p.w(0)), p.w(oneF32), v)
	return p.sel(p.isNaN(a), p.w(nanF32), v)
}

// ex2Approx gives the square of 2^(a/2) below -126.
func ex2Approx(p *program, a val) val {
	const half, minus126 = 0x3f000000, 0xc2fc0000
	low := p.op2(cFCmp, tM, a, p.w(minus126), fcmpLT)
	v := unitEx2(p, p.sel(low, p.fmul(a, p.w(half)), a))
	return p.sel(low, p.fmul(v, v), v)
}

// unitLg2 is MUFU.LG2.
func unitLg2(p *program, a val) val {
	e := p.exponent(a)
	v := p.unit(num.UnitLg2, p.and(a, p.w(fracF32)), p.sub(e, p.w(127)))
	v = p.sel(p.cmp(cmpEQ, a, p.w(oneF32)), p.w(0), v)
	v = p.sel(p.cmp(cmpEQ, a, p.w(infF32)), p.w(infF32), v)
	v = p.sel(p.cmp(cmpLTS, a, p.w(0)), p.w(nanF32), v)
	v = p.sel(p.cmp(cmpEQ, e, p.w(0)), p.w(signF32|infF32), v)
	return p.sel(p.isNaN(a), p.w(nanF32), v)
}

func lg2Approx(p *program, a val) val {
	const minus24 = 0xc1c00000
	tiny := p.belowNormal(a)
	v := unitLg2(p, p.sel(tiny, p.fmul(a, p.w(two24F32)), a))
	return p.canon(p.sel(tiny, p.op2(cFAdd, tW, v, p.w(minus24), roundNear), v))
}

// divApprox is a times the reciprocal of b, both scaled where b is subnormal, and, if full, where
// it is above 2^126.
func divApprox(p *program, a, b val, full bool) val {
	k := p.w(oneF32)
	if full {
		k = p.sel(p.aboveBig(b), p.w(quarterF32), k)
	}
	k = p.sel(p.belowNormal(b), p.w(two24F32), k)
	return p.canon(p.fmul(unitRcp(p, p.fmul(b, k)), p.fmul(a, k)))
}

// turns is the product with 1/(2π), rounded toward zero. The unit flushes what is subnormal.
func turns(p *program, a val) val {
	const invTwoPi = 0x3e22f983
	return p.op2(cFMul, tW, a, p.w(invTwoPi), roundZero)
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
	v := p.or(sign, p.unit(num.UnitSin, f, f))
	return p.sel(p.cmp(cmpEQ, e, p.w(255)), p.w(nanF32), v)
}
