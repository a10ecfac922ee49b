package machine

// This file is where those look on who look at floating-point numbers: code of launches with Numbers has a wrapper around each
// instruction that writes registers or stores them, which passes it on with its operands.

import (
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Numbers looks at what instructions do to numbers; several workers call it at a time.
type Numbers interface {
	// Step runs an instruction for the lanes in w.Mask.
	Step(w *Warp, in *Inst, a *Arithmetic, run Handler) State
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
	// Kept are the sources whose place a result may take.
	Kept []int
}

// Looked wraps a decoded instruction of observed code.
func Looked(in *Inst, a *Arithmetic) {
	for i, s := range a.Sources {
		for _, r := range a.Results {
			if s.Name != "" && s.Overlaps(&r.Row) {
				a.Kept = append(a.Kept, i)
				break
			}
		}
	}
	wrap := func(run Handler) Handler {
		return func(w *Warp, in *Inst) State { return w.cta.grid.Numbers.Step(w, in, a, run) }
	}
	in.Full, in.Part = wrap(in.Full), wrap(in.Part)
}

// Operand copies what an operand holds in the running frame.
func (w *Warp) Operand(o *Operand) (out regs.Register) {
	if o.Name != "" {
		return regs.Block{P: w.regs}.Register(o.Row)
	}
	for i := range out.Low {
		out.Low[i] = o.Const
	}
	return out
}

// Looked is where Numbers keeps its state of the warp, from CTA to CTA of a launch.
func (w *Warp) Looked() *FlowState { return &w.looked }

// FrameKey tells the frames of a warp apart that are there at the same time.
func (w *Warp) FrameKey() any { return w.frag.frame }
