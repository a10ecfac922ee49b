package isa

// This file draws legal statements from the data: a row of each table first, then values of
// the classes, then the optional parts; what breaks a rule is drawn again. The program
// generator and the data's tests stand on it.

import (
	"math/rand/v2"
	"slices"
)

// Sample is a legal reading of a form: modifiers, and what each operand may be.
type Sample struct {
	Sel      *Sel
	Suffix   Mod // behind the address operand, 0 if none
	Operands []OperandSpec
	Since    []Gate // all must pass
	Until    []Gate // none may
}

// OperandSpec says what one written operand may be.
type OperandSpec struct {
	Bracket byte // ' ' one part, '[' an address, '(' a list of parameters, '|' a pair
	Parts   []PartSpec
}

// PartSpec says what one role may be: any of Kinds.
type PartSpec struct {
	Role  Role
	Kinds []KindSpec
}

// KindSpec is one kind of operand.
type KindSpec struct {
	Kinds     []ShapeKind // what it may be; of a vector: each element
	Pred      bool        // a predicate register
	Neg       bool        // which may be negated
	Vector    int         // length, -1: no vector
	Type      Type
	Wider     bool
	Exact     bool          // registers of the storage type only
	Selectors []SelectorSet // parts that it may select
	Minus     bool          // its negative, too
	Ranges    [][2]int      // of constants; nil: any
	Space     Space         // of an address
	Of        Space         // of named variables, if OfSet
	OfSet     bool
	Align     int // of an address in bytes, 0: not said
}

// Choice fixes what a sample must have; -1 leaves it open.
type Choice struct {
	Alt         int
	Table, Row  int
	Slot, Value int // of a form's modifier: index of its slot and of the slot's value
}

// Any leaves everything open.
var Any = Choice{-1, -1, -1, -1, -1}

// Choices lists what samples of the entry must be able to reach: every form, every row, every
// value of every modifier.
func (e *Entry) Choices() []Choice {
	var all []Choice
	for a := range e.Alts {
		c := Any
		c.Alt = a
		all = append(all, c)
		for t := range e.tables {
			if !e.Alts[a].takesAll(e.tables[t].keys) {
				continue
			}
			for r := range e.tables[t].rows {
				all = append(all, Choice{a, t, r, -1, -1})
			}
		}
		d := dealer{e: e, alt: &e.Alts[a]}
		for s := range e.Alts[a].slots {
			for v := range d.values(s) {
				all = append(all, Choice{a, -1, -1, s, v})
			}
		}
	}
	return all
}

// Sample draws a legal reading; nil if this draw broke a rule.
func (e *Entry) Sample(r *rand.Rand, c Choice) *Sample {
	p, suffix := e.draw(r, c)
	if p == nil {
		return nil
	}
	return p.sample(suffix)
}

// draw draws modifiers and one of their readings; nil if this draw broke a rule.
func (e *Entry) draw(r *rand.Rand, c Choice) (p *plan, suffix Mod) {
	alt := c.Alt
	if alt < 0 {
		alt = r.IntN(len(e.Alts))
	}
	s := sampler{e: e, alt: &e.Alts[alt], r: r, c: c, opt: 1 + r.IntN(7)}
	mods, suffix, ok := s.draw()
	if !ok {
		return nil, 0
	}
	plans := e.plans(alt, mods, suffix)
	if len(plans) == 0 {
		return nil, 0
	}
	p = plans[r.IntN(len(plans))]
	if slices.ContainsFunc(p.checks, func(c namedCheck) bool { return c.name == satCanClip }) && checkSatCanClip(nil, p) != "" {
		return nil, 0
	}
	return p, suffix
}

// sampler draws the modifiers of one form.
type sampler struct {
	e   *Entry
	alt *Alt
	r   *rand.Rand
	c   Choice
	opt int   // how often an optional modifier is taken, of 8
	in  []row // the chosen rows, by table; no cells if the table does not apply
}

func (s *sampler) draw() (mods []Mod, suffix Mod, ok bool) {
	s.chooseRows()
	groups := map[int]bool{}
	for i := range s.alt.slots {
		slot := &s.alt.slots[i]
		values, absent := s.allowed(i)
		forced := s.c.Slot == i || !absent
		if !forced && (len(values) == 0 || !s.wants(slot, groups)) {
			continue
		}
		if len(values) == 0 {
			return nil, 0, false
		}
		m := values[s.r.IntN(len(values))]
		if slot.suffix {
			suffix = m
		} else {
			mods = append(mods, m)
		}
	}
	return mods, suffix, true
}

