package machine

// This file finds uses of barriers and member masks that work on no target, or only by luck (P8003). Launches that do
// not ask (WantsUse) test one bit in each place.

import (
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// misused reports what lanes of the running fragment do at an instruction.
func (w *Warp) misused(in *Inst, lanes uint32, format string, args ...any) {
	w.misusedBeside(in, lanes, Place{}, format, args...)
}

// misusedAs is misused of another kind.
func (w *Warp) misusedAs(kind ReportKind, in *Inst, lanes uint32, format string, args ...any) {
	p := w.Place(in)
	p.Lanes, p.Thread = lanes, w.cta.grid.thread(w.index, first(lanes))
	w.cta.grid.Reporter.Report(&Report{Kind: kind, Then: p, Text: fmt.Sprintf(format, args...)})
}

// misusedBeside is misused with another place, of other lanes of the warp.
func (w *Warp) misusedBeside(in *Inst, lanes uint32, other Place, format string, args ...any) {
	p := w.Place(in)
	p.Lanes, p.Thread = lanes, w.cta.grid.thread(w.index, first(lanes))
	if other.Func != nil {
		other.Site = w.site(other.PC, first(other.Lanes))
	}
	w.cta.grid.Reporter.Report(&Report{Kind: SyncMisuse, Then: p, Op: other, Text: fmt.Sprintf(format, args...)})
}

// misusedAt reports what has been done at a place, behind which the threads may have gone on or ended.
func (c *CTA) misusedAt(at Place, format string, args ...any) {
	c.grid.Reporter.Report(&Report{Kind: SyncMisuse, Then: at, Text: fmt.Sprintf(format, args...)})
}

// Watchful reports whether the launch wants to know of misuse.
func (w *Warp) Watchful() bool { return w.cta.grid.wants(WantsUse) }

// lanesText names lanes as a mask.
func lanesText(lanes uint32) string {
	if bits.OnesCount32(lanes) == 1 {
		return fmt.Sprintf("lane %d", first(lanes))
	}
	return fmt.Sprintf("lanes %#08x", lanes)
}

// alignedMisuse: all threads of a warp execute the same barrier instruction with .aligned (9.7.13.1). Lanes that come
// later to the same one are no misuse: a compiler brings them together in front of it.
func (w *Warp) alignedMisuse(in *Inst, e *warpBarrier) {
	if e.lanes == 0 || e.pc == w.PC(in) {
		return
	}
	there := w.Place(in)
	there.PC, there.Lanes = e.pc, e.lanes
	w.misusedBeside(in, w.Mask, there, "a barrier with .aligned: %s of a warp at one instruction, %s at another", lanesText(w.Mask), lanesText(e.lanes))
}

// maskMisuse looks at the member masks that lanes bring to a .sync instruction (9.7.13.9): each must name its own lane,
// and those that it names must bring the same.
func (w *Warp) maskMisuse(in *Inst, members *[32]uint32) {
	for rest := w.Mask; rest != 0; {
		mine := members[first(rest)]
		same := sameValue(members, rest)
		if out := same &^ mine; out != 0 {
			w.misused(in, 1<<first(out), "lane %d is not in its own member mask %#08x", first(out), mine)
			return
		}
		if other := mine & rest &^ same; other != 0 {
			i, j := first(same), first(other)
			w.misused(in, 1<<i|1<<j, "lane %d has the member mask %#08x, and lane %d, which is in it, %#08x", i, mine, j, members[j])
			return
		}
		rest &^= same
	}
}

// ShuffleMisuse reports a lane that reads from one that is not in its mask or does not take part (9.7.9.6): what it
// gets is undefined.
func (w *Warp) ShuffleMisuse(in *Inst, lane, from int, peers uint32) {
	w.misused(in, 1<<lane, "lane %d takes the value of lane %d, which is not among those that take part, %#08x", lane, from, peers)
}

// waitsForWaiting reports lanes that wait with a member mask for lanes that wait for them: at a barrier, at which a warp
// arrives as a whole, or with a mask of their own. Neither can go on.
func (w *Warp) waitsForWaiting(in *Inst, mask, missing uint32) {
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		switch there := f.mask & missing; {
		case there == 0 || f == w.frag:
		case f.wait == WaitWarp:
			w.misusedBeside(in, w.Mask, w.placeOf(f), "%s wait with the member mask %#08x for %s, which wait for them at a barrier", lanesText(w.Mask), mask, lanesText(there))
			return
		case f.wait == WaitMembers && f.gather.members&w.Live&^f.gather.Lanes&w.Mask != 0:
			w.misusedBeside(in, w.Mask, w.placeOf(f), "%s wait with the member mask %#08x for %s, which wait for them with the mask %#08x", lanesText(w.Mask), mask, lanesText(there), f.gather.members)
			return
		}
	}
}

