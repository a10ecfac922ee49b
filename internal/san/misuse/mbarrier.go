package misuse

// This file looks at mbarriers: what no GPU stops at, and the manual forbids.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// phases is how many a token tells apart.
const phases = 1 << 44

// mbarrier reports a use that is wrong.
func (o *Observer) mbarrier(e *machine.Event, s *mbarriers.Step) {
	text, kind := wrong(s)
	if text == "" {
		return
	}
	r := &found.Report{Kind: kind, Text: text}
	if e.Op != nil {
		r.Then = e.Op.Place
	} else {
		r.Then = e.Place(e.Lanes)
	}
	o.reporter.Report(r)
}

// wrong says what is wrong with a use of an object as it is.
func wrong(s *mbarriers.Step) (text string, kind found.Kind) {
	kind = found.MbarrierMisuse
	switch s.Use {
	case mbarriers.Inits: // 9.7.13.15.9
		if s.Lives && s.Held {
			text, kind = "mbarrier.init of an mbarrier that lives: nothing has ended it by mbarrier.inval"+s.Describe(), found.MbarrierAgain
		}
	case mbarriers.Invals: // 9.7.13.15.10
		if !s.Lives || !s.Held {
			text = fmt.Sprintf("mbarrier.inval at %#x, where no mbarrier lives", s.Addr)
		}
	case mbarriers.Signals: // 9.7.13.15.10
		if !s.Lives && s.Held {
			text = fmt.Sprintf("an operation on the mbarrier at %#x, which mbarrier.inval has ended%s", s.Addr, s.Describe())
		}
	case mbarriers.AwaitsToken: // 9.7.13.15.16: of a phase that is neither the current one nor the one before
		if s.Held && (s.Phase-s.Value)%phases > 1 {
			text = fmt.Sprintf("a wait with the state of phase %d, neither the current one nor the one before: it is taken for one of the two, by its parity%s", s.Value, s.Describe())
		}
	case mbarriers.AwaitsParity:
		if kind = found.MbarrierParity; s.Value > 1 {
			text = fmt.Sprintf("a wait for the phase parity %#x, which is neither 0 nor 1: its lowest bit counts, %d", s.Value, s.Value&1)
		}
	}
	return text, kind
}

// plain reports an access, told for another check, that is no operation on mbarriers and touches the bytes of one
// that lives (9.7.13.15.1).
func (o *Observer) plain(e *machine.Event) {
	if e.Addr == nil || !e.Valued || e.Space != machine.Shared && e.Space != machine.Generic || !e.On.HasMbarriers() {
		return
	}
	for m := e.Lanes; m != 0; m &= m - 1 {
		x, ok := e.ExtentOf(first(m))
		if !ok || x.Space != machine.Shared {
			continue
		}
		if at, ok := e.On.MbarrierIn(&x); ok {
			o.misusedBeside(e, machine.Place{}, found.MbarrierMisuse, m&-m, "a plain %s of the bytes of the mbarrier at %#x, which lives: only its own operations may touch it", e.Kind, at)
			return
		}
	}
}
