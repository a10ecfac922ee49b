package sem

// Atomic operations (9.7.13.5, 9.7.13.6) for engines that compile them: one element of 16, 32 or 64 bits.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// atomic fills in an atomic operation: Fn(old, operand) is what is stored, Memory.At has the rows of
// the operand, or of what cas compares with and stores. Every one is as strong as any.
func (op *Operation) atomic(in *machine.Inst) {
	o := in.Ext.Data.(*atomicOp)
	if len(o.Bits) != 1 || o.Elem != 2 && o.Elem != 4 && o.Elem != 8 || o.Bits[0] != int(8*o.Elem) {
		op.Kind = OpOther
		return
	}
	switch {
	case op.Kind == OpCas:
	case o.exact != uop.None && o.Space == machine.Generic:
		op.Kind = OpOther // by the address
	default:
		op.Fn = o.as(o.Space == machine.Shared)
	}
	op.Memory = MemoryUse{Request: o.Request, By: o.By, Elem: o.Elem, Strong: true, Bits: o.Bits, At: in.Ext.Src}
}
