package isa

// This file finds what of a statement a gate or a rule is about, for its diagnostic.

import (
	"slices"
	"sync"
)

// blamer collects the tokens and operands that decide a condition.
type blamer struct {
	p       *plan
	q       *Query
	v       *env
	tokens  []int
	roles   []int // operands that are there
	missing []int // operands that are not
	absent  bool  // a modifier would do, too
}

func (p *plan) blamer(q *Query) *blamer { return &blamer{p: p, q: q, v: p.withShapes(q)} }

// because walks what makes a condition come out as it does: of and and or the parts that decide.
func (b *blamer) because(c cond, want truth) {
	switch c := c.(type) {
	case andCond:
		b.either(c.a, c.b, want, no)
	case orCond:
		b.either(c.a, c.b, want, yes)
	case notCond:
		b.because(c.a, yes+no-want)
	case hasCond:
		for _, r := range c.any {
			b.ref(r)
		}
	case isCond:
		b.mod(b.v.get(c.class))
	case cmpCond:
		b.captures(c.a)
	case roleCond:
		b.role(c.role)
	case kindCond:
		b.role(c.role)
	}
}

// either walks the parts of a condition that have its value; where all parts must have it, that is both.
func (b *blamer) either(a, c cond, want, one truth) {
	if first := a.eval(b.v) == want; first || want != one {
		b.because(a, want)
		if first && want == one {
			return
		}
	}
	if c.eval(b.v) == want || want != one {
		b.because(c, want)
	}
}

func (b *blamer) ref(r valueRef) {
	switch {
	case r.class >= 0:
		b.mod(b.v.get(r.class))
	case b.v.has(r):
		b.mod(r.mod)
	default:
		b.absent = true
	}
}

// captures blames the modifiers that the numbers of an expression come from.
func (b *blamer) captures(e *expr) {
	if e == nil {
		return
	}
	if e.op == 'c' {
		for i := range b.v.chosen {
			for _, bound := range b.v.entry.classes[i].bindings(b.v.chosen[i]) {
				if bound.capture == e.n {
					b.mod(b.v.chosen[i])
				}
			}
		}
	}
	b.captures(e.a)
	b.captures(e.b)
}

// mod blames the token of a modifier that is there; one that is glued to the opcode says nothing.
func (b *blamer) mod(m Mod) {
	t := b.v.entry.table
	for i := len(b.v.entry.Opcode); m != 0 && i < len(b.q.Tokens); i++ {
		if t.knownMod(b.q.Tokens[i]) == m && !containsInt(b.tokens, i) {
			b.tokens = append(b.tokens, i)
			return
		}
	}
}

func (b *blamer) role(role int) {
	if b.v.present>>role&1 == 0 {
		b.missing = append(b.missing, role)
	} else {
		b.roles = append(b.roles, role)
	}
}

// fill says in a finding what was found: the first two tokens, and the first operand.
func (b *blamer) fill(f *Mismatch) {
	if len(b.tokens) > 0 {
		f.Token = b.tokens[0]
	}
	if len(b.tokens) > 1 {
		f.Other = b.tokens[1]
	}
	if len(b.roles) > 0 {
		f.Operand, f.Part = b.p.place(b.roles[0])
	}
}

// place is where an operand stands in the statement: which it is, and which part of it, -1 for all.
func (p *plan) place(role int) (op, part int) {
	for i := range p.operands {
		o := &p.operands[i]
		for j := range o.parts {
			switch {
			case o.parts[j].role != role:
			case o.kind == ' ' || len(o.parts) == 1:
				return i, -1
			default:
				return i, j
			}
		}
	}
	return -1, -1
}

// rule blames what breaks a rule: what asks for something first, then what stands against it. Without
// an operand that is asked for nothing else is worth a word.
func (b *blamer) rule(r *rule, f *Mismatch) {
	whenHolds := evalOr(r.when, b.v, yes) == yes
	b.because(r.when, truthOf(whenHolds))
	if whenHolds && r.needs != nil {
		b.missing, b.absent = nil, false
		b.because(r.needs, no)
	} else if !whenHolds {
		b.because(r.needs, yes)
	}
	b.fill(f)
	if f.Operand >= 0 && !whenHolds {
		f.Role = b.v.entry.roles[b.roles[0]].String()
	}
	if len(b.missing) > 0 && whenHolds && !b.absent {
		f.Kind, f.Want = OperandMissing, b.v.entry.roles[b.missing[0]].String()
		f.Other, f.Operand, f.Part = -1, -1, -1
	}
}

