package debug

// This file remembers the moments before the one at which the launch stands, so that a step back knows where it leads.

import "ptxvm.invalid/ptxvm/internal/machine"

// window is how many moments before the one that the launch is brought to are remembered.
const window = 1 << 14

// passed is a moment: which warp was about to execute what.
type passed struct {
	moment uint64
	cta    [3]uint32
	warp   int
	active uint32
	depth  int
	at     Place
	waits  bool // at a barrier
}

func passedAt(p *machine.Pause) passed {
	return passed{moment: p.Moment, cta: p.Warp.CTA().ID(), warp: p.Warp.Index(), active: p.Active, depth: p.Frame().Depth(), at: placeOf(p), waits: isBarrier(p)}
}

// past is moments that follow each other, the last ones before some moment.
type past struct{ list []passed }

// end is the moment behind those that are known.
func (r *past) end() uint64 {
	if len(r.list) == 0 {
		return 0
	}
	return r.list[len(r.list)-1].moment + 1
}

// note adds a moment; if it does not follow the others they are forgotten.
func (r *past) note(p *machine.Pause) {
	if len(r.list) > 0 && p.Moment < r.end() {
		return
	}
	if p.Moment != r.end() {
		r.list = r.list[:0]
	}
	if len(r.list) == 4*window {
		r.list = append(r.list[:0], r.list[3*window:]...)
	}
	r.list = append(r.list, passedAt(p))
}

// before is the moments known before one, nil if the one in front of it is not.
func (r *past) before(moment uint64) []passed {
	if len(r.list) == 0 || r.end() < moment || r.list[0].moment >= moment {
		return nil
	}
	return r.list[:moment-r.list[0].moment]
}

// chooser says of moments in ascending order whether a step back may lead there; whole tells that it is shown all, from the first on.
type chooser func(p *passed, whole bool) bool

// stepBack goes back to the last moment that is chosen, or to the first one.
func (s *Session) stepBack(choose func() chooser) (*Stop, error) {
	now, focus := s.Moment(), s.focus
	if now == 0 {
		return &Stop{Why: NoMore}, nil
	}
	known := s.past.before(now)
	if known == nil {
		if err := s.again(now); err != nil {
			return nil, err
		}
		known = s.past.before(now)
	}
	stop := &Stop{Why: Stepped}
	to, found := last(known, choose())
	if !found && len(known) > 0 && known[0].moment > 0 {
		var err error
		if to, found, err = s.lastOfAll(now, choose()); err != nil {
			return nil, err
		}
	}
	if !found {
		stop.Why = NoMore
	}
	if err := s.reach(to); err != nil {
		return nil, err
	}
	s.focus = focus
	s.settle(stop)
	return stop, nil
}

// again brings the launch to a moment once more, so that the moments before it are known.
func (s *Session) again(now uint64) error {
	s.past.list = nil
	if s.at != nil && s.at.Moment >= now {
		if err := s.start(); err != nil {
			return err
		}
	}
	return s.reach(now)
}

// last is the last of some moments that is chosen.
func last(list []passed, choose chooser) (moment uint64, found bool) {
	whole := len(list) > 0 && list[0].moment == 0
	for i := range list {
		if choose(&list[i], whole) {
			moment, found = list[i].moment, true
		}
	}
	return moment, found
}

// lastOfAll runs the launch anew to choose among all moments before one.
func (s *Session) lastOfAll(now uint64, choose chooser) (moment uint64, found bool, err error) {
	moment, stop, err := s.searchFrom(0, now, func(p *machine.Pause, _ bool) *Stop {
		if at := passedAt(p); p.Moment < now && choose(&at, true) {
			return &Stop{Why: Stepped}
		}
		return nil
	})
	return moment, stop != nil, err
}

// back is what a step back follows.
type back struct {
	*walk
	focus Focus
	met   map[int]bool // by warp of the CTA: stood at a barrier
}

// follows reports whether a moment is one of what the steps are of.
func (b *back) follows(p *passed) bool {
	switch {
	case p.cta != b.focus.CTA:
		return false
	case b.s.Mode == ByBlock:
		was := b.met[p.warp]
		b.met[p.warp] = p.waits
		return was && !p.waits
	case p.warp != b.focus.Warp:
		return false
	}
	return b.s.Mode == ByWarp || p.active>>b.lane&1 != 0
}

// backwards begins a step back. Of a launch that has ended it goes to the last moment, and the step is done: the result is nil.
func (s *Session) backwards() (func() *back, error) {
	w, err := s.behind()
	if err != nil || w == nil {
		return nil, err
	}
	return func() *back { return &back{w, s.focus, map[int]bool{}} }, nil
}

// ReverseStepInstruction goes back to the instruction before, of what steps are of; over: of the same call.
func (s *Session) ReverseStepInstruction(over bool) (*Stop, error) {
	begin, err := s.backwards()
	if err != nil || begin == nil {
		return &Stop{Why: Stepped, Moved: true}, err
	}
	return s.stepBack(func() chooser {
		b := begin()
		return func(p *passed, _ bool) bool { return b.follows(p) && !(over && p.depth > b.depth) }
	})
}

// ReverseStepLine goes back to the beginning of the line, or of the one before; over: of the same call.
func (s *Session) ReverseStepLine(over bool) (*Stop, error) {
	begin, err := s.backwards()
	if err != nil || begin == nil {
		return &Stop{Why: Stepped, Moved: true}, err
	}
	return s.stepBack(func() chooser {
		b := begin()
		var before *Location
		depth := 0
		return func(p *passed, whole bool) bool {
			if !b.follows(p) || over && p.depth > b.depth {
				return false
			}
			l, _ := s.Code.Locate(p.at)
			if b.lines && len(l.Source) == 0 {
				return false
			}
			begins := before == nil && whole || before != nil && (!SameLine(before, &l) || depth != p.depth)
			before, depth = &l, p.depth
			return begins || s.Mode == ByBlock
		}
	})
}

// ReverseFinish goes back to the call of the function.
func (s *Session) ReverseFinish() (*Stop, error) {
	begin, err := s.backwards()
	if err != nil || begin == nil {
		return &Stop{Why: Stepped, Moved: true}, err
	}
	if b := begin(); b.depth == 0 {
		return nil, errOutermost
	}
	return s.stepBack(func() chooser {
		b := begin()
		return func(p *passed, _ bool) bool { return b.follows(p) && p.depth < b.depth }
	})
}
