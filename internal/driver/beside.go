package driver

// This file runs a programmatic launch beside the kernel in front of it (griddepcontrol): only where a seed asks for
// other orders than the usual one, so that a missing griddepcontrol.wait shows in values. Then the kernel in front
// stays where it lets the other one begin until that has run, or waits.

import (
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// A kernel stays so long for one that is not there yet, so often in vain, and so long for one that runs.
const (
	untilThere = 250 * time.Millisecond
	mostVain   = 4
	untilOver  = time.Second
)

// beside is what an item has to do with the one behind it, or in front of it, that runs beside it. Guarded by
// stream.mu where no type says otherwise.
type beside struct {
	front  *item // it has begun before that was over
	next   *item // has begun before this is over
	began  time.Time
	issued bool        // what is behind may begin
	closed bool        // nothing may any more
	vain   bool        // it has stayed for one that did not come
	ran    atomic.Bool // its kernel is over
	waits  atomic.Bool // some of its threads wait for front
}

// overlaps reports whether kernels of the stream run beside each other.
func (s *stream) overlaps() bool { return s.dev.d.cfg.Device.Seed != 0 && !s.dev.d.cfg.Blocking }

// depend gives a kernel that is about to run its place.
func (s *stream) depend(it *item) {
	k, ok := it.work.(*kernelWork)
	if !ok || !s.overlaps() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it.began, s.running = time.Now(), it
	k.depends = &machine.Dependence{Issued: func() { s.issue(it) }, Holds: func() bool { return s.holds(it, k.f) }}
	if it.front != nil {
		k.depends.Over, k.depends.Waits = it.front.over.Load, func() { it.waits.Store(true) }
	}
}

// issue lets the kernel behind an item begin.
func (s *stream) issue(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it.issued = true
	s.beginNext()
}

// beginNext begins the programmatic launch at the head of the queue, if what runs in front of it allows that. The
// stream is locked.
func (s *stream) beginNext() {
	it := s.running
	if it == nil || !it.issued || it.closed || it.next != nil || len(s.queue) == 0 || !s.queue[0].programmatic {
		return
	}
	next := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	next.front, it.next = it, next
	go s.perform(next)
}

// holds reports whether a kernel stays where it has let the one behind it begin.
func (s *stream) holds(it *item, f *function) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stayed := time.Since(it.began)
	switch next := it.next; {
	case next != nil:
		return !next.ran.Load() && !next.waits.Load() && stayed < untilOver
	case len(s.queue) != 0:
		return s.queue[0].programmatic && stayed < untilOver
	}
	switch { // who waits for the stream puts nothing into it
	case s.waiters != 0 || f.vain.Load() >= mostVain || it.vain:
		return false
	case stayed < untilThere:
		return true
	}
	it.vain = true
	f.vain.Add(1)
	return false
}

// settle ends an item's part: nothing begins beside it any more, and what it began beside is over.
func (s *stream) settle(it *item) (next *item) {
	it.ran.Store(true)
	s.mu.Lock()
	it.closed = true
	next = it.next
	s.mu.Unlock()
	if it.front != nil {
		<-it.front.done
	}
	return next
}
