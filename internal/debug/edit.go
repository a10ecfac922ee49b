package debug

// This file changes what the launch has in registers and memory, and remembers that for runs to come.

import (
	"errors"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// edit is a change at a moment.
type edit struct {
	moment uint64
	apply  func(p *machine.Pause)
}

// Set gives a register of the focus's lane, or memory, the value of an expression. At the same moment of later runs it gets it again;
// what was changed later is forgotten.
func (s *Session) Set(to, from *Expr) (Value, error) {
	scope, err := s.Scope()
	if err != nil {
		return Value{}, err
	}
	if scope.Warp == nil {
		return Value{}, ErrNotRunning
	}
	at, err := scope.Eval(to)
	if err != nil {
		return at, err
	}
	v, err := scope.Eval(from)
	switch {
	case err != nil:
		return v, err
	case at.Home == nil || at.Count > 0:
		return v, errors.New("Left operand of assignment is not an lvalue.")
	case at.boolean():
		v = truth(v.True())
	default:
		if v, err = v.converted(at.Type); err != nil {
			return v, err
		}
	}
	change, err := s.change(scope, at.Home, v)
	if err != nil {
		return v, err
	}
	s.edits = slices.DeleteFunc(s.edits, func(e edit) bool { return e.moment > s.at.Moment })
	s.edits = append(s.edits, edit{s.at.Moment, change})
	s.length, s.past.list = 0, nil
	change(s.at)
	v.Home = at.Home
	return v, nil
}

// change returns what writes a value, in any run.
func (s *Session) change(scope *Scope, h *Home, v Value) (func(*machine.Pause), error) {
	focus, level, home := s.focus, s.level, *h
	if h.Register == "" {
		return func(p *machine.Pause) {
			in := s.scopeAt(p, home.Lane)
			if w := find(p, focus); w != nil {
				in.Warp = w
			}
			_ = in.write(&home, v.bytes()) // it was read there before
		}, nil
	}
	r := scope.Func.Reg(h.Register)
	if _, used := s.rows.of(scope.Func)(r); r == ir.NoReg || !used {
		return nil, fmt.Errorf("Nothing uses register %s.", h.Register)
	}
	return func(p *machine.Pause) {
		w := find(p, focus)
		if w == nil {
			return
		}
		in := s.scopeAt(p, home.Lane)
		in.Warp, in.level = w, level
		if in.moveTo(home.Lane) == nil {
			row, _ := decode.RegisterRows(in.Func)(r)
			in.Frame.SetRegister(row, home.Lane, v.Low, v.High)
		}
	}, nil
}

// find is the warp of a focus at a moment; nil if it is not there.
func find(p *machine.Pause, f Focus) *machine.Warp {
	for _, c := range p.CTAs() {
		if c.ID() == f.CTA && f.Warp < len(c.Warps()) {
			return c.Warps()[f.Warp]
		}
	}
	return nil
}

// applyEdits makes the changes of a moment.
func (s *Session) applyEdits(p *machine.Pause) {
	for _, e := range s.edits {
		if e.moment == p.Moment {
			e.apply(p)
		}
	}
}

// nextEdit is the first moment behind one at which something is changed.
func (s *Session) nextEdit(moment uint64) uint64 {
	next := uint64(machine.Never)
	for _, e := range s.edits {
		if e.moment > moment {
			next = min(next, e.moment)
		}
	}
	return next
}
