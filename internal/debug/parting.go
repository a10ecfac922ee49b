package debug

// This file stops the launch where the lanes of a warp part.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Parting is how lanes go on that stood together.
type Parting struct {
	Lanes  uint32 // that are about to execute
	Others uint32 // that go another way, or wait
}

// CatchParting makes a breakpoint that stops the launch behind each instruction at which lanes of a warp part that stood together; lanes
// that exit do not part.
func (s *Session) CatchParting(b *Breakpoint) {
	b.Location, b.Parting = "divergence", true
	s.add(b)
}

// together is what is known of a warp: which lanes were about to execute what when it was looked at last.
type together struct {
	lanes uint32
	at    Place
}

// parted returns what finds lanes that part; nil where no breakpoint asks for it. It begins with the warps of now.
func (s *Session) parted() func(*machine.Pause) *Stop {
	var caught []*Breakpoint
	for _, b := range s.breaks {
		if b.Parting && !b.Disabled {
			caught = append(caught, b)
		}
	}
	if caught == nil {
		return nil
	}
	last := map[*machine.Warp]together{}
	if s.at != nil {
		for _, c := range s.at.CTAs() {
			for _, w := range c.Warps() {
				for _, f := range s.at.Fragments(w) {
					if f.Running || last[w].lanes == 0 {
						last[w] = together{f.Lanes, PlaceOf(f.Frame, f.PC)}
					}
				}
			}
		}
	}
	return func(p *machine.Pause) *Stop {
		before := last[p.Warp]
		last[p.Warp] = together{p.Active, placeOf(p)}
		others := before.lanes &^ p.Active & p.Warp.Live
		if others == 0 || p.Active&^before.lanes != 0 {
			return nil
		}
		for _, b := range caught {
			if s.counted(b, p) && !s.passed(b, p) {
				l, _ := s.Code.Locate(before.at)
				return &Stop{Why: Parted, Break: b, By: &l, Parting: Parting{p.Active, others}}
			}
		}
		return nil
	}
}

// counted counts that a watchpoint, or a catchpoint, is met; false where its condition does not hold, or where it is to be passed.
func (s *Session) counted(b *Breakpoint, p *machine.Pause) bool {
	if b.Condition != nil {
		v, err := s.scopeAt(p, bits.TrailingZeros32(p.Active)).Eval(b.Condition)
		if err == nil && !v.True() {
			return false
		}
	}
	if b.Hits++; b.Ignore > 0 {
		b.Ignore--
		return false
	}
	return true
}
