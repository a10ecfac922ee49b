package machine

// This file holds CTA barriers (9.7.13.1), in two stages: the lanes of a warp gather, then the
// warp arrives with 32 threads.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// NumBarriers is the number of named barriers of a CTA.
const NumBarriers = 16

// BarrierKind is the operation of a barrier instruction. Lanes of one warp gather by barrier
// and kind.
type BarrierKind = uop.BarrierKind

// The kinds.
const (
	BarSync BarrierKind = iota
	BarArrive
	BarPopc
	BarAnd
	BarOr
	ClusterArrive // the last two at the barrier of the cluster
	ClusterWait
)

// BarrierIn is what the lanes of w.Mask bring to a barrier.
type BarrierIn struct {
	Kind    BarrierKind
	Aligned bool
	ID      *[32]uint32 // of each lane, below NumBarriers
	Count   *[32]uint32 // threads; nil: all warps with a living lane
	Pred    uint32      // of reductions
}

// warpBarrier is a gather of one warp at a barrier.
type warpBarrier struct {
	id    uint8
	kind  BarrierKind
	lanes uint32
	pred  uint32
	count uint32 // 0: everyone
	pc    int32
}

// ctaBarrier is a named barrier: zero when no warp is there.
type ctaBarrier struct {
	count   uint32 // threads expected; 0: all warps with a living lane
	arrived uint32 // threads
	popc    uint32 // lanes with a true predicate
	lanes   uint32 // lanes that brought a predicate
	waiting uint64 // warps
}

// Barrier arrives at a barrier and waits for it, except for BarArrive. On Next it returns the
// reduction: the count for BarPopc, 0 or 1 for BarAnd and BarOr. On another state the handler
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
	e := w.barrierEntry(uint8(b.ID[i]), b.Kind)
	if w.Watchful() {
		w.meets(in, BarrierCome, 0, Meeting{Aligned: b.Aligned, Lanes: e.lanes, PC: e.pc})
	}
	e.lanes |= w.Mask
	e.pred |= b.Pred & w.Mask
	e.pc = w.PC(in)
	if b.Count != nil {
		e.count = b.Count[i]
	}
	f.wait, f.id, f.pc = WaitWarp, e.id, e.pc
	f.kind = e.kind
	if e.lanes != w.Live {
		if w.Watchful() {
			w.meets(in, BarrierWait, 0, Meeting{})
		}
		return 0, Wait
	}
	if st := w.gathered(in, e); st == Faulted {
		return 0, st
	}
	if f.woken && (b.Kind == BarArrive || w.leaves()) {
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
		return w.Fault(in, &Fault{Kind: BarrierDivergence, Lanes: w.Mask})
	case b.ID[i] >= NumBarriers:
		return w.Fault(in, &Fault{Kind: BadBarrier, Lanes: same, Value: uint64(b.ID[i]), Text: "barrier number"})
	case b.Count != nil && (b.Count[i]%32 != 0 || b.Count[i] == 0):
		return w.Fault(in, &Fault{Kind: BadBarrier, Lanes: same, Value: uint64(b.Count[i]), Text: "thread count"})
	}
	return Next
}

// completes reports whether a warp goes on at once: all its living lanes have come with the same operands, and it arrives only, or
// as the last one. What is a fault then is none here.
func (w *Warp) completes(b *BarrierIn, same uint32) bool {
	if same != w.Live || same != w.frag.mask {
		return false
	}
	i, count := first(same), uint32(0)
	if b.Count != nil {
		count = b.Count[i]
	}
	bar := &w.cta.bars[b.ID[i]]
	switch {
	case bar.arrived != 0 && bar.count != count:
		return false
	case b.Kind == BarArrive:
		return true
	case count == 0:
		count = 32 * uint32(bits.OnesCount64(w.cta.alive))
	}
	return bar.arrived+32 >= count
}

func (b *BarrierIn) sameBarrier(lanes uint32) uint32 {
	same := SameValue(b.ID, lanes)
	if b.Count != nil {
		same &= SameValue(b.Count, lanes)
	}
	return same
}

