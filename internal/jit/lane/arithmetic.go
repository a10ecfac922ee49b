package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has the arithmetic of f32 in all its roundings (9.7.3). A result with .ftz whose exact value is below 2^-126 is the zero of its
// sign, whatever it rounds to. Where more than the result rounded to nearest matters, sums and products go by way of f64, rounded to odd: that
// is on the same side of every f32 and of 2^-126 as the exact value.

// byRounding are operations by roundings, in the order of roundings.
type byRounding [4]uop.Op

var roundings = [4]ssa.Rounding{ssa.Nearest, ssa.Zero, ssa.Down, ssa.Up}

// rounded is a function of f32 with one rounding; its results below 2^-126 become zero if it flushes. NaNs have any payload.
type rounded func(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value

// arithmetic are the operations with their forms; pairs are two in 64 bits, to nearest by one operation.
var arithmetic = []struct {
	to                                     rounded
	both                                   ssa.Code
	plain, sat, ftz, ftzSat, pair, pairFtz byRounding
}{
	{to: sumF32, both: ssa.FAdd2,
		plain:   byRounding{uop.AddF32, uop.AddRZF32, uop.AddRMF32, uop.AddRPF32},
		sat:     byRounding{uop.AddSatF32, uop.AddRZSatF32, uop.AddRMSatF32, uop.AddRPSatF32},
		ftz:     byRounding{uop.AddFtzF32, uop.AddRZFtzF32, uop.AddRMFtzF32, uop.AddRPFtzF32},
		ftzSat:  byRounding{uop.AddFtzSatF32, uop.AddRZFtzSatF32, uop.AddRMFtzSatF32, uop.AddRPFtzSatF32},
		pair:    byRounding{uop.AddF32x2, uop.AddRZF32x2, uop.AddRMF32x2, uop.AddRPF32x2},
		pairFtz: byRounding{uop.AddFtzF32x2, uop.AddRZFtzF32x2, uop.AddRMFtzF32x2, uop.AddRPFtzF32x2}},
	{to: differenceF32, both: ssa.FSub2,
		plain:   byRounding{uop.SubF32, uop.SubRZF32, uop.SubRMF32, uop.SubRPF32},
		sat:     byRounding{uop.SubSatF32, uop.SubRZSatF32, uop.SubRMSatF32, uop.SubRPSatF32},
		ftz:     byRounding{uop.SubFtzF32, uop.SubRZFtzF32, uop.SubRMFtzF32, uop.SubRPFtzF32},
		ftzSat:  byRounding{uop.SubFtzSatF32, uop.SubRZFtzSatF32, uop.SubRMFtzSatF32, uop.SubRPFtzSatF32},
		pair:    byRounding{uop.SubF32x2, uop.SubRZF32x2, uop.SubRMF32x2, uop.SubRPF32x2},
		pairFtz: byRounding{uop.SubFtzF32x2, uop.SubRZFtzF32x2, uop.SubRMFtzF32x2, uop.SubRPFtzF32x2}},
	{to: productF32, both: ssa.FMul2,
		plain:   byRounding{uop.MulF32, uop.MulRZF32, uop.MulRMF32, uop.MulRPF32},
		sat:     byRounding{uop.MulSatF32, uop.MulRZSatF32, uop.MulRMSatF32, uop.MulRPSatF32},
		ftz:     byRounding{uop.MulFtzF32, uop.MulRZFtzF32, uop.MulRMFtzF32, uop.MulRPFtzF32},
		ftzSat:  byRounding{uop.MulFtzSatF32, uop.MulRZFtzSatF32, uop.MulRMFtzSatF32, uop.MulRPFtzSatF32},
		pair:    byRounding{uop.MulF32x2, uop.MulRZF32x2, uop.MulRMF32x2, uop.MulRPF32x2},
		pairFtz: byRounding{uop.MulFtzF32x2, uop.MulRZFtzF32x2, uop.MulRMFtzF32x2, uop.MulRPFtzF32x2}},
	{to: fmaF32, both: ssa.FFma2,
		plain:   byRounding{uop.FmaF32, uop.FmaRZF32, uop.FmaRMF32, uop.FmaRPF32},
		sat:     byRounding{uop.FmaSatF32, uop.FmaRZSatF32, uop.FmaRMSatF32, uop.FmaRPSatF32},
		ftz:     byRounding{uop.FmaFtzF32, uop.FmaRZFtzF32, uop.FmaRMFtzF32, uop.FmaRPFtzF32},
		ftzSat:  byRounding{uop.FmaFtzSatF32, uop.FmaRZFtzSatF32, uop.FmaRMFtzSatF32, uop.FmaRPFtzSatF32},
		pair:    byRounding{uop.FmaF32x2, uop.FmaRZF32x2, uop.FmaRMF32x2, uop.FmaRPF32x2},
		pairFtz: byRounding{uop.FmaFtzF32x2, uop.FmaRZFtzF32x2, uop.FmaRMFtzF32x2, uop.FmaRPFtzF32x2}},
	{to: quotientF32,
		plain: byRounding{uop.DivF32, uop.DivRZF32, uop.DivRMF32, uop.DivRPF32},
		ftz:   byRounding{uop.DivFtzF32, uop.DivRZFtzF32, uop.DivRMFtzF32, uop.DivRPFtzF32}},
	{to: rootF32,
		plain: byRounding{uop.SqrtF32, uop.SqrtRZF32, uop.SqrtRMF32, uop.SqrtRPF32},
		ftz:   byRounding{uop.SqrtFtzF32, uop.SqrtRZFtzF32, uop.SqrtRMFtzF32, uop.SqrtRPFtzF32}},
	{to: reciprocalF32,
		plain: byRounding{uop.RcpF32, uop.RcpRZF32, uop.RcpRMF32, uop.RcpRPF32},
		ftz:   byRounding{uop.RcpFtzF32, uop.RcpRZFtzF32, uop.RcpRMFtzF32, uop.RcpRPFtzF32}},
}

// arithmeticForms are the lowerings.
func arithmeticForms() map[uop.Op]Lowering {
	all := map[uop.Op]Lowering{}
	put := func(op uop.Op, l Lowering) {
		if op != 0 {
			all[op] = l
		}
	}
	for _, a := range arithmetic {
		for i, how := range roundings {
			plain := lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return canon(f, a.to(f, how, false, in)) })
			ftz := flushing(lanes(func(f *ssa.Func, in []ssa.Value) ssa.Value { return canon(f, a.to(f, how, true, in)) }))
			put(a.plain[i], plain)
			put(a.ftz[i], ftz)
			put(a.sat[i], saturating(plain))
			put(a.ftzSat[i], saturating(ftz))
			if put(a.pair[i], twice(plain)); how == ssa.Nearest {
				put(a.pair[i], both(a.both))
			}
			put(a.pairFtz[i], twice(ftz))
		}
	}
	return all
}

