package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has the .approx instructions around the special function unit, as num/approx.go and num/sfu.go have them. A function of the unit
// is a quadratic, of which package unit says how it is a sum of 32 bits, and here stand around it: how the sum becomes the bits of the result,
// and operands that the unit does not take. NaNs are chosen last, so what is computed of them does not matter.

const (
	fracF32    = 0x007fffff
	big126F32  = 0x7e800000 // 2^126
	two24F32   = 0x4b800000 // 2^24
	two12F32   = 0x45800000 // 2^12
	twoM12F32  = 0x39800000 // 2^-12
	quarterF32 = 0x3e800000
)

// approximate are functions of the special function unit (9.7.3).
var approximate = map[uop.Op]Lowering{
	uop.RcpApproxFtzF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return orNaN(f, rcp(f, a), a) }),
	uop.RcpApproxF32:    unary(rcpScaled),
	uop.DivApproxF32:    lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return quotientApprox(f, in[0], in[1], false) }),
	uop.DivFullF32:      lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return quotientApprox(f, in[0], in[1], true) }),
	uop.DivApproxFtzF32: flushing(lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return quotientFlushed(f, in[0], in[1], false) })),
	uop.DivFullFtzF32:   flushing(lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return quotientFlushed(f, in[0], in[1], true) })),
	uop.RsqrtApproxFtzF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		return f.Sel(isTiny(f, a), signed(f, f.Word(infF32), a), ofNegative(f, rsqrt(f, a), a))
	}),
	uop.RsqrtApproxF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		small := isTiny(f, a)
		v := scaled(f, a, small, two24F32)
		v = f.Sel(isTiny(f, v), signed(f, f.Word(infF32), v), rsqrt(f, v))
		return ofNegative(f, scaled(f, v, small, two12F32), a)
	}),
	uop.SqrtApproxFtzF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		return f.Sel(isTiny(f, a), and(f, a, f.Word(signF32)), ofNegative(f, sqrt(f, a), a))
	}),
	uop.SqrtApproxF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		small := isTiny(f, a)
		v := scaled(f, a, small, two24F32)
		v = f.Sel(isTiny(f, v), and(f, v, f.Word(signF32)), sqrt(f, v))
		return ofNegative(f, scaled(f, v, small, twoM12F32), a)
	}),
	uop.Ex2ApproxFtzF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return orNaN(f, ex2Flushed(f, a), a) }),
	uop.Ex2ApproxF32:    unary(ex2Squared),
	uop.Lg2ApproxFtzF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		return f.Sel(isTiny(f, a), f.Word(signF32|infF32), ofNegative(f, lg2(f, a), a))
	}),
	uop.Lg2ApproxF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		const minus24 = 0xc1c00000
		small := isTiny(f, a)
		v := scaled(f, a, small, two24F32)
		v = f.Sel(isTiny(f, v), f.Word(signF32|infF32), lg2(f, v))
		return ofNegative(f, f.Sel(small, f.Bin(ssa.FAdd, v, f.Word(minus24)), v), a)
	}),
	uop.SinApproxF32: unary(sine(0)), uop.SinApproxFtzF32: unary(sine(0)),
	uop.CosApproxF32: unary(sine(1)), uop.CosApproxFtzF32: unary(sine(1)),
	uop.TanhApproxF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return orNaN(f, tanh(f, a), a) }),
}

// lanes is a lowering for operands in lanes: numbers of general registers have few of its operations.
func lanes(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		list := make([]ssa.Value, len(in))
		for i, v := range in {
			list[i] = f.Vec(v)
		}
		return l(f, list)
	}
}

// unary is one for a function of one operand.
func unary(fn func(f *ssa.Func, a ssa.Value) ssa.Value) Lowering {
	return lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return fn(f, in[0]) })
}

// sizeF32 is |a|.
func sizeF32(f *ssa.Func, a ssa.Value) ssa.Value { return and(f, a, f.Word(magF32)) }

