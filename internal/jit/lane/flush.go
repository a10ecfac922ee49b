package lane

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// flushF32 replaces a subnormal by the zero of its sign.
func flushF32(f *ssa.Func, a ssa.Value) ssa.Value {
	tiny := f.Cmp(ssa.Eq, and(f, a, f.Word(infF32)), f.Word(0))
	return f.Sel(tiny, and(f, a, f.Word(signF32)), a)
}

// saturated clamps to [0, 1]; what is not above 0, NaNs too, becomes +0.
func saturated(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.FLt, f.Word(0), a), f.Bin(ssa.MinU, a, f.Word(oneF32)), f.Word(0))
}
