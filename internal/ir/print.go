package ir

// This file prints a module. One line a fact; facts that follow from others stand in
// comments, which Parse ignores and Build recomputes:
//
//	module "saxpy.ptx" version 9.0 target sm_90
//	loc 1 file 0 line 3 col 5
//	var table global visible type u32 align 4 size 8 init 0100000002000000
//	func saxpy entry visible
//	 param n type u32 align 4 size 4
//	 frame params 4 locals 0
//	 reg %r1 b32                              # w0 pc 0..7
//	block $L_2                                # b1 idom b0 ipdom - loop - depth 0 in %r1
//	  @!%p1 bra -> b2                         @120 3
//	end

import (
	"fmt"
	"io"
	"strings"
)

// Print writes the text form of m.
func Print(w io.Writer, m *Module) error {
	p := &printer{}
	p.module(m)
	_, err := io.WriteString(w, p.String())
	return err
}

// String returns the text form of one function.
func (f *Func) String() string {
	p := &printer{}
	p.function(f)
	return p.String()
}

// Text returns an instruction as Print does, without its position.
func (f *Func) Text(pc int32) string {
	p := &printer{}
	p.inst(f, &f.Insts[pc])
	text := strings.TrimSpace(p.String())
	if at := strings.LastIndex(text, " @"); at >= 0 {
		text = text[:at]
	}
	return text
}

type printer struct{ strings.Builder }

