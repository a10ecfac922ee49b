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

func (id ID) String() string   { return Table().ids.name(uint16(id)) }
func (m Mod) String() string   { return Table().mods.name(uint16(m)) }
func (c Class) String() string { return Table().classes.name(uint16(c)) }
func (r Role) String() string  { return Table().roles.name(uint16(r)) }

// LookupMod returns the modifier of a spelling, 0 if no entry has it.
func LookupMod(s string) Mod { return Mod(Table().mods.lookup(s)) }

// NumMods is the number of modifiers, the absent one included.
func NumMods() int { return Table().mods.len() }

// Type returns the type that a modifier names, 0 if it names none.
func (m Mod) Type() Type { return Table().modType(m) }

// names numbers spellings from 1 in the order in which they come.
type names struct {
	all   []string          // all[0] is ""
	order []uint16          // numbers by spelling, of those that the index has
	more  map[string]uint16 // the others
}

// newNames returns the names of an index; without their order they are sorted by a map.
func newNames(known []string, order []uint16) *names {
	n := &names{all: make([]string, 1, len(known)+1), order: order}
	if order != nil {
		n.all = append(n.all, known...)
		return n
	}
	for _, s := range known {
		n.intern(s)
	}
	return n
}

func (n *names) intern(s string) uint16 {
	if id := n.lookup(s); id != 0 {
		return id
	}
	id := uint16(len(n.all))
	n.all = append(n.all, s)
	if n.more == nil {
		n.more = map[string]uint16{}
	}
	n.more[s] = id
	return id
}

// lookup returns the number of a spelling, 0 if it has none.
func (n *names) lookup(s string) uint16 {
	if id := n.more[s]; id != 0 {
		return id
	}
	i, ok := slices.BinarySearchFunc(n.order, s, func(id uint16, s string) int { return strings.Compare(n.all[id], s) })
	if !ok {
		return 0
	}
	return n.order[i]
}

// sorted returns the numbers by spelling.
func (n *names) sorted() []uint16 {
	order := make([]uint16, 0, len(n.all)-1)
	for id := 1; id < len(n.all); id++ {
		order = append(order, uint16(id))
	}
	slices.SortFunc(order, func(a, b uint16) int { return strings.Compare(n.all[a], n.all[b]) })
	return order
}

func (n *names) len() int { return len(n.all) }

func (n *names) name(id uint16) string {
	if int(id) < len(n.all) {
		return n.all[id]
	}
	return "?"
}