// isTiny: |a| < 2^-126. aboveBig: 2^126 < |a|, infinities and NaNs among them.
func isTiny(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Cmp(ssa.LtS, sizeF32(f, a), f.Word(minF32))
}

func aboveBig(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Cmp(ssa.LtS, f.Word(big126F32), sizeF32(f, a))
}

// signed is a value without sign with the sign of another.
func signed(f *ssa.Func, v, a ssa.Value) ssa.Value {
	return or(f, v, and(f, a, f.Word(signF32)))
}

// scaled is a value, times a constant where a mask holds.
func scaled(f *ssa.Func, v, m ssa.Value, by uint32) ssa.Value {
	return fmul(f, v, f.Sel(m, f.Word(by), f.Word(oneF32)))
}

// orNaN is v, but the canonical NaN where a is one.
func orNaN(f *ssa.Func, v, a ssa.Value) ssa.Value { return f.Sel(isNaN(f, a), f.Word(nanF32), v) }

// ofNegative is v, but the canonical NaN where a is one, or below zero.
func ofNegative(f *ssa.Func, v, a ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.FLe, f.Word(0), a), v, f.Word(nanF32))
}

// lookUp looks a word up in a table, by the low bits of an index.
func lookUp(f *ssa.Func, t unit.Table, index ssa.Value) ssa.Value {
	last := uint32(len(t.Words()) - 1)
	if k, known := f.Known(index); known {
		return f.Word(t.Words()[uint32(k)&last])
	}
	return f.Make(ssa.Lookup, ssa.W, uint64(t), and(f, index, f.Word(last)))
}

// quadratic is the sum of a segment at x, as what it has above 2^Shift and the sum of products that is added at 2^0.
func quadratic(f *ssa.Func, u num.Unit, x ssa.Value) (base, products ssa.Value) {
	r := unit.Of(u)
	segment := shr(f, x, uint64(r.Fraction))
	base = lookUp(f, unit.Bases(u), segment)
	factors := lookUp(f, unit.Coefficients(u), segment)
	if r.Fraction == 17 {
		step := and(f, sar(f, factors, uint64(r.Shift)), f.Word(-(1 << (16 - r.Shift))))
		base = f.Bin(ssa.Add, base, and(f, step, everywhere(f, x, 16)))
	}
	of := x
	if r.Twice {
		of = f.Bin(ssa.Add, x, x)
	}
	rest := f.Bin(ssa.Add, f.Bin(ssa.Add, shl(f, x, 16), square(f, of)), f.Word(1<<31))
	return base, f.Bin(ssa.Add, f.Bin(ssa.Dot16, factors, rest), f.Word(r.Low()))
}

// everywhere is a bit of a word in all of its places.
func everywhere(f *ssa.Func, x ssa.Value, bit uint64) ssa.Value {
	return sar(f, shl(f, x, 31-bit), 31)
}

// square is the unit's square of the low 17 bits of a word, whose partial products are cut before they are summed (num.truncSquare). With A the
// bits from 10 on and B those below it is 2A², and for each bit j of A the bits of B from 18-j on: products of B and a bit of A in a half of a
// word each.
func square(f *ssa.Func, x ssa.Value) ssa.Value {
	const lowTwice = 0x1010 // both halves are the low one
	b := and(f, f.Make(ssa.Perm, ssa.W, lowTwice, x, x), f.Word(0x03ff03ff))
	x = shr(f, x, 2) // A from bit 8 on
	bits := f.Make(ssa.Perm, ssa.W, lowTwice, x, x)
	terms := func(pair uint32) ssa.Value { return f.Bin(ssa.MulHi16, and(f, bits, f.Word(pair)), b) }
	sum := terms(1<<9<<16 | 1<<8)
	for _, pair := range []uint32{1<<11<<16 | 1<<10, 1<<13<<16 | 1<<12, 1 << 14} {
		sum = f.Bin(ssa.Add, sum, terms(pair))
	}
	a := and(f, x, f.Word(0x7f00))
	return f.Bin(ssa.Add, shr(f, f.Bin(ssa.Dot16, a, a), 15), f.Bin(ssa.Dot16, sum, f.Word(1<<16|1)))
}

