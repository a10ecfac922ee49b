package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has the .approx instructions of f16, bf16 and f64: the unit of f32 on operands as f32, its results cut.

// approximateForms are their lowerings.
func approximateForms() map[uop.Op]Lowering {
	all := lowered{
		uop.RcpApproxFtzF64: unary(rcp64), uop.RsqrtApproxFtzF64: unary(rsqrt64), uop.RsqrtApproxF64: unary(rsqrtRefined),
	}
	for i, ops := range [2]struct{ ex2, tanh Pair }{
		{Pair{uop.Ex2ApproxF16, uop.Ex2ApproxF16x2}, Pair{uop.TanhApproxF16, uop.TanhApproxF16x2}},
		{Pair{uop.Ex2ApproxFtzBF16, uop.Ex2ApproxFtzBF16x2}, Pair{uop.TanhApproxBF16, uop.TanhApproxBF16x2}},
	} {
		h := &halfFormats[i]
		h.pack(all, ops.ex2, h.cutting(ex2Flushed))
		h.pack(all, ops.tanh, h.cutting(tanh))
	}
	return all
}

// cutting is a function of f32 of what is no NaN, cut to the format; what is too large is infinity.
func (h *half) cutting(fn func(f *ssa.Func, a ssa.Value) ssa.Value) Lowering {
	return unary(func(f *ssa.Func, a ssa.Value) ssa.Value {
		const two16F32 = 0x47800000
		a = h.widen(f, a)
		v := orNaN(f, fn(f, a), a)
		if !h.f16 {
			return shr(f, v, 16)
		}
		tooLarge := f.Cmp(ssa.FLe, f.Word(two16F32), v)
		return f.Sel(tooLarge, f.Word(h.inf), f.Make(ssa.F2H, ssa.W, ssa.Zero, v))
	})
}

const (
	signHigh = 1 << 31
	infHigh  = 0x7ff00000
	infF64   = infHigh << 32
	minHigh  = 0x00100000 // 2^-1022
)

// upper is what the unit takes of an f64, its upper word, without its sign, and its fraction as that of an f32 from 1 on.
func upper(f *ssa.Func, a ssa.Value) (word, size, fraction ssa.Value) {
	word = trunc(f, shr(f, a, 32))
	return word, and(f, word, f.Word(signHigh-1)), and(f, shl(f, word, 3), f.Word(fracF32))
}

// raised is the upper word of a power of two less one of an f32, whose fraction is cut.
func raised(f *ssa.Func, exponent, v ssa.Value) ssa.Value {
	return f.Bin(ssa.Add, shl(f, f.Bin(ssa.Sub, exponent, f.Word(127)), 20), shr(f, v, 3))
}

func fromUpper(f *ssa.Func, word ssa.Value) ssa.Value { return shl(f, zext(f, word), 32) }

// rcp64 is MUFU.RCP64H.
func rcp64(f *ssa.Func, a ssa.Value) ssa.Value {
	word, size, fraction := upper(f, a)
	m := rcp(f, or(f, fraction, f.Word(oneF32)))
	v := raised(f, f.Bin(ssa.Sub, f.Word(2046), shr(f, size, 20)), m)
	v = f.Sel(f.Cmp(ssa.LtS, v, f.Word(minHigh)), f.Word(0), v)
	v = f.Sel(f.Cmp(ssa.LtS, size, f.Word(minHigh)), f.Word(infHigh), v)
	v = signed(f, f.Sel(f.Cmp(ssa.Eq, size, f.Word(infHigh)), f.Word(0), v), word)
	return fromUpper(f, f.Sel(f.Cmp(ssa.LtS, f.Word(infHigh), size), f.Word(nanF32), v))
}

// rsqrt64 is MUFU.RSQ64H.
func rsqrt64(f *ssa.Func, a ssa.Value) ssa.Value {
	word, size, fraction := upper(f, a)
	exponent := f.Bin(ssa.Sub, shr(f, size, 20), f.Word(1023))
	odd := and(f, exponent, f.Word(1))
	m := rsqrt(f, or(f, fraction, f.Bin(ssa.Add, f.Word(oneF32), shl(f, odd, 23))))
	v := raised(f, f.Bin(ssa.Sub, f.Word(1023), sar(f, exponent, 1)), m)
	v = f.Sel(f.Cmp(ssa.Eq, size, f.Word(infHigh)), f.Word(0), v)
	v = f.Sel(f.Cmp(ssa.LtU, f.Word(infHigh), word), f.Word(nanF32), v)
	return fromUpper(f, f.Sel(f.Cmp(ssa.LtS, size, f.Word(minHigh)), signed(f, f.Word(infHigh), word), v))
}

// rsqrtRefined is rsqrt.approx.f64: one cubic step from the unit's result y, y + (0.5 + 0.375 e)(y e), e = 1 - x y², with subnormal operands
// scaled by 2^54.
func rsqrtRefined(f *ssa.Func, a ssa.Value) ssa.Value {
	const (
		two54, two27                 = 0x4350000000000000, 0x41a0000000000000
		half, threeEighths, quietNaN = 0x3fe0000000000000, 0x3fd8000000000000, signF64 | infF64 | quietF64
	)
	fma := func(a, b, c ssa.Value) ssa.Value { return f.Make(ssa.FFma, ssa.X, 0, a, b, c) }
	size := magnitude(f, []ssa.Value{a})
	small := f.Cmp(ssa.LtU, size, f.Wide(1<<52))
	x := fmul(f, a, f.Sel(small, f.Wide(two54), f.Wide(oneF64)))
	y := rsqrt64(f, x)
	e := fma(x, turned(f, []ssa.Value{fmul(f, y, y)}), f.Wide(oneF64))
	v := fma(fma(e, f.Wide(threeEighths), f.Wide(half)), fmul(f, y, e), y)
	v = fmul(f, v, f.Sel(small, f.Wide(two27), f.Wide(oneF64)))
	v = f.Sel(f.Cmp(ssa.Eq, a, f.Wide(infF64)), f.Wide(0), v)
	v = f.Sel(f.Cmp(ssa.LtS, a, f.Wide(0)), f.Wide(quietNaN), v)
	v = f.Sel(f.Cmp(ssa.Eq, size, f.Wide(0)), or(f, a, f.Wide(infF64)), v)
	return f.Sel(isNaN(f, a), or(f, a, f.Wide(quietF64)), v)
}
