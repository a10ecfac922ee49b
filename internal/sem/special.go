package sem

// Values that mov reads from the machine: changing special registers and addresses of the
// frame's variables.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// changing tells whether a special register has another value at every read.
func changing(s isa.Special) bool { return machine.ClassOf(s) == machine.Changing }

// specialRead is the decode-time constant of a read of a changing special register.
type specialRead struct {
	reg   isa.Special
	comp  uint8
	width int
}

// readSpecial reads the register once, for all lanes.
func (b *Build) readSpecial(d, a *ir.Operand, width int) {
	b.Out.D = b.dst(d, width)
	b.Ext().Data = &specialRead{a.Special, a.Comp, width}
	b.handlers(readSpecial, readSpecial, readSpecialScalar)
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
	var row, scalar machine.Handler
	switch b.Home(a.Var) {
	case HomeDepot:
		row, scalar = addressIn((*machine.Warp).LocalBase)
	case HomeParamArea:
		row, scalar = addressIn((*machine.Warp).ParamBase)
	case HomeKernelParam:
		row, scalar = kernelParam, kernelParamScalar
	default:
		return false
	}
	width := b.operandBits(d, 64)
	b.Out.D = b.dst(d, width)
	b.Out.Imm = window + uint64(a.Var.Offset) + a.Imm
	b.Out.B = uint32(width)
	b.handlers(row, row, scalar)
	return true
}

// addressIn makes the handlers that add the displacement to a base of the frame.
func addressIn(base func(*machine.Warp) uint32) (row, scalar machine.Handler) {
	row = func(w *machine.Warp, in *machine.Inst) machine.State {
		fillRow(w, in.D, int(in.B), uint64(base(w))+in.Imm)
		return machine.Next
	}
	scalar = func(w *machine.Warp, in *machine.Inst) machine.State {
		fillSlot(w, in.D, int(in.B), uint64(base(w))+in.Imm)
		return machine.Next
	}
	return row, scalar
}

func kernelParam(w *machine.Warp, in *machine.Inst) machine.State {
	fillRow(w, in.D, int(in.B), w.Params()+in.Imm)
	return machine.Next
}

func kernelParamScalar(w *machine.Warp, in *machine.Inst) machine.State {
	fillSlot(w, in.D, int(in.B), w.Params()+in.Imm)
	return machine.Next
}
