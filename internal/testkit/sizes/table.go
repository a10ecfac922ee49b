// Package sizes checks operands that are wider than the type of their instruction (9.4.1):
// tables 27 and 28, what ptxas says about every cell, and what executes in it.
package sizes

import (
	"fmt"
	"strings"
)

// Type is an instruction type or a register type: kind b, s, u or f and its bits.
type Type struct {
	Kind byte
	Bits int
}

func (t Type) String() string { return fmt.Sprintf("%c%d", t.Kind, t.Bits) }

// Types are those of the tables, in their order.
var Types = types("b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64")

func types(names string) (out []Type) {
	for _, name := range strings.Fields(names) {
		var t Type
		if _, err := fmt.Sscanf(name, "%c%d", &t.Kind, &t.Bits); err != nil {
			panic("BUG: " + name)
		}
		out = append(out, t)
	}
	return out
}

// Integer reports whether it is s or u.
func (t Type) Integer() bool { return t.Kind == 's' || t.Kind == 'u' }

// Cell is what a table says about an instruction type and a register.
type Cell byte

// The cells. The letters are those of testdata/table27.txt and table28.txt.
const (
	Invalid    Cell = '.'
	Same       Cell = '-'
	Chop       Cell = 'c'
	ZeroExtend Cell = 'z'
	SignExtend Cell = 's'
)

// fits is notes 1 to 4 of both tables: a register is at least as wide as the type; bit-size
// registers take any type, integers a bit-size or integer one, floats a bit-size one or the
// float type of their own size.
func fits(inst, reg Type) bool {
	switch {
	case reg.Bits < inst.Bits:
		return false
	case reg.Kind == 'b' || inst.Kind == 'b':
		return true
	case reg.Kind == 'f':
		return inst == reg
	}
	return inst.Integer()
}

// Source is the cell of table 27: wider sources are chopped.
func Source(inst, reg Type) Cell {
	switch {
	case !fits(inst, reg):
		return Invalid
	case reg.Bits == inst.Bits:
		return Same
	}
	return Chop
}

// Destination is the cell of table 28: results extend by sign if the type is signed, else with
// zeros.
func Destination(inst, reg Type) Cell {
	switch {
	case !fits(inst, reg):
		return Invalid
	case reg.Bits == inst.Bits:
		return Same
	case inst.Kind == 's':
		return SignExtend
	}
	return ZeroExtend
}
