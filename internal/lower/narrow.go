package lower

// This file lowers addresses of constant variables in 32 bits: offsets in a bank for the hardware. Here constants lie among
// 64-bit addresses, all those of a program within 2 GiB; 32 bits of an address are its low ones.

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

// constantAddress is the address among the module's constants of which a register has the low bits: that which lies within
// 2 GiB of one of them, as all others do.
func (b *bodyLowerer) constantAddress(r ir.Reg) ir.Reg {
	from, whole := ir.Operand{Kind: ir.OpReg, Reg: r}, b.temporary(bitsType(64))
	toWhole := form(isa.Cvt, bitsType(64), isa.ShapeReg, isa.ShapeReg)
	i := slices.IndexFunc(b.lowerer.vars, func(v *ir.Var) bool { return v != nil && v.Space == ir.SpaceConst })
	if i < 0 {
		b.emit(toWhole, whole, from)
		return whole.Reg
	}
	known, low := b.temporary(bitsType(64)), b.temporary(bitsType(32))
	b.emit(form(isa.Mov, bitsType(64), isa.ShapeReg, isa.ShapeReg), known, ir.Operand{Kind: ir.OpSym, Reg: ir.NoReg, Var: b.lowerer.vars[i]})
	b.emit(form(isa.Cvt, bitsType(32), isa.ShapeReg, isa.ShapeReg), low, known)
	b.emit(form(isa.SubInt, bitsType(32), isa.ShapeReg, isa.ShapeReg, isa.ShapeReg), low, from, low)
	b.emit(signedToWhole(), whole, low)
	b.emit(form(isa.AddInt, bitsType(64), isa.ShapeReg, isa.ShapeReg, isa.ShapeReg), whole, known, whole)
	return whole.Reg
}

// signedToWhole is cvt.s64.s32.
func signedToWhole() *isa.Sel {
	return matched([]isa.Shape{{Kind: isa.ShapeReg, Type: bitsType(64)}, {Kind: isa.ShapeReg, Type: bitsType(32)}}, isa.Table().Entry(isa.Cvt).Opcode[0], ".s64", ".s32")
}
