package decode

// The answers that semantics lines ask for: sem.Frame.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Row implements sem.Frame.
func (x *function) Row(r ir.Reg) uint32 { return x.row(r) }

// Slot implements sem.Frame.
func (x *function) Slot(r ir.Reg) uint32 {
	if x.f.Regs[r].Bits == 1 {
		return x.row(r)
	}
	if x.slot[r] == noSlot {
		panic(fmt.Sprintf("BUG: %s+%d reads %s as a scalar", x.f.Name, x.pc, x.f.Regs[r].Name))
	}
	return x.slot[r]
}

// Bits implements sem.Frame.
func (x *function) Bits(r ir.Reg) int { return int(x.f.Regs[r].Bits) }

// Const implements sem.Frame.
func (x *function) Const(shape machine.Width, v uint64) uint32 { return x.constant(shape, v) }

// Special implements sem.Frame.
func (x *function) Special(o *ir.Operand, shape machine.Width) (uint32, bool) {
	if c := machine.ClassOf(o.Special); c == machine.NoSpecial || c == machine.Changing {
		return 0, false
	}
	return x.special(shape, o.Special, o.Comp), true
}

// Scratch implements sem.Frame.
func (x *function) Scratch(shape machine.Width) uint32 { return x.scratch[shape] }

// Carry implements sem.Frame.
func (x *function) Carry() uint32 { return x.row(x.f.CC) }

// Symbol implements sem.Frame.
func (x *function) Symbol(o *ir.Operand) (uint64, error) {
	switch {
	case o.Func != nil:
		return x.d.where.Func(o.Func) + o.Imm, nil
	case o.Var == nil:
		return 0, fmt.Errorf("BUG: a symbol without object")
	case o.Var.Space == ir.SpaceShared:
		return uint64(x.sharedOffset(o.Var)) + o.Imm, nil
	case threadWide(o.Var):
		return uint64(o.Var.Offset) + o.Imm, nil
	case o.Var.Space == ir.SpaceGlobal || o.Var.Space == ir.SpaceConst:
		return x.d.where.Var(o.Var) + o.Imm, nil
	}
	return 0, fmt.Errorf("the address of a variable in %s space is not executed yet here", o.Var.Space)
}

// CTASymbol implements sem.Frame: without clusters every CTA has the same addresses.
func (x *function) CTASymbol(o *ir.Operand, shape machine.Width) (uint32, bool) {
	if !x.key.shape.Clusters || o.Var == nil || o.Var.Space != ir.SpaceShared {
		return 0, false
	}
	return x.sharedSymbol(shape, uint64(x.sharedOffset(o.Var))+o.Imm), true
}

// SharedBase implements sem.Frame.
func (x *function) SharedBase(shape machine.Width) uint32 { return x.sharedSymbol(shape, 0) }

// sharedOffset is a variable's place in the shared window of its CTA.
func (x *function) sharedOffset(v *ir.Var) uint32 {
	if v.Dynamic {
		return x.key.start + x.key.dynamic
	}
	return x.key.start + uint32(v.Offset)
}

// Home implements sem.Frame.
func (x *function) Home(v *ir.Var) sem.Home {
	switch {
	case v.Space == ir.SpaceLocal && !threadWide(v):
		return sem.HomeDepot
	case v.Space != ir.SpaceParam:
		return sem.HomeModule
	case x.f.Entry && x.isParam(v):
		return sem.HomeKernelParam
	}
	return sem.HomeParamArea
}

// threadWide tells whether a variable lies at one offset of local memory for all frames of a thread.
func threadWide(v *ir.Var) bool { return v.Space == ir.SpaceLocal && v.Func == nil }

func (x *function) isParam(v *ir.Var) bool {
	for _, p := range x.f.Params {
		if &p.Var == v {
			return true
		}
	}
	return false
}

// Targets implements sem.Frame.
func (x *function) Targets() []int32 {
	var to []int32
	for _, t := range x.f.Insts[x.pc].Targets {
		to = append(to, x.f.Blocks[t].First)
	}
	return to
}

// Reconvergence implements sem.Frame.
func (x *function) Reconvergence() uint32 {
	if meet := x.f.Blocks[x.block[x.pc]].IPDom; meet != ir.NoBlock {
		return uint32(x.f.Blocks[meet].First)
	}
	return machine.NoReconv
}

// Argument implements sem.Frame.
func (x *function) Argument(o *ir.Operand) (sem.Place, error) {
	if o.Var == nil || x.Home(o.Var) != sem.HomeParamArea {
		return sem.Place{}, fmt.Errorf("an argument must be a .param variable")
	}
	return sem.Place{Param: true, Off: uint32(o.Var.Offset + o.Disp())}, nil
}

