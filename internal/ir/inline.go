package ir

// This file puts the bodies of small functions where a kernel calls them.
//
// What a program can see stays: the call and the return that a body ends with do nothing and are executed, and counted, as they
// were; another return is a branch behind the body, so lanes meet where those of the call did. The bodies stand in the order of
// control, so the lanes that are first in the kernel with its frames on a stack (those of the deepest frame, of these those with the
// smallest pc) are those with the smallest pc here. Inlined says of each instruction whose it is, for reports.
//
// A function is put in place if it neither waits nor can be waited for in it, ends no lane, has no local memory, reads no register
// before it writes it, and only loads its parameters and stores its results. These are the variables of the call then, or registers
// where all of a variable is accessed in pieces of one size.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// The sizes of functions that are put in place, in instructions with those of the functions that they call: of one, and of all in a kernel.
const (
	maxInlined    = 200
	maxInlinedAll = 2000
)

// Inlined is a kernel with functions in place of their calls.
type Inlined struct {
	Func  *Func
	Sites []InlineSite
	At    []InlinedAt // by pc of Func
	Top   int64       // the most bytes of local memory below a frame that is not made
	Depth int         // the most such frames in each other
}

// InlineSite is a call whose callee is in place.
type InlineSite struct {
	Callee *Func
	Outer  int   // the site in whose body the call stands, -1: in the kernel itself
	PC     int32 // of the call in its function
}

// InlinedAt is the place of an instruction in its own function: the kernel, or the callee of a site.
type InlinedAt struct {
	Site int32 // -1: the kernel
	PC   int32
}

// Inline puts functions in place; nil if there is none to be.
func (f *Func) Inline() *Inlined {
	if !f.Entry || !f.Defined || f.hasStack() {
		return nil
	}
	refused := map[*Func]bool{}
	for {
		x := &inliner{refused: refused, fits: map[*Func]int{}, made: map[*Var]*Func{}, linked: map[*Var]bool{}, names: map[string]bool{}}
		if x.kernel(f); len(x.sites) == 0 {
			return nil
		}
		if bad := x.promote(); bad != nil {
			refused[bad] = true
			continue
		}
		x.retarget()
		x.out.finish(Options{})
		return &Inlined{Func: x.out, Sites: x.sites, At: x.at, Top: x.top, Depth: x.depth}
	}
}

// hasStack reports whether the function changes the size of its frame.
func (f *Func) hasStack() bool {
	return slices.ContainsFunc(f.Insts, func(in Inst) bool {
		id := in.Sel.ID()
		return id == isa.Alloca || id == isa.Stacksave || id == isa.Stackrestore
	})
}

// inliner writes a function anew. Until retarget, Targets are labels, by number.
type inliner struct {
	out     *Func
	sites   []InlineSite
	at      []InlinedAt
	refused map[*Func]bool
	fits    map[*Func]int   // their size, with what they call; 0: not
	names   map[string]bool // of registers
	size    int             // instructions of bodies in place
	top     int64
	depth   int

	labels  []BlockID // block of a label
	pending []int     // labels that stand here
	open    bool      // the last block goes on
	title   string    // of the next one

	made   map[*Var]*Func // variables that only registers can stand for, and whose body they are of
	linked map[*Var]bool  // those that are passed to or from a body in place
}

// place is where a variable of a function lies in the kernel.
type place struct {
	v   *Var
	off int64
}

// body is one function while it is written.
type body struct {
	f     *Func
	site  int
	depth int
	top   int64 // of its frame in local memory
	regs  []Reg
	vars  map[*Var]place
	end   int // label behind it; -1: of the kernel
}

// kernel writes the kernel itself.
func (x *inliner) kernel(f *Func) {
	x.out = f.withoutBody()
	b := &body{f: f, site: -1, end: -1, top: frameEnd(0, f), regs: make([]Reg, len(f.Regs)), vars: map[*Var]place{}}
	for r := range f.Regs {
		b.regs[r] = Reg(r)
		x.names[f.Regs[r].Name] = true
	}
	x.write(b)
}

