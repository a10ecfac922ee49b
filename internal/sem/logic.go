package sem

// Logic and shift, 9.7.8. Predicates are lane masks, so their logic is that of words.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func logicLines() []Line {
	return []Line{
		{isa.And, Of(isa.M_b16, isa.M_b32), lane(uop.And32), ""},
		{isa.And, Of(isa.M_b64), lane(uop.And64), ""},
		{isa.And, Of(isa.M_pred), masks(uop.WordAnd), ""},
		{isa.Or, Of(isa.M_b16, isa.M_b32), lane(uop.Or32), ""},
		{isa.Or, Of(isa.M_b64), lane(uop.Or64), ""},
		{isa.Or, Of(isa.M_pred), masks(uop.WordOr), ""},
		{isa.Xor, Of(isa.M_b16, isa.M_b32), lane(uop.Xor32), ""},
		{isa.Xor, Of(isa.M_b64), lane(uop.Xor64), ""},
		{isa.Xor, Of(isa.M_pred), masks(uop.WordXor), ""},
		{isa.Not, Of(isa.M_b16), lane(uop.Not16), ""},
		{isa.Not, Of(isa.M_b32), lane(uop.Not32), ""},
		{isa.Not, Of(isa.M_b64), lane(uop.Not64), ""},
		{isa.Not, Of(isa.M_pred), masks(uop.WordNot), ""},
		{isa.Cnot, Of(isa.M_b16, isa.M_b32), lane(uop.Cnot32), ""},
		{isa.Cnot, Of(isa.M_b64), lane(uop.Cnot64), ""},

		{isa.ShfL, Of(isa.M_wrap), lane(uop.ShfLWrap32), ""},
		{isa.ShfL, Of(isa.M_clamp), lane(uop.ShfLClamp32), ""},
		{isa.ShfR, Of(isa.M_wrap), lane(uop.ShfRWrap32), ""},
		{isa.ShfR, Of(isa.M_clamp), lane(uop.ShfRClamp32), ""},
		{isa.Shl, Of(isa.M_b16), lane(uop.Shl16), ""},
		{isa.Shl, Of(isa.M_b32), lane(uop.Shl32), ""},
		{isa.Shl, Of(isa.M_b64), lane(uop.Shl64), ""},
		{isa.Shr, Of(isa.M_b16, isa.M_u16), lane(uop.ShrU16), ""},
		{isa.Shr, Of(isa.M_b32, isa.M_u32), lane(uop.ShrU32), ""},
		{isa.Shr, Of(isa.M_b64, isa.M_u64), lane(uop.ShrU64), ""},
		{isa.Shr, Of(isa.M_s16), lane(uop.ShrS16), ""},
		{isa.Shr, Of(isa.M_s32), lane(uop.ShrS32), ""},
		{isa.Shr, Of(isa.M_s64), lane(uop.ShrS64), ""},

		{isa.Lop3, nil, lop3Do{}, ""},
	}
}

// masks executes a statement on whole predicates; the same handler serves every mask, and a
// uniform predicate is a mask too.
func masks(op uop.WordOp) Planned {
	return Plan(func(b *Build) {
		ops := b.In.Ops
		x, y := &ops[1], &ops[len(ops)-1]
		b.Out.D, b.Out.A, b.Out.B = b.Dst(&ops[0], 1), b.Src(x, 1), b.Src(y, 1)
		b.Out.Imm = uint64(Flip(y))<<32 | uint64(Flip(x))
		b.Out.C = uint32(op)
		b.Does(uop.Logic)
	}).orScalar()
}

func logicMask(w *machine.Warp, in *machine.Inst) machine.State {
	flip := in.Imm
	a, b := *w.P(in.A)^uint32(flip), *w.P(in.B)^uint32(flip>>32)
	SetMask(w, in.D, uop.WordOp(in.C).Apply(a, b))
	return machine.Next
}
