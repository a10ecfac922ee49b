package lane

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

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
