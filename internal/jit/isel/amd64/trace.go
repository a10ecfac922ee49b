package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file writes down what is made of a function, for those who read it.

// Trace is what a compilation writes down.
type Trace struct {
	Selected string // instructions on virtual registers (isel.Legend)
	Listing  string // machine code, behind the instruction and in the block that it is of
	Slots    int    // where in the frame values are that have no register: from here on

	Count func() (counter uint64, note string) // what makes the code count itself (x86.Asm.Count); nil: it does not
}

// list makes an assembler keep a listing, if there is a trace, and count.
func (t *Trace) list(x *x86.Asm) *x86.Listing {
	if t == nil {
		return nil
	}
	if t.Count != nil {
		x.Count(t.Count)
	}
	return x.List()
}

// head notes that a block begins.
func (e *encoder) head(b *isel.Block) {
	if e.listing != nil {
		e.x.Note(e.homes.Func.Head(b))
	}
}

// line notes that an instruction begins.
func (e *encoder) line(i *isel.Inst) {
	if e.listing != nil {
		e.x.Note("  " + e.homes.Func.Line(i))
	}
}
