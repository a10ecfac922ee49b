package sem

// Lane functions of 32 bits on wider registers (9.4.1): sources are cut, results zero-extended.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// widenedDo executes a lane function whose operands may be wider than it takes.
type widenedDo struct{ laneDo }

// widened lets the operands of a lane function of 32 bits be wider.
func widened(l laneDo) widenedDo { return widenedDo{l} }

func (widenedDo) Scalar() bool { return false }

func (d widenedDo) Reads(sel *isa.Sel, m isa.Mod) bool { return d.laneDo.Reads(sel, m) }

func (d widenedDo) Plan(b *Build) {
	wide := false
	for i := range b.In.Ops {
		wide = wide || b.OperandBits(&b.In.Ops[i], 32) > 32
	}
	if !wide {
		d.laneDo.Plan(b)
		return
	}
	x := &wideLane{fn: stamps[d.op].fn, d: b.wideOperand(&b.In.Ops[0])}
	for i := range d.op.Shape().Operands() {
		x.src[i] = b.wideOperand(&b.In.Ops[1+i])
	}
	b.Ext().Data = x
	b.Does(uop.Widened)
	if bits := b.OperandBits(&b.In.Ops[0], 32); bits > 64 {
		b.ExtendHigh([]uint32{x.d.off}, false)
	}
}

// wideOperand is a row with the width of its elements.
type wideOperand struct {
	off  uint32
	bits int
}

func (b *Build) wideOperand(o *ir.Operand) wideOperand {
	bits := rowBits(b.OperandBits(o, 32))
	return wideOperand{b.Dst(o, bits), bits}
}

// wideLane is a lane function on such operands.
type wideLane struct {
	uop.Private
	fn  any
	d   wideOperand
	src [3]wideOperand
}

func wideLanes(w *machine.Warp, in *machine.Inst) machine.State {
	x := in.Ext.Data.(*wideLane)
	Each(w.Mask, func(i int) {
		var v [3]uint32
		for k := range x.src {
			if x.src[k].bits != 0 {
				v[k] = uint32(LoadElem(w, x.src[k].off, x.src[k].bits, i))
			}
		}
		StoreElem(w, x.d.off, x.d.bits, i, uint64(x.call(v)))
	})
	return machine.Next
}

func (x *wideLane) call(v [3]uint32) uint32 {
	if f, ok := x.fn.(func(a, b uint32) uint32); ok {
		return f(v[0], v[1])
	}
	return x.fn.(func(a, b, c uint32) uint32)(v[0], v[1], v[2])
}
