package debug

// This file holds breakpoints: places at which the launch stops, for some threads, under a condition.

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Breakpoint is a breakpoint, a watchpoint or a catchpoint.
type Breakpoint struct {
	Number    int
	Location  string   // as it was given
	Places    []Place  // of a breakpoint
	Thread    *Threads // nil: any
	Condition *Expr    // nil: none
	Temporary bool     // it is deleted when the launch stops there
	Disabled  bool
	Ignore    int // further times that it is passed over
	Hits      int
	Watch     *Watchpoint // nil: a breakpoint
	Parting   bool        // a catchpoint: where lanes part
	Failed    error       // why its condition could not be evaluated; it stopped then

	lane int // that it stopped for; -1: any
}

// Threads says which threads a breakpoint is for.
type Threads struct {
	Block, Thread       [3]uint32
	AnyBlock, AnyThread bool
}

// String is the filter as break takes it.
func (t *Threads) String() string {
	if t.AnyBlock {
		return "thread " + point(t.Thread)
	}
	if t.AnyThread {
		return "block " + point(t.Block)
	}
	return "thread " + point(t.Block) + "/" + point(t.Thread)
}

// lanes are those that a breakpoint of the filter is for, of a warp that is about to execute.
func (t *Threads) lanes(p *machine.Pause) uint32 {
	if t == nil {
		return p.Active
	}
	if !t.AnyBlock && p.Warp.CTA().ID() != t.Block {
		return 0
	}
	if t.AnyThread {
		return p.Active
	}
	for m := p.Active; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); p.Warp.Thread(lane) == t.Thread {
			return 1 << lane
		}
	}
	return 0
}

// Break makes a breakpoint at a location.
func (s *Session) Break(b *Breakpoint) error {
	at := Place{Func: s.Code.kernel.Name}
	if l, err := s.Here(); err == nil {
		at = l.Place
	}
	if strings.TrimSpace(b.Location) == "" {
		b.Places = []Place{at}
	} else {
		var err error
		if b.Places, err = s.Code.Find(b.Location, at); err != nil {
			return err
		}
	}
	if err := s.CheckCondition(b, b.Condition); err != nil {
		return err
	}
	s.add(b)
	return nil
}

// CheckCondition says which name of a condition means nothing where a breakpoint is.
func (s *Session) CheckCondition(b *Breakpoint, e *Expr) (err error) {
	if e == nil {
		return nil
	}
	for _, at := range b.Places {
		c := &evaluation{Scope: &Scope{Func: s.run.parts.Module.Func(at.Func), parts: s.run.parts, info: s.run.Kernel.Info()}}
		visit(e.root, func(n node) {
			if err == nil {
				err = c.known(n)
			}
		})
	}
	return err
}

// known says that a name means nothing in a function.
func (c *evaluation) known(n node) error {
	switch n := n.(type) {
	case *register:
		if _, special := isa.LookupSpecial(n.name); !special && c.Func.Reg(n.name) == ir.NoReg {
			return c.noRegister(n.name)
		}
	case *named:
		_, variable := c.variable(n.name)
		if _, parameter := c.parameter(n.name); !variable && !parameter {
			return c.noSymbol(n.name)
		}
	}
	return nil
}

func (s *Session) add(b *Breakpoint) {
	s.number++
	b.Number, b.lane = s.number, -1
	s.breaks = append(s.breaks, b)
	s.mark()
}

// Breakpoints lists those that there are.
func (s *Session) Breakpoints() []*Breakpoint { return s.breaks }

// Breakpoint finds one by its number.
func (s *Session) Breakpoint(n int) (*Breakpoint, error) {
	i := slices.IndexFunc(s.breaks, func(b *Breakpoint) bool { return b.Number == n })
	if i < 0 {
		return nil, fmt.Errorf("No breakpoint number %d.", n)
	}
	return s.breaks[i], nil
}

// Delete removes breakpoints: those of the numbers, or all.
func (s *Session) Delete(numbers ...int) error {
	if len(numbers) == 0 {
		s.breaks = nil
		s.mark()
		return nil
	}
	for _, n := range numbers {
		b, err := s.Breakpoint(n)
		if err != nil {
			return err
		}
		s.remove(b)
	}
	return nil
}

func (s *Session) remove(b *Breakpoint) {
	s.breaks = slices.DeleteFunc(s.breaks, func(o *Breakpoint) bool { return o == b })
	s.mark()
}

// Enable lets breakpoints stop the launch, or not.
func (s *Session) Enable(on bool, numbers ...int) error {
	if len(numbers) == 0 {
		for _, b := range s.breaks {
			b.Disabled = !on
		}
	}
	for _, n := range numbers {
		b, err := s.Breakpoint(n)
		if err != nil {
			return err
		}
		b.Disabled = !on
	}
	s.mark()
	return nil
}

// mark makes the code stop at the breakpoints that there are.
func (s *Session) mark() {
	s.marks = map[Place][]*Breakpoint{}
	for _, b := range s.breaks {
		for _, at := range b.Places {
			if !b.Disabled {
				s.marks[at] = append(s.marks[at], b)
			}
		}
	}
	if s.at == nil {
		return
	}
	for _, code := range s.at.Codes() {
		for pc := range code.Split {
			code.Mark(int32(pc), s.marks[Place{code.Func.Name, int32(pc)}] != nil)
		}
	}
}

// hit finds the breakpoint at which a warp stops, and counts.
func (s *Session) hit(p *machine.Pause) (found *Stop) {
	for _, b := range s.marks[placeOf(p)] {
		if !s.meets(b, p) {
			continue
		}
		if b.Hits++; b.Ignore > 0 {
			b.Ignore--
		} else if !s.passed(b, p) && found == nil {
			found = &Stop{Why: AtBreak, Break: b}
		}
	}
	return found
}

// meets reports whether a warp that is about to execute the instruction of a breakpoint is meant by it: the handler has looked at the
// place, so that the threads come first and the condition last. A condition that cannot be evaluated holds.
func (s *Session) meets(b *Breakpoint, p *machine.Pause) bool {
	lanes := b.Thread.lanes(p)
	b.lane, b.Failed = -1, nil
	switch {
	case lanes == 0:
		return false
	case b.Condition == nil:
		if b.Thread != nil {
			b.lane = bits.TrailingZeros32(lanes)
		}
		return true
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		v, err := s.scopeAt(p, lane).Eval(b.Condition)
		if err != nil || v.True() {
			b.lane, b.Failed = lane, err
			return true
		}
	}
	return false
}

// AtBreak reports whether a breakpoint means the instruction that the launch stands at, and counts.
func (s *Session) AtBreak() bool { return s.at != nil && s.hit(s.at) != nil }

// PassHere makes the breakpoints at the instruction that the launch stands at be passed so many times.
func (s *Session) PassHere(times int) {
	if s.at != nil {
		for _, b := range s.marks[placeOf(s.at)] {
			b.Ignore = times
		}
	}
}
