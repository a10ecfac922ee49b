package lower

// This file lowers sums of a register and a constant outside addresses, which ptxas adds: mov takes them.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// add notes the constant that is added to a register.
func (b *bodyLowerer) add(s *syntax.Operand) {
	if n := b.displacement(s.Expr); n != 0 {
		b.added = n
	}
}

// sum appends the instruction behind a mov of register+constant: the result's own sum with the constant,
// under the same guard. Where the result is no register for whole numbers, the statement is refused.
func (b *bodyLowerer) sum(in *ir.Inst) {
	n := b.added
	b.added = 0
	if n == 0 {
		return
	}
	var add *isa.Sel
	if in.Sel.ID() == isa.Mov && in.Ops[0].Kind == ir.OpReg && in.Ops[0].Selector == "" {
		add = adder(b.f.Regs[in.Ops[0].Reg].Type)
	}
	if add == nil {
		b.refused = "a register plus a constant as operand is not executed yet"
		return
	}
	d := in.Ops[0].Reg
	if b.f.Regs[d].Type.Bits() == 32 {
		n = uint64(uint32(n)) // the sum wraps, so the upper half says nothing
	}
	ops := b.ops.cut(3)
	ops[0], ops[1], ops[2] = ir.Operand{Kind: ir.OpReg, Reg: d}, ir.Operand{Kind: ir.OpReg, Reg: d}, ir.Operand{Kind: ir.OpImm, Imm: n}
	more := ir.Inst{Sel: add, Guard: in.Guard, Pos: in.Pos, Loc: in.Loc, Ops: ops}
	more.Annotate(b.f.Regs)
	b.body.Insts = append(b.body.Insts, more)
}

// adder is the form of add for registers of a type, nil if it has none for whole numbers of 32 or 64 bits.
func adder(t isa.Type) *isa.Sel {
	m := isa.M_u32
	if t.Bits() == 64 {
		m = isa.M_u64
	}
	reg, table := isa.Shape{Kind: isa.ShapeReg, Type: t}, isa.Table()
	sel, _ := table.Match(&isa.Query{
		Tokens:   append(slices.Clone(table.Entry(isa.AddInt).Opcode), m.String()),
		Version:  isa.Latest,
		Target:   isa.MustTarget("sm_90"),
		Operands: []isa.Shape{reg, reg, {Kind: isa.ShapeImm, Value: 1}},
	})
	return sel
}
