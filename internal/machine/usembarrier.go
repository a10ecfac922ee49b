package machine

// This file tells how mbarriers are used (WantsUse).

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// WatchMbarrier tells, before it is done, that a lane is about to operate on an object.
func (w *Warp) WatchMbarrier(in *Inst, b Mbarrier, lane int, use mbarriers.Use) {
	w.watchStep(in, b, lane, use, 0)
}

// WatchToken tells of a wait with the state of a phase.
func (w *Warp) WatchToken(in *Inst, b Mbarrier, lane int, token uint64) {
	w.watchStep(in, b, lane, mbarriers.AwaitsToken, mem.TokenPhase(token))
}

// WatchParity tells of a wait for a parity.
func (w *Warp) WatchParity(in *Inst, b Mbarrier, lane int, parity uint32) {
	w.watchStep(in, b, lane, mbarriers.AwaitsParity, uint64(parity))
}

func (w *Warp) watchStep(in *Inst, b Mbarrier, lane int, use mbarriers.Use, value uint64) {
	if !w.Watchful() && (use != mbarriers.Inits || !w.Leaks()) {
		return
	}
	t := w.tells()
	t.step = b.at.Step(use, value)
	w.Observe(in, Event{What: events.MbarrierUsed, Lanes: 1 << lane, About: &t.step})
}

// watchMbarrier tells of a signal of an operation that was begun before, by its place.
func (op *Op) watchMbarrier(b Mbarrier) {
	w := op.warp
	if !w.Watchful() {
		return
	}
	if op.Func == nil { // it happens at its issue
		lanes := op.Lanes
		op.Place = w.Place(op.Inst)
		op.Lanes = lanes
	}
	s := b.at.Step(mbarriers.Signals, 0)
	w.cta.tellUse(Event{What: events.MbarrierUsed, Op: op, Lanes: op.Lanes, Warp: int(w.index), On: w, About: &s})
}
