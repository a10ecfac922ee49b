package machine

// This file holds fragments and regions: which lanes are where, who waits for whom, and how
// they meet again.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// first is the lowest lane of a mask that is not empty.
func first(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }

// Fragment is a set of lanes with one pc in one frame. The fragments of a warp are disjoint,
// so there are at most 32; sets of fragments are bit masks over their indexes.
type Fragment struct {
	frame  *Frame
	region *region // the innermost place where its lanes meet others
	mask   uint32
	pc     int32
	fuel   int32 // back edges that it may still take before it gives way
	index  uint8
	wait   waits.For
	id     uint8 // barrier, for waits.Warp and waits.CTA
	kind   barriers.Kind
	woken  bool     // the wait is over: the instruction executes again and goes on
	result uint32   // of the barrier reduction
	want   uint32   // registers, for waits.Registers
	gather *Gather  // open or finished gather of a waits.Members fragment
	phase  Released // of a waits.Phase fragment that is woken
}

// region remembers where the lanes of a divergent branch or call meet again. Regions form a
// tree by parent; a lane is in every region from its fragment's up to the root.
type region struct {
	frame  *Frame // the frame in which they meet
	parent *region
	mask   uint32 // lanes that are to meet
	joined uint32 // lanes that are there and wait
	joiner int8   // fragment that holds joined, -1 if none
	depth  int32
	pc     int32 // noPC: they do not meet by structure, only if their pcs happen to agree
}

const noPC = -1

func (w *Warp) newRegion(f *Frame, pc int32, mask uint32, parent *region) *region {
	var r *region
	if n := len(w.freeRegions); n > 0 {
		r, w.freeRegions = w.freeRegions[n-1], w.freeRegions[:n-1]
	} else {
		r = new(region)
	}
	*r = region{frame: f, pc: pc, mask: mask, parent: parent, joiner: -1}
	if parent != nil {
		r.depth = parent.depth + 1
	}
	return r
}

func (w *Warp) freeRegion(r *region) { w.freeRegions = append(w.freeRegions, r) }

// newFragment takes a free slot for a copy of f with the given lanes and pc; it is ready.
func (w *Warp) newFragment(f *Fragment, mask uint32, pc int32) *Fragment {
	i := first(^w.used)
	g := &w.frags[i]
	*g = Fragment{frame: f.frame, region: f.region, mask: mask, pc: pc, fuel: f.fuel, index: uint8(i)}
	w.used |= 1 << i
	w.ready |= 1 << i
	w.come(g)
	return g
}

func (w *Warp) freeFragment(f *Fragment) {
	bit := uint32(1) << f.index
	w.used &^= bit
	w.ready &^= bit
	w.joining &^= bit
	w.yielded &^= bit
	w.arriving &^= bit
	w.watched &^= bit
	*f = Fragment{index: f.index}
}

// arrive looks whether a ready fragment that has come to its pc meets a sibling there: its
// siblings at a reconvergence pc, for whom it waits, or any fragment at the same place.
func (w *Warp) arrive(f *Fragment) {
	for {
		r := f.meeting()
		if r == nil {
			w.meet(f)
			return
		}
		w.detach(f, r)
		if f = w.join(f, r); f == nil {
			return
		}
	}
}

// meeting returns the region of the fragment's frame that meets at its pc, nil if none does.
func (f *Fragment) meeting() *region {
	for r := f.region; r != nil && r.frame == f.frame; r = r.parent {
		if r.pc == f.pc {
			return r
		}
	}
	return nil
}

// join adds a fragment to those that wait at r.pc. When all are there it returns the fragment
// that holds them, in the parent region; until then nil.
func (w *Warp) join(f *Fragment, r *region) *Fragment {
	r.joined |= f.mask
	if r.joiner >= 0 {
		j := &w.frags[r.joiner]
		j.mask |= f.mask
		j.fuel = min(j.fuel, f.fuel)
		w.freeFragment(f)
		f = j
	}
	r.joiner = int8(f.index)
	bit := uint32(1) << f.index
	w.ready &^= bit
	w.joining |= bit
	f.wait = waits.Sibling
	if r.joined != r.mask {
		return nil
	}
	return w.pop(f, r)
}

// pop ends a region whose lanes are all in f.
func (w *Warp) pop(f *Fragment, r *region) *Fragment {
	bit := uint32(1) << f.index
	w.joining &^= bit
	w.ready |= bit
	f.wait = waits.Nothing
	f.region = r.parent
	w.freeRegion(r)
	return f
}

// detach moves a fragment from its region up to an enclosing one: its lanes no longer meet
// the others of the regions between.
func (w *Warp) detach(f *Fragment, up *region) {
	r := f.region
	f.region = up
	w.remove(f.mask, r, up)
}

// remove takes lanes out of the regions from r up to, but not including, stop. Those left
// behind who only waited for these lanes go on.
func (w *Warp) remove(lanes uint32, r, stop *region) {
	for r != stop {
		parent := r.parent
		r.mask &^= lanes
		r.joined &^= lanes
		w.settle(r)
		r = parent
	}
}

// settle ends a region that has become empty or complete.
func (w *Warp) settle(r *region) {
	switch {
	case r.mask == 0:
		w.freeRegion(r)
	case r.joined == r.mask:
		w.come(w.pop(&w.frags[r.joiner], r))
	}
}

// release lets a joining fragment go on without its siblings. Past the outermost divergent
// branch of a converged frame the scalars end.
func (w *Warp) release(f *Fragment) {
	r := f.region
	w.watched = w.yielded
	r.joiner, r.joined = -1, 0
	bit := uint32(1) << f.index
	w.joining &^= bit
	w.ready |= bit
	f.wait = waits.Nothing
	if r.parent == nil || r.parent.frame != f.frame {
		w.splitFrame(f.frame)
	}
	w.detach(f, r.parent)
	w.come(f)
}

// come notes that a ready fragment has come to its pc; the scheduler lets it arrive before it
// chooses who runs.
func (w *Warp) come(f *Fragment) { w.arriving |= 1 << f.index }

// meet merges a ready fragment with the ready ones at the same frame and pc.
func (w *Warp) meet(f *Fragment) {
	for m := w.ready &^ (1 << f.index); m != 0; m &= m - 1 {
		g := &w.frags[first(m)]
		if g.frame == f.frame && g.pc == f.pc && !g.woken && !f.woken {
			w.merge(f, g)
		}
	}
	w.popWhole(f)
}

// merge moves the lanes of g into f, in the innermost region that both are in.
func (w *Warp) merge(f, g *Fragment) {
	up := common(f.region, g.region)
	lanes, from := g.mask, g.region
	own, ownFrom := f.mask, f.region
	f.mask |= lanes
	f.fuel = min(f.fuel, g.fuel)
	f.region = up
	if w.watched>>g.index&1 != 0 {
		w.watched |= 1 << f.index
	}
	w.freeFragment(g)
	w.remove(lanes, from, up)
	w.remove(own, ownFrom, up)
}

// common is the innermost region that contains both.
func common(a, b *region) *region {
	for a != b {
		switch {
		case a == nil || b == nil:
			return nil
		case a.depth >= b.depth:
			a = a.parent
		default:
			b = b.parent
		}
	}
	return a
}

// popWhole ends the regions of the fragment's frame that have no lane outside it.
func (w *Warp) popWhole(f *Fragment) {
	for r := f.region; r != nil && r.frame == f.frame && r.mask == f.mask; r = f.region {
		f.region = r.parent
		w.freeRegion(r)
	}
}
