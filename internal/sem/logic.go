package sem

// Logic and shift, 9.7.8. Predicates are lane masks, so their logic is that of words.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

func logicLines() []Line {
	return []Line{
		{isa.And, of(isa.M_b16, isa.M_b32), lane(num.And32), ""},
		{isa.And, of(isa.M_b64), lane(num.And64), ""},
		{isa.And, of(isa.M_pred), masks(num.And32), ""},
		{isa.Or, of(isa.M_b16, isa.M_b32), lane(num.Or32), ""},
		{isa.Or, of(isa.M_b64), lane(num.Or64), ""},
		{isa.Or, of(isa.M_pred), masks(num.Or32), ""},
		{isa.Xor, of(isa.M_b16, isa.M_b32), lane(num.Xor32), ""},
		{isa.Xor, of(isa.M_b64), lane(num.Xor64), ""},
		{isa.Xor, of(isa.M_pred), masks(num.Xor32), ""},
		{isa.Not, of(isa.M_b16), lane(num.Not16), ""},
		{isa.Not, of(isa.M_b32), lane(num.Not32), ""},
		{isa.Not, of(isa.M_b64), lane(num.Not64), ""},
		{isa.Not, of(isa.M_pred), masks(notMask), ""},
		{isa.Cnot, of(isa.M_b16, isa.M_b32), lane(num.Cnot32), ""},
		{isa.Cnot, of(isa.M_b64), lane(num.Cnot64), ""},

		{isa.ShfL, of(isa.M_wrap), lane(num.ShfLWrap32), ""},
		{isa.ShfL, of(isa.M_clamp), lane(num.ShfLClamp32), ""},
		{isa.ShfR, of(isa.M_wrap), lane(num.ShfRWrap32), ""},
		{isa.ShfR, of(isa.M_clamp), lane(num.ShfRClamp32), ""},
		{isa.Shl, of(isa.M_b16), lane(num.Shl16), ""},
		{isa.Shl, of(isa.M_b32), lane(num.Shl32), ""},
		{isa.Shl, of(isa.M_b64), lane(num.Shl64), ""},
		{isa.Shr, of(isa.M_b16, isa.M_u16), lane(num.ShrU16), ""},
		{isa.Shr, of(isa.M_b32, isa.M_u32), lane(num.ShrU32), ""},
		{isa.Shr, of(isa.M_b64, isa.M_u64), lane(num.ShrU64), ""},
		{isa.Shr, of(isa.M_s16), lane(num.ShrS16), ""},
		{isa.Shr, of(isa.M_s32), lane(num.ShrS32), ""},
		{isa.Shr, of(isa.M_s64), lane(num.ShrS64), ""},

		{isa.Lop3, nil, lop3Do{}, ""},
	}
}

// maskOp combines two predicates as words.
type maskOp func(a, b uint32) uint32

// masks executes a statement on whole predicates; the same handler serves every mask, and a
// uniform predicate is a mask too.
func masks(op maskOp) planDo {
	return plan(func(b *Build) {
		ops := b.In.Ops
		x, y := &ops[1], &ops[len(ops)-1]
		b.Out.D, b.Out.A, b.Out.B = b.dst(&ops[0], 1), b.src(x, 1), b.src(y, 1)
		b.Out.Imm = uint64(flip(y))<<32 | uint64(flip(x))
		b.Ext().Data = op
		b.handler(logicMask)
	}).orScalar()
}

func logicMask(w *machine.Warp, in *machine.Inst) machine.State {
	flip := in.Imm
	a, b := *w.P(in.A)^uint32(flip), *w.P(in.B)^uint32(flip>>32)
	setMask(w, in.D, in.Ext.Data.(maskOp)(a, b))
	return machine.Next
}

func notMask(a, _ uint32) uint32 { return ^a }
