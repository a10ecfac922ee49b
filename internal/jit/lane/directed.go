package lane

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file has roundings other than to nearest, of results that are rounded to nearest and of which it is known on which side of them the
// exact value is: the float beside one has the next bits, whatever its exponent.

// directed rounds v, where the exact value is below or above it. An infinity that v was rounded to becomes the largest value.
func directed(f *ssa.Func, how ssa.Rounding, v, below, above ssa.Value) ssa.Value {
	t := f.TypeOf(v)
	sign, one := sar(f, v, uint64(t.Bits()-1)), f.Const(t, 1)
	switch how {
	case ssa.Down: // one less, of negative values one more
		return f.Sel(below, f.Bin(ssa.Add, v, or(f, invert(f, []ssa.Value{sign}), one)), v)
	case ssa.Up:
		return f.Sel(above, f.Bin(ssa.Add, v, or(f, sign, one)), v)
	case ssa.Zero:
		negative := f.Cmp(ssa.LtS, v, f.Const(t, 0))
		return f.Sel(f.Sel(negative, above, below), f.Bin(ssa.Sub, v, one), v)
	}
	return v
}

// narrowed is an f64 as f32.
func narrowed(f *ssa.Func, how ssa.Rounding, d ssa.Value) ssa.Value {
	v := f.Make(ssa.D2F, ssa.W, 0, d)
	if how == ssa.Nearest {
		return v
	}
	back := f.Make(ssa.F2D, ssa.X, 0, v)
	return directed(f, how, v, f.Cmp(ssa.FLt, d, back), f.Cmp(ssa.FLt, back, d))
}

// sum is the sum of two doubles of which the first is at least as large as the second, or 0; what is lost of it is exact (Dekker: A
// Floating-Point Technique for Extending the Available Precision).
func sum(f *ssa.Func, how ssa.Rounding, large, small ssa.Value) ssa.Value {
	v := f.Bin(ssa.FAdd, large, small)
	if how == ssa.Nearest {
		return v
	}
	lost := f.Bin(ssa.FSub, small, f.Bin(ssa.FSub, v, large))
	return directed(f, how, v, f.Cmp(ssa.FLt, lost, f.Wide(0)), f.Cmp(ssa.FLt, f.Wide(0), lost))
}

// ontoConstant is a·b + c rounded down or towards 0, where b and c are constants, c at least 1, and a·b is known not to be negative and to leave
// the sum the exponent of c: that is how a product is rounded to a multiple of c's last place, as in nvcc's expf, fma.rm(a, 252, 12582913) with a from
// 0 to 1. What the sum to nearest exceeds c by is exact, and so is the sign of what the product lacks of it. 0: they are not so.
func ontoConstant(f *ssa.Func, how ssa.Rounding, in []ssa.Value) ssa.Value {
	a, b, c := in[0], in[1], in[2]
	if _, known := f.Known(b); !known {
		a, b = b, a
	}
	kb, known := f.Known(b)
	kc, also := f.Known(c)
	most := f.Limit(a)
	if how != ssa.Down && how != ssa.Zero || !known || !also || most >= infF32 || kb >= infF32 || kc < oneF32 || kc >= infF32 {
		return 0
	}
	number := func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
	const places = 23
	_, exponent := math.Frexp(number(kc))
	if number(most)*number(kb)+number(kc) > math.Ldexp(1-math.Ldexp(1, -places), exponent) {
		return 0
	}
	v := f.Make(ssa.FFma, ssa.W, 0, a, b, c)
	lacks := f.Make(ssa.FFma, ssa.W, 0, a, b, f.Bin(ssa.FSub, c, v))
	return f.Sel(f.Cmp(ssa.FLt, lacks, f.Word(0)), f.Bin(ssa.Sub, v, f.Word(1)), v)
}
