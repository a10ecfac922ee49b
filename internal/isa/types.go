package isa

// This file declares operand types, which the prelude lists (5.2), and the registers that
// an operand of a type may be (9.4, 9.4.1).

// Type is a type such as .u32. 0 is none.
type Type uint8

// Kind groups types by how their bits are read.
type Kind uint8

// The kinds of types.
const (
	NoKind    Kind = iota
	Bits           // untyped, .b32
	Unsigned       // .u32
	Signed         // .s32
	Float          // one number, .f32, .bf16, .e4m3
	Packed         // several numbers, .f16x2
	Predicate      // .pred
	Reference      // .texref, .samplerref, .surfref
)

var kindNames = [...]string{"none", "bits", "unsigned", "signed", "float", "packed", "pred", "opaque"}

func (k Kind) String() string { return kindNames[k] }

// typeInfo is one type of the prelude.
type typeInfo struct {
	name      string // with its dot
	bits      int
	kind      Kind
	storage   Type
	registers uint64 // the register types of table register, by bit
	wider     uint64 // those of table wider
	loose     uint64 // those of table loose
	since     Gate   // of declarations; nil: since ever
	parsed    bool   // table parsed
}

func (t Type) info() *typeInfo { return &thePrelude.types[t] }

// Bits returns the width of a value in bits.
func (t Type) Bits() int { return t.info().bits }

// Bytes returns the width of a value in memory.
func (t Type) Bytes() int { return (t.info().bits + 7) / 8 }

// Kind returns how the bits are read.
func (t Type) Kind() Kind { return t.info().kind }

// Since returns from when on declarations may have the type; nil: since ever.
func (t Type) Since() Gate { return t.info().since }

// Storage returns the untyped register type that holds a value: .b32 for .f16x2.
func (t Type) Storage() Type { return t.info().storage }

// String returns the name with its dot.
func (t Type) String() string { return t.info().name }

// Mod returns the modifier that names the type.
func (t Type) Mod() Mod { return Mod(Table().mods.lookup(t.info().name)) }

// LookupType returns the type of a name with its dot.
func LookupType(name string) (Type, bool) {
	t, ok := thePrelude.typeByName[name]
	return t, ok
}

// Parsed tells a type that variables cannot have, though ptxas takes the declaration in some places as long as
// nothing uses it.
func (t Type) Parsed() bool { return t.info().parsed }

// PredType returns the type of predicates.
func PredType() Type { return thePrelude.pred }

// Types lists all types.
func Types() []Type {
	all := make([]Type, 0, len(thePrelude.types))
	for t := 1; t < len(thePrelude.types); t++ {
		all = append(all, Type(t))
	}
	return all
}

// AcceptsRegister reports whether an operand of instruction type t may be a register declared
// as r (9.4). With wider it may also be one of those of tables 27 and 28 (9.4.1).
func (t Type) AcceptsRegister(r Type, wider bool) bool {
	mask := t.info().registers
	if wider {
		mask |= t.info().wider
	}
	return r < 64 && mask>>r&1 != 0
}

// WiderRegisters lists the registers that an operand of type t may be where it may be wider
// (tables 27 and 28, 9.4.1): those of its own width first.
func (t Type) WiderRegisters() (list []Type) {
	for _, wider := range []bool{false, true} {
		for _, r := range Types() {
			if t.AcceptsRegister(r, true) && (r.Bits() > t.Bits()) == wider {
				list = append(list, r)
			}
		}
	}
	return list
}

// acceptsElement reports whether a vector of registers declared as r may stand for one of type t
// where a form lets floats lie in integer registers.
func (t Type) acceptsElement(r Type) bool { return r < 64 && t.info().loose>>r&1 != 0 }

// Integer reports whether values are whole numbers or untyped.
func (k Kind) Integer() bool { return k == Bits || k == Unsigned || k == Signed }

// Opaque reports whether t is the type of a texture, sampler or surface reference (5.3).
func (t Type) Opaque() bool { return t.Kind() == Reference }