// frameEnd is where the frame of a callee begins behind one that begins at an offset.
func frameEnd(at int64, f *Func) int64 { return at + up16(up16(f.CallBytes)+f.LocalBytes) }

func up16(n int64) int64 { return (n + 15) &^ 15 }

func (x *inliner) label() int {
	x.labels = append(x.labels, NoBlock)
	return len(x.labels) - 1
}

// bind makes a label stand for what is written next, which begins a block.
func (x *inliner) bind(label int, title string) {
	x.pending = append(x.pending, label)
	x.open, x.title = false, title
}

// add writes an instruction.
func (x *inliner) add(in Inst, b *body, pc int32) {
	if !x.open {
		x.out.Blocks = append(x.out.Blocks, Block{Label: x.title, First: int32(len(x.out.Insts))})
		x.open, x.title = true, ""
	}
	for _, l := range x.pending {
		x.labels[l] = BlockID(len(x.out.Blocks) - 1)
	}
	x.pending = x.pending[:0]
	x.out.Insts = append(x.out.Insts, in)
	x.at = append(x.at, InlinedAt{int32(b.site), pc})
	x.out.Blocks[len(x.out.Blocks)-1].End = int32(len(x.out.Insts))
	if in.endsBlock() {
		x.open = false
	}
}

// write writes a body, with those of what it calls.
func (x *inliner) write(b *body) {
	labels := make([]int, len(b.f.Blocks))
	for i := range labels {
		labels[i] = x.label()
	}
	targets := map[BlockID]bool{}
	for pc := range b.f.Insts {
		for _, t := range b.f.Insts[pc].Targets {
			targets[t] = true
		}
	}
	for i := range b.f.Blocks {
		if blk := &b.f.Blocks[i]; targets[BlockID(i)] || b.site < 0 && i == 0 {
			x.bind(labels[i], blk.Label)
		} else if b.site < 0 {
			x.open, x.title = false, blk.Label
		}
		for pc := b.f.Blocks[i].First; pc < b.f.Blocks[i].End; pc++ {
			x.inst(b, pc, labels)
		}
	}
}

// inst writes an instruction of a body.
func (x *inliner) inst(b *body, pc int32, labels []int) {
	in := &b.f.Insts[pc]
	switch {
	case in.IsCall() && x.inlines(b.site, in):
		x.add(Inst{Sel: in.Sel, Guard: Unguarded, Inlined: true, Pos: in.Pos, Loc: in.Loc}, b, pc)
		x.callee(b, in.Call, pc)
		return
	case b.site >= 0 && in.IsReturn() && in.Guard.Reg == NoReg && int(pc) == len(b.f.Insts)-1:
		x.add(Inst{Sel: in.Sel, Guard: Unguarded, Inlined: true, Pos: in.Pos, Loc: in.Loc}, b, pc)
		return
	}
	out := *in
	if out.Guard.Reg != NoReg {
		out.Guard.Reg = b.regs[out.Guard.Reg]
	}
	out.Ops = b.operands(in.Ops)
	if c := in.Call; c != nil {
		call := *c
		call.Target, call.Rets, call.Args = b.operands([]Operand{c.Target})[0], b.operands(c.Rets), b.operands(c.Args)
		out.Call = &call
	}
	out.Targets = nil
	for _, t := range in.Targets {
		out.Targets = append(out.Targets, BlockID(labels[t]))
	}
	if b.site >= 0 && in.IsReturn() {
		out.Sel, out.Targets = braSel(), []BlockID{BlockID(b.end)}
	}
	x.add(out, b, pc)
}

