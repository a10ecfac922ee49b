package sem

// The stack in local memory, 9.7.17. Its pointer is an offset in local memory, one per lane.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func stackLines() []Line {
	return []Line{
		{isa.Stacksave, nil, Plan(planStacksave, isa.C_type), ""},
		{isa.Stackrestore, nil, Plan(planStackrestore, isa.C_type), ""},
		{isa.Alloca, nil, Plan(planAlloca, isa.C_type), ""},
	}
}

// stackOp is the decode-time constant of a stack instruction.
type stackOp struct {
	uop.Private
	width int    // bits of the pointer
	align uint32 // bytes, a power of two
}

// stackOp reads the pointer's width from the type.
func (b *Build) stackOp() *stackOp {
	o := &stackOp{width: b.Sel.Type(isa.C_type).Bits(), align: 8}
	b.Ext().Data = o
	return o
}

func planStacksave(b *Build) {
	b.Out.D = b.Dst(&b.In.Ops[0], b.stackOp().width)
	b.Does(uop.StackSave)
}

func stacksave(w *machine.Warp, in *machine.Inst) machine.State {
	o, sp := in.Ext.Data.(*stackOp), w.Stack()
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		StoreElem(w, in.D, o.width, i, uint64(sp[i]))
	}
	return machine.Next
}

func planStackrestore(b *Build) {
	b.Out.A = b.Src(&b.In.Ops[0], b.stackOp().width)
	b.Does(uop.StackRestore)
}

// stackrestore takes what stacksave gave in this frame: anything above the present pointer or
// below the frame's variables is a fault.
func stackrestore(w *machine.Warp, in *machine.Inst) machine.State {
	o, sp := in.Ext.Data.(*stackOp), w.Stack()
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if v := LoadElem(w, in.A, o.width, i); v > uint64(sp[i]) || v < uint64(w.LocalBase()) {
			return w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: 1 << i, Value: v, Want: uint64(sp[i])})
		}
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		sp[i] = uint32(LoadElem(w, in.A, o.width, i))
	}
	return machine.Next
}

// alloca ptr, size{, align}: the address of size new bytes.
func planAlloca(b *Build) {
	o := b.stackOp()
	ops := b.In.Ops
	if len(ops) > 2 {
		o.align = uint32(ops[2].Imm)
	}
	b.Out.D, b.Out.A = b.Dst(&ops[0], o.width), b.Src(&ops[1], o.width)
	b.Does(uop.Alloca)
}

func alloca(w *machine.Warp, in *machine.Inst) machine.State {
	o, sp, limit := in.Ext.Data.(*stackOp), w.Stack(), uint64(w.StackLimit())
	start := func(i int) uint64 { return (uint64(sp[i]) + uint64(o.align) - 1) &^ (uint64(o.align) - 1) }
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if size := LoadElem(w, in.A, o.width, i); size > limit || start(i)+size > limit {
			return w.Fault(in, &machine.Fault{Kind: faults.StackOverflow, Lanes: 1 << i, Value: size})
		}
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		at := start(i)
		sp[i] = uint32(at + LoadElem(w, in.A, o.width, i))
		StoreElem(w, in.D, o.width, i, at)
	}
	return machine.Next
}
