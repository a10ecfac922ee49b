package sem

// Values that mov reads from the machine: changing special registers and addresses of the
// frame's variables.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// changing reports whether a special register has another value at every read.
func changing(s isa.Special) bool { return specials.ClassOf(s) == specials.Changing }

// specialRead is the decode-time constant of a read of a changing special register.
type specialRead struct {
	uop.Private
	reg   isa.Special
	comp  uint8
	width int
}

// readSpecial reads the register once, for all lanes.
func (b *Build) readSpecial(d, a *ir.Operand, width int) {
	b.Out.D = b.Dst(d, width)
	b.Ext().Data = &specialRead{reg: a.Special, comp: a.Comp, width: width}
	b.Depend(assume.Clocks)
	b.Does(uop.ReadSpecial)
}

func (r *specialRead) value(w *machine.Warp, in *machine.Inst) uint64 {
	return w.Special(in, r.reg, r.comp, bits.TrailingZeros32(w.Mask)&31)
}

func readSpecial(w *machine.Warp, in *machine.Inst) machine.State {
	r := in.Ext.Data.(*specialRead)
	fillRow(w, in.D, r.width, r.value(w, in))
	return machine.Next
}

func readSpecialScalar(w *machine.Warp, in *machine.Inst) machine.State {
	r := in.Ext.Data.(*specialRead)
	fillSlot(w, in.D, r.width, r.value(w, in))
	return machine.Next
}

// frameSymbol sets up d = the address of a variable of the frame, plus window; false if a is
// none. A frame has one address in every lane.
func (b *Build) frameSymbol(d, a *ir.Operand, window uint64) bool {
	if a.Kind != ir.OpSym || a.Var == nil {
		return false
	}
	switch b.Home(a.Var) {
	case HomeDepot:
		b.Does(uop.AddressLocal)
	case HomeParamArea:
		b.Does(uop.AddressParam)
	case HomeKernelParam:
		b.kernelAddress(d, uint64(a.Var.Offset)+a.Imm)
		return true
	default:
		return false
	}
	width := b.OperandBits(d, 64)
	b.Out.D = b.Dst(d, width)
	b.Out.Imm = window + uint64(a.Var.Offset) + a.Imm
	b.Out.B = uint32(width)
	return true
}

// kernelAddress sets up d = the address at an offset in the kernel's parameters, which is one a launch.
func (b *Build) kernelAddress(d *ir.Operand, off uint64) {
	width := b.OperandBits(d, 64)
	b.Out.D, b.Out.A = b.Dst(d, width), b.KernelParam(b.shape(width), off)
	b.copyOf(width)
}

// These add the displacement to a base of the frame.

func localAddress(w *machine.Warp, in *machine.Inst) machine.State {
	fillRow(w, in.D, int(in.B), uint64(w.LocalBase())+in.Imm)
	return machine.Next
}

func localAddressScalar(w *machine.Warp, in *machine.Inst) machine.State {
	fillSlot(w, in.D, int(in.B), uint64(w.LocalBase())+in.Imm)
	return machine.Next
}

func paramAddress(w *machine.Warp, in *machine.Inst) machine.State {
	fillRow(w, in.D, int(in.B), uint64(w.ParamBase())+in.Imm)
	return machine.Next
}

func paramAddressScalar(w *machine.Warp, in *machine.Inst) machine.State {
	fillSlot(w, in.D, int(in.B), uint64(w.ParamBase())+in.Imm)
	return machine.Next
}
