package debug

// This file holds what fronts other than a terminal ask for: editors that talk while the launch runs, and that name instructions,
// bytes of memory and files instead of commands.

import (
	"math/bits"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Front is what a front decides while the launch runs. The launch calls it, and waits; of the Session it may use breakpoints and Code
// alone. A nil function stops the launch.
type Front struct {
	Interrupted func() (stop bool)                         // behind Interrupt
	Met         func(b *Breakpoint, at *Scope) (stop bool) // at a breakpoint whose condition holds for the lane of at
	Reported    func(r *vm.Report) (stop bool)             // at a report of a sanitizer
}

// passed reports whether the front lets a breakpoint be passed that a warp has met.
func (s *Session) passed(b *Breakpoint, p *machine.Pause) bool {
	if s.Front.Met == nil {
		return false
	}
	lane := b.lane
	if lane < 0 {
		lane = bits.TrailingZeros32(p.Active)
	}
	return !s.Front.Met(b, s.scopeAt(p, lane))
}

// BreakAt makes a breakpoint at instructions.
func (s *Session) BreakAt(b *Breakpoint, places ...Place) {
	b.Places = places
	s.add(b)
}

// ReadBytes copies memory as the lane in focus sees it.
func (s *Scope) ReadBytes(space string, addr uint64, n int) ([]byte, error) {
	return s.read(space, addr, n, s.Lane)
}

// WriteBytes stores bytes in memory as the lane in focus sees it. At the same moment of later runs they are stored again; what was
// changed later is forgotten.
func (s *Session) WriteBytes(space string, addr uint64, data []byte) error {
	scope, err := s.Scope()
	switch {
	case err != nil:
		return err
	case scope.Warp == nil:
		return ErrNotRunning
	}
	if _, err := scope.ReadBytes(space, addr, len(data)); err != nil {
		return err
	}
	focus, home := s.focus, Home{Space: space, Addr: addr, Lane: scope.Lane}
	data = slices.Clone(data)
	change := func(p *machine.Pause) {
		in := s.scopeAt(p, home.Lane)
		if w := find(p, focus); w != nil {
			in.Warp = w
		}
		_ = in.write(&home, data) // it was read there before
	}
	s.edits = slices.DeleteFunc(s.edits, func(e edit) bool { return e.moment > s.at.Moment })
	s.edits = append(s.edits, edit{s.at.Moment, change})
	s.length = 0
	change(s.at)
	return nil
}

// Specials lists the special registers that have a value for the lane, with the components of vectors apart.
func (s *Scope) Specials() (list []Symbol) {
	for _, id := range isa.Specials() {
		names := []string{id.String()}
		if id.Info().Lanes > 1 {
			names = []string{id.String() + ".x", id.String() + ".y", id.String() + ".z"}
		}
		for _, name := range names {
			e, err := ParseExpr(name)
			if err != nil {
				continue // no expression names it
			}
			if v, err := s.Eval(e); err == nil {
				list = append(list, Symbol{name, v})
			}
		}
	}
	return list
}

// Text is a file of PTX as it was compiled.
type Text struct {
	Name string
	Text []byte
}

// Texts lists the PTX of the program.
func (c *Code) Texts() (list []Text) {
	for _, s := range c.module.Sources {
		list = append(list, Text{s.Name, s.Text})
	}
	return list
}

// SourceFiles lists the files that .file names, as it names them.
func (c *Code) SourceFiles() []string {
	list := slices.Clone(c.module.Files)
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return strings.TrimSpace(name) == "" })
}

// BreakHere is the stop at a breakpoint that means the instruction that the launch stands at, which counts; nil: there is none.
func (s *Session) BreakHere() *Stop {
	if s.at == nil {
		return nil
	}
	found := s.hit(s.at)
	if found != nil {
		s.settle(found)
	}
	return found
}

// Pointee is the memory that a parameter points into, from where it points to the end of the allocation; false if it is no pointer.
func (s *Scope) Pointee(p *Symbol) (Value, bool) {
	if p.Value.Count > 0 || p.Value.Type.Bits() != 64 || p.Value.Type.Float() {
		return Value{}, false
	}
	a, ok := s.parts.Memory.Find(p.Value.Low)
	t := s.pointee(p.Name)
	if !ok || a.End-p.Value.Low < uint64(t.Size()) {
		return Value{}, false
	}
	return Value{Type: t, Count: int((a.End - p.Value.Low) / uint64(t.Size())), Home: &Home{Space: "generic", Addr: p.Value.Low, Lane: s.Lane}}, true
}
