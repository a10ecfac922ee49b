package decode

// The answers that semantics lines ask for: sem.Frame.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/passing"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
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
func (x *function) Const(shape regs.Width, v uint64) uint32 { return x.constant(shape, v) }

// Special implements sem.Frame.
func (x *function) Special(o *ir.Operand, shape regs.Width) (uint32, bool) {
	if c := specials.ClassOf(o.Special); c == specials.None || c == specials.Changing {
		return 0, false
	}
	return x.special(shape, o.Special, o.Comp), true
}

// Scratch implements sem.Frame.
func (x *function) Scratch(shape regs.Width) uint32 { return x.scratch[shape] }

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
func (x *function) CTASymbol(o *ir.Operand, shape regs.Width) (uint32, bool) {
	if !x.key.shape.Clusters || o.Var == nil || o.Var.Space != ir.SpaceShared {
		return 0, false
	}
	return x.sharedSymbol(shape, uint64(x.sharedOffset(o.Var))+o.Imm), true
}

// SharedBase implements sem.Frame.
func (x *function) SharedBase(shape regs.Width) uint32 { return x.sharedSymbol(shape, 0) }

// KernelParam implements sem.Frame.
func (x *function) KernelParam(shape regs.Width, off uint64) uint32 {
	return x.kernelParam(shape, off)
}

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

// threadWide reports whether a variable lies at one offset of local memory for all frames of a thread.
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
	site, sig := &machine.CallSite{}, c.Sig
	switch {
	case c.Callee != nil && x.codes[c.Callee] == nil && ofDriver(c.Callee.Name):
		return nil, fmt.Errorf("kernels that launch kernels, by %s", c.Callee.Name)
	case c.Callee != nil && x.codes[c.Callee] == nil:
		return nil, &UndefinedError{c.Callee.Name}
	case c.Callee != nil:
		site.Callee, sig = x.codes[c.Callee], c.Callee.Sig()
		site.Converged = !registerCalls(c.Callee)
	case sig == nil && len(c.Table) > 0:
		sig = c.Table[0].Sig()
	}
	if sig == nil {
		return nil, fmt.Errorf("an indirect call without prototype")
	}
	if len(c.Args) < len(sig.Params) || len(c.Rets) != len(sig.Rets) {
		return nil, fmt.Errorf("BUG: %d arguments for %d parameters", len(c.Args), len(sig.Params))
	}
	args, err := x.passed(c.Args, sig.Params)
	if err != nil {
		return nil, err
	}
	rets, err := x.passed(c.Rets, sig.Rets)
	if err != nil {
		return nil, err
	}
	if c.Callee == nil {
		site.Open = &passing.Side{Args: args, Rets: rets}
		return site, nil
	}
	site.Args = slices.Collect(passing.Moves(args, x.homes(c.Callee, sig.Params)))
	site.Rets = slices.Collect(passing.Moves(x.homes(c.Callee, sig.Rets), rets))
	return site, nil
}

// passed says where the operands of a call are; what is dropped is nowhere.
func (x *function) passed(ops []ir.Operand, params []*ir.Param) (list []passing.Home, err error) {
	for i, p := range params {
		var h passing.Home
		if ops[i].Kind != ir.OpSink {
			if h, err = x.operandHome(&ops[i], p); err != nil {
				return nil, err
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// operandHome is where an operand of a call is.
func (x *function) operandHome(o *ir.Operand, p *ir.Param) (passing.Home, error) {
	switch {
	case p.Reg == ir.NoReg && o.Kind == ir.OpMem:
		place, err := x.Argument(o)
		return passing.Home{paramPart(place.Off, p)}, err
	case p.Reg == ir.NoReg:
		return nil, fmt.Errorf("a %s parameter takes a .param variable", p.Name)
	case o.Kind == ir.OpReg:
		home := passing.Home{{Kind: rowKind(p), Off: x.row(o.Reg)}}
		if x.key.watch.Values {
			home = append(home, shadowParts(x.layout, o.Reg)...)
		}
		return home, nil
	}
	shape := regs.Row32
	switch rowKind(p) {
	case passing.Pred:
		shape = regs.Pred
	case passing.Row64, passing.Row128:
		shape = regs.Row64
	}
	return passing.Home{{Kind: rowKind(p), Off: x.constant(shape, o.Imm)}}, nil
}

// homes says where a function has parameters or results of its own. Rows come first in every block, so no class matters.
func (x *unit) homes(f *ir.Func, params []*ir.Param) (list []passing.Home) {
	if len(params) == 0 {
		return nil
	}
	l := newLayout(f, x.key.watch.Values, func(ir.Reg) bool { return false })
	for _, p := range params {
		if p.Reg == ir.NoReg {
			list = append(list, passing.Home{paramPart(uint32(p.Offset), p)})
			continue
		}
		home := passing.Home{{Kind: rowKind(p), Off: l.row(p.Reg)}}
		if x.key.watch.Values {
			home = append(home, shadowParts(l, p.Reg)...)
		}
		list = append(list, home)
	}
	return list
}

func paramPart(off uint32, p *ir.Param) passing.Part {
	return passing.Part{Kind: passing.Memory, Off: off, Size: uint32(p.Size+3) &^ 3}
}

// rowKind is how a parameter in a register is moved.
func rowKind(p *ir.Param) passing.Kind {
	switch n := p.Type.Bits(); {
	case n == 1:
		return passing.Pred
	case n > 64:
		return passing.Row128
	case n > 32:
		return passing.Row64
	}
	return passing.Row32
}

// shadowParts is where it stands what is known of a register.
func shadowParts(l *layout, r ir.Reg) (list []passing.Part) {
	if l.f.Regs[r].Width() == ir.W128 {
		return nil
	}
	at := l.flowReg(r)
	list = append(list, passing.Part{Kind: passing.Pred, Off: at.Words})
	if at.Width == regs.Pred {
		return list
	}
	kind := passing.Row32
	if at.Width == regs.Row64 {
		kind = passing.Row64
	}
	return append(list, passing.Part{Kind: passing.Pred, Off: at.Words + 4}, passing.Part{Kind: passing.Row32, Off: at.Tags}, passing.Part{Kind: kind, Off: at.Poison})
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
// there is none; the carry flag by its name in the manual (9.7.2).
func UnwrittenAt(f *ir.Func, off uint32) string {
	l := newLayout(f, false, func(ir.Reg) bool { return false })
	for _, r := range f.Globals {
		switch {
		case !f.LiveIn(0, r) || l.row(r) != off:
		case r == f.CC:
			return "CC.CF"
		case f.Regs[r].Bits > 1:
			return f.Regs[r].Name
		}
	}
	return ""
}

// RowOffsets returns where the rows of a function's registers lie in its register block.
func RowOffsets(f *ir.Func) func(ir.Reg) uint32 {
	return newLayout(f, false, func(ir.Reg) bool { return false }).row
}
