package jit

// f32 with .ftz, 9.7.3: subnormal sources are zeros of their sign, and so is a result whose exact
// value is below 2^-126, whatever it rounds to. Also min and max in all their forms.

import "ptxvm.invalid/ptxvm/internal/uop"

var flushTwins = twins{
	uop.AbsFtzF32:    flushed(func(p *program, in []val) val { return absF32(p, in[0]) }),
	uop.NegFtzF32:    flushed(floatTwins[uop.NegF32]),
	uop.SubnormalF32: func(p *program, in []val) val { return subnormal(p, in[0]) },
	uop.NormalF32: func(p *program, in []val) val {
		return p.cmp(cmpLTS, p.sel(subnormal(p, in[0]), p.w(infF32), p.and(in[0], p.w(magF32))), p.w(infF32))
	},
}

var flushedReciprocals = byRounding{uop.RcpFtzF32, uop.RcpRZFtzF32, uop.RcpRMFtzF32, uop.RcpRPFtzF32}

func fillFlushTwins() {
	for _, a := range arithmetic {
		for i, how := range roundings {
			t := floatTwins[a.ftz[i]]
			if t == nil {
				t = flushed(flushing(a.code, how))
				flushTwins.put(a.ftz[i], t)
			}
			flushTwins.put(a.ftzSat[i], saturated(t))
		}
	}
	for i, how := range roundings {
		div := flushed(flushing(cFDiv, how))
		flushTwins.put(flushedReciprocals[i], func(p *program, in []val) val { return div(p, []val{p.w(oneF32), in[0]}) })
	}
	for i := range choices {
		choices[i].fill(floatTwins[choices[i].two[0]])
	}
}

// choice is min or max in its forms: of two and of three sources; as it is, .NaN, .xorsign.abs or .abs, and both; without
// and with .ftz.
type choice struct{ two, twoFtz, three, threeFtz [4]uop.Op }

var choices = []choice{
	{[4]uop.Op{uop.MinF32, uop.MinNaNF32, uop.MinXorsignAbsF32, uop.MinNaNXorsignAbsF32},
		[4]uop.Op{uop.MinFtzF32, uop.MinFtzNaNF32, uop.MinFtzXorsignAbsF32, uop.MinFtzNaNXorsignAbsF32},
		[4]uop.Op{uop.Min3F32, uop.Min3NaNF32, uop.Min3AbsF32, uop.Min3NaNAbsF32},
		[4]uop.Op{uop.Min3FtzF32, uop.Min3FtzNaNF32, uop.Min3FtzAbsF32, uop.Min3FtzNaNAbsF32}},
	{[4]uop.Op{uop.MaxF32, uop.MaxNaNF32, uop.MaxXorsignAbsF32, uop.MaxNaNXorsignAbsF32},
		[4]uop.Op{uop.MaxFtzF32, uop.MaxFtzNaNF32, uop.MaxFtzXorsignAbsF32, uop.MaxFtzNaNXorsignAbsF32},
		[4]uop.Op{uop.Max3F32, uop.Max3NaNF32, uop.Max3AbsF32, uop.Max3NaNAbsF32},
		[4]uop.Op{uop.Max3FtzF32, uop.Max3FtzNaNF32, uop.Max3FtzAbsF32, uop.Max3FtzNaNAbsF32}},
}

// fill makes all forms of the plain one of two sources, which is there.
func (c *choice) fill(t twin) {
	strict := strictly(t)
	for i, of := range []twin{t, strict, xorsign(t), xorsign(strict)} {
		if i > 0 {
			flushTwins.put(c.two[i], of)
		}
		flushTwins.put(c.twoFtz[i], flushed(of))
	}
	for i, of := range []twin{fold(t), fold(strict), magnitudes(fold(t)), magnitudes(fold(strict))} {
		flushTwins.put(c.three[i], of)
		flushTwins.put(c.threeFtz[i], flushed(of))
	}
}

