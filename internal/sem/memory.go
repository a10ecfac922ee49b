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
		{isa.Ld, nil, plan(planLoad, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).orScalar().sees(isa.M_volatile, isa.M_mmio, isa.M_relaxed, isa.M_proxy_readonly), ""},
		{isa.LdNc, nil, plan(planLoadGlobal, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.Ldu, nil, plan(planLoad, isa.C_ss, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.St, nil, plan(planStore, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).sees(isa.M_volatile, isa.M_mmio), ""},
	}
}

// memoryOp executes what the payload of a load or store says.
type memoryOp uop.Memory

// memoryOf is the payload of a load or store.
func memoryOf(in *machine.Inst) *memoryOp { return (*memoryOp)(in.Ext.Data.(*uop.Memory)) }

// spaces are the state spaces by modifier; absent is generic.
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
	m.Space, m.Kind = spaces[space], kind
	m.Size = m.Elem * uint32(len(elems))
	m.Align = m.Size
	m.OwnCTA = space == isa.M_shared || space == isa.M_shared_cta
	m.Strong = b.Sel.Has(isa.M_volatile) || b.Sel.Get(isa.C_sem) != 0
	for i := range elems {
		bits := 0
		if elems[i].Kind != ir.OpSink {
			bits = b.operandBits(&elems[i], t.Bits())
		}
		m.Bits = append(m.Bits, bits)
	}
	m.Whole = m.Strong && len(elems) > 1 && m.Size <= 16
	if kind == machine.Load && !m.Strong {
		m.Size = m.Elem * uint32(len(accessed(elems)))
	}
	b.Ext().Data = (*uop.Memory)(m)
	return m
}

// accessed is the elements of a weak load up to the last one that a register takes, all if none does: hardware reads whole sectors
// and checks whole pages, so that those behind touch nothing that a program could notice.
func accessed(elems []ir.Operand) []ir.Operand {
	n := len(elems)
	for n > 0 && elems[n-1].Kind == ir.OpSink {
		n--
	}
	if n == 0 {
		return elems
	}
	return elems[:n]
}

// elements returns the parts of a vector operand, or the operand itself.
func elements(o *ir.Operand) []ir.Operand {
	if o.Kind == ir.OpVec {
		return o.Elems
	}
	return []ir.Operand{*o}
}

// address places the address operand: A and Imm.
func (b *Build) address(o *ir.Operand, m *memoryOp) uop.Addressing {
	m.By = b.addressing(o, m)
	return m.By
}

func (b *Build) addressing(o *ir.Operand, m *memoryOp) uop.Addressing {
	if o.Kind != ir.OpMem {
		b.fail("BUG: an address is operand kind %v", o.Kind)
		return uop.ByConst
	}
	b.Out.Imm = o.Imm
	switch {
	case o.Reg != ir.NoReg:
		return b.baseRegister(o.Reg)
	case o.Var == nil:
		return uop.ByConst
	}
	return b.variable(o, m)
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
func (b *Build) variable(o *ir.Operand, m *memoryOp) uop.Addressing {
	switch b.Home(o.Var) {
	case HomeDepot:
		b.Out.Imm += uint64(o.Var.Offset)
		return uop.ByFrame
	case HomeParamArea:
		b.Out.Imm += uint64(o.Var.Offset)
		return uop.ByParam
	case HomeKernelParam:
		b.Out.Imm += uint64(o.Var.Offset)
		m.Space = machine.Param
		return uop.ByKernel
	}
	addr, err := b.Symbol(o)
	if err != nil {
		b.fail("%w", err)
	}
	b.Out.Imm = addr
	if _, ok := b.CTASymbol(o, machine.Row32); !ok {
		return uop.ByConst
	}
	if b.Out.A = b.SharedBase(b.shape(32)); b.Scalar {
		return uop.BySlot32
	}
	return uop.ByRow32
}

// Home says what holds a variable.
type Home uint8

// The homes.
const (
	HomeModule      Home = iota // the device: global, constant and shared memory
	HomeDepot                   // the local depot of a frame
	HomeParamArea               // the .param area of a frame
	HomeKernelParam             // the parameters of the launch
)
