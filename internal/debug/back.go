package debug

// This file goes back: the launch is run again up to a moment before the one where it stood. Which moment that is, a first run finds
// that is looked at as it comes close.

import (
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// seer says of moments in ascending order whether one is looked for; whole tells that it is shown all of them, from the first on.
type seer func(p *machine.Pause, whole bool) *Stop

// search finds the last moment before one that look says is looked for; found is nil if there is none. The moment itself is shown to
// look, too, which may then tell of the one before by Stop.before.
func (s *Session) search(now uint64, look func() seer) (moment uint64, found *Stop, err error) {
	for from := now - min(now, window); ; from = 0 {
		if moment, found, err = s.searchFrom(from, now, look()); err != nil || found != nil || from == 0 {
			return moment, found, err
		}
	}
}

func (s *Session) searchFrom(from, now uint64, look seer) (moment uint64, found *Stop, err error) {
	if err := s.start(); err != nil {
		return 0, nil, err
	}
	s.counts = true
	defer func() { s.counts = false }()
	stopped := false
	note := func(p *machine.Pause) {
		stop := look(p, from == 0)
		switch {
		case stop != nil && stop.past && p.Moment > 0:
			moment, found = p.Moment-1, stop
		case stop != nil && p.Moment < now:
			moment, found = p.Moment, stop
		}
	}
	if from == 0 && s.at != nil {
		note(s.at)
	}
	for s.at != nil && s.at.Moment < now && !stopped {
		stop := s.advance(max(from, 1), func(p *machine.Pause) *Stop {
			if p.Moment >= from {
				note(p)
			}
			if p.Moment < now {
				return nil
			}
			return &Stop{Why: Stepped}
		})
		stopped = stop != nil && stop.Why == Interrupted
	}
	if stopped {
		return 0, nil, errInterrupted
	}
	return moment, found, nil
}

// listens reports whether a watchpoint needs to be told of accesses.
func (s *Session) listens() bool {
	for _, b := range s.breaks {
		if b.Watch != nil && b.Watch.Kind != OnChange && !b.Disabled {
			return true
		}
	}
	return false
}

// searchBack goes to what is found before now, or to the first moment.
func (s *Session) searchBack(look func() seer) (*Stop, error) {
	now, focus := s.Moment(), s.focus
	if now == 0 {
		return &Stop{Why: NoMore}, nil
	}
	moment, found, err := s.search(now, look)
	if err != nil {
		return nil, err
	}
	if found == nil {
		found = &Stop{Why: NoMore}
	}
	if err := s.reach(moment); err != nil {
		return nil, err
	}
	s.focus = focus
	s.settle(found)
	return found, nil
}

// behind is walk for a launch that may have ended: then it follows the last instruction.
func (s *Session) behind() (*walk, error) {
	if s.at != nil {
		return s.walk()
	}
	if err := s.reach(s.Moment() - min(s.Moment(), 1)); err != nil {
		return nil, err
	}
	if s.at == nil {
		return nil, ErrNotRunning
	}
	s.follow(s.at)
	return nil, nil
}

// ReverseContinue goes back to the last moment at which a breakpoint would have stopped the launch, or before the instruction that has
// changed a watched value.
func (s *Session) ReverseContinue() (*Stop, error) {
	hits := map[*Breakpoint]int{}
	for _, b := range s.breaks {
		hits[b] = b.Hits
	}
	stop, err := s.searchBack(func() seer {
		var watch func(*machine.Pause) *Stop
		return func(p *machine.Pause, _ bool) *Stop {
			if watch == nil {
				watch = s.watcherAt(p)
			} else if hit := watch(p); hit != nil {
				hit.past = hit.Why == AtWatch // before the change; lanes that have parted are seen behind
				hit.Old, hit.New = hit.New, hit.Old
				return hit
			}
			return s.hit(p)
		}
	})
	for b, n := range hits {
		b.Hits = n
	}
	return stop, err
}

// watcherAt is watcher of a moment that the session does not stand at.
func (s *Session) watcherAt(p *machine.Pause) func(*machine.Pause) *Stop {
	at := s.at
	s.at = p
	defer func() { s.at = at }()
	return s.watcher()
}

// errNeverWritten is what LastWrite answers where nothing has written.
var errNeverWritten = errors.New("Nothing has written it since the launch began.")

// LastWrite goes back to the last instruction that has written a register of the focus's lane, or memory, also where the value is the
// same as before.
func (s *Session) LastWrite(e *Expr) (*Stop, error) {
	now := s.Moment()
	if _, err := s.behind(); err != nil {
		return nil, err
	}
	w, err := s.watchpoint(e, OnChange)
	if err != nil {
		return nil, err
	}
	look, err := s.writes(e, w)
	if err != nil {
		return nil, err
	}
	moment, found, err := s.search(now, look)
	s.onTouch = nil
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, errors.Join(errNeverWritten, s.reach(now))
	}
	if err := s.reach(moment); err != nil {
		return nil, err
	}
	if found.Moved = true; w.home == nil {
		s.focus.Lane = w.focus.Lane
	}
	s.settle(found)
	return found, nil
}

// writes returns what sees the instructions that write what an expression names.
func (s *Session) writes(e *Expr, w *Watchpoint) (func() seer, error) {
	if w.home != nil {
		t := new(touch)
		s.onTouch = func(ev *machine.Event) {
			if lanes := touches(ev, w); ev.Kind != machine.Load && lanes != 0 {
				*t = touch{s.run.steps.Now(), lanes}
			}
		}
		return func() seer { return s.memoryWrites(w, t) }, nil
	}
	scope, err := s.Scope()
	if err != nil {
		return nil, err
	}
	v, err := scope.Eval(e)
	if err != nil {
		return nil, err
	}
	if v.Home == nil {
		return nil, fmt.Errorf("%s is neither a register nor memory.", e.Text)
	}
	return func() seer { return s.registerWrites(v.Home.Register, w) }, nil
}

// memoryWrites sees the moment before one at which memory was touched, or is another than before: by an operation that went on by itself.
func (s *Session) memoryWrites(w *Watchpoint, t *touch) seer {
	var old []byte
	*t = touch{}
	return func(p *machine.Pause, _ bool) *Stop {
		now, _, here := s.look(w, p)
		wrote, lanes := p.Moment > 0 && t.behind == p.Moment, t.lanes
		if !wrote {
			lanes = 0
		}
		if here {
			wrote = wrote || old != nil && string(now) != string(old)
			old = now
		}
		if !wrote {
			return nil
		}
		return &Stop{Why: Stepped, past: true, lanes: lanes}
	}
}

// touch is a write to memory: the moment behind it, and the lanes that made it.
type touch struct {
	behind uint64
	lanes  uint32
}

func (s *Session) registerWrites(name string, w *Watchpoint) seer {
	return func(p *machine.Pause, _ bool) *Stop {
		f := decode.FuncOf(p.Frame().Func())
		if p.Lanes>>w.focus.Lane&1 == 0 || !s.itsThread(w, p) || p.Frame().Depth() != w.depth {
			return nil
		}
		wrote := false
		f.EachReg(&f.Insts[p.PC], func(r ir.Reg, a ir.Access) { wrote = wrote || a == ir.Write && f.Regs[r].Name == name })
		if !wrote {
			return nil
		}
		return &Stop{Why: Stepped}
	}
}
