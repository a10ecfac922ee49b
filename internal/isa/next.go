package isa

// This file says how a statement that is being written can go on: which modifiers may follow, and what an operand may be.

import (
	"slices"
	"strings"
)

// Opcodes lists the opcodes, without modifiers, of which a module of a version and target may have some statement, sorted. The
// entries are those of the statements.
func (t *ISA) Opcodes(v Version, target Target) (names []string, entries map[string][]*Entry) {
	entries = map[string][]*Entry{}
	for _, e := range t.Entries() {
		if e.Available(v, target) {
			name := e.Opcode[0]
			if entries[name] == nil {
				names = append(names, name)
			}
			entries[name] = append(entries[name], e)
		}
	}
	slices.Sort(names)
	return names, entries
}

// Continuations lists the modifiers that may follow an opcode and modifiers in a module of a version and target: with each of them
// the statement has a form, or can still get one. Rules that ask for modifiers that are not there yet are not applied.
func (t *ISA) Continuations(tokens []string, v Version, target Target) []string {
	if len(tokens) == 0 || len(tokens) > MaxModifiers {
		return nil
	}
	c := continuer{version: v, target: target, found: map[string]bool{}}
	written := strings.Join(tokens, "")
	for i := range t.opcodes {
		op := &t.opcodes[i]
		if rest, ok := strings.CutPrefix(op.name, written); ok && strings.HasPrefix(rest, ".") && op.ids != nil &&
			t.anyOpen(op, v, target) {
			next, _, _ := strings.Cut(rest[1:], ".")
			c.found["."+next] = true
		}
	}
	if op, n := t.findOpcode(tokens); op != nil {
		if mods, ok := t.modifiers(tokens[:n], tokens[n:]); ok {
			for _, id := range op.ids {
				c.entry(t.Entry(id), mods)
			}
		}
	}
	list := make([]string, 0, len(c.found))
	for name := range c.found {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// anyOpen reports whether a module may have some statement of an opcode.
func (t *ISA) anyOpen(op *opcode, v Version, target Target) bool {
	return slices.ContainsFunc(op.ids, func(id ID) bool { return t.Entry(id).opened(v, target) })
}

// opened reports whether the gates of an entry that ask for no modifier pass.
func (e *Entry) opened(v Version, t Target) bool {
	for i := range e.gates {
		if g := &e.gates[i]; g.when == nil && g.gate.Passes(v, t) == g.until {
			return false
		}
	}
	return true
}

// continuer collects modifiers that may follow.
type continuer struct {
	version Version
	target  Target
	found   map[string]bool
}

func (c *continuer) entry(e *Entry, mods []Mod) {
	if !e.opened(c.version, c.target) {
		return
	}
	for a := range e.Alts {
		d := dealer{e: e, alt: &e.Alts[a], mods: mods, open: true}
		d.taken, d.strict = make([]Mod, len(d.alt.slots)), e.table.judge == Manual && !e.freeOrder
		d.link()
		d.visit = func(*env) { c.slots(&d, a) }
		d.deal(0)
	}
}

// slots tries the values of the slots that are free.
func (c *continuer) slots(d *dealer, alt int) {
	for i := range d.alt.slots {
		if d.taken[i] != 0 || d.alt.slots[i].suffix || d.passed(i) || d.strict && d.behind(i) {
			continue
		}
		for _, m := range d.values(i) {
			name := d.e.table.mods.name(m)
			if c.found[name] {
				continue
			}
			d.taken[i] = m
			c.found[name] = c.legal(d, alt)
			d.taken[i] = 0
			if !c.found[name] {
				delete(c.found, name)
			}
		}
	}
}

// legal reports whether the modifiers that slots have taken are those of some form, or may become so.
func (c *continuer) legal(d *dealer, alt int) bool {
	v := d.env()
	if !d.complete() {
		return v.mayFill(c.version, c.target)
	}
	gates, ok := v.rows()
	if !ok {
		return false
	}
	legal := false
	d.e.eachSubset(v, func(sub *env) {
		if !legal {
			p, ok := d.e.plan(alt, sub, gates)
			legal = ok && p.passes(c.version, c.target)
		}
	})
	return legal
}

// mayFill reports whether each table that a form uses has a row, open to a module, that agrees with the classes that have a value.
func (v *env) mayFill(version Version, target Target) bool {
	for i := range v.entry.tables {
		t := &v.entry.tables[i]
		if v.alt.takesAll(t.keys) && !slices.ContainsFunc(t.rows, func(r row) bool {
			return (r.gate == nil || r.gate.Passes(version, target)) && r.mayMatch(t, v)
		}) {
			return false
		}
	}
	return true
}

func (r *row) mayMatch(t *table, v *env) bool {
	for i, key := range t.keys {
		if v.get(key) != 0 && !r.cellMatches(t, i, v) {
			return false
		}
	}
	return true
}

// Takes reports whether an operand may follow others in a statement with these modifiers. Operands of kind ShapeNone are not known
// and may be anything.
func (f *Forms) Takes(before []Shape, s *Shape) bool {
	return slices.ContainsFunc(f.plans, func(p *plan) bool {
		if len(p.operands) <= len(before) {
			return false
		}
		for i := range before {
			if before[i].Kind != ShapeNone && !p.operands[i].fits(&before[i]) {
				return false
			}
		}
		return p.operands[len(before)].fits(s)
	})
}
