package debug

// This file lets the launch go on, forwards to where something says stop, and to any moment.

import (
	"errors"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Why says why the launch stands.
type Why uint8

// The reasons.
const (
	Stepped     Why = iota // a step, or goto, has come to its end
	Began                  // the launch has begun
	AtBreak                // a breakpoint
	AtWatch                // a watchpoint
	Parted                 // lanes of the warp have parted
	Faulted                // the launch has faulted, or is in a deadlock: it stands before its last instruction
	Reports                // a sanitizer has reported what the instruction before did
	Interrupted            // Interrupt
	Finished               // the launch has ended; nothing can be looked at but global memory
	NoMore                 // going back has come to the first moment
)

// Stop is why the launch stands where it stands.
type Stop struct {
	Why     Why
	Break   *Breakpoint // AtBreak, AtWatch
	Old     string      // AtWatch: the values before and now; empty of one for reads
	New     string
	By      *Location  // AtWatch, Parted: the instruction that has done it
	Err     error      // Faulted, Finished
	Report  *vm.Report // Reports
	Frame   bool       // the thread is another than before
	Moved   bool       // the launch has not gone there by one step
	Parting Parting    // Parted

	at    *machine.Pause // where an untold one is
	past  bool           // it is about the instruction before
	lanes uint32         // that it is about; 0: any
}

// stopper says at a moment whether the launch stops there; nil: it does not.
type stopper func(*machine.Pause) *Stop

// advance lets the launch go on until a moment at which it is asked to stop; it is asked from a moment on, and at breakpoints. The
// result is nil if stop has never said so, and the launch has ended.
func (s *Session) advance(from uint64, stop stopper) *Stop {
	if s.at == nil {
		return nil
	}
	var found *Stop
	m := &s.run.steps.Moments
	s.run.asked = func(p *machine.Pause) bool {
		if s.applyEdits(p); p.Moment >= from {
			s.past.note(p)
		}
		m.Until = min(from, s.nextEdit(p.Moment))
		found = s.ask(p, stop)
		return found != nil
	}
	m.Until = min(from, s.nextEdit(s.at.Moment))
	s.report, s.touch = nil, nil
	s.run.goOn <- true
	s.await()
	return found
}

// ask is what happens at a moment at which the launch may stop. What stop finds is told before an interrupt, which it replaces, and
// behind a report: else the next watcher, which begins with the values of then, would know nothing of a change.
func (s *Session) ask(p *machine.Pause, stop stopper) *Stop {
	interrupted := p.Interrupted && (s.Front.Interrupted == nil || s.Front.Interrupted())
	found := stop(p)
	switch {
	case s.report != nil:
		if found != nil && found.Break != nil {
			found.at, s.untold = p, found
		}
		return &Stop{Why: Reports, Report: s.report, lanes: lanesOf(s.report, p)}
	case found != nil:
		return found
	case interrupted:
		return &Stop{Why: Interrupted}
	}
	return nil
}

// lanesOf is the lanes that a report is about, if they are of the warp that is about to execute; 0: they are not.
func lanesOf(r *vm.Report, p *machine.Pause) uint32 {
	at := &r.Here
	if at.Lanes == 0 || at.CTA.Array() != p.Warp.CTA().ID() || p.Warp.Thread(bits.TrailingZeros32(at.Lanes)) != at.Thread.Array() {
		return 0
	}
	return at.Lanes
}

// forward lets the launch go on, to a breakpoint, a watchpoint, a fault, a report, or where stop says, which is asked at each moment
// from one on (machine.Never: at none).
func (s *Session) forward(from uint64, stop stopper) (*Stop, error) {
	if s.at == nil {
		return nil, ErrNotRunning
	}
	if found := s.untold; found != nil && found.at == s.at {
		s.untold = nil
		return s.arrived(found)
	}
	if s.watching() {
		from = 0
	}
	watch := s.watcher()
	s.counts = true
	defer func() { s.counts = false }()
	found := s.advance(from, func(p *machine.Pause) *Stop {
		if hit := watch(p); hit != nil {
			return hit
		}
		if hit := s.hit(p); hit != nil {
			return hit
		}
		return stop(p)
	})
	return s.arrived(found)
}

// arrived makes what stopped the launch known: behind a fault it stands at the instruction that has faulted.
func (s *Session) arrived(found *Stop) (*Stop, error) {
	if s.at != nil {
		s.settle(found)
		return found, nil
	}
	return s.fault()
}

// settle moves the focus to where the launch has stopped, unless a step went there.
func (s *Session) settle(found *Stop) {
	before, level := s.focus, s.level
	s.follow(s.at)
	if found.Break != nil && found.Break.lane >= 0 {
		s.focus.Lane = found.Break.lane
	}
	if lanes := found.lanes & s.at.Active; lanes != 0 && lanes>>s.focus.Lane&1 == 0 {
		s.focus.Lane = bits.TrailingZeros32(lanes)
	}
	found.Frame = before != s.focus
	in := placeOf(s.at).Func
	found.Moved = found.Moved || level != 0 || in != s.in
	s.in = in
	if b := found.Break; b != nil && b.Temporary {
		s.remove(b)
	}
}

// end says that the launch has ended.
func (s *Session) end() *Stop { return &Stop{Why: Finished, Err: s.ended.Err} }

// fault goes back to the last instruction of a launch that has not ended well.
func (s *Session) fault() (*Stop, error) {
	ending := *s.ended
	if !stands(ending.Err) || ending.Moments == 0 {
		return s.end(), nil
	}
	if err := s.reach(ending.Moments - 1); err != nil {
		return nil, err
	}
	stop := &Stop{Why: Faulted, Err: ending.Err}
	if fault := (*vm.Fault)(nil); errors.As(ending.Err, &fault) && fault.Lanes&s.at.Active != 0 {
		s.focus.Lane = bits.TrailingZeros32(fault.Lanes)
	}
	s.settle(stop)
	return stop, nil
}

// stands reports whether a launch was ended by an instruction of its own.
func stands(err error) bool {
	var fault *vm.Fault
	var deadlock *vm.DeadlockError
	var stopped *vm.StoppedError
	return errors.As(err, &fault) || errors.As(err, &deadlock) || errors.As(err, &stopped)
}

// errInterrupted says that going to a moment was stopped on the way.
var errInterrupted = errors.New("Quit")

// reach brings the launch to a moment, by running on to it or anew. Nothing on the way stops it but Interrupt.
func (s *Session) reach(moment uint64) error {
	if s.at == nil || s.at.Moment > moment {
		taken, err := s.take(moment)
		if err == nil && !taken {
			err = s.start()
		}
		if err != nil {
			return err
		}
		defer s.prepare()
	}
	return s.runTo(moment)
}

// runTo is reach of a moment that is not behind the launch.
func (s *Session) runTo(moment uint64) error {
	if s.at != nil && s.at.Moment == 0 {
		s.past.note(s.at)
	}
	for s.at != nil && s.at.Moment < moment {
		found := s.advance(moment-min(moment, window), func(p *machine.Pause) *Stop {
			if p.Moment < moment {
				return nil
			}
			return &Stop{Why: Stepped}
		})
		if found != nil && found.Why == Interrupted {
			return errInterrupted
		}
	}
	if s.at == nil && s.ended.Err != nil && !stands(s.ended.Err) {
		return s.ended.Err
	}
	return nil
}

// Goto brings the launch to a moment.
func (s *Session) Goto(moment uint64) (*Stop, error) {
	if err := s.reach(moment); err != nil && !errors.Is(err, errInterrupted) {
		return nil, err
	}
	if s.at == nil {
		return s.fault()
	}
	stop := &Stop{Why: Stepped, Moved: true}
	if s.at.Moment < moment {
		stop.Why = Interrupted
	}
	s.settle(stop)
	return stop, nil
}
