package isa

// This file declares the small integers that stand for names: forms, modifiers, classes and
// roles. Their constants are generated (zisa.go); the names come from the data.

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

// LookupClass returns the class of a name with its dot, 0 if there is none.
func LookupClass(s string) Class { return Class(Table().classes.lookup(s)) }

// NumMods is the number of modifiers, the absent one included.
func NumMods() int { return Table().mods.len() }

// Type returns the type that a modifier names, 0 if it names none.
func (m Mod) Type() Type { return Table().modType(m) }

// names numbers spellings from 1 in the order in which they come.
type names struct {
	all []string // all[0] is ""
	ids map[string]uint16
}

func newNames(known []string) *names {
	n := &names{all: make([]string, 1, len(known)+1), ids: make(map[string]uint16, len(known))}
	for _, s := range known {
		n.intern(s)
	}
	return n
}

func (n *names) intern(s string) uint16 {
	if id, ok := n.ids[s]; ok {
		return id
	}
	id := uint16(len(n.all))
	n.all = append(n.all, s)
	n.ids[s] = id
	return id
}

func (n *names) lookup(s string) uint16 { return n.ids[s] }

func (n *names) len() int { return len(n.all) }

func (n *names) name(id uint16) string {
	if int(id) < len(n.all) {
		return n.all[id]
	}
	return "?"
}
