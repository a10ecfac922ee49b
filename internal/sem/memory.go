package sem

// Loads and stores, 9.7.9.8 to 9.7.9.11: what a statement accesses, and how its lanes find it.
// load.go and store.go execute them.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

func memoryLines() []Line {
	return []Line{
		{isa.Ld, nil, plan(planLoad, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).orScalar().sees(isa.M_volatile, isa.M_mmio, isa.M_relaxed, isa.M_proxy_readonly), ""},
		{isa.LdNc, nil, plan(planLoadGlobal, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.Ldu, nil, plan(planLoad, isa.C_ss, isa.C_vec, isa.C_type).orScalar(), ""},
		{isa.St, nil, plan(planStore, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_vec, isa.C_type).sees(isa.M_volatile, isa.M_mmio), ""},
	}
}

// memoryOp is the decode-time constant of a memory instruction.
type memoryOp struct {
	machine.Request
	elem   uint32 // bytes of an element
	signed bool   // elements extend by their sign
	strong bool   // relaxed, volatile and stronger: a single atomic access (8.4)
	whole  bool   // strong and one 128-bit element, handled as two halves of 8 bytes
	bits   []int  // of the registers of each element; 0: the sink
	by     addressing
	wide   bool // elements of 128-bit registers are extended afterwards
}

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
	m := &memoryOp{elem: uint32(t.Bytes()), signed: t.Kind() == isa.Signed}
	m.Space, m.Kind = spaces[space], kind
	m.Size = m.elem * uint32(len(elems))
	m.Align = m.Size
	m.OwnCTA = space == isa.M_shared || space == isa.M_shared_cta
	m.strong = b.Sel.Has(isa.M_volatile) || b.Sel.Get(isa.C_sem) != 0
	for i := range elems {
		bits := 0
		if elems[i].Kind != ir.OpSink {
			bits = b.operandBits(&elems[i], t.Bits())
		}
		m.bits = append(m.bits, bits)
	}
	b.Ext().Data = m
	return m
}

// elements returns the parts of a vector operand, or the operand itself.
func elements(o *ir.Operand) []ir.Operand {
	if o.Kind == ir.OpVec {
		return o.Elems
	}
	return []ir.Operand{*o}
}

// addressing says how the lanes of a statement find their address.
type addressing uint8

const (
	byRow64  addressing = iota // A is a row of addresses
	byRow32                    // A is a row of 32-bit addresses
	byConst                    // Imm is the address of all lanes
	bySlot64                   // A is a scalar slot
	bySlot32                   // A is a scalar slot of 32 bits
	byFrame                    // Imm is an offset in the frame's local depot
	byParam                    // Imm is an offset in the frame's .param area
	byKernel                   // Imm is an offset in the kernel's parameters
)

// address places the address operand: A and Imm.
func (b *Build) address(o *ir.Operand, m *memoryOp) addressing {
	m.by = b.addressing(o, m)
	return m.by
}

func (b *Build) addressing(o *ir.Operand, m *memoryOp) addressing {
	if o.Kind != ir.OpMem {
		b.fail("BUG: an address is operand kind %v", o.Kind)
		return byConst
	}
	b.Out.Imm = o.Imm
	switch {
	case o.Reg != ir.NoReg:
		return b.baseRegister(o.Reg)
	case o.Var == nil:
		return byConst
	}
	return b.variable(o, m)
}

func (b *Build) baseRegister(r ir.Reg) addressing {
	wide := b.Bits(r) > 32
	switch {
	case b.Scalar && wide:
		b.Out.A = b.Slot(r)
		return bySlot64
	case b.Scalar:
		b.Out.A = b.Slot(r)
		return bySlot32
	case wide:
		b.Out.A = b.Row(r)
		return byRow64
	}
	b.Out.A = b.Row(r)
	return byRow32
}

// variable adds the place of a variable to the displacement. A variable in the frame has no
// constant address, but one offset in all lanes.
func (b *Build) variable(o *ir.Operand, m *memoryOp) addressing {
	switch b.Home(o.Var) {
	case HomeDepot:
		b.Out.Imm += uint64(o.Var.Offset)
		return byFrame
	case HomeParamArea:
		b.Out.Imm += uint64(o.Var.Offset)
		return byParam
	case HomeKernelParam:
		b.Out.Imm += uint64(o.Var.Offset)
		m.Space = machine.Param
		return byKernel
	}
	addr, err := b.Symbol(o)
	if err != nil {
		b.fail("%w", err)
	}
	b.Out.Imm = addr
	if _, ok := b.CTASymbol(o, machine.Row32); !ok {
		return byConst
	}
	if b.Out.A = b.SharedBase(b.shape(32)); b.Scalar {
		return bySlot32
	}
	return byRow32
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
