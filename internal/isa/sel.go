package isa

// This file declares the result of matching: a form chosen with the values of its classes.

import "strings"

// Sel is a form chosen for a statement: its modifiers dealt to classes, the captures, the
// roles of the operands. It is immutable and shared by all statements that read the same.
type Sel struct {
	Entry *Entry
	Alt   int      // index of the form
	Roles []RoleAt // in written order

	mods     []Mod // in the form's order
	chosen   []Mod // by class of the entry
	captures []capture
}

// RoleAt says which operand has a role: operand Op of the statement, its part Part where it
// is an address of several parts, a pair or a parameter list, else -1.
type RoleAt struct {
	Role     Role
	Op, Part int
	Type     Type // of the operand, 0 if it has none
	Vector   int  // length, 0: no vector
	Align    int  // of an address, in bytes; 0: not said
	Space    Space
}

// ID returns what the instruction means.
func (s *Sel) ID() ID { return s.Entry.ID }

// Has reports whether the statement has a modifier; those glued to the opcode do not count.
func (s *Sel) Has(m Mod) bool { return containsMod(s.mods, m) }

// Mods returns the statement's modifiers in the form's order. The caller must not write it.
func (s *Sel) Mods() []Mod { return s.mods }

// Get returns the value of a class, 0 if it is absent. Defaults are not applied.
func (s *Sel) Get(c Class) Mod {
	if i := s.Entry.classOf(c); i >= 0 {
		return s.chosen[i]
	}
	return 0
}

// Type returns the type that is the value of a class, 0 if it is none.
func (s *Sel) Type(c Class) Type { return s.Entry.table.modType(s.Get(c)) }

// Default returns the value of a class, or what its absence means.
func (s *Sel) Default(c Class) Mod {
	if m := s.Get(c); m != 0 {
		return m
	}
	return s.Entry.defaultOf(c)
}

// Cap returns the number that <N …> of a modifier or a column of a table gives; ok is false
// if the statement has none of that name.
func (s *Sel) Cap(name string) (n int, ok bool) {
	for i, c := range s.Entry.captures {
		if c == name {
			return s.captures[i].value, s.captures[i].set
		}
	}
	return 0, false
}

// At returns where an operand of a role is, nil if the statement has none.
func (s *Sel) At(r Role) *RoleAt {
	for i := range s.Roles {
		if s.Roles[i].Role == r {
			return &s.Roles[i]
		}
	}
	return nil
}

// EachRole visits the operands: the path is the index of the operand and, inside an address,
// a pair or a list, of its part.
func (s *Sel) EachRole(visit func(path []int, r Role, t Type)) {
	for i := range s.Roles {
		at := &s.Roles[i]
		path := [2]int{at.Op, at.Part}
		n := 2
		if at.Part < 0 {
			n = 1
		}
		visit(path[:n], at.Role, at.Type)
	}
}

// Text returns the statement's opcode and modifiers in the form's order: add.sat.s32.
func (s *Sel) Text() string {
	var b strings.Builder
	for _, part := range s.Entry.Opcode {
		b.WriteString(part)
	}
	for _, m := range s.mods {
		b.WriteString(s.Entry.table.mods.name(m))
	}
	return b.String()
}

// classOf returns the entry's index of a class, -1 if it has none of that name. Shared sets
// come first and may be defined anew, so the last one counts.
func (e *Entry) classOf(c Class) int {
	for i := len(e.classes) - 1; i >= 0; i-- {
		if e.classes[i].id == c {
			return i
		}
	}
	return -1
}

func (e *Entry) defaultOf(c Class) Mod {
	for _, d := range e.defaults {
		if d.class == c && c != 0 {
			return d.mod
		}
	}
	return 0
}

// Unique returns the classes on which all instructions of one function must agree.
func (e *Entry) Unique() []Class { return e.unique }

// single reports whether a slot takes one modifier only: a literal, or the value of a class that
// has no other.
func (e *Entry) single(t *slot) bool {
	return t.class < 0 || len(t.only) == 1 || t.only == nil && len(e.classes[t.class].values) == 1
}

// Fixed reports whether every statement of the chosen form has the modifier: it is part of the
// form, as the opcode is, and no choice.
func (s *Sel) Fixed(m Mod) bool {
	for i := range s.Entry.Alts[s.Alt].slots {
		if t := &s.Entry.Alts[s.Alt].slots[i]; !t.opt && t.accepts(s.Entry, m) && s.Entry.single(t) {
			return true
		}
	}
	return false
}
