package machine

import (
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// This file stops at breakpoints (9.7.19.1).

// Breakpoint shows the running lanes to the launch's hook, which may look at them, and goes on when it returns. Without a
// hook nothing would let the launch go on: a fault.
func (w *Warp) Breakpoint(in *Inst) State {
	hook := w.cta.grid.Breakpoint
	if hook == nil {
		return w.Fault(in, &Fault{Kind: faults.Trap, Lanes: w.Mask})
	}
	if err := hook(&Stop{Place: w.Place(in), Active: w.frag.mask, warp: w}); err != nil {
		return w.Fault(in, &Fault{Kind: faults.Trap, Lanes: w.Mask, Text: err.Error()})
	}
	return Next
}

// Stop is a warp at a breakpoint. It is valid until the hook returns.
type Stop struct {
	Place         // Lanes: those that execute the breakpoint
	Active uint32 // lanes that stand there

	warp *Warp
}

// Register reads a row of the running frame.
func (s *Stop) Register(r regs.Row) regs.Register { return regs.Block{P: s.warp.regs}.Register(r) }

// SharedMemory is the shared memory of a CTA of the cluster, as Warp.SharedMemory.
func (s *Stop) SharedMemory(rank uint32) (bytes []byte, start uint32) {
	return s.warp.SharedMemory(rank)
}

// Rank is that of the warp's CTA in its cluster.
func (s *Stop) Rank() uint32 { return s.warp.cta.crank }
