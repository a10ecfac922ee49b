package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file leaves where a test asks for it (Options.Forced): in front of accesses that test themselves, if a lane is
// on, and of what may leave; behind a back edge that has taken its fuel (fuel).

// force leaves in front of an effect if its state is asked for.
func (s *selector) force(e *ssa.Effect) {
	if !s.forced || e.State == 0 || e.Kind == ssa.Fuel {
		return
	}
	var uses []isel.VReg
	if k, known := s.f.Known(e.Mask); known && k == 0 {
		return
	} else if !known && e.Mask != 0 && e.Kind != ssa.Leave {
		uses = append(uses, s.any(e.Mask))
	}
	i := s.perform("leave if forced", func(c *code) {
		skip := c.NewLabel()
		if len(uses) > 0 {
			c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
			c.Jcc(x86.E, skip)
		}
		c.leaveIfForced(e.State)
		c.Bind(skip)
	}, nil, uses...)
	s.exit(i, e.State, 0)
}

// leaveIfForced goes where the instruction leads if a state is asked for.
func (c *code) leaveIfForced(id ssa.StateID) {
	c.MI(x86.CMP, x86.S32, c.stateAt(sForced), int32(id))
	c.leave(x86.E)
}
