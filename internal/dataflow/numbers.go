package dataflow

// This file is where those look on who look at floating-point numbers: code of launches with Numbers has a wrapper around each
// instruction that writes registers or stores them, which passes it on with its operands.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Numbers looks at what instructions do to numbers; several workers call it at a time.
type Numbers interface {
	machine.Numbers // what handlers and the machine tell by themselves
	// Step runs an instruction for the lanes in w.Mask.
	Step(w *machine.Warp, in *machine.Inst, a *Arithmetic, run machine.Handler) machine.State
}

// Operand is a register or a constant of an instruction, as numbers or, where it has none, as bits.
type Operand struct {
	regs.Row
	Name   string   // empty: it is a constant
	Const  uint64   // its value, the same in all lanes
	Elem   num.Type // of its floating-point numbers
	Floats int      // numbers in the register, end to end; 0: it holds bits
}

// Arithmetic is what an instruction does to numbers. It is shared and never written.
type Arithmetic struct {
	Sources, Results []Operand
	// Makes tells that the results are computed from the sources: what is neither loaded nor handed over by another lane.
	Makes  bool
	Across bool // results follow from the sources of all executing lanes
	Stores bool // the sources, but for addresses, go to memory
	Prints bool // what the lanes' own memory holds may be printed
	// Local is how a load or a store reaches memory that may be the lane's own; nil of other instructions.
	Local *LocalAccess
	// Kept are the sources whose place a result may take.
	Kept []int
}

// LocalAccess is a load or store of elements of Elem bytes each, one behind the other, in local memory, .param memory of calls, or
// generic memory, of which some may be local.
type LocalAccess struct {
	Space     machine.Space
	Store     bool
	Elem      uint32
	Operands  []int // of each element its place in Sources or Results; -1: it is none of them
	Addresses func(w *machine.Warp, addr *[32]uint64)
}

// Looked wraps a decoded instruction of observed code.
func Looked(in *machine.Inst, a *Arithmetic) {
	for i, s := range a.Sources {
		for _, r := range a.Results {
			if s.Name != "" && s.Overlaps(&r.Row) {
				a.Kept = append(a.Kept, i)
				break
			}
		}
	}
	wrap := func(run machine.Handler) machine.Handler {
		return func(w *machine.Warp, in *machine.Inst) machine.State {
			return w.Launch().Numbers.(Numbers).Step(w, in, a, run)
		}
	}
	in.Full, in.Part = wrap(in.Full), wrap(in.Part)
}

// In copies what an operand holds in the running frame of a warp.
func (o *Operand) In(w *machine.Warp) (out regs.Register) {
	if o.Name != "" {
		return w.Registers().Register(o.Row)
	}
	for i := range out.Low {
		out.Low[i] = o.Const
	}
	return out
}
