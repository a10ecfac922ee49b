package sem

// Address operands: where the lanes have them.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Address places the address operand of an access to a space: A and Imm. It returns how the lanes find their addresses, and the
// space that these lie in: that of parameters, if the operand names one of the kernel.
func (b *Build) Address(o *ir.Operand, space machine.Space) (uop.Addressing, machine.Space) {
	if o.Kind != ir.OpMem {
		b.Fail("BUG: an address is operand kind %v", o.Kind)
		return uop.ByConst, space
	}
	b.Out.Imm = o.Imm
	switch {
	case o.Reg != ir.NoReg:
		return b.baseRegister(o.Reg), space
	case o.Var == nil:
		return uop.ByConst, space
	}
	return b.variable(o, space)
}

func (b *Build) baseRegister(r ir.Reg) uop.Addressing {
	wide := b.Bits(r) > 32
	switch {
	case b.Scalar && wide:
		b.Out.A = b.Slot(r)
		return uop.BySlot64
	case b.Scalar:
		b.Out.A = b.Slot(r)
		return uop.BySlot32
	case wide:
		b.Out.A = b.Row(r)
		return uop.ByRow64
	}
	b.Out.A = b.Row(r)
	return uop.ByRow32
}

// variable adds the place of a variable to the displacement. A variable in the frame has no
// constant address, but one offset in all lanes.
func (b *Build) variable(o *ir.Operand, space machine.Space) (uop.Addressing, machine.Space) {
	switch b.Home(o.Var) {
	case HomeDepot:
		b.Out.Imm += uint64(o.Var.Offset)
		return uop.ByFrame, space
	case HomeParamArea:
		b.Out.Imm += uint64(o.Var.Offset)
		return uop.ByParam, space
	case HomeKernelParam:
		b.Out.Imm += uint64(o.Var.Offset)
		return uop.ByKernel, machine.Param
	}
	addr, err := b.Symbol(o)
	if err != nil {
		b.Fail("%w", err)
	}
	b.Out.Imm = addr
	if _, ok := b.CTASymbol(o, regs.Row32); !ok {
		return uop.ByConst, space
	}
	if b.Out.A = b.SharedBase(b.shape(32)); b.Scalar {
		return uop.BySlot32, space
	}
	return uop.ByRow32, space
}

// Finder returns the addresses of the lanes, less Imm.
type Finder func(w *machine.Warp, in *machine.Inst) *[32]uint64

// addressRows are the finders by uop.Addressing, where lanes have addresses of their own or one constant.
var addressRows = map[uop.Addressing]Finder{
	uop.ByRow64: func(w *machine.Warp, in *machine.Inst) *[32]uint64 { return w.R64(in.A) },
	uop.ByRow32: func(w *machine.Warp, in *machine.Inst) *[32]uint64 { return w.Widen(w.R32(in.A), in.Imm) },
	uop.ByConst: func(*machine.Warp, *machine.Inst) *[32]uint64 { return &zeroRow },
}

// zeroRow is never written.
var zeroRow [32]uint64

// Find places the address operand of an operation on global or shared memory: A and Imm. It fails, saying what such operations do,
// where another memory is named.
func (b *Build) Find(o *ir.Operand, operations string) Finder {
	by, _ := b.Address(o, machine.Generic)
	find := addressRows[by]
	if find == nil {
		b.Fail("%s", operations)
	}
	return find
}

// Address is an address operand beside the one in A and Imm.
type Address struct {
	by   uop.Addressing
	row  uint32
	disp uint64
}

// AddressAt places an address operand apart from A and Imm, which are left to another one.
func (b *Build) AddressAt(o *ir.Operand) Address {
	row, disp := b.Out.A, b.Out.Imm
	by, _ := b.Address(o, machine.Generic)
	a := Address{by, b.Out.A, b.Out.Imm}
	b.Out.A, b.Out.Imm = row, disp
	if addressRows[a.by] == nil {
		b.Fail("asynchronous operations work on global and shared memory")
	}
	return a
}

// Lanes writes the lanes' addresses, less a displacement.
func (a *Address) Lanes(w *machine.Warp, to *[32]uint64, less uint64) {
	disp := a.disp - less
	switch a.by {
	case uop.ByRow64:
		for i, x := range w.R64(a.row) {
			to[i] = x + disp
		}
	case uop.ByRow32:
		for i, x := range w.R32(a.row) {
			to[i] = machine.Narrow(x, a.disp) + disp
		}
	default:
		for i := range to {
			to[i] = disp
		}
	}
}
