package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// Feature is something that rules ask for.
type Feature uint16

// The features.
const (
	Masks Feature = 1 << iota // registers of masks: comparisons are into them, and loads, stores and results under them
)

// Target is a set of vector instructions: what they have, and the tables of what is one instruction.
type Target struct {
	name       string
	has        Feature
	width      x86.Width
	vectors    int // registers; the last is never given to a value
	room       int // vectors that an expression may take for all its parts (schedule.go)
	rules      [ssa.Codes][2]x86.Op
	immediates [ssa.Codes][2]x86.Op
	evex       map[x86.Op]x86.Op // instructions that have another name in the wider encoding
}

// Has tells whether a target has a feature.
func (t *Target) Has(f Feature) bool { return t.has&f == f }

// String names the target as processors do.
func (t *Target) String() string { return t.name }

// bytes is the size of a vector.
func (t *Target) bytes() int { return t.width.Bytes() }

// lanes is how many lanes of a type a vector has, or the mask of one.
func (t *Target) lanes(typ ssa.Type) int {
	if typ == ssa.X {
		return t.bytes() / 8
	}
	return t.bytes() / 4
}

// temp is a vector register for what takes no time between instructions.
func (t *Target) temp() x86.Vec { return x86.Vec(t.vectors - 1) }

// kTemp is a mask register for the same; it cannot be a write mask.
const kTemp = x86.K0

// maskClass is the class of masks.
func (t *Target) maskClass() isel.Class {
	if t.Has(Masks) {
		return isel.Mask
	}
	return isel.Vector
}

// classOf is the class of lanes of a type.
func (t *Target) classOf(typ ssa.Type) isel.Class {
	if typ == ssa.M {
		return t.maskClass()
	}
	return isel.Vector
}

// Registers are those that the allocator may give.
func (t *Target) Registers() (r regalloc.Registers) {
	for _, g := range general {
		r[isel.General] = append(r[isel.General], regalloc.Loc(g))
	}
	for v := range regalloc.Loc(t.vectors - 1) {
		r[isel.Vector] = append(r[isel.Vector], v)
	}
	if t.Has(Masks) {
		for k := x86.K1; k <= x86.K7; k++ {
			r[isel.Mask] = append(r[isel.Mask], regalloc.Loc(k))
		}
	}
	return r
}

// AVX2 is with FMA, BMI and POPCNT.
var AVX2 = &Target{name: "AVX2", width: x86.W256, vectors: 16, room: 12, rules: rules256, immediates: immediates256}

// form is the instruction that a target has for another's.
func (t *Target) form(code x86.Op) x86.Op {
	if t.evex != nil {
		if c, ok := t.evex[code]; ok {
			return c
		}
	}
	return code
}
