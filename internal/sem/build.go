package sem

// Building decoded instructions: where the operands of a statement are.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// Frame places what the instructions of one function touch in its register block, and knows
// where code and variables are; package decode implements it. Offsets are bytes.
type Frame interface {
	Row(r ir.Reg) uint32                                             // the row of a register, the mask of a predicate
	Slot(r ir.Reg) uint32                                            // the scalar slot of a uniform register, the mask of a predicate
	Bits(r ir.Reg) int                                               // declared width, 1 for a predicate
	Const(shape regs.Width, v uint64) uint32                         // a constant
	Special(o *ir.Operand, shape regs.Width) (off uint32, ok bool)   // a special register that keeps its value
	Scratch(shape regs.Width) uint32                                 // scratch: what is written there is lost
	Carry() uint32                                                   // CC.CF
	Symbol(o *ir.Operand) (addr uint64, err error)                   // the address that a symbol stands for, displacement included
	CTASymbol(o *ir.Operand, shape regs.Width) (off uint32, ok bool) // the same of a symbol whose address differs between the CTAs of a cluster
	SharedBase(shape regs.Width) uint32                              // what such addresses have in common in a CTA
	KernelParam(shape regs.Width, off uint64) uint32                 // the address at an offset in the kernel's parameters
	Home(v *ir.Var) Home
	Targets() []int32                               // of the branch
	Reconvergence() uint32                          // pc at which the lanes of the branch meet, or machine.NoReconv
	CallSite(c *ir.Call) (*machine.CallSite, error) // of a call that the machine makes
	Argument(o *ir.Operand) (Place, error)          // of a call
}

