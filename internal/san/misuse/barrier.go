package misuse

// This file looks at barriers and at member masks.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// meeting looks at lanes that meet others.
func (o *Observer) meeting(e *machine.Event, m *machine.Meeting) {
	switch e.What {
	case events.BarrierCome:
		o.aligned(e, m)
	case events.BarrierWait:
		o.waitedFor(e)
	case events.MembersWait:
		o.waitsForWaiting(e, m.Missing)
	}
}

// aligned: all threads of a warp execute the same barrier instruction with .aligned (9.7.13.1). Lanes that come later
// to the same one are no misuse: a compiler brings them together in front of it.
func (o *Observer) aligned(e *machine.Event, m *machine.Meeting) {
	if !m.Aligned || m.Lanes == 0 || m.PC == e.PC {
		return
	}
	o.misusedBeside(e, e.On.PlaceAt(m.PC, m.Lanes), found.SyncMisuse, e.Lanes,
		"a barrier with .aligned: %s of a warp at one instruction, %s at another", lanesText(e.Lanes), lanesText(m.Lanes))
}

// members looks at the member masks that lanes bring to a .sync instruction (9.7.13.9): each must name its own lane,
// and those that it names must bring the same, now or later.
func (o *Observer) members(e *machine.Event, masks *[32]uint32) {
	w := o.warp(e)
	w.come(e.Lanes, masks)
	for rest := e.Lanes; rest != 0; {
		mine := masks[first(rest)]
		same := machine.SameValue(masks, rest)
		if out := same &^ mine; out != 0 {
			o.misused(e, 1<<first(out), "lane %d is not in its own member mask %#08x", first(out), mine)
			return
		}
		if other := mine & e.Lanes &^ same; other != 0 {
			u := unlike{e.Place(1<<first(same) | 1<<first(other)), first(same), mine, other, masks[first(other)]}
			if u.theirs&same != 0 {
				o.misusedUnlike(&u)
				return
			}
			w.unlike = append(w.unlike, u)
		}
		rest &^= same
	}
}

// unlike is a lane whose mask names others that are at the same instruction with another mask, which does not name it. They may
// come once more with its own, and it waits for them: so do lanes that have left a loop early and have begun the next one.
type unlike struct {
	at     machine.Place
	lane   int
	mask   uint32
	others uint32 // that have not come with the mask
	theirs uint32 // the mask of the first
}

// come notes the masks that lanes come with.
func (w *warp) come(lanes uint32, masks *[32]uint32) {
	for i := range w.unlike {
		u := &w.unlike[i]
		for m := lanes & u.others; m != 0; m &= m - 1 {
			if masks[first(m)] == u.mask {
				u.others &^= m & -m
			}
		}
	}
	w.unlike = slices.DeleteFunc(w.unlike, func(u unlike) bool { return u.others == 0 })
}

func (o *Observer) misusedUnlike(u *unlike) {
	o.misusedAt(u.at, "lane %d has the member mask %#08x, and lane %d, which is in it, %#08x", u.lane, u.mask, first(u.others), u.theirs)
}

// waitsForWaiting reports lanes that wait with a member mask for lanes that wait for them: at a barrier, at which a
// warp arrives as a whole, or with a mask of their own. Neither can go on.
func (o *Observer) waitsForWaiting(e *machine.Event, missing uint32) {
	for v := range e.On.Waiting() {
		switch there := v.Lanes & missing; {
		case there == 0:
		case v.For == waits.Warp:
			o.misusedBeside(e, v.Place, found.SyncMisuse, e.Lanes, "%s wait with the member mask %#08x for %s, which wait for them at a barrier",
				lanesText(e.Lanes), e.Members, lanesText(there))
			return
		case v.Missing&e.Lanes != 0:
			o.misusedBeside(e, v.Place, found.SyncMisuse, e.Lanes, "%s wait with the member mask %#08x for %s, which wait for them with the mask %#08x",
				lanesText(e.Lanes), e.Members, lanesText(there), v.Members)
			return
		}
	}
}

// waitedFor reports lanes that wait at a barrier while others of the warp, which must come to it, too, wait for them
// with a member mask.
func (o *Observer) waitedFor(e *machine.Event) {
	for v := range e.On.Waiting() {
		if v.Missing&e.Lanes != 0 {
			o.misusedBeside(e, v.Place, found.SyncMisuse, e.Lanes, "%s wait at a barrier for %s, which wait for them with the member mask %#08x",
				lanesText(e.Lanes), lanesText(v.Lanes), v.Members)
			return
		}
	}
}

// arrives reports a warp that arrives at a barrier whose running generation has counted it already: its threads stand
// for others that have not come.
func (o *Observer) arrives(e *machine.Event, a *machine.Arrival) {
	here, bit := &o.cta(e).here[e.ID], uint64(1)<<e.Warp
	if *here&bit != 0 {
		o.misused(e, e.Lanes, "warp %d arrives again at barrier %d, whose generation has counted it and is not complete: %d of %d threads",
			e.Warp, e.ID, a.Arrived, a.Count)
	}
	*here |= bit
}

// ends reports a barrier for all threads of a CTA that completes because some of them have ended, where these went
// round it to the code behind it: in a branch that not all of them took, or in a turn of a loop that they left
// before. Threads that return early, before what the others do, are expected by no barrier.
func (o *Observer) ends(e *machine.Event, end *machine.BarrierEnd) {
	o.cta(e).here[e.ID] = 0
	if end.Cut {
		return
	}
	for _, at := range end.Waiting {
		if at.Func.Origin != nil && at.Func.Origin.Rejoins(at.PC) {
			o.misusedAt(at, "%d of %d threads of the CTA have ended without this barrier, which waits for all: they went round it to the code behind it",
				end.Threads-end.Living, end.Threads)
		}
	}
}
