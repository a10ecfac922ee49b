package machine

// This file finds uses of mbarriers that no GPU stops at, and that the manual forbids (P8003).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// MbarrierUse is what an operation does with an object.
type MbarrierUse uint8

// The uses.
const (
	SignalMbarrier MbarrierUse = iota // counts, waits, looks
	InitMbarrier
	InvalMbarrier
)

// WatchMbarrier tells, before it is done, that a lane is about to operate on an object.
func (w *Warp) WatchMbarrier(in *Inst, b Mbarrier, lane int, use MbarrierUse) {
	if !w.Watchful() {
		return
	}
	if text := b.wrong(use); text != "" {
		w.misusedAs(MbarrierMisuse, in, 1<<lane, "%s", text)
	}
}

// watchMbarrier tells of a signal of an operation that was begun before, by its place.
func (op *Op) watchMbarrier(b Mbarrier) {
	g := op.cta.grid
	if !g.wants(WantsUse) {
		return
	}
	text := b.wrong(SignalMbarrier)
	if text == "" {
		return
	}
	at := op.Place
	if at.Func == nil { // it happens at its issue
		at = op.warp.Place(op.Inst)
	}
	g.Reporter.Report(&Report{Kind: MbarrierMisuse, Then: at, Text: text})
}

// wrong says what is wrong with a use of the object as it is.
func (b Mbarrier) wrong(use MbarrierUse) string {
	m, f := b.state()
	switch lives := b.lives(); {
	case use == InitMbarrier && lives && f == nil: // 9.7.13.15.9
		return "mbarrier.init of an mbarrier that lives: nothing has ended it by mbarrier.inval" + m.describe()
	case use == InvalMbarrier && (!lives || f != nil): // 9.7.13.15.10
		return fmt.Sprintf("mbarrier.inval at %#x, where no mbarrier lives", b.addr)
	case use == SignalMbarrier && !lives && f == nil: // 9.7.13.15.10
		return fmt.Sprintf("an operation on the mbarrier at %#x, which mbarrier.inval has ended%s", b.addr, m.describe())
	}
	return ""
}

// WatchToken tells of a wait with the state of a phase that is neither the current one nor the one before (9.7.13.15.16).
func (w *Warp) WatchToken(in *Inst, b Mbarrier, lane int, token uint64) {
	const phases = 1<<44 - 1 // of which a token holds the number
	if !w.Watchful() {
		return
	}
	if m, f := b.state(); f == nil && (m.phase-mem.TokenPhase(token))&phases > 1 {
		w.misusedAs(MbarrierMisuse, in, 1<<lane, "a wait with the state of phase %d, neither the current one nor the one before: it is taken for one of the two, by its parity%s",
			mem.TokenPhase(token), m.describe())
	}
}

// WatchParity tells of a parity of more than one bit.
func (w *Warp) WatchParity(in *Inst, lane int, parity uint32) {
	if parity > 1 && w.Watchful() {
		w.misusedAs(MbarrierParity, in, 1<<lane, "a wait for the phase parity %#x, which is neither 0 nor 1: its lowest bit counts, %d", parity, parity&1)
	}
}
