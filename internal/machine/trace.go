package machine

import "ptxvm.invalid/ptxvm/internal/machine/regs"

// This file is where traces look on: in launches with a Tracer, the handlers of observed code that
// Traced has wrapped show each instruction with what its registers hold before and after.

// Tracer says which instructions a launch shows, and to whom.
type Tracer struct {
	CTARank uint64 // linear index of the CTA in the grid
	Every   bool   // all CTAs instead, from several cores at a time where there are several
	Warp    int32  // of the CTA; -1: all
	Lanes   uint32 // to be shown
	Step    func(*Step)
	// Moved, if it is not nil, is told that a call or a return has copied size bytes in the local memory of some lanes.
	Moved func(w *Warp, from, to, size, lanes uint32)
}

// Step is an instruction that lanes of a warp have executed. It is valid until Tracer.Step returns.
type Step struct {
	Place          // Lanes: those that execute; none if the guard holds in no lane
	Active  uint32 // lanes that stand at the instruction; where Lanes lacks some, their guard is false
	Then    State  // what the handler has said; Wait: the lanes execute it again later
	Depth   int    // frames above the kernel's own
	Target  int32  // pc, of a Jump
	Cluster uint64 // linear index of the CTA's cluster
	Moment  uint64 // in launches with Moments

	Rows    []regs.Row // where the registers below are: those that are read and those that are written; never changed
	Sources *[32]int8  // of a shuffle: the lane whose value each lane takes, its own where there is none

	// The registers in the order that Traced was given: what they held before, and those that are
	// written, once more, what they hold now; nil if the instruction has not written.
	Before, After []regs.Register
}

// Traced wraps a decoded instruction of observed code. rows are its registers.
// source, of a shuffle, finds the lane whose value a lane takes; else it is nil.
func Traced(in *Inst, rows []regs.Row, source func(w *Warp, in *Inst, lane int) (int, bool)) {
	t := &tracing{rows: rows, source: source, call: in.Ext != nil && in.Ext.Call != nil}
	in.Flags |= TellsSkips
	in.Full, in.Part = t.wrap(in.Full), t.wrap(in.Part)
}

// tracing is what one instruction shows. The values of a call come with the return.
type tracing struct {
	rows   []regs.Row
	call   bool
	source func(w *Warp, in *Inst, lane int) (int, bool)
}

func (t *tracing) wrap(inner Handler) Handler {
	return func(w *Warp, in *Inst) State {
		to := w.tracer()
		if to == nil {
			return inner(w, in)
		}
		s := w.newStep(in)
		s.Rows, s.Before = t.rows, t.read(w.regs, false)
		if t.source != nil {
			s.Sources = t.sources(w, in)
		}
		regs := w.regs
		s.Then = inner(w, in)
		switch s.Then {
		case Next, Again:
			s.After = t.read(regs, true)
		case Jump:
			s.Target = w.next
		case Diverge:
			if !t.call {
				s.After = t.read(regs, true)
			}
		}
		to.Step(s)
		return s.Then
	}
}

// sources finds the lanes of a shuffle.
func (t *tracing) sources(w *Warp, in *Inst) *[32]int8 {
	var from [32]int8
	for i := range from {
		lane, ok := t.source(w, in, i)
		if !ok {
			lane = i
		}
		from[i] = int8(lane)
	}
	return &from
}

// tracer returns who wants to see what the warp's lanes execute now.
func (w *Warp) tracer() *Tracer {
	t := w.cta.grid.Trace
	if t == nil || !t.Every && t.CTARank != w.cta.rank || t.Warp >= 0 && t.Warp != w.index || t.Lanes&w.frag.mask == 0 {
		return nil
	}
	return t
}

func (w *Warp) newStep(in *Inst) *Step {
	s := &Step{Place: w.Place(in), Active: w.frag.mask}
	s.Depth, s.Cluster = len(s.Calls), w.cta.cluster.rank
	if m := w.cta.grid.Moments; m != nil {
		s.Moment = m.now - 1
	}
	return s
}

// skipped shows an instruction whose guard holds in no lane.
func (w *Warp) skipped(in *Inst) {
	if m := w.cta.grid.Moments; m != nil {
		m.passes(w, in, 0)
	}
	if in.Flags&FollowsGuard != 0 {
		w.cta.grid.Values.Skip(w, in, in.Guard&^1+w.frag.frame.code.GuardShadow)
	}
	if to := w.tracer(); to != nil {
		s := w.newStep(in)
		s.Lanes = 0
		to.Step(s)
	}
}

// read copies the registers that are read, or those that are written.
func (t *tracing) read(at rowBase, write bool) (out []regs.Register) {
	b := regs.Block{P: at}
	for _, r := range t.rows {
		if r.Write == write {
			out = append(out, b.Register(r))
		}
	}
	return out
}