// gate blames what a closed gate is about: what its condition asks for; of a table's row the cells that
// differ from a row that is open; of an entry what no open entry of the opcode has.
func (b *blamer) gate(c *closedGate, f *Mismatch) {
	switch {
	case c.when != nil:
		b.because(c.when, yes)
	case c.row && b.v.entry.open(b.q.Version, b.q.Target):
		b.row()
	case !c.until:
		b.entry()
	}
	b.fill(f)
}

// row blames cells of the rows whose gates are closed.
func (b *blamer) row() {
	e := b.v.entry
	for i := range e.tables {
		t := &e.tables[i]
		if !b.v.alt.takesAll(t.keys) {
			continue
		}
		if r := t.find(b.v); r != nil && r.gate != nil && !r.gate.Passes(b.q.Version, b.q.Target) {
			keys := b.odd(t)
			if len(keys) == 1 {
				keys = append(keys, b.beside(t, keys[0])...)
			}
			for _, key := range keys {
				b.mod(b.v.get(key))
			}
		}
	}
}

// odd are the keys of a table in which the statement differs from a row that is open, and in no other;
// else those whose value no open row has. The last one stands first, since types stand last.
func (b *blamer) odd(t *table) (keys []int) {
	var strange []int
	for i := len(t.keys) - 1; i >= 0; i-- {
		nearest, known := 0, false
		for j := range t.rows {
			if r := &t.rows[j]; r.gate == nil || r.gate.Passes(b.q.Version, b.q.Target) {
				same := r.cellMatches(t, i, b.v)
				known = known || same
				if !same {
					nearest = max(nearest, r.matches(t, b.v))
				}
			}
		}
		if nearest == len(t.keys)-1 {
			keys = append(keys, t.keys[i])
		}
		if !known {
			strange = append(strange, t.keys[i])
		}
	}
	if keys == nil {
		return strange
	}
	return keys
}

// beside is the key without which the value of another one would be nothing odd: no open row has both, and some have that value.
// A type says more than a shape.
func (b *blamer) beside(t *table, odd int) []int {
	known, at := false, slices.Index(t.keys, odd)
	apart := make([]bool, len(t.keys)) // no open row has the value of this key, too
	for i := range apart {
		apart[i] = i != at
	}
	for j := range t.rows {
		r := &t.rows[j]
		if r.gate != nil && !r.gate.Passes(b.q.Version, b.q.Target) || !r.cellMatches(t, at, b.v) {
			continue
		}
		known = true
		for i := range apart {
			apart[i] = apart[i] && !r.cellMatches(t, i, b.v)
		}
	}
	if !known {
		return nil
	}
	for _, types := range []bool{true, false} {
		for i, key := range t.keys {
			if apart[i] && (b.v.entry.table.modType(b.v.get(key)) != 0) == types {
				return []int{key}
			}
		}
	}
	return nil
}

// entry blames a modifier that no open entry of the opcode has: one that its form demands, if there is one.
func (b *blamer) entry() {
	e, has := b.v.entry, map[Mod]bool{}
	op, n := e.table.findOpcode(b.q.Tokens)
	if op == nil {
		return
	}
	for _, id := range op.ids {
		if other := e.table.Entry(id); other.open(b.q.Version, b.q.Target) {
			for _, m := range other.Modifiers() {
				has[m] = true
			}
		}
	}
	if len(has) == 0 {
		return
	}
	for _, demanded := range []bool{true, false} {
		for _, token := range b.q.Tokens[n:] {
			if m := e.table.knownMod(token); m != 0 && !has[m] && (!demanded || b.v.alt.demands(e, m)) {
				b.mod(m)
				return
			}
		}
	}
}

// demands reports whether the form has a place for a modifier that cannot stay empty.
func (a *Alt) demands(e *Entry, m Mod) bool {
	for i := range a.slots {
		if s := &a.slots[i]; !s.opt && s.accepts(e, m) {
			return true
		}
	}
	return false
}

// openEntries remembers which entries a module may use, since to find out may take many samples.
var openEntries sync.Map // openKey → bool

type openKey struct {
	e *Entry
	v Version
	t Target
}

// open reports whether a module of a version and target may use some statement of the entry.
func (e *Entry) open(v Version, t Target) bool {
	key := openKey{e, v, t}
	known, ok := openEntries.Load(key)
	if !ok {
		known = e.Available(v, t)
		openEntries.Store(key, known)
	}
	return known.(bool)
}
