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
	"sync"

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

// hasStack tells whether the function changes the size of its frame.
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

// branched tells whether a branch goes to a label.
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

// inlines tells whether the callee of a call that stands in the body of a site, or in the kernel, is put in place.
func (x *inliner) inlines(site int, in *Inst) bool {
	c := in.Call
	f := c.Callee
	if f == nil || in.Guard.Reg != NoReg || x.refused[f] || len(c.Args) != len(f.Params) || len(c.Rets) != len(f.Rets) || !x.fit(f) {
		return false
	}
	for i := range c.Args {
		if c.Args[i].Kind != OpMem || c.Args[i].Var == nil || c.Args[i].Var.Kernel || slices.ContainsFunc(c.Rets, func(r Operand) bool { return r.Var == c.Args[i].Var }) {
			return false
		}
	}
	for i := range c.Rets {
		if r := &c.Rets[i]; r.Kind != OpSink && (r.Kind != OpMem || r.Var == nil) {
			return false
		}
	}
	return site >= 0 || x.size+x.fits[f] <= maxInlinedAll
}

// fit tells whether a function can be put in place, with all that it calls.
func (x *inliner) fit(f *Func) bool {
	if _, known := x.fits[f]; !known {
		x.fits[f] = 0 // if it calls itself
		if f.Defined && !f.Entry && !f.Variadic && f.LocalBytes == 0 && !f.hasStack() && f.CC == NoReg && len(f.EntryLive()) == 0 && f.passesMemory() {
			x.fits[f] = x.onlyComputes(f)
		}
	}
	return x.fits[f] != 0
}

// passesMemory tells whether all parameters and results are in memory, of which the function loads the ones and stores the others.
func (f *Func) passesMemory() bool {
	mine := map[*Var]isa.ID{}
	for _, p := range f.Params {
		mine[&p.Var] = isa.Ld
	}
	for _, p := range f.Rets {
		mine[&p.Var] = isa.St
	}
	for _, p := range slices.Concat(f.Params, f.Rets) {
		if p.Reg != NoReg {
			return false
		}
	}
	for _, v := range f.Locals {
		if v.Space != SpaceParam {
			return false
		}
	}
	ok := true
	for pc := range f.Insts {
		in := &f.Insts[pc]
		eachVar(in.Ops, func(o *Operand) {
			if id, is := mine[o.Var]; is {
				ok = ok && o.Kind == OpMem && in.Sel.ID() == id
			}
		})
	}
	return ok
}

func eachVar(ops []Operand, visit func(*Operand)) {
	for i := range ops {
		if ops[i].Var != nil {
			visit(&ops[i])
		}
		eachVar(ops[i].Elems, visit)
	}
}

// onlyComputes is how many instructions a function has, with those that it calls, which all fit; 0 if any of them waits, can be waited
// for or ends lanes, or if they are too many.
func (x *inliner) onlyComputes(f *Func) (size int) {
	size = len(f.Insts)
	for pc := range f.Insts {
		in := &f.Insts[pc]
		switch flow := in.flow(); {
		case flow == flowCall && x.inlines(0, in):
			size += x.fits[in.Call.Callee]
		case flow == flowCall, flow == flowExit, flow == flowTrap, in.Waits():
			return 0
		}
	}
	if size > maxInlined {
		return 0
	}
	return size
}

// piece is a part of a variable that is accessed at once.
type piece struct{ off, bytes int64 }

// promote makes registers of the variables that are passed to bodies, where all that is done to one is to load and store it in pieces of
// 32 or 64 bits. It returns the function one of whose own variables is no such one; nil: all are.
func (x *inliner) promote() *Func {
	pieces, kept := map[*Var]map[int64]int64{}, map[*Var]bool{}
	for pc := range x.out.Insts {
		in := &x.out.Insts[pc]
		if c := in.Call; c != nil {
			eachVar(slices.Concat(c.Args, c.Rets), func(o *Operand) { kept[o.Var] = true })
		}
		eachVar(in.Ops, func(o *Operand) {
			p, ok := x.out.pieceOf(in, o)
			if !ok {
				kept[o.Var] = true
				return
			}
			if pieces[o.Var] == nil {
				pieces[o.Var] = map[int64]int64{}
			}
			if old, seen := pieces[o.Var][p.off]; seen && old != p.bytes {
				kept[o.Var] = true
			}
			pieces[o.Var][p.off] = p.bytes
		})
	}
	for v, list := range pieces {
		kept[v] = kept[v] || overlaps(list)
	}
	for v, f := range x.made {
		if kept[v] {
			return f
		}
	}
	regs := map[*Var]map[int64]Reg{}
	for pc := range x.out.Insts {
		in := &x.out.Insts[pc]
		eachVar(in.Ops, func(o *Operand) {
			if v := o.Var; x.linked[v] && !kept[v] {
				if regs[v] == nil {
					regs[v] = map[int64]Reg{}
				}
				r, made := regs[v][o.Disp()]
				if !made {
					r = x.register(fmt.Sprintf("%s+%d", v.Name, o.Disp()), bitsOf(pieces[v][o.Disp()]))
					regs[v][o.Disp()] = r
				}
				x.out.move(in, r)
			}
		})
	}
	return nil
}

