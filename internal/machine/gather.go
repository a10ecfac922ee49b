package machine

// This file brings lanes of a warp together at instructions with a member mask.

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// GatherIn is what the lanes of w.Mask bring to a .sync instruction.
type GatherIn struct {
	Key     uint64      // equal for instructions that wait for each other: form and qualifiers
	Members *[32]uint32 // member mask of each lane
	Pred    uint32      // source predicate, if the form has one
	A       *[32]uint32 // source row, if the form has one
	X       *[32]uint64 // the same for 64-bit forms
}

// Gather is a set of lanes that have met, with the values they brought. It is valid until the
// handler returns.
type Gather struct {
	Lanes uint32 // lanes that take part
	Pred  uint32
	A     *[32]uint32 // nil if the form has no such row, like X
	X     *[32]uint64

	key     uint64
	members uint32 // as the lanes gave it
	left    uint32 // lanes that have not fetched the result
	full    bool
	a       [32]uint32
	x       [32]uint64
}

// Gather waits until every living lane of each member mask is at an instruction with the same
// key and mask, at whatever pc (9.7.9.6, 9.7.13.9). On Next the handler computes for the lanes
// of w.Mask; lane i takes part with the lanes of Members[i] that are in Lanes. On another state
// the handler returns it at once, having written nothing, and is executed again.
func (w *Warp) Gather(in *Inst, v GatherIn) (*Gather, State) {
	f := w.frag
	if f.woken {
		return w.fetch(f), Next
	}
	if w.Watchful() {
		t := w.tells()
		t.masks = *v.Members // a copy, so that those of launches that do not ask stay on the stack
		w.Observe(in, Event{What: events.MembersCome, Lanes: w.Mask, About: &t.masks})
	}
	if w.allHere(v.Members) {
		g := &w.direct
		g.Lanes, g.Pred, g.A, g.X = w.Mask, v.Pred, v.A, v.X
		return g, Next
	}
	members := v.Members[first(w.Mask)]
	if same := SameValue(v.Members, w.Mask); same != f.mask {
		return nil, w.separate(in, f, same)
	}
	g := w.openGather(v.Key, members)
	g.deposit(w.Mask, v)
	f.gather, f.wait = g, waits.Members
	if !w.closeGather(g) {
		if w.Watchful() {
			w.meets(in, events.MembersWait, members, Meeting{Missing: members & w.Live &^ g.Lanes})
		}
		return nil, Wait
	}
	return w.fetch(f), Next
}

// allHere reports whether the running lanes wait for no others: the living lanes of each member mask are here with that
// very mask (9.7.9.6).
func (w *Warp) allHere(members *[32]uint32) bool {
	for rest := w.Mask; rest != 0; {
		same := SameValue(members, rest)
		if members[first(rest)]&w.Live&^same != 0 {
			return false
		}
		rest &^= same
	}
	return true
}

// SameValue is the lanes of a mask that have the value of the first of them.
func SameValue(row *[32]uint32, lanes uint32) uint32 {
	v := row[first(lanes)]
	same := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		if i := first(m); row[i] == v {
			same |= 1 << i
		}
	}
	return same
}

// separate makes fragments of the lanes that execute with one operand value and of the others,
// so that each can wait for itself; they meet again behind the instruction, where lanes that
// the guard excludes are already.
func (w *Warp) separate(in *Inst, f *Fragment, same uint32) State {
	pc := w.PC(in)
	off, others := f.mask&^w.Mask, w.Mask&^same
	w.enclose(f, pc+1)
	f.pc = pc
	if others != 0 {
		w.part(f, others)
	}
	w.arriving = 0 // fragments at one pc that must not merge
	if off != 0 {
		w.move(w.part(f, off), pc+1)
	}
	return Diverge
}

