package driver

// This file runs a programmatic launch beside the kernel in front of it (griddepcontrol), or beside one of whose trigger it comes
// behind (Launch.Events): only where a seed asks for other orders than the usual one, so that a missing griddepcontrol.wait shows
// in values. Then the kernel in front stays where it lets the other one begin until that has run, or waits.

import (
	"slices"
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
	loose  []*item      // launches whose triggers it comes behind, without an end of theirs; never written once it is queued
	wanted atomic.Int32 // launches that have it in loose
	others []*item      // of them, those that have begun
	in     *stream      // that runs it; set before anything that comes behind it can begin
	front  *item        // it has begun before that was over
	next   *item        // has begun before this is over
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
	it.tellFronts()
	s.mu.Lock()
	defer s.mu.Unlock()
	it.began, it.in, s.running = time.Now(), s, it
	k.depends = &machine.Dependence{Issued: func() { s.issue(it) }, Holds: func() bool { return s.holds(it, k.f) }}
	if it.front != nil || len(it.loose) != 0 {
		k.depends.Over, k.depends.Waits = it.allOver, func() { it.waits.Store(true) }
	}
	it.trigger(atBegin)
}

// allOver reports whether all is over that the item has begun beside.
func (it *item) allOver() bool {
	open := func(o *item) bool { return !o.over.Load() }
	return (it.front == nil || !open(it.front)) && !slices.ContainsFunc(it.loose, open)
}

// issue lets the kernel behind an item begin.
func (s *stream) issue(it *item) {
	it.trigger(atDependents)
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
	runs := func(o *item) bool { return !o.ran.Load() && !o.waits.Load() }
	switch next := it.next; {
	case int(it.wanted.Load()) > len(it.others): // one is on its way
		return stayed < untilThere
	case next != nil || len(it.others) != 0:
		return (next != nil && runs(next) || slices.ContainsFunc(it.others, runs)) && stayed < untilOver
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
	it.closed, it.others = true, nil
	next = it.next
	s.mu.Unlock()
	if it.front != nil {
		<-it.front.done
	}
	if it.kernel { // a place in the order is for those behind it
		for _, front := range it.loose {
			<-front.done
		}
		it.loose = nil // what it holds, and so on, is not needed any more
	}
	return next
}
