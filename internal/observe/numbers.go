package observe

// What an instruction does to floating-point numbers, for dataflow.Numbers: its registers with the types that the form gives them.

import (
	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Numbers wraps the handlers of a decoded instruction, which runs on rows, so that the numbers that it makes, moves and stores
// can be looked at. row is where a register is, and its name.
func Numbers(b *sem.Build, row func(ir.Reg) dataflow.Operand) {
	e := &b.Sel.Entry.Effects
	n := &numbers{Build: b, row: row}
	n.out.Stores = e.Has(isa.Writes)
	n.out.Makes = b.In.Call == nil && !e.Has(handsOver)
	n.out.Across = e.Has(isa.CrossLane)
	for i := range b.In.Ops {
		n.operand(&b.In.Ops[i], 0)
	}
	n.out.Makes = n.out.Makes && n.floats
	if b.In.Call == nil && (len(n.out.Results) != 0 || n.out.Stores && len(n.out.Sources) != 0) {
		dataflow.Looked(b.Out, &n.out)
	}
}

// handsOver are the effects of instructions whose results come from memory or another lane as they are, or not yet.
const handsOver = isa.Reads | isa.Tells | isa.Shuffles | isa.Asynchronous | isa.Returns

// numbers lists the operands of an instruction.
type numbers struct {
	*sem.Build
	row    func(ir.Reg) dataflow.Operand
	floats bool // a result is a number
	out    dataflow.Arithmetic
}

// operand adds an operand; role is that of the list that it stands in.
func (n *numbers) operand(o *ir.Operand, role isa.Role) {
	if o.Role != 0 {
		role = o.Role
	}
	switch o.Kind {
	case ir.OpReg:
		n.register(o, role)
	case ir.OpImm:
		at := dataflow.Operand{Const: o.Imm}
		at.Elem, at.Floats = n.numbersOf(role, 32)
		n.out.Sources = append(n.out.Sources, at)
	case ir.OpVec, ir.OpPair:
		for i := range o.Elems {
			n.operand(&o.Elems[i], role)
		}
	}
}

// register adds a register.
func (n *numbers) register(o *ir.Operand, role isa.Role) {
	at := n.row(o.Reg)
	if at.Width != regs.Pred {
		at.Elem, at.Floats = n.numbersOf(role, n.Bits(o.Reg))
	}
	if o.Access != ir.OnlyWrite {
		n.out.Sources = append(n.out.Sources, at)
	}
	if o.Access != ir.OnlyRead {
		n.out.Results = append(n.out.Results, at)
		n.floats = n.floats || at.Floats != 0
	}
}

// elementClasses are the modifiers that say what the bits of an operand are: of fragments of matrices, and of packed formats.
var elementClasses = map[isa.Role]isa.Class{isa.R_a: isa.C_atype, isa.R_b: isa.C_btype, isa.R_c: isa.C_ctype, isa.R_d: isa.C_dtype}

// numbersOf is the numbers that an operand of a role holds in a register of so many bits; none if it holds something else, or
// numbers of which none is a NaN.
func (n *numbers) numbersOf(role isa.Role, bits int) (elem num.Type, count int) {
	at := n.Sel.At(role)
	if at == nil || at.Type == 0 {
		return elem, 0
	}
	elem, count = sem.FloatOf(at.Type)
	if class, ok := elementClasses[role]; ok && count == 0 && at.Type.Kind() == isa.Bits {
		if elem, count = sem.FloatOf(n.Sel.Type(class)); count != 0 {
			count = max(1, bits/int(elem.Width()))
		}
	}
	if count != 0 && elem.Format().NaN == 0 {
		count = 0
	}
	return elem, count
}
