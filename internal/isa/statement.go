package isa

// This file says in words what holds for a statement with some modifiers, for explain.

import (
	"slices"
	"strings"
)

// Words describes what the modifiers lead to first: the values that classes have, what each operand may be, since when and
// where; and the modifiers that may still be added. There must be a reading.
func (f *Forms) Words() (w Words, more []string) {
	p := f.plans[0]
	e := p.sel.Entry
	for i, m := range p.env.chosen {
		if m != 0 {
			w.Modifiers = append(w.Modifiers, Described{"." + strings.TrimPrefix(e.classes[i].id.String(), "."), e.table.mods.name(m)})
		}
	}
	w.Operands = p.operandWords()
	for _, g := range p.gates {
		w.Gates = append(w.Gates, g.since())
	}
	for _, g := range p.rowGates {
		w.Gates = append(w.Gates, "since "+g.words())
	}
	slices.Sort(w.Gates)
	w.Gates = slices.Compact(w.Gates)
	return w, f.more()
}

// Sel is the first reading. The caller must not write it.
func (f *Forms) Sel() *Sel { return &f.plans[0].sel }

// operandWords are the words of the lines that say what the operands of a reading may be.
func (p *plan) operandWords() (list []Described) {
	e := p.sel.Entry
	all := e.Words().Operands
	for _, spec := range p.operands {
		for _, part := range spec.parts {
			if i := e.lineOf(&p.env, part.role); i >= 0 && i < len(all) {
				what, _, _ := strings.Cut(all[i].What, " with ")
				list = append(list, Described{e.table.roles.name(e.roles[part.role]), what})
			}
		}
	}
	return list
}

// lineOf is the index of the last line whose condition holds for a role, -1 if none does.
func (e *Entry) lineOf(v *env, role int) int {
	for i := len(e.lines) - 1; i >= 0; i-- {
		if l := &e.lines[i]; containsInt(l.roles, role) && evalOr(l.when, v, yes) != no {
			return i
		}
	}
	return -1
}

// more lists the modifiers that may be added at some place and lead to the same entry.
func (f *Forms) more() (list []string) {
	sel := &f.plans[0].sel
	t := sel.Entry.table
	for _, m := range sel.Entry.Modifiers() {
		name := t.mods.name(m)
		if sel.Has(m) || slices.Contains(list, name) {
			continue
		}
		for at := 1; at <= len(f.tokens); at++ {
			if e := t.resolve(slices.Insert(slices.Clone(f.tokens), at, name), f.suffix).Entry(); e == sel.Entry {
				list = append(list, name)
				break
			}
		}
	}
	return list
}

// Texts are the forms of the entry that the modifiers lead to first, each once.
func (f *Forms) Texts() (list []string) {
	for _, p := range f.plans {
		if text := p.sel.Entry.Alts[p.sel.Alt].Text; p.sel.Entry == f.plans[0].sel.Entry && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
