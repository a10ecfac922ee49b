package isa

// This file offers what a repair of a rejected statement can try: the modifiers that the
// forms of an opcode take, and a match without findings.

import (
	"slices"
	"strings"
)

// Candidates lists the modifiers of all forms whose opcode begins with op, those that name
// the operation included, sorted.
func (t *ISA) Candidates(op string) []string {
	var all []string
	for _, known := range t.opcodes {
		rest, ok := strings.CutPrefix(known.name, op)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		for word := range strings.SplitSeq(rest, ".") {
			if word != "" {
				all = append(all, "."+word)
			}
		}
		for _, id := range known.ids {
			for _, m := range t.Entry(id).Modifiers() {
				all = append(all, t.mods.name(m))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// First returns the first entry of a statement's opcode; if there is none, of what the opcode begins with, else nil.
func (t *ISA) First(tokens []string) *Entry {
	if op, _ := t.findOpcode(tokens); op != nil {
		return t.Entry(op.ids[0])
	}
	for _, op := range t.opcodes {
		if op.ids != nil && strings.HasPrefix(op.name, tokens[0]+".") {
			return t.Entry(op.ids[0])
		}
	}
	return nil
}

// Fits reports whether a statement matches a form and passes its gates and checks.
func (f *Forms) Fits(q *Query) bool {
	return slices.ContainsFunc(f.plans, func(p *plan) bool { return p.fits(q) && p.allowed(q) })
}

// Until returns the gate from which on no statement of the entry is legal, nil if it stays.
func (e *Entry) Until() Gate {
	for _, g := range e.gates {
		if g.until && g.when == nil {
			return g.gate
		}
	}
	return nil
}