func (p *printer) f(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// word prints a flag if it is set.
func (p *printer) word(on bool, word string) {
	if on {
		p.f(" %s", word)
	}
}

// num prints a named number unless it is zero.
func (p *printer) num(name string, n int64) {
	if n != 0 {
		p.f(" %s %d", name, n)
	}
}

func (p *printer) module(m *Module) {
	p.f("module %q version %v target %v", m.Name, m.Version, m.Target)
	p.f("\n")
	for _, s := range m.Files {
		p.f("file %q\n", s)
	}
	for i, l := range m.Locs {
		if i > 0 {
			p.f("loc %d file %d line %d col %d", i, l.File, l.Line, l.Col)
			p.num("at", int64(l.InlinedAt))
			if l.Function != "" {
				p.f(" fn %q", l.Function)
			}
			p.f("\n")
		}
	}
	for _, s := range m.Pragmas {
		p.f("pragma %q\n", s)
	}
	for _, v := range m.Vars {
		p.f("var ")
		p.variable(v)
	}
	for _, f := range m.Funcs {
		p.function(f)
	}
	for _, a := range m.Aliases {
		p.f("alias %s %s\n", a.Name, a.To.Name)
	}
}

func (p *printer) variable(v *Var) {
	p.f("%s ", v.Name)
	p.varBody(v)
	p.f("\n")
}

func (p *printer) varBody(v *Var) {
	p.f("%s %s type %s align %d size %d", v.Space, v.Linkage, typeName(v.Type), v.Align, v.Size)
	p.num("vec", int64(v.Vec))
	p.num("bank", int64(v.Bank))
	p.num("offset", v.Offset)
	p.num("pos", int64(v.Pos))
	if len(v.Dims) > 0 {
		p.f(" dims")
		for _, d := range v.Dims {
			p.f(" %d", d)
		}
	}
	p.word(v.Managed, "managed")
	p.word(v.Unified, "unified")
	p.word(v.Dynamic, "dynamic")
	if v.Func != nil && v.Space == SpaceShared {
		p.f(" of %s", v.Func.Name)
	}
	if len(v.Init) > 0 {
		p.f(" init %x", v.Init)
	}
	for _, f := range v.Fields {
		p.f(" field %s %d", f.Name, f.Value)
	}
	for i := range v.Relocs {
		p.reloc(&v.Relocs[i])
	}
}

func (p *printer) reloc(r *Reloc) {
	p.f(" reloc %d bytes %d shift %d add %d", r.Off, r.Bytes, r.Shift, r.Add)
	p.word(r.Generic, "generic")
	if r.Func != nil {
		p.f(" func %s", r.Func.Name)
	} else {
		p.f(" var %s", r.Var.Name)
	}
}

func (p *printer) function(f *Func) {
	p.f("func %s", f.Name)
	p.word(f.Entry, "entry")
	p.word(f.Linkage != Private, f.Linkage.String())
	p.word(f.Variadic, "variadic")
	p.word(f.NoReturn, "noreturn")
	p.word(!f.Defined, "declared")
	p.num("unit", int64(f.Unit))
	p.num("pos", int64(f.Pos))
	p.f("\n")
	p.perf(&f.Perf)
	for _, s := range f.Pragmas {
		p.f(" pragma %q\n", s)
	}
	p.params(f, f.Rets, "ret")
	p.params(f, f.Params, "param")
	for _, v := range f.Locals {
		p.f(" local ")
		p.variable(v)
	}
	if len(f.Shared) > 0 {
		p.f(" shared")
		for _, v := range f.Shared {
			p.f(" %s", v.Name)
		}
		p.f("\n")
	}
	p.f(" frame params %d call %d locals %d shared %d\n", f.ParamBytes, f.CallBytes, f.LocalBytes, f.SharedBytes)
	p.registers(f)
	for _, s := range f.Sigs {
		p.signature(s)
	}
	p.body(f)
	p.f("end\n")
}

func (p *printer) perf(d *Perf) {
	p.triple("reqntid", d.ReqNTid)
	p.triple("maxntid", d.MaxNTid)
	p.triple("reqcluster", d.ReqCluster)
	for _, n := range d.numbers() {
		if *n.at != 0 {
			p.f(" perf %s %d\n", n.name, *n.at)
		}
	}
	if d.ExplicitCluster {
		p.f(" perf explicitcluster\n")
	}
	if d.BlocksAreClusters {
		p.f(" perf blocksareclusters\n")
	}
}

type perfNumber struct {
	name string
	at   *int32
}

func (d *Perf) numbers() []perfNumber {
	return []perfNumber{{"maxnreg", &d.MaxNReg}, {"minncta", &d.MinNCTA}, {"maxncta", &d.MaxNCTA}, {"maxclusterrank", &d.MaxClusterRank}}
}

func (p *printer) triple(name string, n [3]int32) {
	if n != [3]int32{} {
		p.f(" perf %s %d %d %d\n", name, n[0], n[1], n[2])
	}
}

// params prints parameters; f is nil in a prototype, whose register parameters have no register.
func (p *printer) params(f *Func, list []*Param, what string) {
	for _, q := range list {
		p.f(" %s %s ", what, orDash(q.Name))
		p.varBody(&q.Var)
		switch {
		case q.Reg == NoReg:
		case f == nil:
			p.f(" inreg")
		default:
			p.f(" reg %s", f.Regs[q.Reg].Name)
		}
		if q.Ptr {
			p.f(" ptr %s %d", q.PtrSpace, q.PtrAlign)
		}
		p.f("\n")
	}
}

func (p *printer) registers(f *Func) {
	for i := range f.Regs {
		r := &f.Regs[i]
		p.f(" reg %s %s", r.Name, typeName(r.Type))
		if i < len(f.Rows.Of) && f.Rows.Of[i] >= 0 {
			p.f(" # %s%d pc %d..%d", r.Width(), f.Rows.Of[i], f.Rows.From[i], f.Rows.To[i])
		}
		p.f("\n")
	}
	if f.CC != NoReg {
		p.f(" cc %s\n", f.Regs[f.CC].Name)
	}
}

func (p *printer) signature(s *Sig) {
	p.f(" sig %s", s.Name)
	p.word(s.Variadic, "variadic")
	p.word(s.NoReturn, "noreturn")
	p.f("\n")
	p.params(nil, s.Rets, "sigret")
	p.params(nil, s.Params, "sigparam")
}

func (p *printer) body(f *Func) {
	for i := range f.Blocks {
		b := &f.Blocks[i]
		p.f("block %s # b%d idom %s ipdom %s loop %s depth %d", orDash(b.Label), i, b.IDom, b.IPDom, b.Loop, b.Depth)
		p.liveIn(f, BlockID(i))
		p.f("\n")
		for pc := b.First; pc < b.End; pc++ {
			p.inst(f, &f.Insts[pc])
		}
	}
}

// maxLive is how many registers are named that live at the start of a block.
const maxLive = 256

func (p *printer) liveIn(f *Func, b BlockID) {
	in := f.Blocks[b].liveIn
	switch n := f.edges.count(in); {
	case n > maxLive:
		p.f(" in %d registers", n)
	case n > 0:
		p.f(" in")
		f.EachLiveIn(b, func(r Reg) { p.f(" %s", f.Regs[r].Name) })
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (b BlockID) String() string {
	if b == NoBlock {
		return "-"
	}
	return fmt.Sprintf("b%d", int32(b))
}

func (p *printer) inst(f *Func, in *Inst) {
	p.f("  ")
	if in.Guard.Reg != NoReg {
		p.f("@%s%s ", bang(in.Guard.Neg), f.Regs[in.Guard.Reg].Name)
	}
	p.f("%s", in.Sel.Text())
	p.list(" ", f, in.Ops)
	if c := in.Call; c != nil {
		p.call(f, c)
	}
	for i, t := range in.Targets {
		p.f("%s%s", []string{" -> ", ", "}[min(i, 1)], t)
	}
	p.f(" @%d %d\n", in.Pos, in.Loc)
}

func (p *printer) call(f *Func, c *Call) {
	p.f(" (")
	p.list("", f, c.Rets)
	p.f(") ")
	if c.Callee != nil {
		p.f("&%s", c.Callee.Name)
	} else {
		p.operand(f, &c.Target)
	}
	p.f(" (")
	p.list("", f, c.Args)
	p.f(")")
	if c.Sig != nil && c.Sig.Name != "" {
		p.f(" sig %s", c.Sig.Name)
	}
	for i, t := range c.Table {
		p.f("%s%s", []string{" table ", ", "}[min(i, 1)], t.Name)
	}
}

func bang(neg bool) string {
	if neg {
		return "!"
	}
	return ""
}

func (p *printer) list(before string, f *Func, ops []Operand) {
	for i := range ops {
		if i > 0 {
			before = ", "
		}
		p.f("%s", before)
		p.operand(f, &ops[i])
	}
}

func (p *printer) operand(f *Func, o *Operand) {
	switch o.Kind {
	case None:
		p.f("none")
	case OpReg:
		p.f("%s%s", bang(o.Neg), f.Regs[o.Reg].Name)
		if o.Selector != "" {
			p.f(":%s", o.Selector)
		}
	case OpImm:
		p.f("%#x", o.Imm)
		if o.Type != 0 { // a truth value where a predicate may stand has none
			p.f(":%s", typeName(o.Type))
		}
	case OpSpec:
		p.f("<%s>", specialName(o.Special, o.Comp))
	case OpSym:
		p.symbol(o)
	case OpMem:
		p.f("[")
		p.address(f, o)
		p.f("]")
	case OpVec:
		p.f("{")
		p.list("", f, o.Elems)
		p.f("}")
	case OpPair:
		p.operand(f, &o.Elems[0])
		p.f("|")
		p.operand(f, &o.Elems[1])
	case OpSink:
		p.f("_")
	}
}

// symbol prints the address of a function, a module variable (&x) or one of the frame (&.x).
func (p *printer) symbol(o *Operand) {
	switch {
	case o.Func != nil:
		p.f("&%s", o.Func.Name)
	case o.Var.inFrame():
		p.f("&.%s", o.Var.Name)
	default:
		p.f("&%s", o.Var.Name)
	}
	if o.Imm != 0 {
		p.f("%+d", o.Disp())
	}
}

func (p *printer) address(f *Func, o *Operand) {
	switch {
	case o.Var != nil:
		p.symbol(o)
	case o.Reg != NoReg:
		p.f("%s", f.Regs[o.Reg].Name)
		if o.Imm != 0 {
			p.f("%+d", o.Disp())
		}
	default:
		p.f("%d", o.Disp())
	}
	if len(o.Elems) > 0 {
		p.list(", ", f, o.Elems)
	}
}

// inFrame reports whether a variable belongs to the frames of its function.
func (v *Var) inFrame() bool {
	return v.Func != nil && (v.Space == SpaceLocal || v.Space == SpaceParam)
}