// overlaps tells whether pieces overlap.
func overlaps(pieces map[int64]int64) bool {
	for a, n := range pieces {
		for b := range pieces {
			if a < b && b < a+n {
				return true
			}
		}
	}
	return false
}

// pieceOf is the piece of a variable that an instruction loads to or stores from a register of its size.
func (f *Func) pieceOf(in *Inst, at *Operand) (p piece, ok bool) {
	id := in.Sel.ID()
	if at.Kind != OpMem || len(at.Elems) != 0 || at.Reg != NoReg || at.Var.Space != SpaceParam || len(in.Ops) != 2 || id != isa.Ld && id != isa.St || in.Waits() {
		return p, false
	}
	value := &in.Ops[0]
	if id == isa.St {
		value = &in.Ops[1]
	}
	bits := in.Sel.Type(isa.C_type).Bits()
	switch {
	case bits != 32 && bits != 64:
		return p, false
	case value.Kind == OpReg && value.Selector == "" && !value.Neg && int(f.Regs[value.Reg].Bits) == bits:
	case value.Kind == OpImm && id == isa.St:
	default:
		return p, false
	}
	return piece{at.Disp(), int64(bits) / 8}, true
}

// bitsOf is the untyped type of some bytes.
func bitsOf(bytes int64) isa.Type {
	t, _ := isa.LookupType(fmt.Sprintf(".b%d", 8*bytes))
	return t
}

// move makes a move of the load or store of a variable for which a register stands.
func (f *Func) move(in *Inst, r Reg) {
	reg := Operand{Kind: OpReg, Reg: r, Type: f.Regs[r].Type}
	ops := []Operand{in.Ops[0], reg}
	if in.Sel.ID() == isa.St {
		ops = []Operand{reg, in.Ops[1]}
	}
	ops[0].Access, ops[1].Access = OnlyWrite, OnlyRead
	in.Sel, in.Ops = movSels[f.Regs[r].Bits/64](), ops
	in.Annotate(f.Regs)
}

// movSels are mov.b32 and mov.b64.
var movSels = [2]func() *isa.Sel{sync.OnceValue(func() *isa.Sel { return movSel(".b32") }), sync.OnceValue(func() *isa.Sel { return movSel(".b64") })}

func movSel(name string) *isa.Sel {
	t, _ := isa.LookupType(name)
	reg := isa.Shape{Kind: isa.ShapeReg, Type: t}
	sel, fails := isa.Table().Match(&isa.Query{Tokens: []string{"mov", name}, Operands: []isa.Shape{reg, reg}, Version: isa.Latest, Target: isa.MustTarget("sm_90")})
	if sel == nil {
		panic(fmt.Sprintf("BUG: no mov%s: %v", name, fails))
	}
	return sel
}

// Waits tells whether an instruction may be part of waiting for another thread, or ends or parts more than its own lanes.
func (in *Inst) Waits() bool {
	if in.Inlined {
		return false
	}
	if in.IsCall() || in.Sel.Has(isa.M_volatile) || in.Sel.Has(isa.M_mmio) || in.Sel.Get(isa.C_sem) != 0 {
		return true
	}
	return in.Sel.Entry.Effects.Has(^Quiet)
}

// Quiet are the effects of instructions that wait for no other thread and tell it nothing that it could wait for.
const Quiet = isa.Reads | isa.Writes | isa.WritesOnce | isa.Faults | isa.Branches | isa.Returns | isa.Exits | isa.Hints

// withoutBody is a kernel without its body and what follows from that.
func (f *Func) withoutBody() *Func {
	return &Func{
		Name: f.Name, Linkage: f.Linkage, Entry: true, Defined: true, Unit: f.Unit, Pos: f.Pos, Params: f.Params, Rets: f.Rets,
		Variadic: f.Variadic, NoReturn: f.NoReturn, Perf: f.Perf, Regs: slices.Clone(f.Regs), Locals: f.Locals, Shared: f.Shared, Sigs: f.Sigs,
		Pragmas: f.Pragmas, Refused: f.Refused, ParamBytes: f.ParamBytes, CallBytes: f.CallBytes, LocalBytes: f.LocalBytes,
		SharedBytes: f.SharedBytes, CC: f.CC,
	}
}
