package isa

// This file declares the small integers that stand for names: forms, modifiers, classes and
// roles. Their constants are generated (zisa.go); the names come from the data.

import (
	"slices"
	"strings"
)

// ID is the id of an entry: what an instruction means. 0 is none.
type ID uint16

// Mod is the spelling of a modifier with its dot, such as ".sat" or ".L2::128B". 0 is none.
type Mod uint16

// Class is the name of a class of modifiers, such as ".type". 0 is none.
type Class uint16

// Role is what a form calls an operand, such as "d" or "policy". 0 is none.
type Role uint16

func (id ID) String() string   { return Table().ids.name(id) }
func (m Mod) String() string   { return Table().mods.name(m) }
func (c Class) String() string { return Table().classes.name(c) }
func (r Role) String() string  { return Table().roles.name(r) }

// LookupMod returns the modifier of a spelling, 0 if no entry has it.
func LookupMod(s string) Mod { return Table().mods.lookup(s) }

// NumMods is the number of modifiers, the absent one included.
func NumMods() int { return Table().mods.len() }

// Type returns the type that a modifier names, 0 if it names none.
func (m Mod) Type() Type { return Table().modType(m) }

// names numbers spellings from 1: those of the index in its order, others as they come.
type names[N ~uint16] struct {
	all   []string     // all[0] is ""
	order []N          // numbers by spelling, of those that the index has
	more  map[string]N // the others
}

// newNames returns the names of an index: order has the numbers by spelling, nil if the names are sorted.
func newNames[N ~uint16](known []string, order []N) names[N] {
	n := names[N]{all: make([]string, 1, len(known)+1), order: order}
	n.all = append(n.all, known...)
	if order == nil {
		n.order = make([]N, len(known))
		for i := range n.order {
			n.order[i] = N(i + 1)
		}
	}
	return n
}

func (n *names[N]) intern(s string) N {
	if id := n.lookup(s); id != 0 {
		return id
	}
	id := N(len(n.all))
	n.all = append(n.all, s)
	if n.more == nil {
		n.more = map[string]N{}
	}
	n.more[s] = id
	return id
}

// lookup returns the number of a spelling, 0 if it has none.
func (n *names[N]) lookup(s string) N {
	if id := n.more[s]; id != 0 {
		return id
	}
	i, ok := slices.BinarySearchFunc(n.order, s, func(id N, s string) int { return strings.Compare(n.all[id], s) })
	if !ok {
		return 0
	}
	return n.order[i]
}

// spellings returns the names, sorted.
func (n *names[N]) spellings() []string { return slices.Sorted(slices.Values(n.all[1:])) }

// sorted returns the numbers by spelling.
func (n *names[N]) sorted() []N {
	order := make([]N, 0, len(n.all)-1)
	for id := 1; id < len(n.all); id++ {
		order = append(order, N(id))
	}
	slices.SortFunc(order, func(a, b N) int { return strings.Compare(n.all[a], n.all[b]) })
	return order
}

func (n *names[N]) len() int { return len(n.all) }

func (n *names[N]) name(id N) string {
	if int(id) < len(n.all) {
		return n.all[id]
	}
	return "?"
}
