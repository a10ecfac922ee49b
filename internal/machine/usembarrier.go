package machine

// This file tells how mbarriers are used (WantsUse).

import "ptxvm.invalid/ptxvm/internal/mem"

// MbarrierUse is what an operation does with an object.
type MbarrierUse uint8

// The uses.
const (
	SignalMbarrier MbarrierUse = iota // counts, waits, looks
	InitMbarrier
	InvalMbarrier
	MbarrierToken  // waits with the state of a phase
	MbarrierParity // waits for a parity
)

// MbarrierStep is a use of an object that is about to happen.
type MbarrierStep struct {
	Use   MbarrierUse
	Addr  uint32 // in the shared memory of the cluster: the rank of the CTA in its high bits
	Lives bool   // it was made, and nothing has ended it
	Held  bool   // its bytes are what the last operation has left there, also of one that has been ended
	Phase uint64 // number of the current one
	Value uint64 // MbarrierToken, MbarrierParity: what the wait names
	made  madeMbarrier
}

// Counts writes the fields of the object, as faults do.
func (s *MbarrierStep) Counts() string { return s.made.describe() }

// step describes a use of the object.
func (b Mbarrier) step(use MbarrierUse, value uint64) MbarrierStep {
	m, f := b.state()
	return MbarrierStep{Use: use, Addr: b.addr, Lives: b.lives(), Held: f == nil, Phase: m.phase, Value: value, made: m}
}

// WatchMbarrier tells, before it is done, that a lane is about to operate on an object.
func (w *Warp) WatchMbarrier(in *Inst, b Mbarrier, lane int, use MbarrierUse) {
	w.watchStep(in, b, lane, use, 0)
}

// WatchToken tells of a wait with the state of a phase.
func (w *Warp) WatchToken(in *Inst, b Mbarrier, lane int, token uint64) {
	w.watchStep(in, b, lane, MbarrierToken, mem.TokenPhase(token))
}

// WatchParity tells of a wait for a parity.
func (w *Warp) WatchParity(in *Inst, b Mbarrier, lane int, parity uint32) {
	w.watchStep(in, b, lane, MbarrierParity, uint64(parity))
}

func (w *Warp) watchStep(in *Inst, b Mbarrier, lane int, use MbarrierUse, value uint64) {
	if !w.Watchful() && (use != InitMbarrier || !w.Leaks()) {
		return
	}
	t := w.tells()
	t.step = b.step(use, value)
	w.Observe(in, Event{What: MbarrierUsed, Lanes: 1 << lane, About: &t.step})
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
	s := b.step(SignalMbarrier, 0)
	w.cta.tellUse(Event{What: MbarrierUsed, Op: op, Lanes: op.Lanes, Warp: int(w.index), On: w, About: &s})
}