// flushing is an operation on flushed sources that flushes its result. Rounded toward zero a value
// is below 2^-126 if it is exactly; machines that have to be told how to round compare it exactly.
func flushing(c code, how uint64) twin {
	t := rounded(c, how)
	return func(p *program, in []val) val {
		v := t(p, in)
		switch {
		case c == cFSqrt: // no root is tiny
			return v
		case c == cFAdd, c == cFSub: // a sum below 2^-126 is exact
			return flushF32(p, v)
		case p.evex:
			tiny := p.belowNormal(rounded(c, roundZero)(p, in))
			return p.sel(tiny, p.and(v, p.w(signF32)), v)
		case c == cFMul:
			return p.sel(tinyProduct(p, in[0], in[1]), p.and(v, p.w(signF32)), v)
		case c == cFDiv:
			return p.sel(tinyQuotient(p, in[0], in[1]), p.and(v, p.w(signF32)), v)
		case c == cFFma:
			return p.canon(p.and(v, signIfTiny(p, in)))
		}
		return v
	}
}

const (
	twoM62F32 = 0x20800000
	twoM63F32 = 0x20000000
	two63F32  = 0x5f000000
	two64F32  = 0x5f800000
)

// tinyProduct: |a·b| < 2^-126. Where that is in question 2^64·a is finite, and the sign of the
// difference from 2^-62 is exact.
func tinyProduct(p *program, a, b val) val {
	a, b = p.and(a, p.w(magF32)), p.and(b, p.w(magF32))
	rest := p.op3(cFFma, tW, p.fmul(a, p.w(two64F32)), b, p.w(signF32|twoM62F32), roundNear)
	return p.op2(cFCmp, tM, rest, p.w(0), fcmpLT)
}

// tinyQuotient: |a/b| < 2^-126, that is |a|·2^63 < |b|·2^-63. An overflow left and an underflow
// right happen where the quotient is large.
func tinyQuotient(p *program, a, b val) val {
	a, b = p.fmul(p.and(a, p.w(magF32)), p.w(two63F32)), p.fmul(p.and(b, p.w(magF32)), p.w(twoM63F32))
	return p.op2(cFCmp, tM, a, b, fcmpLT)
}

// signIfTiny has the sign bit set where |a·b + c| < 2^-126, elsewhere all bits: the sum of f64 with
// its error, which decides where the sum itself is rounded to 2^-126.
func signIfTiny(p *program, in []val) val {
	const minF32 = 0x3810000000000000
	wide := func(k int) val { return p.op1(cF2D, tX, in[k], 0) }
	add := func(a, b val) val { return p.op2(cFAdd, tX, a, b, roundNear) }
	sub := func(a, b val) val { return p.op2(cFSub, tX, a, b, roundNear) }
	a, c := p.op2(cFMul, tX, wide(0), wide(1), roundNear), wide(2)
	s := add(a, c)
	t := sub(s, a)
	rest := add(sub(a, sub(s, t)), sub(c, t))
	size := p.and(s, p.x(magF64))
	toward := p.xor(rest, p.and(s, p.x(signF64))) // negative: the sum is nearer to zero
	least := p.sel(p.op2(cFCmp, tM, toward, p.x(0), fcmpLT), p.x(minF32+1), p.x(minF32))
	return p.trunc(p.sel(p.op2(cFCmp, tM, size, least, fcmpLT), p.x(signF32), p.x(0xffffffff)))
}

func subnormal(p *program, a val) val {
	mag := p.and(a, p.w(magF32))
	return p.cmp(cmpLTU, p.sub(mag, p.w(1)), p.w(minNormF32-1))
}

// strictly is min or max where any NaN wins.
func strictly(t twin) twin {
	return func(p *program, in []val) val {
		return p.sel(p.op2(cFCmp, tM, in[0], in[1], fcmpUNORD), p.w(nanF32), t(p, in))
	}
}

// magnitudes passes the sources without their signs.
func magnitudes(t twin) twin {
	return func(p *program, in []val) val {
		list := make([]val, len(in))
		for i := range in {
			list[i] = p.and(in[i], p.w(magF32))
		}
		return t(p, list)
	}
}

// xorsign gives min or max of the magnitudes the signs' difference.
func xorsign(t twin) twin {
	t = magnitudes(t)
	return func(p *program, in []val) val {
		return p.canon(p.or(t(p, in), p.and(p.xor(in[0], in[1]), p.w(signF32))))
	}
}

// fold applies a twin of two sources from the left.
func fold(t twin) twin {
	return func(p *program, in []val) val { return t(p, []val{t(p, in[:2]), in[2]}) }
}
