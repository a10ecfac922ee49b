package sem

// Conditions on the modifiers of a statement.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Cond is a conjunction of terms; the more terms, the more specific.
type Cond []term

// term holds if the statement has one of the values: anywhere, or as its value of class; or
// if it has an operand of the role.
type term struct {
	class isa.Class // 0: anywhere
	any   []isa.Mod
	role  isa.Role // 0: modifiers
}

// Of starts a condition: one of these modifiers, most often types, is there.
func Of(any ...isa.Mod) Cond { return Cond{{any: any}} }

// At starts a condition: the class has one of these values.
func At(c isa.Class, any ...isa.Mod) Cond { return Cond{{class: c, any: any}} }

// With adds modifiers that must all be there.
func (c Cond) With(all ...isa.Mod) Cond {
	c = slices.Clip(c)
	for _, m := range all {
		c = append(c, term{any: []isa.Mod{m}})
	}
	return c
}

// At adds that a class has one of these values.
func (c Cond) At(class isa.Class, any ...isa.Mod) Cond {
	return append(slices.Clip(c), term{class: class, any: any})
}

// Where adds that the statement has an operand of the role.
func (c Cond) Where(r isa.Role) Cond { return append(slices.Clip(c), term{role: r}) }

func (c Cond) holds(sel *isa.Sel) bool {
	for i := range c {
		if !c[i].holds(sel) {
			return false
		}
	}
	return true
}

func (t *term) holds(sel *isa.Sel) bool {
	if t.role != 0 {
		return sel.At(t.role) != nil
	}
	if t.class != 0 {
		return slices.Contains(t.any, sel.Get(t.class))
	}
	return slices.ContainsFunc(t.any, sel.Has)
}

// names reports whether a term speaks of m.
func (c Cond) names(m isa.Mod) bool {
	return slices.ContainsFunc(c, func(t term) bool { return slices.Contains(t.any, m) })
}
