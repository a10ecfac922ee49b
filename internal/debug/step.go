package debug

// This file steps: by instruction and by line, into calls and over them, out of them, and up to places.

import (
	"errors"
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// walk is where a step began, and what it follows.
type walk struct {
	s     *Session
	warp  *machine.Warp
	lane  int
	depth int
	line  Location
	lines bool // the function has .loc
	met   map[*machine.Warp]bool
}

// walk begins a step.
func (s *Session) walk() (*walk, error) {
	scope, err := s.Scope()
	if err != nil {
		return nil, err
	}
	if scope.Warp == nil {
		return nil, ErrNotRunning
	}
	l, _ := s.Code.Locate(Place{scope.Func.Name, scope.PC})
	return &walk{s: s, warp: scope.Warp, lane: scope.Lane, depth: scope.Frame.Depth(), line: l, lines: s.Code.hasSource(l.Func), met: map[*machine.Warp]bool{}}, nil
}

// follows reports whether what is about to be executed is the next instruction of what the steps are of.
func (w *walk) follows(p *machine.Pause) bool {
	switch w.s.Mode {
	case ByWarp:
		return p.Warp == w.warp
	case ByBlock:
		return w.behindBarrier(p)
	}
	return p.Warp == w.warp && p.Active>>w.lane&1 != 0
}

// behindBarrier reports whether a warp of the CTA has just passed a barrier.
func (w *walk) behindBarrier(p *machine.Pause) bool {
	if p.Warp.CTA() != w.warp.CTA() {
		return false
	}
	was := w.met[p.Warp]
	w.met[p.Warp] = isBarrier(p)
	return was && !w.met[p.Warp]
}

func isBarrier(p *machine.Pause) bool {
	switch p.Frame().Code().Split[p.PC].Op {
	case uop.BarrierSync, uop.BarrierCount, uop.BarrierPredicate, uop.ClusterWait:
		return true
	}
	return false
}

// StepInstruction goes to the next instruction; over: not into calls.
func (s *Session) StepInstruction(over bool) (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	w.begin()
	return s.forward(0, func(p *machine.Pause) *Stop {
		if !w.follows(p) || over && p.Frame().Depth() > w.depth {
			return nil
		}
		return &Stop{Why: Stepped}
	})
}

// begin notes that the warp that is about to execute may stand at a barrier.
func (w *walk) begin() { w.met[w.s.at.Warp] = isBarrier(w.s.at) }

// StepLine goes to the next line; over: not into calls.
func (s *Session) StepLine(over bool) (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	w.begin()
	return s.forward(0, func(p *machine.Pause) *Stop {
		if !w.follows(p) || !w.anotherLine(p, over) {
			return nil
		}
		return &Stop{Why: Stepped}
	})
}

// anotherLine reports whether a step by lines ends at an instruction.
func (w *walk) anotherLine(p *machine.Pause, over bool) bool {
	depth := p.Frame().Depth()
	l, _ := w.s.Code.Locate(placeOf(p))
	switch {
	case w.s.Mode == ByBlock:
		return true
	case depth > w.depth && (over || w.lines && len(l.Source) == 0):
		return false
	case depth == w.depth && SameLine(&l, &w.line):
		return false
	case w.lines && len(l.Source) == 0 && w.s.Code.hasSource(l.Func):
		return false // what the compiler has added
	}
	return true
}

// errOutermost is what finish answers in the kernel, in gdb's words.
var errOutermost = errors.New("\"finish\" not meaningful in the outermost frame.")

// Finish goes on until the function of the frame that is looked at has returned.
func (s *Session) Finish() (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	if w.depth == 0 {
		return nil, errOutermost
	}
	return s.forward(0, func(p *machine.Pause) *Stop {
		if p.Warp != w.warp || p.Active>>w.lane&1 == 0 || p.Frame().Depth() >= w.depth {
			return nil
		}
		return &Stop{Why: Stepped, Moved: true}
	})
}

// UntilLine goes on to a line behind this one, so that loops are done.
func (s *Session) UntilLine() (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	here := w.line.Line()
	return s.forward(0, func(p *machine.Pause) *Stop {
		if !w.follows(p) || !w.anotherLine(p, true) {
			return nil
		}
		l, _ := s.Code.Locate(placeOf(p))
		if at := l.Line(); p.Frame().Depth() == w.depth && at.File == here.File && at.Line < here.Line {
			return nil
		}
		return &Stop{Why: Stepped}
	})
}

// UntilPlace goes on until the focus's lane comes to a location, or, unless far, its function returns.
func (s *Session) UntilPlace(location string, far bool) (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	places, err := s.Code.Find(location, w.line.Place)
	if err != nil {
		return nil, err
	}
	there := map[Place]bool{}
	for _, p := range places {
		there[p] = true
	}
	return s.forward(0, func(p *machine.Pause) *Stop {
		if p.Warp != w.warp || p.Active>>w.lane&1 == 0 || !there[placeOf(p)] && (far || p.Frame().Depth() >= w.depth) {
			return nil
		}
		return &Stop{Why: Stepped}
	})
}

// UntilConverged goes on until all living lanes of the focus's warp stand together.
func (s *Session) UntilConverged() (*Stop, error) {
	w, err := s.walk()
	if err != nil {
		return nil, err
	}
	if s.at.Warp == w.warp && s.at.Active == w.warp.Live {
		return nil, fmt.Errorf("All %d living lanes of warp %d stand together.", bits.OnesCount32(w.warp.Live), w.warp.Index())
	}
	return s.forward(0, func(p *machine.Pause) *Stop {
		if p.Warp != w.warp || p.Active != p.Warp.Live {
			return nil
		}
		return &Stop{Why: Stepped}
	})
}

// Continue goes on until something stops the launch.
func (s *Session) Continue() (*Stop, error) {
	return s.forward(machine.Never, func(*machine.Pause) *Stop { return nil })
}
