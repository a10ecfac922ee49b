package lower

// This file lowers addresses of constant variables in 32 bits: offsets in a bank for the hardware. Here constants lie among
// 64-bit addresses, those of a module next to one another; 32 bits of an address are its low ones.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// narrowConstants puts what makes 64 bits of 32, or 32 of 64, in front of a statement.
func (b *bodyLowerer) narrowConstants(in *ir.Inst) {
	for i := range in.Sel.Roles {
		at := &in.Sel.Roles[i]
		o := &in.Ops[at.Op]
		switch {
		case o.Kind == ir.OpMem && o.Reg != ir.NoReg && in.Sel.Has(isa.M_const) && b.f.Regs[o.Reg].Type.Bits() <= 32:
			o.Reg = b.constantAddress(o.Reg)
		case o.Kind == ir.OpSym && o.Var != nil && o.Var.Space == ir.SpaceConst && at.Type != 0 && at.Type.Bits() <= 32:
			whole, low := b.temporary(bitsType(64)), b.temporary(bitsType(32))
			b.emit(form(isa.Mov, bitsType(64), isa.ShapeReg, isa.ShapeReg), whole, *o)
			b.emit(form(isa.Cvt, bitsType(32), isa.ShapeReg, isa.ShapeReg), low, whole)
			low.Access, low.Type = o.Access, o.Type
			*o = low
		}
	}
}

// constantAddress is the address among the module's constants of which a register has the low bits.
func (b *bodyLowerer) constantAddress(r ir.Reg) ir.Reg {
	low, high := b.temporary(bitsType(64)), b.temporary(bitsType(64))
	b.emit(form(isa.Cvt, bitsType(64), isa.ShapeReg, isa.ShapeReg), low, ir.Operand{Kind: ir.OpReg, Reg: r})
	if i := slices.IndexFunc(b.lowerer.vars, func(v *ir.Var) bool { return v != nil && v.Space == ir.SpaceConst }); i >= 0 {
		const upper = 0xffffffff00000000
		b.emit(form(isa.Mov, bitsType(64), isa.ShapeReg, isa.ShapeReg), high, ir.Operand{Kind: ir.OpSym, Reg: ir.NoReg, Var: b.lowerer.vars[i]})
		b.emit(form(isa.And, bitsType(64), isa.ShapeReg, isa.ShapeReg, isa.ShapeImm), high, high, ir.Operand{Kind: ir.OpImm, Imm: upper})
		b.emit(form(isa.Or, bitsType(64), isa.ShapeReg, isa.ShapeReg, isa.ShapeReg), low, low, high)
	}
	return low.Reg
}