// CallSite implements sem.Frame: the moves of parameters and results.
func (x *function) CallSite(c *ir.Call) (*machine.CallSite, error) {
	site := &machine.CallSite{}
	sig := c.Sig
	if c.Callee != nil {
		if x.codes[c.Callee] == nil {
			return nil, fmt.Errorf("function %s has no body", c.Callee.Name)
		}
		site.Callee, sig = x.codes[c.Callee], c.Callee.Sig()
		site.Converged = !registerCalls(c.Callee)
	} else if sig == nil && len(c.Table) > 0 {
		sig = c.Table[0].Sig()
	}
	if sig == nil {
		return nil, fmt.Errorf("an indirect call without prototype")
	}
	if len(c.Args) < len(sig.Params) || len(c.Rets) != len(sig.Rets) {
		return nil, fmt.Errorf("BUG: %d arguments for %d parameters", len(c.Args), len(sig.Params))
	}
	for i, p := range sig.Params {
		m, err := x.move(&c.Args[i], p, c.Callee, true)
		if err != nil {
			return nil, err
		}
		site.Args = append(append(site.Args, m), x.shadowMoves(&c.Args[i], p, c.Callee, true)...)
	}
	for i, p := range sig.Rets {
		if c.Rets[i].Kind == ir.OpSink {
			continue
		}
		m, err := x.move(&c.Rets[i], p, c.Callee, false)
		if err != nil {
			return nil, err
		}
		site.Rets = append(append(site.Rets, m), x.shadowMoves(&c.Rets[i], p, c.Callee, false)...)
	}
	return site, nil
}

// move passes one argument to a parameter, or a result back.
func (x *function) move(o *ir.Operand, p *ir.Param, callee *ir.Func, in bool) (machine.Move, error) {
	var m machine.Move
	var here, there uint32
	switch {
	case p.Reg == ir.NoReg && o.Kind == ir.OpMem:
		place, err := x.Argument(o)
		if err != nil {
			return m, err
		}
		here, there = place.Off, uint32(p.Offset)
		m.Kind, m.Size = machine.MoveParam, uint32(p.Size+3)&^3
	case p.Reg == ir.NoReg:
		return m, fmt.Errorf("a %s parameter takes a .param variable", p.Name)
	case callee == nil:
		return m, fmt.Errorf("indirect calls with register parameters are not executed yet")
	default:
		here, m.Kind = x.registerArgument(o, p)
		there = rowIn(callee, p.Reg)
	}
	if m.From, m.To = here, there; !in {
		m.From, m.To = there, here
	}
	return m, nil
}

// registerArgument is the row of an argument that goes to a register.
func (x *function) registerArgument(o *ir.Operand, p *ir.Param) (uint32, machine.MoveKind) {
	kind, shape := machine.Move32, machine.Row32
	switch n := p.Type.Bits(); {
	case n == 1:
		kind, shape = machine.MovePred, machine.Pred
	case n > 64:
		kind, shape = machine.Move128, machine.Row64
	case n > 32:
		kind, shape = machine.Move64, machine.Row64
	}
	if o.Kind == ir.OpReg {
		return x.row(o.Reg), kind
	}
	return x.constant(shape, o.Imm), kind
}

// shadowMoves passes what is known of an argument in a register, or of a result.
func (x *function) shadowMoves(o *ir.Operand, p *ir.Param, callee *ir.Func, in bool) (list []machine.Move) {
	if !x.key.watch.Values || p.Reg == ir.NoReg || o.Kind != ir.OpReg || p.Type.Bits() > 64 {
		return nil
	}
	here, there := x.flowReg(o.Reg), newLayout(callee, true, func(ir.Reg) bool { return false }).flowReg(p.Reg)
	add := func(kind machine.MoveKind, from, to uint32) {
		if !in {
			from, to = to, from
		}
		list = append(list, machine.Move{Kind: kind, From: from, To: to})
	}
	add(machine.MovePred, here.Words, there.Words)
	if here.Width == machine.Pred {
		return list
	}
	add(machine.MovePred, here.Words+4, there.Words+4)
	add(machine.Move32, here.Tags, there.Tags)
	kind := machine.Move32
	if here.Width == machine.Row64 {
		kind = machine.Move64
	}
	add(kind, here.Poison, there.Poison)
	return list
}

// rowIn is the offset of a register in the frame of another function: rows come first in every
// block, so no class matters.
func rowIn(f *ir.Func, r ir.Reg) uint32 {
	return newLayout(f, false, func(ir.Reg) bool { return false }).row(r)
}

// RegisterAt names the register of an instruction that has an offset in the register block, ""
// if none has.
func RegisterAt(f *ir.Func, pc int32, off uint32) (name string) {
	l := newLayout(f, false, func(ir.Reg) bool { return false })
	f.EachReg(&f.Insts[pc], func(r ir.Reg, _ ir.Access) {
		if name == "" && f.Regs[r].Bits > 1 && l.row(r) == off {
			name = f.Regs[r].Name
		}
	})
	return name
}

// UnwrittenAt names the register with an offset in the register block that a function may read before it writes it, "" if
// there is none.
func UnwrittenAt(f *ir.Func, off uint32) string {
	l := newLayout(f, false, func(ir.Reg) bool { return false })
	for _, r := range f.Globals {
		if f.LiveIn(0, r) && f.Regs[r].Bits > 1 && l.row(r) == off {
			return f.Regs[r].Name
		}
	}
	return ""
}

// RowOffsets returns where the rows of a function's registers lie in its register block.
func RowOffsets(f *ir.Func) func(ir.Reg) uint32 {
	return newLayout(f, false, func(ir.Reg) bool { return false }).row
}
