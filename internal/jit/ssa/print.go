package ssa

// This file writes a function as text, which parse.go reads back.

import (
	"fmt"
	"strings"
)

// String is the function as text.
func (f *Func) String() string {
	var p printer
	p.f = f
	p.line("func %s", f.Name)
	p.tables()
	p.placed = make([]bool, len(f.Ops))
	for _, b := range f.Blocks {
		for _, i := range b.Order {
			p.placed[i.Value] = true
		}
	}
	p.floating()
	for _, b := range f.Blocks {
		p.block(b)
	}
	return p.String()
}

type printer struct {
	strings.Builder
	f      *Func
	placed []bool
}

func (p *printer) line(format string, a ...any) {
	fmt.Fprintf(p, format, a...)
	p.WriteByte('\n')
}

// tables writes copies, checks and states.
func (p *printer) tables() {
	for i, c := range p.f.Copies {
		p.line("copy %d lanes %d of %d from %s%s", i, c.Lanes, c.Of, name(c.From), flag(c.Cold, " cold"))
	}
	if p.f.Warps != 0 {
		p.line("warps %d in %s", p.f.Warps, name(p.f.Warp))
	}
	if p.f.Shared != 0 {
		p.line("shared bounds %d", p.f.Shared-1)
	}
	for _, k := range p.f.Chosen {
		p.line("chosen bounds %d", k)
	}
	if p.f.Waits {
		p.line("waits")
	}
	for i, t := range p.f.Tables {
		p.line("table %d%s", i, entries(t))
	}
	for i, c := range p.f.Checks[1:] {
		p.line("check %d bounds %d lo %d hi %d align %d%s", i+1, c.Bounds, c.Lo, c.Hi, c.Align, flag(c.Store, " store"))
	}
	for i := range p.f.States[1:] {
		p.state(i+1, &p.f.States[i+1])
	}
}

func entries(table []uint64) (text string) {
	for _, k := range table {
		text += fmt.Sprintf(" %d", int64(k))
	}
	return text
}

func (p *printer) state(i int, s *State) {
	fmt.Fprintf(p, "state %d pc %d mask %s undo %d%s", i, s.PC, name(s.Mask), s.Undo, flag(s.FuelOut, " fuelout")+flag(s.Restart, " restart"))
	for _, l := range s.Places {
		fmt.Fprintf(p, " place %d %s%s", l.PC, name(l.Mask), flag(l.Fuel != 0, " fuel "+name(l.Fuel)))
	}
	for _, h := range s.Homes {
		fmt.Fprintf(p, " %s %d %s", homeNames[h.Kind], h.Off, name(h.Value))
	}
	p.WriteByte('\n')
}

// floating writes the pure operations that have no place.
func (p *printer) floating() {
	p.line("float:")
	for v := range p.f.Ops {
		if c := p.f.Ops[v].Code; c > Result && !p.placed[v] {
			p.op(Value(v))
		}
	}
}

func (p *printer) op(v Value) {
	o := &p.f.Ops[v]
	fmt.Fprintf(p, "  %s = %v.%v", name(v), o.Code, o.Type)
	if o.Copy != 0 {
		fmt.Fprintf(p, "@%d", o.Copy)
	}
	for i, a := range o.Operands() {
		fmt.Fprintf(p, "%s %s", flag(i > 0, ","), name(a))
	}
	if defs[o.Code].imm {
		fmt.Fprintf(p, " #%d", int64(o.Imm))
	}
	p.WriteByte('\n')
}

func (p *printer) block(b *Block) {
	fmt.Fprintf(p, "b%d level %d%s%s(", b.ID, b.Level, flag(b.Lanes != 0, fmt.Sprintf(" lanes %d", b.Lanes)), flag(b.Cold, " cold"))
	for i, v := range b.Params {
		fmt.Fprintf(p, "%s%s", flag(i > 0, ", "), p.leaf(v))
	}
	p.line("):")
	if len(b.Order) == 0 {
		for _, e := range b.Effects {
			p.effect(e)
		}
	}
	for _, i := range b.Order {
		if i.Effect != nil {
			p.effect(i.Effect)
		} else {
			p.op(i.Value)
		}
	}
	switch {
	case len(b.Out) == 0:
		p.line("  return")
	case b.Cond == 0:
		p.line("  goto %s", edge(b.Out[0]))
	default:
		p.line("  if %s %s else %s", name(b.Cond), edge(b.Out[0]), edge(b.Out[1]))
	}
}

// leaf is a parameter or result with what a reader could not know: v3 num w@1.
func (p *printer) leaf(v Value) string {
	o := &p.f.Ops[v]
	text := name(v) + flag(p.f.Info[v].Num, " num") + " " + o.Type.String()
	if o.Copy != 0 {
		text += fmt.Sprintf("@%d", o.Copy)
	}
	return text
}

func (p *printer) effect(e *Effect) {
	p.WriteString("  ")
	for i, v := range e.Results {
		fmt.Fprintf(p, "%s%s", flag(i > 0, ", "), p.leaf(v))
	}
	if len(e.Results) > 0 {
		p.WriteString(" = ")
	}
	fmt.Fprintf(p, "%v", e.Kind)
	if e.Update != 0 {
		fmt.Fprintf(p, " update %v%s", e.Update, flag(e.Locked, " locked"))
	}
	if e.Access != nil {
		p.access(e.Access)
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"n", e.N}, {"state", int64(e.State)}, {"pc", int64(e.PC)}, {"entry", int64(e.Entry)}} {
		if f.value != 0 {
			fmt.Fprintf(p, " %s %d", f.name, f.value)
		}
	}
	if e.Mask != 0 {
		fmt.Fprintf(p, " mask %s", name(e.Mask))
	}
	for _, v := range e.Args {
		fmt.Fprintf(p, " arg %s", name(v))
	}
	for _, h := range e.Homes {
		fmt.Fprintf(p, " %s %d%s", homeNames[h.Kind], h.Off, flag(h.Value != 0, " "+name(h.Value)))
	}
	p.WriteByte('\n')
}

func (p *printer) access(a *Access) {
	fmt.Fprintf(p, " elem %d count %d align %d base %s", a.Elem, a.Count, a.Align, name(a.Base))
	if a.Index != 0 {
		fmt.Fprintf(p, " index %s", name(a.Index))
	}
	fmt.Fprintf(p, " step %d disp %d bounds %d", a.Step, a.Disp, a.Bounds)
	if a.Check != 0 {
		fmt.Fprintf(p, " check %d", a.Check)
	}
	if a.Upto != 0 {
		fmt.Fprintf(p, " low %s high %s upto %d", name(a.Low), name(a.High), a.Upto)
	}
	if a.Runs != 0 {
		fmt.Fprintf(p, " runs %s", name(a.Runs))
	}
	p.WriteString(flag(a.Signed, " signed"))
	for _, n := range a.Bits {
		fmt.Fprintf(p, " bits %d", n)
	}
}

func edge(e *Edge) string {
	var list []string
	for _, v := range e.Args {
		list = append(list, name(v))
	}
	return fmt.Sprintf("b%d(%s)", e.To.ID, strings.Join(list, ", "))
}

func name(v Value) string { return fmt.Sprintf("v%d", v) }

func flag(on bool, text string) string {
	if on {
		return text
	}
	return ""
}
