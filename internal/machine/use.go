package machine

// This file tells how barriers, member masks, mbarriers, products and collector buffers are used (WantsUse): which
// uses work on no target, or only by luck, an observer knows (internal/san/misuse). Launches that do not ask test one
// bit in each place.

import (
	"iter"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Watchful reports whether the launch wants to know how these are used.
func (w *Warp) Watchful() bool { return w.cta.grid.wants(events.WantsUse) }

// Meeting is lanes of a warp that meet others.
type Meeting struct {
	Aligned bool   // BarrierCome: the instruction has .aligned
	Lanes   uint32 // BarrierCome: those of the warp that have come before
	PC      int32  // BarrierCome: of the last of these
	Missing uint32 // MembersWait: living lanes of the mask that have not come
}

// meets tells of lanes that meet others.
func (w *Warp) meets(in *Inst, what events.Kind, members uint32, m Meeting) {
	t := w.tells()
	t.meeting = m
	w.Observe(in, Event{What: what, Lanes: w.Mask, Members: members, About: &t.meeting})
}

// ShuffleMisuse tells of a lane that reads from one that is not in its mask or does not take part, peers.
func (w *Warp) ShuffleMisuse(in *Inst, lane, from int, peers uint32) {
	w.Observe(in, Event{What: events.StrayShuffle, Lanes: 1 << lane, Members: peers, About: from})
}

// Waiting is lanes of a warp that wait, at their place.
type Waiting struct {
	Place
	For     waits.For
	Members uint32 // waits.Members: as the lanes gave it
	Missing uint32 // of these, those that live and have not come
}

// Waiting visits the lanes of the warp that wait, without the running ones. What it yields is valid until the next.
func (w *Warp) Waiting() iter.Seq[*Waiting] {
	return func(yield func(*Waiting) bool) {
		for m := w.used; m != 0; m &= m - 1 {
			f := &w.frags[first(m)]
			if f == w.frag || f.wait < waits.Members {
				continue
			}
			v := Waiting{Place: w.placeOf(f), For: f.wait}
			if f.wait == waits.Members {
				v.Members, v.Missing = f.gather.members, f.gather.members&w.Live&^f.gather.Lanes
			}
			if !yield(&v) {
				return
			}
		}
	}
}

// PlaceAt is where lanes of the warp are at a pc of the running frame.
func (w *Warp) PlaceAt(pc int32, lanes uint32) Place {
	return Place{Site: w.site(pc, first(lanes)), CTARank: w.cta.rank, Warp: int(w.index), Lanes: lanes, Calls: w.frag.frame.at(pc).Calls}
}

// placeOf is where a fragment of the warp waits.
func (w *Warp) placeOf(f *Fragment) Place {
	at := Site{Func: f.frame.code.Func, PC: f.pc, CTA: w.cta.id, Thread: w.cta.grid.Thread(w.index, first(f.mask))}
	return Place{Site: at, CTARank: w.cta.rank, Warp: int(w.index), Lanes: f.mask}
}

// Arrival is a warp that arrives at a barrier of the CTA.
type Arrival struct{ Arrived, Count uint32 } // threads: before it, and expected, 0: all

// BarrierEnd is a barrier that completes.
type BarrierEnd struct {
	Threads, Living int     // of the CTA; equal where that is not asked: only so many threads were expected
	Cut             bool    // some have ended inside a function, or by a fault that the launch outlives
	Waiting         []Place // in the kernel's own frame, where fewer live
}

// tellEnd tells that a barrier completes.
func (c *CTA) tellEnd(id uint8, b *barriers.Barrier) {
	n := int(c.grid.threads)
	end := &c.cluster.ended
	*end = BarrierEnd{Threads: n, Living: n, Cut: c.cut, Waiting: end.Waiting[:0]}
	if b.Count == 0 {
		end.Living = 0
		for _, w := range c.warps {
			end.Living += bits.OnesCount32(w.Live)
		}
	}
	for m := b.Waiting; m != 0 && end.Living != n; m &= m - 1 {
		w := c.warps[bits.TrailingZeros64(m)]
		for u := w.used; u != 0; u &= u - 1 {
			if f := &w.frags[first(u)]; f.wait == waits.CTA && f.id == id && f.frame.caller == nil {
				end.Waiting = append(end.Waiting, w.placeOf(f))
			}
		}
	}
	c.tellUse(Event{What: events.BarrierEnds, ID: id, About: end})
}

// tellUse tells of something about a CTA that is wanted.
func (c *CTA) tellUse(e Event) {
	at := &c.cluster.event
	*at = e
	at.CTA, at.Cluster = c.rank, c.cluster.rank
	c.grid.Observer.Observe(at)
}

// HasMbarriers reports whether any mbarrier lives in the warp's cluster.
func (w *Warp) HasMbarriers() bool {
	for _, one := range w.cta.cluster.ctas {
		if !one.mbarriers.Empty() {
			return true
		}
	}
	return false
}

// MbarrierIn finds a living mbarrier in an extent of shared memory of the warp's cluster.
func (w *Warp) MbarrierIn(x *Extent) (at uint64, ok bool) {
	if uint64(x.CTA) >= uint64(len(w.cta.cluster.ctas)) {
		return 0, false
	}
	c := w.cta.cluster.ctas[x.CTA]
	for at := x.From &^ (mem.MbarrierBytes - 1); !c.mbarriers.Empty() && at < x.To; at += mem.MbarrierBytes {
		if _, ok := c.mbarriers.Living(x.CTA<<mem.RankShift | uint32(at)); ok {
			return at, true
		}
	}
	return 0, false
}
