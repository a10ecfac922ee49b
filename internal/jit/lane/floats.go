package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

const (
	signF32   = 1 << 31
	magF32    = signF32 - 1
	oneF32    = 0x3f800000
	infF32    = 0x7f800000
	nanF32    = 0x7fffffff
	minF32    = 0x00800000 // 2^-126
	twoM62F32 = 0x20800000
)

// floats are functions of the bits of f32. A NaN that comes out is the canonical one.
var floats = map[uop.Op]Lowering{
	uop.NegF32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return canon(f, f.Bin(ssa.Xor, in[0], f.Word(signF32)))
	},
	uop.AbsF32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return canon(f, f.Bin(ssa.And, in[0], f.Word(magF32)))
	},
}

func canon(f *ssa.Func, v ssa.Value) ssa.Value { return f.Make(ssa.Canon, ssa.W, 0, v) }

// extreme is min or max: of equal values the one by sign (equal combines their bits), of one NaN the other operand, of two the
// canonical NaN.
func extreme(c, equal ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := in[0], in[1]
		v := f.Make(c, ssa.W, 0, a, b) // b if unordered or equal
		v = f.Sel(f.Cmp(ssa.FEq, a, b), f.Bin(equal, a, b), v)
		return canon(f, f.Sel(f.Cmp(ssa.FUnord, b, b), a, v))
	}
}
