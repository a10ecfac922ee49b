package lane

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// This file has short names of operations that lowerings are full of.

func and(f *ssa.Func, a, b ssa.Value) ssa.Value { return f.Bin(ssa.And, a, b) }
func or(f *ssa.Func, a, b ssa.Value) ssa.Value  { return f.Bin(ssa.Or, a, b) }
func xor(f *ssa.Func, a, b ssa.Value) ssa.Value { return f.Bin(ssa.Xor, a, b) }

// andNot is what b has beyond a.
func andNot(f *ssa.Func, a, b ssa.Value) ssa.Value { return and(f, invert(f, []ssa.Value{a}), b) }

// shl, shr and sar shift by a constant.
func shl(f *ssa.Func, a ssa.Value, n uint64) ssa.Value {
	return f.Bin(ssa.Shl, a, f.Const(f.TypeOf(a), n))
}

func shr(f *ssa.Func, a ssa.Value, n uint64) ssa.Value {
	return f.Bin(ssa.Shr, a, f.Const(f.TypeOf(a), n))
}

func sar(f *ssa.Func, a ssa.Value, n uint64) ssa.Value {
	return f.Bin(ssa.Sar, a, f.Const(f.TypeOf(a), n))
}

func zext(f *ssa.Func, a ssa.Value) ssa.Value  { return f.Make(ssa.Zext, ssa.X, 0, a) }
func sext(f *ssa.Func, a ssa.Value) ssa.Value  { return f.Make(ssa.Sext, ssa.X, 0, a) }
func trunc(f *ssa.Func, a ssa.Value) ssa.Value { return f.Make(ssa.Trunc, ssa.W, 0, a) }

func fmul(f *ssa.Func, a, b ssa.Value) ssa.Value { return f.Bin(ssa.FMul, a, b) }
func isNaN(f *ssa.Func, a ssa.Value) ssa.Value   { return f.Cmp(ssa.FUnord, a, a) }

// differ tells whether two floats are ordered and not equal.
func differ(f *ssa.Func, a, b ssa.Value) ssa.Value {
	return f.Or(f.Cmp(ssa.FLt, a, b), f.Cmp(ssa.FLt, b, a))
}
