package machine

// This file has warps meet at CTA barriers (9.7.13.1; internal/machine/barriers counts them), in two stages:
// the lanes of a warp gather, then the warp arrives with 32 threads.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// BarrierIn is what the lanes of w.Mask bring to a barrier.
type BarrierIn struct {
	Kind    barriers.Kind
	Aligned bool
	ID      *[32]uint32 // of each lane, below barriers.Named
	Count   *[32]uint32 // threads; nil: all warps with a living lane
	Pred    uint32      // of reductions
}

// Barrier arrives at a barrier and waits for it, except for barriers.Arrive. On Next it returns the
// reduction: the count for barriers.Popc, 0 or 1 for barriers.And and barriers.Or. On another state the handler
// returns it at once, having written nothing, and is executed again.
func (w *Warp) Barrier(in *Inst, b BarrierIn) (uint32, State) {
	f := w.frag
	if f.woken {
		f.woken = false
		return f.result, Next
	}
	same := b.sameBarrier(w.Mask)
	if st := w.checkBarrier(in, &b, same); st != Next {
		return 0, st
	}
	if w.helping && !w.completes(&b, same) {
		return 0, Wait // nothing is done: the handler is executed again when compiled code has left
	}
	if same != f.mask {
		return 0, w.separate(in, f, same)
	}
	i := first(w.Mask)
	e := w.bars.At(uint8(b.ID[i]), b.Kind)
	if w.Watchful() {
		w.meets(in, events.BarrierCome, 0, Meeting{Aligned: b.Aligned, Lanes: e.Lanes, PC: e.PC})
	}
	e.Lanes |= w.Mask
	e.Pred |= b.Pred & w.Mask
	e.PC = w.PC(in)
	if b.Count != nil {
		e.Count = b.Count[i]
	}
	f.wait, f.id, f.pc = waits.Warp, e.ID, e.PC
	f.kind = e.Kind
	if e.Lanes != w.Live {
		if w.Watchful() {
			w.meets(in, events.BarrierWait, 0, Meeting{})
		}
		return 0, Wait
	}
	if st := w.gathered(in, e); st == Faulted {
		return 0, st
	}
	if f.woken && (b.Kind == barriers.Arrive || w.leaves()) {
		f.woken = false
		return f.result, Next
	}
	return 0, Wait
}

// checkBarrier faults on operands that no barrier has. Lanes with other operands than the
// first are checked when it is their turn.
func (w *Warp) checkBarrier(in *Inst, b *BarrierIn, same uint32) State {
	i := first(same)
	switch {
	case b.Aligned && w.cta.grid.Lockstep && w.Mask != w.Live:
		return w.Fault(in, &Fault{Kind: faults.BarrierDivergence, Lanes: w.Mask})
	case b.ID[i] >= barriers.Named:
		return w.Fault(in, &Fault{Kind: faults.BadBarrier, Lanes: same, Value: uint64(b.ID[i]), Text: "barrier number"})
	case b.Count != nil && (b.Count[i]%32 != 0 || b.Count[i] == 0):
		return w.Fault(in, &Fault{Kind: faults.BadBarrier, Lanes: same, Value: uint64(b.Count[i]), Text: "thread count"})
	}
	return Next
}

// completes reports whether a warp goes on at once: all its living lanes have come with the same operands, and
// it arrives only, or as the last one. What is a fault then is none here.
func (w *Warp) completes(b *BarrierIn, same uint32) bool {
	if same != w.Live || same != w.frag.mask {
		return false
	}
	i, count := first(same), uint32(0)
	if b.Count != nil {
		count = b.Count[i]
	}
	return w.cta.bars[b.ID[i]].CompletedBy(b.Kind, count, w.cta.alive)
}

func (b *BarrierIn) sameBarrier(lanes uint32) uint32 {
	same := SameValue(b.ID, lanes)
	if b.Count != nil {
		same &= SameValue(b.Count, lanes)
	}
	return same
}

// gathered lets a warp whose living lanes are all there arrive at the barrier.
func (w *Warp) gathered(in *Inst, e *barriers.Gather) State { // in is nil when an exit completes it
	if e.ID == barriers.OfCluster {
		return w.gatheredForCluster(in, e)
	}
	b := &w.cta.bars[e.ID]
	if b.Differs(e.Count) {
		return w.Fault(in, &Fault{Kind: faults.BadBarrier, Lanes: e.Lanes, Value: uint64(e.Count), Want: uint64(b.Count), Text: "thread count differs"})
	}
	if in != nil && w.Watchful() {
		t := w.tells()
		t.arrival = Arrival{b.Arrived, b.Count}
		w.Observe(in, Event{What: events.WarpArrives, ID: e.ID, Lanes: e.Lanes, About: &t.arrival})
	}
	w.cta.pending |= 1 << e.ID
	w.cta.tellBarrier(Event{What: events.BarrierMet, ID: e.ID, Warp: int(w.index), Lanes: e.Lanes})
	b.Arrive(w.index, e)
	id, kind := e.ID, e.Kind
	w.bars.Drop(e)
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.wait == waits.Warp && f.id == id && f.kind == kind {
			if f.wait = waits.CTA; kind == barriers.Arrive {
				w.wake(f)
			}
		}
	}
	w.cta.completeBarrier(id)
	return Next
}

// recheckBarriers completes the gathers that waited only for lanes that have exited, and the
// barriers that waited for this warp.
func (w *Warp) recheckBarriers() State {
	for i := 0; i < len(w.bars); i++ {
		if e := &w.bars[i]; w.Live != 0 && e.Lanes == w.Live {
			if st := w.gathered(nil, e); st != Next {
				return st
			}
			i = -1
		}
	}
	if w.Live == 0 {
		w.cta.warpEnded(w)
	}
	return Next
}

// completeBarrier releases everyone at a barrier once enough threads are there. The reduction
// covers the lanes that brought a predicate.
func (c *CTA) completeBarrier(id uint8) {
	b := &c.bars[id]
	if !b.Complete(c.alive) {
		return
	}
	c.cluster.changed++
	if c.grid.wants(events.WantsUse) {
		c.tellEnd(id, b)
	}
	done := *b
	*b = barriers.Barrier{}
	c.pending &^= 1 << id
	c.tellBarrier(Event{What: events.BarrierDone, ID: id, Warps: done.Waiting, Counted: done.Count != 0})
	for m := done.Waiting; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		c.warps[i].pass(id, &done)
		c.runnable |= 1 << i
	}
}

// pass wakes the fragments of a warp that wait at a barrier.
func (w *Warp) pass(id uint8, b *barriers.Barrier) {
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		if f.wait != waits.CTA || f.id != id {
			continue
		}
		f.result = b.Result(f.kind)
		w.wake(f)
	}
}

// clearBarriers makes all barriers those of a CTA that begins: no warp has been at others than the pending ones.
func (c *CTA) clearBarriers() {
	for ; c.pending != 0; c.pending &= c.pending - 1 {
		c.bars[bits.TrailingZeros16(c.pending)] = barriers.Barrier{}
	}
}

// warpEnded counts a warp without living lanes out of the barriers that expect everyone.
func (c *CTA) warpEnded(w *Warp) {
	c.alive &^= 1 << w.index
	c.runnable &^= 1 << w.index
	for m := c.pending; m != 0; m &= m - 1 {
		if id := bits.TrailingZeros16(m); c.bars[id].Count == 0 {
			c.completeBarrier(uint8(id))
		}
	}
	c.cluster.completeBarrier()
}
