package debug

// This file keeps a second run of the launch, that waits some way before the moment to which the session has gone back: the next step
// back goes on from there, while another one is made. That is what snapshots are for, without copying what a launch is made of.

import (
	"errors"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
)

const (
	// spareAhead is how many moments before the session a spare run waits: it must be before those that are to be remembered.
	spareAhead = 4 * window
	// spareLeast is the moment before which running anew is as good.
	spareLeast = 4 * spareAhead
	// spareMemory bounds the device memory of a launch that is kept twice.
	spareMemory = 256 << 20
)

// spare is a run in the background.
type spare struct {
	at      uint64 // the moment at which it waits, or will
	ready   chan *spared
	run     atomic.Pointer[run]
	dropped atomic.Bool
}

// spared is what has become of it.
type spared struct {
	run   *run
	pause *machine.Pause
	err   error
}

// prepare begins a spare run for a step back from the moment that the launch stands at.
func (s *Session) prepare() {
	if s.at == nil || s.at.Moment < spareLeast || len(s.edits) > 0 || s.listens() || s.used() > spareMemory {
		return
	}
	to := s.at.Moment - spareAhead
	if s.spare != nil && s.spare.at <= to && to-s.spare.at < spareAhead {
		return // it will do
	}
	if s.dropSpare() != nil {
		return // a device that cannot be closed is told of by Close
	}
	sp := &spare{at: to, ready: make(chan *spared, 1)}
	s.spare = sp
	out := &once{to: s.target.Output, written: &s.printed}
	seed := s.Seed
	go func() {
		r, err := s.target.begin(seed, out, nil, nil)
		if err != nil {
			sp.ready <- &spared{err: err}
			return
		}
		sp.run.Store(r)
		pause := <-r.arrived
		if pause != nil && pause.Moment < to && !sp.dropped.Load() {
			r.asked = func(p *machine.Pause) bool { return p.Moment >= to || p.Interrupted }
			r.steps.Until = to
			r.goOn <- true
			pause = <-r.arrived
		}
		sp.ready <- &spared{r, pause, nil}
	}()
}

// used is the device memory of the launch.
func (s *Session) used() (bytes uint64) {
	for _, a := range s.run.parts.Memory.Live() {
		bytes += a.End - a.Start
	}
	return bytes
}

// take makes the spare run the session's if it waits before a moment; false if there is none.
func (s *Session) take(moment uint64) (bool, error) {
	sp := s.spare
	if sp == nil || sp.at > moment-min(moment, window) || len(s.edits) > 0 || s.listens() || s.onTouch != nil {
		return false, nil
	}
	s.spare = nil
	if r := sp.run.Load(); r != nil {
		s.current.Store(r) // an interrupt ends the wait
	}
	got := <-sp.ready
	switch {
	case got.err != nil:
		return false, nil // running anew says what is wrong
	case got.pause == nil || got.pause.Moment < sp.at:
		return false, errors.Join(errInterrupted, got.run.leave(got.pause != nil))
	}
	if err := s.leave(); err != nil {
		return false, errors.Join(err, got.run.leave(true))
	}
	got.run.steps.Reported = s.reported
	s.adopt(got.run)
	s.at = got.pause
	s.mark()
	return true, nil
}

// dropSpare ends the spare run.
func (s *Session) dropSpare() error {
	sp := s.spare
	if s.spare = nil; sp == nil {
		return nil
	}
	sp.dropped.Store(true)
	if r := sp.run.Load(); r != nil {
		r.steps.Interrupt()
	}
	got := <-sp.ready
	if got.err != nil {
		return nil // there was none
	}
	return got.run.leave(got.pause != nil)
}
