package machine

// This file suspends fragments that wait for the phase of an mbarrier (9.7.13.15.16 try_wait):
// until it completes, or their time is over. They are not looked at in between.
//
// Lanes of the same warp that wait for them at a reconvergence pc go on waiting: a warp that is
// whole behind the wait runs faster, and .aligned instructions there see it whole. They go on
// alone when no other warp of the cluster can, or when the wait has timed out.

import (
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// DefaultSuspend is the nanoseconds of a try_wait without hint: the system-dependent limit.
const DefaultSuspend = 1 << 14

// Released is what the completion of a phase has told a fragment that waited for it. It is told then and there: the mbarrier may be
// another one, or none, when the fragment runs.
type Released struct {
	Lanes uint32       // those that waited for the phase
	Word  mem.Mbarrier // behind it
	by    Mbarrier
	phase uint64 // that has begun
}

// hopelessRounds is how often all threads of a cluster must have waited in vain, one time limit
// after the other, before that is a deadlock: a loop that gives up earlier by itself may.
const hopelessRounds = 1024

// sleeper is one fragment that waits for one mbarrier.
type sleeper struct {
	w           *Warp
	frag        uint8
	conditional bool // it waits for the conditional phase
	addr        uint32
	lanes       uint32 // which of the fragment
	until       uint64 // by the CTA's clock
}

// Resumed reports whether the instruction executes again because its wait is over, for whatever
// reason; it then must not suspend again. The released lanes need not look at their mbarrier any more.
func (w *Warp) Resumed() (Released, bool) {
	f := w.frag
	was, r := f.woken, f.phase
	f.woken, f.phase = false, Released{}
	if r.Lanes != 0 {
		r.by.tellPhase(r.phase)
	}
	return r, was
}

// Suspend waits until one of the objects that the lanes of w.Mask name completes a phase, or the conditional one, or for
// ns. The handler returns the state at once, having written nothing, and is executed again. Where compiled code has called
// it, nothing waits yet: the code leaves, and it is executed again for that, too.
func (w *Warp) Suspend(in *Inst, barriers *[32]Mbarrier, conditional bool, ns uint64) State {
	f := w.frag
	switch {
	case w.helping:
		return Wait
	case w.Mask != f.mask:
		return w.separate(in, f, w.Mask)
	}
	f.wait = waits.Phase
	w.patient |= 1 << f.index
	cl := w.cta.cluster
	until := w.cta.cycles + w.steps + w.slept + uint64(w.PC(in)-w.start) + max(ns, 1)
	for m := w.Mask; m != 0; {
		addr := barriers[first(m)].at.Addr
		s := sleeper{w: w, frag: f.index, conditional: conditional, addr: addr, until: until}
		for k := m; k != 0; k &= k - 1 {
			if barriers[first(k)].at.Addr == addr {
				s.lanes |= 1 << first(k)
			}
		}
		m &^= s.lanes
		cl.sleepers = append(cl.sleepers, s)
	}
	return Wait
}

// release wakes the fragments that wait for an mbarrier, as a phase of it has begun, and the conditional phase with it or not.
func (cl *Cluster) release(b Mbarrier, o mbarriers.Object, conditional bool) {
	for i := 0; i < len(cl.sleepers); {
		s := cl.sleepers[i]
		if s.addr != b.at.Addr {
			i++
			continue
		}
		if conditional || !s.conditional {
			s.w.frags[s.frag].phase = Released{s.lanes, o.Word, b, o.Phase}
		}
		cl.rouse(s)
		i = 0
	}
}

// rouse ends the wait of a fragment.
func (cl *Cluster) rouse(s sleeper) {
	kept := cl.sleepers[:0]
	for _, o := range cl.sleepers {
		if o.w != s.w || o.frag != s.frag {
			kept = append(kept, o)
		}
	}
	cl.sleepers = kept
	s.w.patient &^= 1 << s.frag
	s.w.wake(&s.w.frags[s.frag])
	s.w.cta.runnable |= 1 << s.w.index
}

// now is the latest clock of the cluster's CTAs.
func (cl *Cluster) now() uint64 {
	t := uint64(0)
	for _, c := range cl.ctas {
		t = max(t, c.cycles)
	}
	return t
}

// due wakes those whose time is over.
func (cl *Cluster) due() {
	now := cl.now()
	for i := 0; i < len(cl.sleepers); {
		s := cl.sleepers[i]
		if s.until > now {
			i++
			continue
		}
		c := s.w.cta
		c.cycles = max(c.cycles, s.until)
		s.w.parting = s.w.joining != 0
		cl.rouse(s)
		i = 0
	}
}

// idle lets one warp go on when no warp of the cluster can: siblings of those that wait, then
// those whose time is over first. False if none will ever go on.
func (cl *Cluster) idle() bool {
	if len(cl.sleepers) == 0 {
		return false
	}
	return cl.parting() || cl.timeout()
}

// parting lets lanes that only wait for waiting siblings go on without them.
func (cl *Cluster) parting() bool {
	any := false
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			if w.patient != 0 && w.joining != 0 {
				w.parting, any = true, true
				c.runnable |= 1 << w.index
			}
		}
	}
	return any
}

// timeout lets the time pass that the first waits last, unless that has happened too often.
func (cl *Cluster) timeout() bool {
	if cl.rounds++; cl.changed != cl.seen {
		cl.seen, cl.rounds = cl.changed, 0
		cl.giveHope()
	}
	if cl.rounds >= hopelessRounds && cl.hopeless() {
		return false
	}
	next := cl.sleepers[0].until
	for _, s := range cl.sleepers {
		next = min(next, s.until)
	}
	for _, c := range cl.ctas {
		c.cycles = max(c.cycles, next)
	}
	cl.due()
	return true
}

// hopeless reports whether nothing in the grid can change what the cluster waits for: loops around
// waits may look at global memory too.
func (cl *Cluster) hopeless() bool {
	first := !cl.given
	cl.given = true
	return cl.core.host.GiveUp(first)
}

// giveHope takes the cluster back from the hopeless ones.
func (cl *Cluster) giveHope() {
	if cl.given {
		cl.given = false
		cl.core.host.TakeHeart()
	}
}

// phaseOf is what a suspended fragment waits for; nil if that is not known.
func (w *Warp) phaseOf(f *Fragment) *mbarriers.Wait {
	for _, s := range w.cta.cluster.sleepers {
		if s.w == w && s.frag == f.index {
			c := w.cta.cluster.ctas[s.addr>>mem.RankShift]
			return c.mbarriers.WaitFor(s.addr, c != w.cta)
		}
	}
	return nil
}
