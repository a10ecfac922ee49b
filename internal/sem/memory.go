package sem

// Loads and stores, 9.7.9.8 to 9.7.9.11: what a statement accesses, and how its lanes find it.
// load.go and store.go execute them.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func memoryLines() []Line {
	return []Line{
		{isa.Ld, nil, Plan(planLoad, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).orScalar().Sees(isa.M_volatile, isa.M_mmio, isa.M_relaxed, isa.M_proxy_readonly), ""},
		{isa.LdNc, nil, Plan(planLoadGlobal, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.Ldu, nil, Plan(planLoad, isa.C_ss, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.St, nil, Plan(planStore, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).Sees(isa.M_volatile, isa.M_mmio), ""},
	}
}

// memoryOp executes what the payload of a load or store says.
type memoryOp uop.Memory

// memoryOf is the payload of a load or store.
func memoryOf(in *machine.Inst) *memoryOp { return (*memoryOp)(in.Ext.Data.(*uop.Memory)) }

// SpaceOf is the state space that a modifier names; where there is none, generic.
func SpaceOf(m isa.Mod) machine.Space { return spaces[m] }

var spaces = map[isa.Mod]machine.Space{
	0:           machine.Generic,
	isa.M_const: machine.Const, isa.M_global: machine.Global, isa.M_local: machine.Local,
	isa.M_param: machine.Param, isa.M_param_entry: machine.Param, isa.M_param_func: machine.Param,
	isa.M_shared: machine.Shared, isa.M_shared_cta: machine.Shared, isa.M_shared_cluster: machine.Shared,
}

// memoryOp reads what a statement accesses; elems are the registers of its elements.
func (b *Build) memoryOp(kind machine.AccessKind, space isa.Mod, elems []ir.Operand) *memoryOp {
	t := b.Sel.Type(isa.C_type)
	m := &memoryOp{Elem: uint32(t.Bytes()), Signed: t.Kind() == isa.Signed}
	m.Space, m.Kind = SpaceOf(space), kind
	m.Size = m.Elem * uint32(len(elems))
	m.Align = m.Size
	m.OwnCTA = space == isa.M_shared || space == isa.M_shared_cta
	m.Strong = b.Sel.Has(isa.M_volatile) || b.Sel.Get(isa.C_sem) != 0
	for i := range elems {
		bits := 0
		if elems[i].Kind != ir.OpSink {
			bits = b.OperandBits(&elems[i], t.Bits())
		}
		m.Bits = append(m.Bits, bits)
	}
	m.Whole = m.Strong && len(elems) > 1 && m.Size <= 16
	if kind == machine.Load && !m.Strong {
		m.Size = m.Elem * uint32(len(Accessed(elems)))
	}
	b.Ext().Data = (*uop.Memory)(m)
	return m
}

// Accessed is the elements of a weak load up to the last one that a register takes, all if none does: hardware reads whole sectors
// and checks whole pages, so that those behind touch nothing that a program could notice.
func Accessed(elems []ir.Operand) []ir.Operand {
	n := len(elems)
	for n > 0 && elems[n-1].Kind == ir.OpSink {
		n--
	}
	if n == 0 {
		return elems
	}
	return elems[:n]
}

// Elements returns the parts of a vector operand, or the operand itself.
func Elements(o *ir.Operand) []ir.Operand {
	if o.Kind == ir.OpVec {
		return o.Elems
	}
	return []ir.Operand{*o}
}
