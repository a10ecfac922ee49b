package host

// This file shares the clusters of a launch that are to begin. Each worker has a part of its own, the same from launch to
// launch, so that what it has touched is still in its processor's caches: elsewhere a line that two workers write goes to
// the other processor and back. It takes them from the front, a quarter of what is left at a time; who has none left
// takes from the end of others' parts.

import (
	"sync"
	"sync/atomic"
)

// part is the clusters [next, end) that a worker is to begin. They are written under mu.
type part struct {
	next, end atomic.Uint64
	mu        sync.Mutex
	_         [104]byte // keeps parts off each other's cache lines, which come in pairs
}

func (p *part) left() uint64 {
	if next, end := p.next.Load(), p.end.Load(); next < end {
		return end - next
	}
	return 0
}

// front takes the first clusters, as many of those left as n says.
func (p *part) front(n func(left uint64) uint64) (from, to uint64) {
	if p.left() == 0 { // none comes back while a worker takes some
		return 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alone(n)
}

// alone is front for a worker beside which no other takes any.
func (p *part) alone(n func(left uint64) uint64) (from, to uint64) {
	from = p.next.Load()
	to = from + n(p.left())
	p.next.Store(to)
	return from, to
}

// back takes the last ones.
func (p *part) back(n func(left uint64) uint64) (from, to uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to = p.end.Load()
	from = to - n(p.left())
	p.end.Store(from)
	return from, to
}

// share gives each part as many of the clusters from one on as the others. No worker takes any meanwhile.
func (s *schedule) share(parts []part, from uint64) {
	n := uint64(len(parts))
	each, more := (s.total-from)/n, (s.total-from)%n
	for i := range parts {
		to := from + each
		if uint64(i) < more {
			to++
		}
		parts[i].next.Store(from)
		parts[i].end.Store(to)
		from = to
	}
	s.parts = parts
}

// left reports whether there are clusters that no worker has taken.
func (s *schedule) left() bool {
	for i := range s.parts {
		if s.parts[i].left() != 0 {
			return true
		}
	}
	return false
}

// one is what a worker takes that is not to begin several by itself.
func one(left uint64) uint64 { return min(left, 1) }

// several is what one takes that is.
func (s *schedule) several(left uint64) uint64 {
	if len(s.parts) == 1 {
		return left
	}
	return min(left, max(left/4, s.least, 1))
}

// take gives a worker as many clusters as n says of those that are left in a part: its own, else the one with the most.
// Where clusters have to wait for others that is the first part with any, lest those are not begun for which they wait.
func (s *schedule) take(worker int, n func(left uint64) uint64) (from, to uint64) {
	switch {
	case len(s.parts) == 1:
		return s.parts[0].alone(n)
	case s.ordered.Load():
		return s.first(n)
	}
	for from, to = s.parts[worker].front(n); from == to && s.left(); {
		from, to = s.fullest().back(n)
	}
	return from, to
}

// first takes the clusters that come first.
func (s *schedule) first(n func(left uint64) uint64) (from, to uint64) {
	for i := range s.parts {
		if s.parts[i].left() != 0 {
			if from, to = s.parts[i].front(n); from < to {
				return from, to
			}
		}
	}
	return 0, 0
}

// more takes clusters for a worker from where it has taken some before, none if that is not its part's front.
func (s *schedule) more(worker int) (from, to uint64) {
	if s.ordered.Load() {
		return s.first(s.several)
	}
	return s.parts[worker].front(s.several)
}

func (s *schedule) fullest() *part {
	best := &s.parts[0]
	for i := range s.parts {
		if p := &s.parts[i]; p.left() > best.left() {
			best = p
		}
	}
	return best
}

// giveBack undoes take for clusters that the only worker has not begun.
func (s *schedule) giveBack(from, to uint64) {
	if from < to {
		s.taken.Add(-1)
		s.parts[0].next.Store(from)
	}
}