// operands are those of a body in the kernel.
func (b *body) operands(ops []Operand) []Operand {
	out := slices.Clone(ops)
	for i := range out {
		o := &out[i]
		if (o.Kind == OpReg || o.Kind == OpMem) && o.Reg != NoReg {
			o.Reg = b.regs[o.Reg]
		}
		if p, ok := b.vars[o.Var]; ok && o.Var != nil {
			o.Var, o.Imm = p.v, o.Imm+uint64(p.off)
		}
		o.Elems = b.operands(o.Elems)
	}
	return out
}

// callee writes the body of a call.
func (x *inliner) callee(outer *body, c *Call, pc int32) {
	f := c.Callee
	b := &body{f: f, site: len(x.sites), depth: outer.depth + 1, top: frameEnd(outer.top, f), regs: make([]Reg, len(f.Regs)), vars: map[*Var]place{}, end: x.label()}
	x.sites = append(x.sites, InlineSite{f, outer.site, pc})
	x.depth, x.top, x.size = max(x.depth, b.depth), max(x.top, outer.top), x.size+len(f.Insts)
	for r := range f.Regs {
		b.regs[r] = x.register(fmt.Sprintf("%s~%d", f.Regs[r].Name, b.site), f.Regs[r].Type)
	}
	for i, p := range f.Params {
		b.vars[&p.Var] = x.passed(outer, &c.Args[i], p, f)
	}
	for i, p := range f.Rets {
		b.vars[&p.Var] = x.passed(outer, &c.Rets[i], p, f)
	}
	for _, v := range f.Locals {
		b.vars[v] = place{x.variable(v, f), 0}
	}
	x.write(b)
	x.bind(b.end, "")
	if !x.branched(b.end) {
		x.pending, x.open = x.pending[:len(x.pending)-1], len(x.out.Blocks) > 0 && !x.out.Insts[len(x.out.Insts)-1].endsBlock()
	}
}

// branched reports whether a branch goes to a label.
func (x *inliner) branched(label int) bool {
	return slices.ContainsFunc(x.out.Insts, func(in Inst) bool { return slices.Contains(in.Targets, BlockID(label)) })
}

// register adds a register to the kernel.
func (x *inliner) register(name string, t isa.Type) Reg {
	for n := 2; x.names[name]; n++ {
		name = fmt.Sprintf("%s~%d", name, n)
	}
	x.names[name] = true
	return x.out.AddReg(name, t)
}

// passed is where a parameter or result lies: in the variable that the call gives.
func (x *inliner) passed(outer *body, o *Operand, p *Param, f *Func) place {
	if o.Kind == OpSink {
		return place{x.variable(&p.Var, f), 0}
	}
	at := place{o.Var, o.Disp()}
	if q, ok := outer.vars[o.Var]; ok {
		at = place{q.v, q.off + o.Disp()}
	}
	x.linked[at.v] = true
	return at
}

// variable stands for a variable of a body.
func (x *inliner) variable(v *Var, f *Func) *Var {
	out := *v
	out.Func = x.out
	x.made[&out], x.linked[&out] = f, true
	return &out
}

// retarget turns labels into blocks.
func (x *inliner) retarget() {
	for pc := range x.out.Insts {
		for i, l := range x.out.Insts[pc].Targets {
			x.out.Insts[pc].Targets[i] = x.labels[l]
		}
	}
}

// withoutBody is a kernel without its body and what follows from that.
func (f *Func) withoutBody() *Func {
	return &Func{
		Name: f.Name, Linkage: f.Linkage, Entry: true, Defined: true, Unit: f.Unit, Pos: f.Pos, Params: f.Params, Rets: f.Rets,
		Variadic: f.Variadic, NoReturn: f.NoReturn, Perf: f.Perf, Regs: slices.Clone(f.Regs), Locals: f.Locals, Shared: f.Shared, Sigs: f.Sigs,
		Pragmas: f.Pragmas, Refused: f.Refused, ParamBytes: f.ParamBytes, CallBytes: f.CallBytes, LocalBytes: f.LocalBytes,
		SharedBytes: f.SharedBytes, CC: f.CC,
	}
}
