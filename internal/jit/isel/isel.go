// Package isel says what a target of the compiler is: instructions on virtual registers, chosen for the operations and effects of a
// placed function. One value of Target stands for each set of vector instructions.
//
// A value with lanes becomes parts, each of one vector register: part i has the lanes from i·Lanes on.
package isel

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// VReg is a virtual register; 0 is none.
type VReg uint32

// Label is a place in the code.
type Label int32

// Class is a kind of register.
type Class uint8

// The classes.
const (
	General Class = iota // numbers
	Vector               // lanes, and masks where the target has no registers for them
	Masks                // AVX-512's k registers
)

// Feature is something that a lowering asks for, instead of the name of a processor.
type Feature uint8

// The features.
const (
	Ternary     Feature = iota // any function of three operands bit by bit
	Rotate                     // rotations by constants
	Unsigned                   // comparisons of unsigned lanes
	Mul64                      // low halves of products of 64-bit lanes
	Popcount                   // of lanes
	Gather                     // loads by a vector of addresses, faster than lane by lane
	MaskedStore                // stores of narrow lanes under a mask
)

// RegSet is a set of physical registers of a class, by number.
type RegSet uint64

// Inst is an instruction on virtual registers. Tied is the use that must be in the same register as the first definition, -1 for
// none: several forms of one instruction may remove the tie.
type Inst struct {
	Op   uint16
	Defs []VReg
	Uses []VReg
	Tied int8
	Mem  Mem
	Imm  int64
}

// Mem is an operand in memory: base + index·2^Scale + Disp. Access is what proves it to be inside, nil for the compiler's own memory.
type Mem struct {
	Base, Index VReg
	Scale       uint8
	Disp        int32
	Access      *ssa.Access
}

// Builder is where a target puts what it selects.
type Builder interface {
	Reg(v ssa.Value, part int) VReg // of a value's part; it is made if nothing has asked for it
	New(c Class) VReg
	NewLabel() Label
	Bind(Label)
	Emit(Inst)
	Leave(s ssa.StateID) Label // the exit of a state
}

// Target selects instructions.
type Target interface {
	Lanes() int // 32-bit lanes of a vector register
	Has(Feature) bool
	Select(b Builder, v ssa.Value, part int) // a pure operation: by rules; operands may be folded (memory, broadcast, mask)
	Effect(b Builder, e *ssa.Effect)         // access classes, counts, exits
	Branch(b Builder, cond ssa.Value, yes, no Label)
	Regs(Class) RegSet
	Move(to, from VReg) Inst
	Spill(slot int32, from VReg) Inst
	Reload(to VReg, slot int32) Inst
	Encode(code []Inst) ([]byte, error)
}
