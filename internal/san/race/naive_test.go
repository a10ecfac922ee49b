package race

// A reference for the detector: a vector clock for every thread, and every access kept. It shares nothing with the
// detector but the names of orders and scopes.

import "ptxvm.invalid/ptxvm/internal/machine/model"

// shape of the random programs: CTAs 2k and 2k+1 are a cluster. Few lanes act alone, all take part in whole warps.
const (
	ctas     = 4
	warps    = 2
	lanes    = 32
	threads  = ctas * warps * lanes
	clusters = ctas / 2
)

func ctaOf(t int) int  { return t / (warps * lanes) }
func warpOf(t int) int { return t / lanes }

// clock is the number of the last event of each thread that happened before.
type clock [threads]int

func (c *clock) join(o clock) {
	for i := range c {
		c[i] = max(c[i], o[i])
	}
}

type naiveRelease struct {
	clock clock
	scope model.Scope
	from  int
}

type naiveAccess struct {
	op
	thread, time int
}

type naive struct {
	time     int
	clocks   [threads]clock
	fences   [threads]*naiveRelease
	seen     [threads][]naiveRelease
	releases map[int][]naiveRelease // by granule
	history  []naiveAccess
	lockstep bool
}

// op is one access of the random programs: bytes of one granule.
type op struct {
	granule     int // below 0: of the thread's CTA's shared memory
	from, to    int
	read, write bool
	strong      bool
	order       model.Order
	scope       model.Scope
}

// includes reports whether two threads include each other at a scope.
func includes(s model.Scope, a, b int) bool {
	switch s {
	case model.CTAScope:
		return ctaOf(a) == ctaOf(b)
	case model.ClusterScope:
		return ctaOf(a)/2 == ctaOf(b)/2
	}
	return true
}

// place is a granule's key: shared ones are of a CTA.
func (o op) place(t int) int {
	if o.granule < 0 {
		return o.granule - 100*ctaOf(t)
	}
	return o.granule
}

func (n *naive) released(t int) clock {
	c := n.clocks[t]
	c[t] = n.time
	return c
}

// access returns whether the access of a thread races with any before it; same are the accesses of the same
// instruction.
func (n *naive) access(t int, o op) bool {
	n.step(t)
	raced := false
	for _, old := range n.history {
		if old.place(old.thread) != o.place(t) || old.to <= o.from || o.to <= old.from || !old.write && !o.write {
			continue
		}
		if old.thread == t || n.clocks[t][old.thread] >= old.time {
			continue
		}
		morally := old.strong && o.strong && old.from == o.from && old.to == o.to && includes(min(old.scope, o.scope), old.thread, t)
		raced = raced || !morally
	}
	n.history = append(n.history, naiveAccess{o, t, n.time})
	if o.strong {
		n.synchronise(t, o)
	} else if o.write {
		delete(n.releases, o.place(t))
	}
	return raced
}

func (n *naive) synchronise(t int, o op) {
	at := o.place(t)
	old := n.releases[at]
	if o.read {
		for _, r := range old {
			if !includes(min(r.scope, o.scope), r.from, t) {
				continue
			}
			if o.order.Acquires() {
				n.clocks[t].join(r.clock)
			} else {
				n.seen[t] = append(n.seen[t], naiveRelease{r.clock, min(r.scope, o.scope), r.from})
			}
		}
	}
	if !o.write {
		return
	}
	var now []naiveRelease
	if o.read {
		now = append(now, old...)
	}
	if o.order.Releases() {
		now = append(now, naiveRelease{n.released(t), o.scope, t})
	}
	if f := n.fences[t]; f != nil {
		now = append(now, naiveRelease{f.clock, min(f.scope, o.scope), t})
	}
	n.releases[at] = now
}

func (n *naive) fence(t int, order model.Order, scope model.Scope) {
	n.step(t)
	if order.Acquires() {
		for _, r := range n.seen[t] {
			if includes(min(r.scope, scope), r.from, t) {
				n.clocks[t].join(r.clock)
			}
		}
		n.seen[t] = nil
	}
	if order.Releases() {
		n.fences[t] = &naiveRelease{n.released(t), scope, t}
	}
}

// barrier lets every member know what all members know.
func (n *naive) barrier(members []int) {
	for _, t := range members {
		n.step(t)
	}
	n.meet(members)
}

func (n *naive) meet(members []int) {
	var all clock
	for _, t := range members {
		all.join(n.released(t))
	}
	for _, t := range members {
		n.clocks[t].join(all)
	}
}

// step begins an event of a thread. In step, what the lanes of its warp have done is ordered before it.
func (n *naive) step(t int) {
	if n.lockstep {
		n.meet(span(warpOf(t)*lanes, lanes))
	}
	n.time++
}