// above is the sum above 2^Shift.
func above(f *ssa.Func, u num.Unit, x ssa.Value) ssa.Value {
	base, products := quadratic(f, u, x)
	return f.Bin(ssa.Add, base, sar(f, products, uint64(unit.Of(u).Shift)))
}

// rcp is MUFU.RCP of what is no NaN: the exponent is that of 253 less the operand's, whose remainder k·r takes off with it.
func rcp(f *ssa.Func, a ssa.Value) ssa.Value {
	size := sizeF32(f, a)
	v := f.Bin(ssa.Add, sar(f, above(f, num.UnitRcp, a), 2), f.Bin(ssa.Sub, f.Word(magF32), size))
	v = f.Sel(f.Cmp(ssa.LtS, v, f.Word(minF32)), f.Word(0), v)
	v = f.Sel(f.Cmp(ssa.LtS, size, f.Word(minF32)), f.Word(infF32), v)
	return signed(f, v, a)
}

// scale is by what an operand is multiplied so that neither it nor, if full, its reciprocal is subnormal.
func scale(f *ssa.Func, a ssa.Value, full bool) ssa.Value {
	k := f.Word(oneF32)
	if full {
		k = f.Sel(aboveBig(f, a), f.Word(quarterF32), k)
	}
	return f.Sel(isTiny(f, a), f.Word(two24F32), k)
}

func rcpScaled(f *ssa.Func, a ssa.Value) ssa.Value {
	k := scale(f, a, true)
	return orNaN(f, fmul(f, k, rcp(f, fmul(f, a, k))), a)
}

// quotientApprox is a times the reciprocal of b, both scaled where b is subnormal, and, if full, where it is above 2^126.
func quotientApprox(f *ssa.Func, a, b ssa.Value, full bool) ssa.Value {
	k := scale(f, b, full)
	v := fmul(f, rcp(f, fmul(f, b, k)), fmul(f, a, k))
	return f.Sel(f.Cmp(ssa.FUnord, v, b), f.Word(nanF32), v)
}

// quotientFlushed is the same of flushed operands, with flushed products.
func quotientFlushed(f *ssa.Func, a, b ssa.Value, full bool) ssa.Value {
	product := func(a, b ssa.Value) ssa.Value { return productF32(f, ssa.Nearest, true, []ssa.Value{a, b}) }
	if full {
		k := f.Sel(aboveBig(f, b), f.Word(quarterF32), f.Word(oneF32))
		a, b = product(a, k), product(b, k)
	}
	v := product(rcp(f, b), a)
	return f.Sel(f.Cmp(ssa.FUnord, v, b), f.Word(nanF32), v)
}

// rsqrt is MUFU.RSQ of what is neither a NaN nor below 2^-126. The square root of 1 and of 4^n is exact, where the quadratic is 1 too small.
func rsqrt(f *ssa.Func, a ssa.Value) ssa.Value {
	v := f.Bin(ssa.Sub, above(f, num.UnitRsqrt, a), shl(f, a, 1))
	v = f.Bin(ssa.Add, shr(f, v, 2), f.Word(62<<23))
	exact := f.Cmp(ssa.Eq, shl(f, a, 8), f.Word(1<<31))
	v = f.Sel(exact, f.Bin(ssa.Add, v, f.Word(1)), v)
	return f.Sel(f.Cmp(ssa.Eq, a, f.Word(infF32)), f.Word(0), v)
}

// sqrt is MUFU.SQRT of the same: half of the operand's exponent, and half of its remainder with it.
func sqrt(f *ssa.Func, a ssa.Value) ssa.Value {
	v := f.Bin(ssa.Add, above(f, num.UnitSqrt, a), shl(f, a, 1))
	v = f.Bin(ssa.Add, shr(f, v, 2), f.Word(63<<23))
	return f.Sel(f.Cmp(ssa.Eq, a, f.Word(infF32)), a, v)
}