// wants decides on an optional modifier; those of one group stand together.
func (s *sampler) wants(slot *slot, groups map[int]bool) bool {
	if slot.group == 0 {
		return s.r.IntN(8) < s.opt
	}
	want, known := groups[slot.group]
	if !known {
		want = s.r.IntN(8) < s.opt || s.c.Slot >= 0 && s.alt.slots[s.c.Slot].group == slot.group
		groups[slot.group] = want
	}
	return want
}

func (s *sampler) chooseRows() {
	s.in = make([]row, len(s.e.tables))
	for t := range s.e.tables {
		tab := &s.e.tables[t]
		if !s.alt.takesAll(tab.keys) {
			continue
		}
		s.in[t] = tab.rows[s.chooseRow(t)]
	}
}

// chooseRow takes the fixed row, or one that allows the fixed value.
func (s *sampler) chooseRow(t int) int {
	if s.c.Table == t {
		return s.c.Row
	}
	tab := &s.e.tables[t]
	if s.c.Slot >= 0 {
		slot := &s.alt.slots[s.c.Slot]
		d := dealer{e: s.e, alt: s.alt}
		if k := indexOf(tab.keys, slot.class); k >= 0 {
			m := d.values(s.c.Slot)[s.c.Value]
			var fit []int
			for i := range tab.rows {
				if s.cellAllows(tab.rows[i].cells[k], m) {
					fit = append(fit, i)
				}
			}
			if fit != nil {
				return fit[s.r.IntN(len(fit))]
			}
		}
	}
	return s.r.IntN(len(tab.rows))
}

func indexOf(list []int, n int) int {
	for i, v := range list {
		if v == n {
			return i
		}
	}
	return -1
}

// allowed lists the values that the chosen rows leave a slot, and whether it may be absent.
func (s *sampler) allowed(i int) (values []Mod, absent bool) {
	slot := &s.alt.slots[i]
	d := dealer{e: s.e, alt: s.alt}
	all := d.values(i)
	if s.c.Slot == i {
		all = all[s.c.Value : s.c.Value+1]
	}
	absent = slot.opt
	for _, m := range all {
		if s.rowsAllow(slot.class, m) {
			values = append(values, m)
		}
	}
	if absent {
		absent = s.rowsAllow(slot.class, 0)
	}
	return values, absent
}

func (s *sampler) rowsAllow(class int, m Mod) bool {
	for t := range s.in {
		for k, cell := range s.in[t].cells {
			if s.e.tables[t].keys[k] == class && !s.cellAllows(cell, m) {
				return false
			}
		}
	}
	return true
}

func (s *sampler) cellAllows(cell []valueRef, m Mod) bool {
	v := env{entry: s.e, alt: s.alt}
	for _, ref := range cell {
		if v.cellNames(ref, m) {
			return true
		}
	}
	return false
}

// sample makes the public view of a plan.
func (p *plan) sample(suffix Mod) *Sample {
	s := &Sample{Sel: &p.sel, Suffix: suffix, Since: p.rowGates}
	for _, g := range p.gates {
		if g.until {
			s.Until = append(s.Until, g.gate)
		} else {
			s.Since = append(s.Since, g.gate)
		}
	}
	for i := range p.operands {
		o := OperandSpec{Bracket: p.operands[i].kind}
		for _, part := range p.operands[i].parts {
			o.Parts = append(o.Parts, p.partSpec(part))
		}
		s.Operands = append(s.Operands, o)
	}
	return s
}

func (p *plan) partSpec(part partSpec) PartSpec {
	out := PartSpec{Role: p.sel.Entry.roles[part.role]}
	for i := range part.kinds {
		k := &part.kinds[i]
		spec := KindSpec{
			Pred: k.sorts&(sortPred|sortReg) == sortPred, Neg: k.sorts&sortNotPred != 0, Vector: k.vector,
			Type: k.types[0], Wider: k.wider, Exact: k.exact, Selectors: k.selectors, Minus: k.minus, Ranges: k.ranges, Space: k.space, Of: k.of, OfSet: k.ofSet, Align: k.align,
		}
		for kind, set := range sortsOf {
			if k.sorts&set != 0 {
				spec.Kinds = append(spec.Kinds, ShapeKind(kind))
			}
		}
		out.Kinds = append(out.Kinds, spec)
	}
	return out
}

// Modifiers lists the modifiers that an entry's forms have, for mutations.
func (e *Entry) Modifiers() []Mod {
	var all []Mod
	for a := range e.Alts {
		d := dealer{e: e, alt: &e.Alts[a]}
		for i := range d.alt.slots {
			for _, m := range d.values(i) {
				if !containsMod(all, m) {
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// Readings lists what the operands of a statement with these modifiers may be, one sample a
// reading, in the order in which they are matched.
func (f *Forms) Readings() []*Sample {
	list := make([]*Sample, len(f.plans))
	for i, p := range f.plans {
		list[i] = p.sample(0)
	}
	return list
}
