package machine

// This file lets a launch go on behind a fault (Launch.OnFault): the lanes that have faulted end where they are, and the
// others execute the instruction again without them. In an unwatched launch a fault pays one test, and nothing else does.

import "ptxvm.invalid/ptxvm/internal/machine/faults"

// drops hands a fault to who wants all of them, and tells whether the launch goes on without its lanes. Faults of no
// instruction, and what other lanes would only meet again, stop it.
func (w *Warp) drops(f *Fault) bool {
	g := w.cta.grid
	if g.OnFault == nil || f.Inst == nil || f.Kind == faults.OutputLimit || f.Kind == faults.OutOfMemory {
		return false
	}
	w.dropped = f.Lanes
	g.OnFault(f)
	return true
}

// drop ends the lanes of a fragment that have faulted at a pc. Who waits for them is looked at again.
func (w *Warp) drop(f *Fragment, pc int32) State {
	lanes := w.dropped & f.mask
	w.dropped = 0
	if lanes == 0 {
		return Faulted
	}
	for i := range w.bars {
		w.bars[i].Lanes &^= lanes
	}
	w.cta.cut = true
	return w.exitLanes(f, lanes, pc)
}