// flushing flushes operands.
func flushing(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		list := make([]ssa.Value, len(in))
		for i, v := range in {
			list[i] = flushF32(f, v)
		}
		return l(f, list)
	}
}

// saturating clamps a result to [0, 1].
func saturating(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return saturated(f, l(f, in)) }
}

// twice is a function of both words of operands of 64 bits.
func twice(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		var halves [2]ssa.Value
		for k := range halves {
			list := make([]ssa.Value, len(in))
			for i, v := range in {
				list[i] = trunc(f, shr(f, v, uint64(32*k)))
			}
			halves[k] = l(f, list)
		}
		return or(f, zext(f, halves[0]), shl(f, zext(f, halves[1]), 32))
	}
}

// both is an operation on pairs.
func both(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Make(ssa.Canon2, ssa.X, 0, f.Make(c, ssa.X, 0, in...))
	}
}

func wideF32(f *ssa.Func, a ssa.Value) ssa.Value { return f.Make(ssa.F2D, ssa.X, 0, a) }

func minus(f *ssa.Func, a ssa.Value) ssa.Value { return xor(f, a, f.Word(signF32)) }

// flushIf is the zero of v's sign where tiny holds, else v.
func flushIf(f *ssa.Func, tiny, v ssa.Value) ssa.Value {
	return f.Sel(tiny, and(f, v, f.Word(signF32)), v)
}

// sumF32: a sum below 2^-126 is exact.
func sumF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	v := f.Bin(ssa.FAdd, in[0], in[1])
	if how != ssa.Nearest {
		v = roundedSum(f, how, oddSum(f, wideF32(f, in[0]), wideF32(f, in[1])), in[0], in[1])
	}
	if flushes {
		return flushF32(f, v)
	}
	return v
}

