package isa

// This file matches a statement: its modifiers through Forms, then its operands, gates and
// checks.

import (
	"slices"
	"sync/atomic"
)

// Query is a statement to match.
type Query struct {
	Tokens   []string // opcode, then modifiers with their dot, as written
	Suffix   string   // of an address operand, ".unified" in [a].unified; "" if none
	Operands []Shape
	Version  Version
	Target   Target

	Entry       bool // the statement is in a kernel, not in a device function
	Guarded     bool // it has a guard @p
	Independent bool // texmode_independent
	Unexplained bool // no form is sought that comes near: the one Mismatch says nothing

	scratch env // of conditions that look at the operands
}

// Match finds the form of a statement. Without a finding fails is nil. If only gates or
// checks fail, sel is the form that matched otherwise; else it is nil and fails come from the
// form that got furthest.
func (t *ISA) Match(q *Query) (sel *Sel, fails []Mismatch) {
	return t.Forms(q.Tokens, q.Suffix).Match(t, q)
}

// Match is ISA.Match for a statement whose modifiers are those of f.
func (f *Forms) Match(t *ISA, q *Query) (*Sel, []Mismatch) {
	var late *plan // the first one that only a gate or check rejects
	for _, p := range f.plans {
		if !p.fits(q) {
			continue
		}
		if p.allowed(q) {
			return &p.sel, nil
		}
		if late == nil {
			late = p
		}
	}
	if late != nil {
		return &late.sel, late.lateFindings(q)
	}
	if q.Unexplained {
		return nil, []Mismatch{{}}
	}
	return nil, t.explain(q)
}

// Steady reports whether the kinds and types of the operands decide alone where they name no variable, for one version
// and target: no form asks for the value of a constant.
func (f *Forms) Steady() bool {
	for _, p := range f.plans {
		if slices.ContainsFunc(p.checks, namedCheck.asksValue) || slices.ContainsFunc(p.operands, operandSpec.bounded) {
			return false
		}
	}
	return len(f.plans) > 0
}

func (c namedCheck) asksValue() bool { return !kindChecks[c.name] }

// bounded reports whether a part of an operand has a range of values.
func (o operandSpec) bounded() bool {
	for i := range o.parts {
		if slices.ContainsFunc(o.parts[i].kinds, func(k kindSpec) bool { return k.ranges != nil }) {
			return true
		}
	}
	return false
}

// fits reports whether the operands are as the plan says.
func (p *plan) fits(q *Query) bool {
	if len(q.Operands) != len(p.operands) {
		return false
	}
	for i := range p.operands {
		if !p.operands[i].fits(&q.Operands[i]) {
			return false
		}
	}
	return len(p.late) == 0 || p.lateRulesHold(q)
}

func (p *plan) lateRulesHold(q *Query) bool {
	v := p.withShapes(q)
	for _, r := range p.late {
		if r.holds(v) == no {
			return false
		}
	}
	return true
}

// withShapes lets conditions see the operands.
func (p *plan) withShapes(q *Query) *env {
	q.scratch = p.env
	q.scratch.query, q.scratch.plan = q, p
	return &q.scratch
}

// shape returns the operand of a role.
func (p *plan) shape(q *Query, role int) *Shape {
	for i := range p.operands {
		o := &p.operands[i]
		for j := range o.parts {
			if o.parts[j].role == role {
				return o.part(&q.Operands[i], j)
			}
		}
	}
	return &Shape{}
}

// part returns part j of an operand; an address of one part that may be one is the part.
func (o *operandSpec) part(s *Shape, j int) *Shape {
	if o.kind == ' ' || o.kind == '[' && j == 0 && o.parts[0].kinds[0].sorts == sortAddr {
		return s
	}
	return &s.Elems[j]
}

// shapeOf is the kind of operand that each bracket makes.
func (o *operandSpec) shapeKind() ShapeKind {
	switch o.kind {
	case '[':
		return ShapeAddr
	case '(':
		return ShapeParams
	}
	return ShapePair
}

func (o *operandSpec) fits(s *Shape) bool {
	switch {
	case o.kind == ' ':
		return o.parts[0].fits(s)
	case s.Kind != o.shapeKind():
		return false
	case o.kind == '(':
		return o.parts[0].kinds[0].sorts&sortParams != 0
	case len(s.Elems) != len(o.parts):
		return false
	}
	for j := range o.parts {
		if !o.parts[j].fitsInside(&s.Elems[j], o.kind) {
			return false
		}
	}
	return true
}

func (p *partSpec) fits(s *Shape) bool {
	for i := range p.kinds {
		if p.kinds[i].misfit(s) == fits {
			return true
		}
	}
	return false
}

// fitsInside: a part of [ ] that is an address is the address's base.
func (p *partSpec) fitsInside(s *Shape, bracket byte) bool {
	for i := range p.kinds {
		if p.kinds[i].misfitInside(s, bracket) == fits {
			return true
		}
	}
	return false
}

// allowed reports whether gates and checks pass.
func (p *plan) allowed(q *Query) bool {
	if !p.gatesPass(q) {
		return false
	}
	for _, check := range p.checks {
		if check.finds(q, p) != "" {
			return false
		}
	}
	return true
}

// passCache holds the version and target for which all gates passed last.
type passCache struct{ key atomic.Uint32 }

func passKey(q *Query) uint32 {
	return uint32(q.Version)<<24 | uint32(q.Target.Suffix)<<16 | uint32(q.Target.Arch)&0xffff
}

func (p *plan) gatesPass(q *Query) bool {
	key := passKey(q)
	if p.passed.key.Load() == key {
		return true
	}
	if p.firstClosedGate(q) != nil {
		return false
	}
	if !p.lateGate {
		p.passed.key.Store(key)
	}
	return true
}

// closedGate is a gate that does not let a statement pass.
type closedGate struct {
	gate  Gate
	until bool
	why   string
	when  cond // nil: none
	row   bool // it is a table row's
}

func (p *plan) firstClosedGate(q *Query) *closedGate {
	v := p.withShapes(q)
	for _, g := range p.gates {
		if evalOr(g.when, v, yes) == yes && g.gate.Passes(q.Version, q.Target) == g.until {
			return &closedGate{gate: g.gate, until: g.until, why: g.why, when: g.when}
		}
	}
	for _, g := range p.rowGates {
		if !g.Passes(q.Version, q.Target) {
			return &closedGate{gate: g, row: true}
		}
	}
	return p.specialGate(q.Operands, q)
}

// specialGate finds a special register that the module's version or target lacks.
func (p *plan) specialGate(shapes []Shape, q *Query) *closedGate {
	for i := range shapes {
		s := &shapes[i]
		if s.Kind == ShapeSpecial && !s.Special.Info().Since.Passes(q.Version, q.Target) {
			return &closedGate{gate: s.Special.Info().Since}
		}
		if c := p.specialGate(s.Elems, q); c != nil {
			return c
		}
	}
	return nil
}

// Entry returns the entry that the modifiers lead to first, nil if they fit none.
func (f *Forms) Entry() *Entry {
	if len(f.plans) == 0 {
		return nil
	}
	return f.plans[0].sel.Entry
}

// Text is the form that the modifiers lead to first, as the data has it; there must be one.
func (f *Forms) Text() string {
	sel := &f.plans[0].sel
	return sel.Entry.Alts[sel.Alt].Text
}