func (w *Warp) barrierEntry(id uint8, kind BarrierKind) *warpBarrier {
	for i := range w.bars {
		if w.bars[i].id == id && w.bars[i].kind == kind {
			return &w.bars[i]
		}
	}
	w.bars = append(w.bars, warpBarrier{id: id, kind: kind})
	return &w.bars[len(w.bars)-1]
}

// gathered lets a warp whose living lanes are all there arrive at the barrier.
func (w *Warp) gathered(in *Inst, e *warpBarrier) State { // in is nil when an exit completes it
	if e.id == clusterBarrierID {
		return w.gatheredForCluster(in, e)
	}
	b := &w.cta.bars[e.id]
	if b.arrived != 0 && b.count != e.count {
		return w.Fault(in, &Fault{Kind: BadBarrier, Lanes: e.lanes, Value: uint64(e.count), Want: uint64(b.count), Text: "thread count differs"})
	}
	if in != nil && w.Watchful() {
		t := w.tells()
		t.arrival = Arrival{b.arrived, b.count}
		w.Observe(in, Event{What: WarpArrives, ID: e.id, Lanes: e.lanes, About: &t.arrival})
	}
	w.cta.pending |= 1 << e.id
	w.cta.tellBarrier(Event{What: BarrierMet, ID: e.id, Warp: int(w.index), Lanes: e.lanes})
	b.count = e.count
	b.arrived += 32
	b.popc += uint32(bits.OnesCount32(e.pred))
	b.lanes += uint32(bits.OnesCount32(e.lanes))
	id, kind := e.id, e.kind
	w.dropEntry(e)
	if kind != BarArrive {
		b.waiting |= 1 << w.index
	}
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.wait == WaitWarp && f.id == id && f.kind == kind {
			if f.wait = WaitCTA; kind == BarArrive {
				w.wake(f)
			}
		}
	}
	w.cta.completeBarrier(id)
	return Next
}

func (w *Warp) dropEntry(e *warpBarrier) {
	*e = w.bars[len(w.bars)-1]
	w.bars = w.bars[:len(w.bars)-1]
}

// recheckBarriers completes the gathers that waited only for lanes that have exited, and the
// barriers that waited for this warp.
func (w *Warp) recheckBarriers() State {
	for i := 0; i < len(w.bars); i++ {
		if e := &w.bars[i]; w.Live != 0 && e.lanes == w.Live {
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
	want := b.count
	if want == 0 {
		want = 32 * uint32(bits.OnesCount64(c.alive))
	}
	if b.arrived == 0 || b.arrived < want {
		return
	}
	c.cluster.changed++
	if c.grid.wants(WantsUse) {
		c.tellEnd(id, b)
	}
	done := *b
	*b = ctaBarrier{}
	c.pending &^= 1 << id
	c.tellBarrier(Event{What: BarrierDone, ID: id, Warps: done.waiting, Counted: done.count != 0})
	for m := done.waiting; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		c.warps[i].pass(id, &done)
		c.runnable |= 1 << i
	}
}

// pass wakes the fragments of a warp that wait at a barrier.
func (w *Warp) pass(id uint8, b *ctaBarrier) {
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		if f.wait != WaitCTA || f.id != id {
			continue
		}
		f.result = reduced(f.kind, b)
		w.wake(f)
	}
}

func reduced(k BarrierKind, b *ctaBarrier) uint32 {
	yes := false
	switch k {
	case BarPopc:
		return b.popc
	case BarAnd:
		yes = b.popc == b.lanes
	case BarOr:
		yes = b.popc != 0
	}
	if yes {
		return 1
	}
	return 0
}

// clearBarriers makes all barriers those of a CTA that begins: no warp has been at others than the pending ones.
func (c *CTA) clearBarriers() {
	for ; c.pending != 0; c.pending &= c.pending - 1 {
		c.bars[bits.TrailingZeros16(c.pending)] = ctaBarrier{}
	}
}

// warpEnded counts a warp without living lanes out of the barriers that expect everyone.
func (c *CTA) warpEnded(w *Warp) {
	c.alive &^= 1 << w.index
	c.runnable &^= 1 << w.index
	for m := c.pending; m != 0; m &= m - 1 {
		if id := bits.TrailingZeros16(m); c.bars[id].count == 0 {
			c.completeBarrier(uint8(id))
		}
	}
	c.cluster.completeBarrier()
}