func differenceF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	if how != ssa.Nearest {
		return sumF32(f, how, flushes, []ssa.Value{in[0], minus(f, in[1])})
	}
	v := f.Bin(ssa.FSub, in[0], in[1])
	if flushes {
		return flushF32(f, v)
	}
	return v
}

// roundedSum rounds a sum of two terms; rounded down, that of a zero and its negative is -0.
func roundedSum(f *ssa.Func, how ssa.Rounding, s, a, b ssa.Value) ssa.Value {
	v := narrowed(f, how, s)
	if how == ssa.Down {
		v = f.Sel(f.Cmp(ssa.FEq, s, f.Wide(0)), and(f, or(f, a, b), f.Word(signF32)), v)
	}
	return v
}

// productF32: that of f64 is exact.
func productF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	v := fmul(f, in[0], in[1])
	if how != ssa.Nearest {
		v = narrowed(f, how, fmul(f, wideF32(f, in[0]), wideF32(f, in[1])))
	}
	if flushes {
		return flushIf(f, tinyProduct(f, in[0], in[1]), v)
	}
	return v
}

// tinyProduct: |a·b| < 2^-126. Where that is in question 2^64·a is finite, and the sign of the difference from 2^-62 is exact.
func tinyProduct(f *ssa.Func, a, b ssa.Value) ssa.Value {
	const two64F32 = 0x5f800000
	rest := f.Make(ssa.FFma, ssa.W, 0, fmul(f, sizeF32(f, a), f.Word(two64F32)), sizeF32(f, b), f.Word(signF32|twoM62F32))
	return f.Cmp(ssa.FLt, rest, f.Word(0))
}

func fmaF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	if how == ssa.Nearest && !flushes {
		return f.Make(ssa.FFma, ssa.W, 0, in...)
	}
	if v := ontoConstant(f, how, in); v != 0 {
		return v
	}
	s := oddSum(f, fmul(f, wideF32(f, in[0]), wideF32(f, in[1])), wideF32(f, in[2]))
	v := roundedSum(f, how, s, xor(f, in[0], in[1]), in[2])
	if flushes {
		const least = 0x3810000000000000 // 2^-126
		return flushIf(f, f.Cmp(ssa.FLt, magnitude(f, []ssa.Value{s}), f.Wide(least)), v)
	}
	return v
}

func quotientF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	a, b := in[0], in[1]
	v := f.Bin(ssa.FDiv, a, b)
	if how != ssa.Nearest {
		left := remainder(f, v, b, a)
		left = xor(f, left, and(f, wideF32(f, b), f.Wide(signF64))) // of the quotient, not of a
		v = directed(f, how, v, f.Cmp(ssa.FLt, left, f.Wide(0)), f.Cmp(ssa.FLt, f.Wide(0), left))
	}
	if flushes {
		return flushIf(f, tinyQuotient(f, a, b), v)
	}
	return v
}

// remainder has the sign of a - v·b: the product is exact, and the difference rounded once.
func remainder(f *ssa.Func, v, b, a ssa.Value) ssa.Value {
	return f.Make(ssa.FFma, ssa.X, 0, wideF32(f, minus(f, v)), wideF32(f, b), wideF32(f, a))
}

// tinyQuotient: |a/b| < 2^-126, that is |a|·2^63 < |b|·2^-63. An overflow left and an underflow right happen where the quotient is large.
func tinyQuotient(f *ssa.Func, a, b ssa.Value) ssa.Value {
	const two63F32, twoM63F32 = 0x5f000000, 0x20000000
	return f.Cmp(ssa.FLt, fmul(f, sizeF32(f, a), f.Word(two63F32)), fmul(f, sizeF32(f, b), f.Word(twoM63F32)))
}

// rootF32: no root is tiny.
func rootF32(f *ssa.Func, how ssa.Rounding, _ bool, in []ssa.Value) ssa.Value {
	v := f.Make(ssa.FSqrt, ssa.W, 0, in[0])
	if how == ssa.Nearest {
		return v
	}
	left := remainder(f, v, v, in[0])
	return directed(f, how, v, f.Cmp(ssa.FLt, left, f.Wide(0)), f.Cmp(ssa.FLt, f.Wide(0), left))
}

func reciprocalF32(f *ssa.Func, how ssa.Rounding, flushes bool, in []ssa.Value) ssa.Value {
	return quotientF32(f, how, flushes, []ssa.Value{f.Word(oneF32), in[0]})
}
