package main

// This file says which round of a measurement was the fastest.

import "time"

// spent is what a round took.
type spent struct{ cpu, wall time.Duration }

// whole reports whether the round had a processor all the time. In a virtual machine a round that had none for a while
// can seem to have used less than it did: the system takes what the host has stolen off some round's time.
func (s spent) whole() bool { return 10*s.cpu >= 9*s.wall }

// processors is how many the round had.
func (s spent) processors() float64 { return float64(s.cpu) / float64(max(s.wall, 1)) }

// rounds keeps the processor time of the fastest whole round, and of the fastest in case none is whole, as on a machine
// that others use all the time.
type rounds struct{ whole, any time.Duration }

func (r *rounds) add(s spent) {
	if s.whole() {
		r.whole = lesser(r.whole, s.cpu)
	}
	r.any = lesser(r.any, s.cpu)
}

func (r *rounds) fastest() time.Duration {
	if r.whole > 0 {
		return r.whole
	}
	return r.any
}

// lesser is the shorter of two times, of which the first is 0 if there is none yet.
func lesser(best, took time.Duration) time.Duration {
	if best == 0 || took < best {
		return took
	}
	return best
}
