// Package numbers finds the instructions that make a NaN, or an infinity, of operands that are none, and follows what they make
// through registers, local memory and calls up to where it leaves them: a store in other memory, or a comparison.
//
// A NaN that is loaded, or handed over by another lane, was made elsewhere. Each instruction is one report: of the first time that
// what it makes gets somewhere, or else of the first time.
package numbers

import (
	"math/bits"
	"sync"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Observer looks at a launch: machine.Numbers.
type Observer struct {
	infinite bool
	early    func(*found.Report)

	mu    sync.Mutex
	made  map[origin]*creation
	order []*creation
}

// New returns what looks at a launch, and reports at its end; infinite: infinities, too.
func New(list *found.List, infinite bool) *Observer {
	o := &Observer{infinite: infinite, early: list.Early, made: map[origin]*creation{}}
	list.AtEnd(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, c := range o.order {
			list.Many(&c.report, c.times)
		}
	})
	return o
}

// origin is an instruction that makes something.
type origin struct {
	fn   *machine.FuncInfo
	pc   int32
	what class
}

// creation is what is known of such an instruction.
type creation struct {
	what   class
	report found.Report
	times  int  // lanes that have made it
	left   bool // the report is of one that got somewhere
}

// Step implements machine.Numbers.
func (o *Observer) Step(w *machine.Warp, in *machine.Inst, a *dataflow.Arithmetic, run machine.Handler) machine.State {
	trails := o.trails(w)
	if !a.Makes && len(trails) == 0 {
		return run(w, in)
	}
	s := step{warp: w, in: in, of: a, lanes: w.Mask}
	s.keep()
	if a.Local != nil {
		a.Local.Addresses(w, &s.addresses) // before a load takes their register
	}
	st := run(w, in)
	if st == machine.Wait || st == machine.Faulted {
		return st
	}
	if len(trails) != 0 {
		o.follow(&s, trails)
	}
	if a.Makes {
		o.look(&s)
	}
	return st
}

// classes are what is looked for.
func (o *Observer) classes() []class {
	if o.infinite {
		return []class{nan, infinity}
	}
	return []class{nan}
}

// look finds what an instruction has made.
func (o *Observer) look(s *step) {
	for _, what := range o.classes() {
		var in []made
		lanes := uint32(0)
		for i := range s.of.Results {
			r := &s.of.Results[i]
			if r.Floats == 0 || !suspicious(s.warp, r, s.lanes) {
				continue
			}
			if of := s.made(r, what); of != 0 {
				in, lanes = append(in, made{r, of, r.In(s.warp)}), lanes|of
			}
		}
		if in != nil {
			o.creates(s.warp, &making{
				what: what, place: s.warp.PlaceOf(s.in, lanes), times: bits.OnesCount32(lanes), lanes: lanes,
				words: func() func(uint32) (int, string) { return s.remembered().wording(in, what) },
				holds: func(t *trail) {
					for _, m := range in {
						t.put(machine.Spot{Frame: s.warp.FrameKey(), At: m.in.Off}, 0, m.lanes, m.lanes)
					}
				},
			})
		}
	}
}

// made is a result that is what is looked for, in some lanes.
type made struct {
	in    *dataflow.Operand
	lanes uint32
	holds regs.Register
}

// making is what an instruction has just made.
type making struct {
	what  class
	place machine.Place
	times int
	lanes uint32
	words func() func(lanes uint32) (lane int, made string) // see trail.words
	holds func(t *trail)                                    // notes where it is; nil: in memory
}

// creates notes what an instruction has made, and begins to follow it.
func (o *Observer) creates(w *machine.Warp, m *making) {
	at := origin{m.place.Func, m.place.PC, m.what}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.made[at]
	if c != nil && c.left {
		c.times += m.times
		return
	}
	t := &trail{words: m.words(), place: m.place}
	if clock := w.Launch().Moments; clock != nil {
		now := clock.Now() - 1
		t.moment = &now
	}
	first := c == nil
	if first {
		c = &creation{what: m.what, report: t.report(w, m.what, m.lanes)}
		o.made[at] = c
		o.order = append(o.order, c)
	}
	c.times += m.times
	if t.of = c; m.holds == nil {
		c.left, c.report = true, t.report(w, m.what, m.lanes)
		c.report.Kind, c.report.Op = kinds[m.what].left, c.report.Then
	}
	if first && o.early != nil {
		now := c.report
		now.Kind = kinds[m.what].left
		o.early(&now)
	}
	if m.holds != nil {
		m.holds(t)
		o.begin(w, t)
	}
}

// leaves notes where a value has gone.
func (o *Observer) leaves(t *trail, w *machine.Warp, to machine.Place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := t.of
	if c.left {
		return
	}
	c.left = true
	c.report = t.report(w, c.what, to.Lanes)
	c.report.Kind, c.report.Op = kinds[c.what].left, to
}

// lost notes where a value was overwritten, unless another one of the same instruction got farther.
func (o *Observer) lost(t *trail, w *machine.Warp, by machine.Place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := t.of; !c.left && c.report.Op.Func == nil {
		c.report = t.report(w, c.what, by.Lanes)
		c.report.Op = by
	}
}
