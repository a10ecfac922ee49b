// Package numbers finds the instructions that make a NaN, or an infinity, of operands that are none, and follows what they make
// through registers up to where it leaves them: a store or a comparison.
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

// look finds what an instruction has made.
func (o *Observer) look(s *step) {
	most := nan
	if o.infinite {
		most = infinity
	}
	for what := nan; what <= most; what++ {
		var in []made
		for i := range s.of.Results {
			r := &s.of.Results[i]
			if r.Floats == 0 || !suspicious(s.warp, r, s.lanes) {
				continue
			}
			if lanes := s.made(r, what); lanes != 0 {
				in = append(in, made{r, lanes, r.In(s.warp)})
			}
		}
		if in != nil {
			o.creates(s, what, in)
		}
	}
}

// made is a result that is what is looked for, in some lanes.
type made struct {
	in    *dataflow.Operand
	lanes uint32
	holds regs.Register
}

// creates notes what an instruction has made, and begins to follow it.
func (o *Observer) creates(s *step, what class, in []made) {
	lanes := uint32(0)
	for _, m := range in {
		lanes |= m.lanes
	}
	place := s.warp.PlaceOf(s.in, lanes)
	at := origin{place.Func, place.PC, what}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.made[at]
	if c != nil && c.left {
		c.times += bits.OnesCount32(lanes)
		return
	}
	t := &trail{step: s.remembered(), place: place, results: in}
	if m := s.warp.Launch().Moments; m != nil {
		now := m.Now() - 1
		t.moment = &now
	}
	if c == nil {
		c = &creation{what: what}
		c.report = t.report(what, lanes)
		if o.early != nil {
			now := c.report
			now.Kind = kinds[what].left
			o.early(&now)
		}
		o.made[at] = c
		o.order = append(o.order, c)
	}
	c.times += bits.OnesCount32(lanes)
	t.of = c
	for _, m := range in {
		t.put(s.warp.FrameKey(), m.in.Off, m.lanes, m.lanes)
	}
	o.begin(s.warp, t)
}

// leaves notes where a value has gone.
func (o *Observer) leaves(t *trail, to machine.Place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := t.of
	if c.left {
		return
	}
	c.left = true
	c.report = t.report(c.what, to.Lanes)
	c.report.Kind, c.report.Op = kinds[c.what].left, to
}

// lost notes where a value was overwritten, unless another one of the same instruction got farther.
func (o *Observer) lost(t *trail, by machine.Place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := t.of; !c.left && c.report.Op.Func == nil {
		c.report = t.report(c.what, by.Lanes)
		c.report.Op = by
	}
}
