package isa

// This file holds what conditions are evaluated against: the modifiers of a statement as
// one form takes them, and which of its operands are there.

import "slices"

// env is one reading of a statement's modifiers by one form.
type env struct {
	entry      *Entry
	alt        *Alt
	mods       []Mod     // all modifiers, in the form's order
	chosen     []Mod     // by class of the entry: its value, 0 if absent
	captures   []capture // by capture of the entry
	present    uint64    // operands, by role of the entry
	rolesKnown bool
	query      *Query // nil until the operands are there
	plan       *plan  // which tells where they are
}

// capture is the value of <N …> or of a table's column.
type capture struct {
	value int
	set   bool
}

// typeRef is a type in the data: fixed, or the value of a class.
type typeRef struct {
	typ   Type
	class int // -1 if fixed
}

// noType is the reference of operands without a type.
var noType = typeRef{class: -1}

// get returns the value of a class: what the form took for it, or, if it is no class of the
// form, the modifier that belongs to it.
func (v *env) get(class int) Mod {
	if m := v.chosen[class]; m != 0 || v.alt.takes(class) {
		return m
	}
	for _, m := range v.mods {
		if v.entry.classes[class].has(m) {
			return m
		}
	}
	return 0
}

// has reports whether a modifier is there, or a class has a value.
func (v *env) has(r valueRef) bool {
	if r.class < 0 {
		return slices.Contains(v.mods, r.mod)
	}
	return v.get(r.class) != 0
}

// names reports whether m is among the values of a reference. A class of the form stands for
// the value that it has, a set for its members.
func (v *env) names(r valueRef, m Mod) bool {
	switch {
	case r.none:
		return m == 0
	case r.class < 0:
		return m == r.mod
	case v.entry.classes[r.class].inForm:
		return m == v.get(r.class)
	}
	c := &v.entry.classes[r.class]
	return m == 0 && c.none || c.has(m)
}

func (v *env) typeOf(r typeRef) Type {
	if r.class < 0 {
		return r.typ
	}
	return v.entry.table.modType(v.get(r.class))
}

// spaceOf returns the space that a reference stands for; generic if its class is absent.
func (v *env) spaceOf(r spaceRef) Space {
	if r.class < 0 {
		return r.space
	}
	s, _ := LookupSpace(v.entry.table.mods.name(v.get(r.class)))
	return s
}

// bind gives the captures of a class value.
func (v *env) bind(class int, m Mod) {
	v.chosen[class] = m
	for _, b := range v.entry.classes[class].bindings(m) {
		v.captures[b.capture] = capture{b.value, true}
	}
}
