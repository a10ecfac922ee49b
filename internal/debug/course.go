package debug

// This file goes to what happens in a launch: its fault, and what sanitizers report.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Course is what has happened in a launch that ran to its end as a session runs it, with moments.
type Course struct {
	Reports []*vm.Report // when they were made: the same instructions may have several
	End     error
	Moments uint64
}

// ErrTooLong says that a launch has more moments than one would wait for.
var ErrTooLong = errors.New("the launch executes too many instructions")

// Follow runs a launch to its end, or for so many moments.
func (t *Target) Follow(ctx context.Context, most uint64) (*Course, error) {
	c := new(Course)
	steps := vm.Stepping{Reported: func(r *vm.Report) { c.Reports = append(c.Reports, r) }}
	steps.Until, steps.At = most, func(*machine.Pause) error { return ErrTooLong }
	l, err := t.Open(vm.StepBy(&steps), t.Seed, io.Discard)
	if err != nil {
		return nil, err
	}
	c.End = l.Run(ctx)
	c.Moments = steps.Now()
	if err := l.Close(); err != nil {
		return nil, err
	}
	if errors.Is(c.End, ErrTooLong) {
		return nil, ErrTooLong
	}
	return c, nil
}

// Tell gives a fault, a deadlock and reports of another run of the launch the moments at which the course has them; what it does not
// have, since that run had its warps in another order, gets none. Where other threads have faulted at the instruction, the fault becomes
// that of the course.
func (c *Course) Tell(end error, reports []*vm.Report) {
	var fault, ours *vm.Fault
	var deadlock, same *vm.DeadlockError
	last := c.Moments - min(c.Moments, 1)
	switch {
	case errors.As(end, &fault):
		if errors.As(c.End, &ours) && fault.Code == ours.Code && fault.PTX == ours.PTX {
			*fault = *ours // of several blocks that have faulted there at a time, the one that comes first in this order
			fault.Moment = &last
		}
	case errors.As(end, &deadlock):
		if errors.As(c.End, &same) && deadlock.CTA == same.CTA && len(deadlock.Waiters) == len(same.Waiters) {
			deadlock.Moment = &last
		}
	}
	for _, r := range reports {
		for _, at := range c.Reports {
			if at.ID == r.ID {
				r.Moment = at.Moment
				break
			}
		}
	}
}

// GotoFault goes to the instruction that ends the launch. Nothing on the way stops it but Interrupt.
func (s *Session) GotoFault() (*Stop, error) {
	if s.at == nil {
		return s.fault()
	}
	for s.at != nil {
		found := s.advance(machine.Never, func(*machine.Pause) *Stop { return nil })
		if found != nil && found.Why == Interrupted {
			return s.arrived(found)
		}
	}
	return s.fault()
}

// GotoReport goes from the start of the launch to behind the instruction that a sanitizer reports as the nth.
func (s *Session) GotoReport(n int) (*Stop, error) {
	if err := s.start(); err != nil {
		return nil, err
	}
	for left := n; s.at != nil; {
		found := s.advance(machine.Never, func(*machine.Pause) *Stop { return nil })
		if found == nil {
			break
		}
		if left--; found.Why == Interrupted || left == 0 {
			found.Moved = true
			return s.arrived(found)
		}
	}
	stop, err := s.arrived(nil)
	if !s.run.parts.Sanitized {
		return stop, errors.Join(err, errors.New("There is no report: no sanitizer looks (--sanitize)."))
	}
	return stop, errors.Join(err, fmt.Errorf("There is no report %d.", n))
}
