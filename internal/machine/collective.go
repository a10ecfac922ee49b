package machine

// This file brings the lanes of a warp together at .sync.aligned instructions that the warp
// executes as a whole: those of tensor memory.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// Collective waits until all 32 lanes of the warp are at an instruction. On another state than
// Next the handler returns it, having written nothing, and is executed again. Lanes that have
// exited, or that the guard excludes, never come: that is a fault, because the manual leaves
// open what happens then.
func (w *Warp) Collective(in *Inst) State {
	f := w.frag
	switch {
	case w.Mask == ^uint32(0):
		return Next
	case w.helping: // who is where is known when compiled code has left
		return Wait
	case w.Live != ^uint32(0):
		return w.collectiveFault(in, "lanes %08x have exited or do not exist; all 32 lanes of the warp must execute it", ^w.Live)
	case w.Mask != f.mask:
		return w.collectiveFault(in, "the guard excludes lanes %08x; all 32 lanes of the warp must execute it", f.mask&^w.Mask)
	}
	f.wait, f.pc = waits.Aligned, w.PC(in)
	for m := w.used; m != 0; m &= m - 1 {
		if g := &w.frags[first(m)]; g.wait == waits.Aligned && (g.frame != f.frame || g.pc != f.pc) {
			f.wait = waits.Nothing
			return w.collectiveFault(in, "lanes %08x are at another .aligned instruction", g.mask)
		}
	}
	if w.aligned() != ^uint32(0) {
		return Wait
	}
	w.gatherAligned()
	return Diverge
}

// aligned is the lanes that wait at an .aligned instruction.
func (w *Warp) aligned() (lanes uint32) {
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.wait == waits.Aligned {
			lanes |= f.mask
		}
	}
	return lanes
}

// gatherAligned lets the fragments at an .aligned instruction merge into one.
func (w *Warp) gatherAligned() {
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.wait == waits.Aligned {
			f.wait = waits.Nothing
			w.ready |= 1 << f.index
			w.come(f)
		}
	}
}

func (w *Warp) collectiveFault(in *Inst, format string, lanes uint32) State {
	return w.Fault(in, &Fault{Kind: faults.PartialWarp, Lanes: w.Mask, Text: fmt.Sprintf(format, lanes)})
}