// Place is where an argument or result of a call is: in the frame's .param area or in a row.
type Place struct {
	Param bool
	Off   uint32 // in the .param area, or of the row
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

// Build is one statement on its way to a decoded instruction.
type Build struct {
	Frame
	In     *ir.Inst
	Sel    *isa.Sel
	Out    *machine.Inst
	Scalar bool // it executes once, on scalar slots
	Err    error

	SM1x        bool                // the device is older than sm_20
	Assumptions assume.Set          // of the launch; Assume asks it
	asks        []assume.Assumption // those that the line has declared
	sometimes   []assume.Assumption // the same, of those that only some statements depend on
	Depends     []assume.Assumption // those of them that this statement depends on
}

// Fail records why the statement cannot be decoded.
func (b *Build) Fail(format string, args ...any) {
	if b.Err == nil {
		b.Err = fmt.Errorf(format, args...)
	}
}

// Ext returns the instruction's extension.
func (b *Build) Ext() *machine.Ext {
	if b.Out.Ext == nil {
		b.Out.Ext = &machine.Ext{Sel: b.Sel}
	}
	return b.Out.Ext
}

// shape is where an operand of so many bits is, in this statement.
func (b *Build) shape(bits int) regs.Width {
	switch {
	case bits == 1:
		return regs.Pred
	case b.Scalar && bits > 32:
		return regs.Slot64
	case b.Scalar:
		return regs.Slot32
	case bits > 32:
		return regs.Row64
	}
	return regs.Row32
}

// Src returns where an operand is read that the handler takes as a row (or slot) of 32 or
// 64 bits, or as a mask.
func (b *Build) Src(o *ir.Operand, bits int) uint32 {
	switch o.Kind {
	case ir.OpReg:
		return b.reg(o.Reg, bits)
	case ir.OpImm:
		return b.Constant(o.Imm, bits)
	case ir.OpSym:
		if off, ok := b.CTASymbol(o, b.shape(bits)); ok {
			return off
		}
		addr, err := b.Symbol(o)
		if err != nil {
			b.Fail("%w", err)
		}
		return b.Constant(addr, bits)
	case ir.OpSpec:
		off, ok := b.Special(o, b.shape(bits))
		if !ok {
			b.Fail("this special register is no operand here")
		}
		return off
	case ir.OpVec:
		if len(o.Elems) == 1 {
			return b.Src(&o.Elems[0], bits)
		}
	}
	b.Fail("operand kind %v is not executed yet here", o.Kind)
	return 0
}

// Constant places an immediate; a predicate constant is true if it is not 0 (4.5.3).
func (b *Build) Constant(v uint64, bits int) uint32 {
	switch {
	case bits == 1 && v != 0:
		v = 0xffffffff
	case bits <= 32:
		v &= 0xffffffff
	}
	return b.Const(b.shape(bits), v)
}

// reg returns where a register is. Registers of up to 32 bits are 32-bit rows.
func (b *Build) reg(r ir.Reg, bits int) uint32 {
	if have := b.Bits(r); rowBits(have) != rowBits(bits) {
		b.Fail("a %d-bit register as a %d-bit operand is not executed yet", have, bits)
	}
	if b.Scalar {
		return b.Slot(r)
	}
	return b.Row(r)
}

// rowBits is the element size of the row that holds a register of so many bits.
func rowBits(bits int) int {
	switch {
	case bits == 1:
		return 1
	case bits <= 32:
		return 32
	}
	return 64
}

// Dst returns where a result goes; the sink is a scratch row.
func (b *Build) Dst(o *ir.Operand, bits int) uint32 {
	if o.Kind == ir.OpSink {
		return b.Scratch(b.shape(bits))
	}
	return b.Src(o, bits)
}

// Rows places the elements of a vector operand, or the operand alone.
func (b *Build) Rows(o *ir.Operand, place func(*ir.Operand, int) uint32, bits int) (rows []uint32) {
	list := Elements(o)
	for i := range list {
		rows = append(rows, place(&list[i], bits))
	}
	return rows
}

// Optional places an operand of up to 32 bits that may be missing: nil.
func (b *Build) Optional(r isa.Role) *uint32 {
	op := b.In.Op(r)
	if op == nil {
		return nil
	}
	row := b.Src(op, 32)
	return &row
}

// Halves returns where the low and the high half of a 128-bit operand are. A constant has 64 bits, and its upper half is zero, that
// of a negative one, too (ptxas).
func (b *Build) Halves(o *ir.Operand) (lo, hi uint32) {
	switch {
	case o.Kind == ir.OpSink:
		s := b.Scratch(regs.Row64)
		return s, s
	case o.Kind == ir.OpImm:
		return b.Constant(o.Imm, 64), b.Constant(0, 64)
	case o.Kind == ir.OpVec && len(o.Elems) == 1:
		return b.Halves(&o.Elems[0])
	case o.Kind != ir.OpReg:
		b.Fail("operand kind %v is not executed yet as one of 128 bits", o.Kind)
		return 0, 0
	}
	lo = b.reg(o.Reg, 128)
	return lo, lo + row64Bytes
}

const row64Bytes = 32 * 8

// Flip is all ones for a negated predicate operand.
func Flip(o *ir.Operand) uint32 {
	if o.Neg {
		return ^uint32(0)
	}
	return 0
}

// Planned executes a statement as a function sets it up.
type Planned struct {
	plan      func(*Build)
	classes   []isa.Class
	mods      []isa.Mod
	onScalars bool
	has       func(*isa.Sel) bool // nil: every statement of the line
	asks      []assume.Assumption
	sometimes []assume.Assumption
}

// Plan names the function that sets up a statement and the classes that it looks at.
func Plan(f func(*Build), classes ...isa.Class) Planned { return Planned{plan: f, classes: classes} }

// orScalar says that the function also sets up execution on scalar slots.
func (p Planned) orScalar() Planned {
	p.onScalars = true
	return p
}

// Sees adds modifiers that the function looks at.
func (p Planned) Sees(mods ...isa.Mod) Planned {
	p.mods = mods
	return p
}

// Where limits the line to the statements that has knows.
func (p Planned) Where(has func(*isa.Sel) bool) Planned {
	p.has = has
	return p
}

func (p Planned) supports(sel *isa.Sel) bool { return p.has == nil || p.has(sel) }

func (p Planned) Plan(b *Build) {
	b.asks, b.sometimes = p.asks, p.sometimes
	p.plan(b)
}

func (p Planned) Reads(sel *isa.Sel, m isa.Mod) bool {
	return inClass(sel, m, p.classes...) || slices.Contains(p.mods, m)
}

func (p Planned) Scalar() bool { return p.onScalars }
