package sem

// lop3, 9.7.8.6: any function of three words, with an optional predicate of the result.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// lop3Funcs are the functions that have a loop of their own, by immLut.
var lop3Funcs = map[uint64]laneDo{
	0x80: lane(uop.Lop3And3),
	0xfe: lane(uop.Lop3Or3),
	0x96: lane(uop.Lop3Xor3),
	0xe8: lane(uop.Lop3Maj),
	0xca: lane(uop.Lop3Sel),
	0xea: lane(uop.Lop3AndOr),
	0xa8: lane(uop.Lop3OrAnd),
	0x6a: lane(uop.Lop3AndXor),
	0x28: lane(uop.Lop3XorAnd),
}

// lop3Any takes the table as a fourth operand.
var lop3Any = lane(uop.Lop3)

type lop3Do struct{}

func (lop3Do) Reads(sel *isa.Sel, m isa.Mod) bool { return inClass(sel, m, isa.C_bool) }
func (lop3Do) Scalar() bool                       { return true }

func (lop3Do) Plan(b *Build) {
	ops := b.In.Ops
	do, ok := lop3Funcs[ops[4].Imm&0xff]
	if !ok {
		do = lop3Any
	}
	dst := &ops[0]
	if dst.Kind == ir.OpPair {
		dst = &dst.Elems[0]
	}
	b.operands(do.op, dst, ops[1:])
	if b.Does(do.op); b.Sel.Get(isa.C_bool) == 0 {
		return
	}
	b.combine(do.op, &ops[0].Elems[1], ops[5:])
	b.Does(uop.Lop3Predicate)
}

// lop3Pred sets p to (d != 0) combined with q.
func lop3Pred(w *machine.Warp, in *machine.Inst) machine.State {
	in.Inner(w, in)
	d := w.R32(in.D)
	var nonzero uint32
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		nonzero |= Bit(d[i] != 0) << i
	}
	combined(in).put(w, nonzero, 0)
	return machine.Next
}

func lop3PredScalar(w *machine.Warp, in *machine.Inst) machine.State {
	in.Inner(w, in)
	combined(in).put(w, -Bit(*w.S32(in.D) != 0), 0)
	return machine.Next
}