const (
	two23F32    = 0x4b000000
	minus126F32 = 0xc2fc0000
)

// ex2 is 2 to the power of a·k, where that is between least·k and 128; k is the bits of a power of two, times 2^23. Below zero the fraction is
// complemented, not negated. From -127 down the result has no exponent, and zeros for its fraction.
func ex2(f *ssa.Func, a, k ssa.Value, least uint32) ssa.Value {
	const two7F32 = 0x43000000
	b := f.Bin(ssa.FMin, f.Bin(ssa.FMax, a, f.Word(least)), f.Word(two7F32))
	x := f.Make(ssa.F2I, ssa.W, 0, fmul(f, b, k))
	whole := f.Cmp(ssa.Eq, and(f, x, f.Word(fracF32)), f.Word(0))
	x = f.Bin(ssa.Add, x, f.Sel(whole, f.Word(0), sar(f, x, 31)))
	return f.Bin(ssa.Add, sar(f, above(f, num.UnitEx2, x), 2), f.Bin(ssa.Add, x, f.Word(126<<23)))
}

// ex2Flushed is MUFU.EX2.
func ex2Flushed(f *ssa.Func, a ssa.Value) ssa.Value {
	const minus127 = 0xc2fe0000
	v := ex2(f, a, f.Word(two23F32), minus127)
	return f.Sel(f.Cmp(ssa.FLt, a, f.Word(minus126F32)), f.Word(0), v)
}

// ex2Squared gives the square of 2^(a/2) below -126; that of what is below 2^-126 is zero.
func ex2Squared(f *ssa.Func, a ssa.Value) ssa.Value {
	const two22F32, minus254 = 0x4a800000, 0xc37e0000
	small := f.Cmp(ssa.FLt, a, f.Word(minus126F32))
	v := ex2(f, a, f.Sel(small, f.Word(two22F32), f.Word(two23F32)), minus254)
	return orNaN(f, fmul(f, v, f.Sel(small, v, f.Word(oneF32))), a)
}

// lg2 is MUFU.LG2 of what is neither a NaN nor below 2^-126. The sum has 38 bits of fraction, of which two are cut, and 1 for each power of
// two: k·r makes the bits of the operand less those of 1 of it, times 2^15. The complement of what is below zero is negated.
func lg2(f *ssa.Func, a ssa.Value) ssa.Value {
	base, products := quadratic(f, num.UnitLg2, a)
	bottom := shr(f, f.Bin(ssa.Add, shl(f, base, 12), products), 2) // 13 bits of it
	top := sar(f, f.Bin(ssa.Add, base, sar(f, products, 12)), 3)    // those above
	top = f.Bin(ssa.Add, top, f.Bin(ssa.Sub, a, f.Word(oneF32)))
	below := sar(f, top, 31)
	size := xor(f, top, below)
	bottom = low(f, xor(f, bottom, below), 13)
	v := truncated(f, shr(f, size, 7), or(f, shl(f, low(f, size, 7), 13), bottom), 20, uint32(unit.Of(num.UnitLg2).Point))
	v = f.Sel(f.Cmp(ssa.Eq, a, f.Word(oneF32)), f.Word(0), signed(f, v, top))
	return f.Sel(f.Cmp(ssa.Eq, a, f.Word(infF32)), a, v)
}

// truncated is the float (top·2^bits + bottom)·2^-point, rounded towards zero; neither part has more than 24 bits. The sum is rounded to
// nearest, and its error, which is exact (Dekker: A Floating-Point Technique for Extending the Available Precision), says whether that was up.
func truncated(f *ssa.Func, top, bottom ssa.Value, bits, point uint32) ssa.Value {
	power := func(exponent uint32) ssa.Value { return f.Word((127 + exponent) << 23) }
	h, l := f.Make(ssa.I2F, ssa.W, 0, top), f.Make(ssa.I2F, ssa.W, 0, bottom)
	sum := f.Make(ssa.FFma, ssa.W, 0, h, power(bits), l)
	left := f.Bin(ssa.FAdd, f.Make(ssa.FFma, ssa.W, 0, h, power(bits), xor(f, sum, f.Word(signF32))), l)
	return fmul(f, f.Bin(ssa.Add, sum, sar(f, left, 31)), power(-point))
}

