package sem

// Atomic operations (9.7.13.5, 9.7.13.6) for engines that compile them: one element of 32 or 64 bits.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// atomic fills in an atomic operation: Fn(old, operand) is what is stored, Memory.At has the rows of
// the operand, or of what cas compares with and stores. Every one is as strong as any.
func (op *Operation) atomic(in *machine.Inst) {
	o, ok := in.Ext.Data.(*atomicOp)
	if !ok || len(o.bits) != 1 || o.elem != 4 && o.elem != 8 || o.bits[0] != int(8*o.elem) {
		return
	}
	op.Kind = OpAtomic
	switch {
	case in.Ext.Sel.ID() == isa.AtomCas:
		op.Kind = OpCas
	case o.elem == 8:
		op.Fn = o.f64
	case o.exact != nil && o.Space == machine.Generic:
		op.Kind = OpOther // by the address
	case o.exact != nil && o.Space == machine.Shared:
		op.Fn = o.exact
	default:
		op.Fn = o.f32
	}
	op.Memory = MemoryUse{Request: o.Request, By: o.by, Elem: o.elem, Strong: true, Bits: o.bits, At: in.Ext.Src}
}
