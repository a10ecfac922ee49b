package machine

// This file tells of asynchronous operations (WantsOwed, WantsLeft), so that an observer knows which of them, for all
// that the program has been told, may still touch their memory: whether they have happened or not.

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
)

// Await is a wait of the running lanes for what they have issued.
type Await struct {
	Pipe   queue.Pipe
	Reads  bool // until sources have been read
	Covers func(op *Op, lane int) bool
}

// tell tells of an operation.
func (op *Op) tell(what events.Kind) {
	if op.cta.async.Tracks {
		op.cta.tellUse(Event{What: what, Op: op, On: op.warp, Warp: int(op.warp.index), Lanes: op.Lanes})
	}
}

// tellAwait tells of a wait before it makes anything happen.
func (w *Warp) tellAwait(a *Await) {
	w.cta.tellUse(Event{What: events.OpsAwaited, On: w, Warp: int(w.index), Lanes: w.Mask, About: a})
}

// IssuedBy reports whether an operation is one of a warp's.
func (op *Op) IssuedBy(w *Warp) bool { return op.warp == w }

// InGroup reports whether a lane of the operation has closed a group with it (cp.async.commit_group).
func (op *Op) InGroup(lane int) bool {
	return op.warp.groups.Closed(&op.Entry, lane, 0)
}

// tellPhase tells that a wait has seen the phases of an mbarrier before the current one complete.
func (b Mbarrier) tellPhase(current uint64) {
	if b.cta.async.Tracks {
		b.cta.tellUse(Event{What: events.PhasePassed, Extent: b.extent(), Phase: current})
	}
}

// signals tells which phase of an mbarrier an operation is about to count in.
func (op *Op) signals(b Mbarrier) {
	if op.cta.async.Tracks {
		o, _ := b.cta.mbarriers.Known(b.at.Addr)
		op.cta.tellUse(Event{What: events.OpSignals, Op: op, On: op.warp, Lanes: op.Lanes, Extent: b.extent(), Phase: o.Phase})
	}
}