// waitedFor reports lanes that wait at a barrier while others of the warp, which must come to it, too, wait for them with a
// member mask.
func (w *Warp) waitedFor(in *Inst) {
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		if f.wait == WaitMembers && f.gather.members&w.Live&^f.gather.Lanes&w.Mask != 0 {
			w.misusedBeside(in, w.Mask, w.placeOf(f), "%s wait at a barrier for %s, which wait for them with the member mask %#08x", lanesText(w.Mask), lanesText(f.mask), f.gather.members)
			return
		}
	}
}

// placeOf is where a fragment of the warp waits.
func (w *Warp) placeOf(f *Fragment) Place {
	at := Site{Func: f.frame.code.Func, PC: f.pc, CTA: w.cta.id, Thread: w.cta.grid.thread(w.index, first(f.mask))}
	return Place{Site: at, CTARank: w.cta.rank, Warp: int(w.index), Lanes: f.mask}
}

// wentRound reports a barrier for all threads of a CTA that completes because some of them have ended, where these went round it
// to the code behind it: in a branch that not all of them took, or in a turn of a loop that they left before. Threads that return
// early, before what the others do, are expected by no barrier.
func (c *CTA) wentRound(id uint8, b *ctaBarrier) {
	living := 0
	for _, w := range c.warps {
		living += bits.OnesCount32(w.Live)
	}
	threads := int(c.grid.block.threads)
	if living == threads {
		return
	}
	for m := b.waiting; m != 0; m &= m - 1 {
		w := c.warps[bits.TrailingZeros64(m)]
		for u := w.used; u != 0; u &= u - 1 {
			f := &w.frags[first(u)]
			if f.wait != WaitCTA || f.id != id || f.frame.caller != nil || f.frame.code.Func.Origin == nil || !f.frame.code.Func.Origin.Rejoins(f.pc) {
				continue
			}
			c.misusedAt(w.placeOf(f), "%d of %d threads of the CTA have ended without this barrier, which waits for all: they went round it to the code behind it", threads-living, threads)
			return
		}
	}
}

// arrivesAgain reports a warp that arrives at a barrier whose running generation has counted it already: its threads stand for
// others that have not come.
func (w *Warp) arrivesAgain(in *Inst, e *warpBarrier, b *ctaBarrier) {
	bit := uint64(1) << w.index
	if b.here&bit != 0 {
		w.misused(in, e.lanes, "warp %d arrives again at barrier %d, whose generation has counted it and is not complete: %d of %d threads", w.index, e.id, b.arrived, b.count)
	}
	b.here |= bit
}

// plainMbarrier reports an access, observed for another check, that is no operation on mbarriers and touches the bytes of one
// that lives (9.7.13.15.1).
func (w *Warp) plainMbarrier(in *Inst, e *Event) {
	if e.Addr == nil || e.What != Touch || !e.Valued || e.Space != Shared && e.Space != Generic || !w.cta.cluster.hasMbarriers() {
		return
	}
	for m := e.Lanes; m != 0; m &= m - 1 {
		i := first(m)
		x, ok := w.extentOf(e.Space, e.Addr[i], uint64(e.Size))
		if !ok || x.Space != Shared {
			continue
		}
		if at, ok := w.mbarrierIn(&x); ok {
			w.misusedAs(MbarrierMisuse, in, 1<<i, "a plain %s of the bytes of the mbarrier at %#x, which lives: only its own operations may touch it", e.Kind, at)
			return
		}
	}
}

// hasMbarriers reports whether any object lives in the cluster.
func (c *Cluster) hasMbarriers() bool {
	for _, one := range c.ctas {
		if len(one.mbarriers) != 0 {
			return true
		}
	}
	return false
}

// mbarrierIn finds a living object in an extent of shared memory.
func (w *Warp) mbarrierIn(x *Extent) (at uint64, ok bool) {
	if uint64(x.CTA) >= uint64(len(w.cta.cluster.ctas)) {
		return 0, false
	}
	c := w.cta.cluster.ctas[x.CTA]
	for at := x.From &^ (mem.MbarrierBytes - 1); len(c.mbarriers) != 0 && at < x.To; at += mem.MbarrierBytes {
		if _, ok := c.mbarriers[x.CTA<<mem.RankShift|uint32(at)]; ok {
			return at, true
		}
	}
	return 0, false
}
