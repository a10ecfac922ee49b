package observe

// What an instruction does to floating-point numbers, for dataflow.Numbers: its registers with the types that the form gives them.

import (
	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/calls"
	"ptxvm.invalid/ptxvm/internal/uop"
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
	n.out.Makes = n.out.Makes && n.floats && b.Out.Op != uop.Product // which shows its matrices
	if c := b.In.Call; c != nil {
		if n.out.Prints = b.Out.Op == uop.CallRuntime && c.Callee.Name == calls.Printf; n.out.Prints {
			dataflow.Looked(b.Out, &dataflow.Arithmetic{Prints: true})
		}
		return
	}
	n.local()
	n.update()
	if len(n.out.Results) != 0 || n.out.Stores && len(n.out.Sources) != 0 {
		dataflow.Looked(b.Out, &n.out)
	}
}

// local finds how a load or a store reaches memory of the lane's own.
func (n *numbers) local() {
	var at *ir.Operand
	var values []ir.Operand
	switch n.Sel.ID() {
	case isa.Ld:
		at, values = &n.In.Ops[1], sem.Elements(&n.In.Ops[0])
	case isa.St:
		at, values = &n.In.Ops[0], sem.Elements(&n.In.Ops[1])
	default:
		return
	}
	t := touch{}
	t.Space = sem.SpaceOf(n.Sel.Get(isa.C_ss))
	t.place(n.Build, at)
	elem := n.Sel.Type(isa.C_type).Bytes()
	if t.by == uop.ByKernel || t.Space != machine.Local && t.Space != machine.Generic || elem > 8 {
		return
	}
	n.out.Local = &dataflow.LocalAccess{Space: t.Space, Store: n.out.Stores, Elem: uint32(elem), Addresses: t.addresses}
	next := 0
	for i := range values {
		place := -1
		if k := values[i].Kind; k == ir.OpReg || k == ir.OpImm {
			place, next = next, next+1
		}
		n.out.Local.Operands = append(n.out.Local.Operands, place)
	}
}

// update makes an atomic operation on numbers show them.
func (n *numbers) update() {
	if n.Out.Op != uop.AtomicUpdate {
		return
	}
	if elem, floats := sem.FloatOf(n.Sel.Type(isa.C_type)); floats != 0 {
		n.Out.Full = sem.ShowUpdates(elem, floats)
		n.Out.Part = n.Out.Full
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