// sine is MUFU.SIN, or with a quadrant more MUFU.COS, of the operand in turns: its product with 1/(2π) towards zero, of which the fraction has
// 25 bits. What is subnormal, flushed or not, has none of these.
func sine(quadrant uint32) func(f *ssa.Func, a ssa.Value) ssa.Value {
	return func(f *ssa.Func, a ssa.Value) ssa.Value {
		const invTwoPi = 0x3e22f983
		size := sizeF32(f, a)
		turns := fmul(f, size, f.Word(invTwoPi))
		left := f.Make(ssa.FFma, ssa.W, 0, size, f.Word(invTwoPi), xor(f, turns, f.Word(signF32)))
		turns = f.Bin(ssa.Add, turns, sar(f, left, 31))
		quarters := f.Bin(ssa.Add, fixed(f, turns), f.Word(quadrant<<23))
		sign := shl(f, quarters, 31-24)
		if quadrant == 0 {
			sign = xor(f, sign, a)
		}
		base, products := quadratic(f, num.UnitSin, and(f, xor(f, quarters, everywhere(f, quarters, 23)), f.Word(fracF32)))
		shift := uint64(unit.Of(num.UnitSin).Shift)
		bottom := low(f, f.Bin(ssa.Add, shl(f, base, shift), products), int(shift+4))
		top := shr(f, f.Bin(ssa.Add, base, sar(f, products, shift)), 4)
		v := signed(f, truncated(f, top, bottom, uint32(shift+4), uint32(unit.Of(num.UnitSin).Point)), sign)
		return f.Sel(f.Cmp(ssa.LtS, size, f.Word(infF32)), v, f.Word(nanF32))
	}
}

// fixed has the 25 bits of a positive float behind its point below others. Where it has no bit there both counts are beyond the width.
func fixed(f *ssa.Func, a ssa.Value) ssa.Value {
	exponent := low(f, shr(f, a, 23), 8)
	digits := or(f, and(f, a, f.Word(fracF32)), f.Word(minF32))
	left := f.Bin(ssa.Shl, digits, f.Bin(ssa.Sub, exponent, f.Word(125)))
	return or(f, left, f.Bin(ssa.Shr, digits, f.Bin(ssa.Sub, f.Word(125), exponent)))
}

// tanh is MUFU.TANH of what is no NaN: the operand itself below 2^-8, subnormal or not.
func tanh(f *ssa.Func, a ssa.Value) ssa.Value {
	const least, eight = 0x3b800000, 0x41000000
	size := sizeF32(f, a)
	octave := lookUp(f, unit.TanhOctaves, shr(f, f.Bin(ssa.Sub, size, f.Word(least)), 23))
	fraction := f.Bin(ssa.Shr, and(f, size, f.Word(fracF32)), low(f, octave, 8))
	segment, rest := f.Bin(ssa.Add, shr(f, octave, 8), shr(f, fraction, 17)), low(f, fraction, 17)
	of := func(t unit.Table) ssa.Value { return zext(f, lookUp(f, t, segment)) }
	sum := f.Bin(ssa.Add, f.Bin(ssa.Shl, of(unit.TanhC0), f.Wide(16)), f.Bin(ssa.Mul, of(unit.TanhC1), zext(f, rest)))
	sum = f.Bin(ssa.Sub, sum, f.Bin(ssa.Mul, of(unit.TanhC2), zext(f, square(f, rest))))
	v := truncated(f, trunc(f, shr(f, sum, 20)), low(f, trunc(f, sum), 20), 20, 40)
	v = f.Sel(f.Cmp(ssa.LtS, size, f.Word(eight)), v, f.Word(oneF32))
	return f.Sel(f.Cmp(ssa.LtS, size, f.Word(least)), a, signed(f, v, a))
}
