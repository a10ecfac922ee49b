package lower

// This file lowers sums of a register and a constant outside addresses, which ptxas adds as whole numbers of the register's
// width (its machine code is that of an add in front of the statement).

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// add replaces an operand by its sum with the constant behind it, of an instruction of its own: no lane loses anything
// by it, whatever the guard. Where the operand holds no whole number, the statement is refused: ptxas 13.5 dies of it.
func (b *bodyLowerer) add(s *syntax.Operand, o *ir.Operand) {
	n := b.displacement(s.Expr)
	if n == 0 {
		return
	}
	t := b.summand(o)
	var sum *isa.Sel
	if t != 0 {
		sum = form(isa.AddInt, t, isa.ShapeReg, isa.ShapeReg, isa.ShapeImm)
	}
	if sum == nil {
		b.refused = isa.FractionSum
		return
	}
	d := b.temporary(t)
	if o.Kind == ir.OpSpec {
		b.emit(form(isa.Mov, t, isa.ShapeReg, isa.ShapeReg), d, *o)
		*o = d
	}
	b.emit(sum, d, *o, ir.Operand{Kind: ir.OpImm, Imm: n & (^uint64(0) >> (64 - t.Bits()))})
	*o = d
}

// summand is the type by which a constant is added to an operand; 0: none.
func (b *bodyLowerer) summand(o *ir.Operand) isa.Type {
	switch {
	case o.Kind == ir.OpSpec:
		return o.Special.Info().Type
	case o.Kind != ir.OpReg || o.Neg || o.Selector != "":
		return 0
	}
	switch t := b.f.Regs[o.Reg].Type; t.Kind() {
	case isa.Float, isa.Packed, isa.Predicate:
		return 0
	default:
		return t
	}
}

// temporary is a new register.
func (b *bodyLowerer) temporary(t isa.Type) ir.Operand {
	b.shadow()
	return ir.Operand{Kind: ir.OpReg, Reg: b.f.AddReg(unique(b.taken, "%t"), t)}
}

// emit appends an instruction in front of the statement being lowered.
func (b *bodyLowerer) emit(sel *isa.Sel, list ...ir.Operand) {
	ops := b.ops.cut(len(list))
	copy(ops, list)
	in := ir.Inst{Sel: sel, Guard: ir.Unguarded, Pos: b.pos, Loc: b.loc, Ops: ops}
	in.Annotate(b.f.Regs)
	b.body.Insts = append(b.body.Insts, in)
}

// form is that of an instruction on whole numbers of a type's width and operands of some kinds; nil if there is none.
// cvt comes from the other of 32 and 64 bits.
func form(id isa.ID, t isa.Type, kinds ...isa.ShapeKind) *isa.Sel {
	bits := t.Bits()
	if bits != 16 && bits != 32 && bits != 64 {
		return nil
	}
	shapes := make([]isa.Shape, len(kinds))
	for i, k := range kinds {
		shapes[i] = isa.Shape{Kind: k, Type: t, Value: 1}
	}
	table := isa.Table()
	tokens := slices.Clone(table.Entry(id).Opcode)
	switch id {
	case isa.Cvt:
		shapes[1].Type = bitsType(96 - bits)
		tokens = append(tokens, fmt.Sprintf(".u%d", bits), fmt.Sprintf(".u%d", 96-bits))
	case isa.And, isa.Or, isa.Shl:
		tokens = append(tokens, fmt.Sprintf(".b%d", bits))
	default:
		tokens = append(tokens, fmt.Sprintf(".u%d", bits))
	}
	sel, _ := table.Match(&isa.Query{Tokens: tokens, Version: isa.Latest, Target: isa.MustTarget("sm_90"), Operands: shapes})
	return sel
}