func (w *Warp) openGather(key uint64, members uint32) *Gather {
	for _, g := range w.gathers {
		if !g.full && g.key == key && g.members == members {
			return g
		}
	}
	var g *Gather
	if n := len(w.freeGathers); n > 0 {
		g, w.freeGathers = w.freeGathers[n-1], w.freeGathers[:n-1]
	} else {
		g = new(Gather)
	}
	g.key, g.members, g.full = key, members, false
	g.Lanes, g.Pred, g.left = 0, 0, 0
	g.A, g.X = nil, nil
	w.gathers = append(w.gathers, g)
	return g
}

// deposit adds what lanes bring. A gather has the rows that its form has: instructions with one
// key bring the same ones.
func (g *Gather) deposit(lanes uint32, v GatherIn) {
	g.Lanes |= lanes
	g.left |= lanes
	g.Pred |= v.Pred & lanes
	if v.A != nil {
		g.A = &g.a
		copyLanes(g.A, v.A, lanes)
	}
	if v.X != nil {
		g.X = &g.x
		copyLanes(g.X, v.X, lanes)
	}
}

// copyLanes copies the lanes of a mask from row to row.
func copyLanes[T any](to, from *[32]T, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		i := first(m)
		to[i] = from[i]
	}
}

// closeGather wakes the fragments of a gather if no living member is missing.
func (w *Warp) closeGather(g *Gather) bool {
	if g.full || g.members&w.Live&^g.Lanes != 0 {
		return g.full
	}
	g.full = true
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.gather == g {
			w.wake(f)
		}
	}
	return true
}

// gatherUnlike lets lanes meet that name each other in masks that are not equal, where all of the warp wait for members and none
// would ever go on. What they get is not defined (9.7.9.6); no hardware is known to stop there.
func (w *Warp) gatherUnlike() bool {
	for m := w.used; m != 0; m &= m - 1 {
		if w.frags[first(m)].wait != waits.Members {
			return false
		}
	}
	for _, g := range w.gathers {
		if all := w.together(g.key); all != 0 {
			w.closeUnlike(g.key, all)
			return true
		}
	}
	return false
}

// together is the lanes that wait with one key and lack none but each other, 0 if there are none.
func (w *Warp) together(key uint64) uint32 {
	all, before := w.Live, uint32(0)
	for all != before {
		before, all = all, 0
		for _, g := range w.gathers {
			if g.key == key && g.members&w.Live&^before == 0 {
				all |= g.Lanes
			}
		}
	}
	return all
}

// closeUnlike wakes the fragments of the gathers with a key that have only these lanes: each gets what all have brought.
func (w *Warp) closeUnlike(key uint64, lanes uint32) {
	var open []*Gather
	for _, g := range w.gathers {
		if g.key == key && g.Lanes&^lanes == 0 {
			open = append(open, g)
		}
	}
	for _, g := range open {
		left := g.left
		for _, h := range open {
			g.deposit(h.left, GatherIn{Pred: h.Pred, A: h.A, X: h.X})
		}
		g.left = left
	}
	for _, g := range open {
		w.closeGather(g)
	}
}

// wake makes a waiting fragment execute its instruction again, this time with the result.
func (w *Warp) wake(f *Fragment) {
	f.wait, f.woken = waits.Nothing, true
	w.ready |= 1 << f.index
}

// fetch hands the result of a finished gather to a woken fragment.
func (w *Warp) fetch(f *Fragment) *Gather {
	g := f.gather
	f.gather, f.woken = nil, false
	if g.left &^= f.mask; g.left == 0 {
		w.dropGather(g)
	}
	return g
}

// dropGather takes a gather off the list; its values stay until the next openGather.
func (w *Warp) dropGather(g *Gather) {
	for i, h := range w.gathers {
		if h == g {
			w.gathers = append(w.gathers[:i], w.gathers[i+1:]...)
			break
		}
	}
	w.freeGathers = append(w.freeGathers, g)
}

// recheck looks again at everything that waits for lanes that have exited.
func (w *Warp) recheck() State {
	for _, g := range w.gathers {
		w.closeGather(g)
	}
	w.gatherAligned() // they will not be complete any more
	return w.recheckBarriers()
}
