package numbers

// This file follows what was made from register to register.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// trail is a value on its way, in lanes of one warp.
type trail struct {
	of      *creation
	step    *step // that made it
	place   machine.Place
	results []made
	moment  *uint64 // when it was made, where a debugger counts
	at      []holder
}

// report is what is known at the start, of one of some lanes if it has the value: what others hold they may have from another one.
func (t *trail) report(what class, lanes uint32) found.Report {
	m := &t.results[0]
	for i := range t.results {
		if t.results[i].lanes&lanes != 0 {
			m = &t.results[i]
			break
		}
	}
	of := m.lanes & lanes
	if of == 0 {
		of = m.lanes
	}
	place := t.step.warp.At(t.place, first(of))
	place.Lanes = of
	return found.Report{Kind: kinds[what].nowhere, Then: place, Text: t.step.words(m, what, first(of)), Moment: t.moment}
}

// holder is a register that holds the value, or what was made of it.
type holder struct {
	frame any
	row   uint32
	lanes uint32
}

// held is what a warp has of trails.
type held struct {
	by     *Observer
	cta    uint64
	trails []*trail
}

// FollowsValues implements machine.FlowState.
func (*held) FollowsValues() {}

// trails are those of a warp; what registers held when a CTA ended is gone.
func (o *Observer) trails(w *machine.Warp) []*trail {
	h, ok := (*w.Looked()).(*held)
	if !ok || h.by != o || h.cta != w.Rank() {
		return nil
	}
	return h.trails
}

// begin follows one more value, unless one of the same instruction is on its way in the warp.
func (o *Observer) begin(w *machine.Warp, t *trail) {
	at := w.Looked()
	h, ok := (*at).(*held)
	if !ok || h.by != o || h.cta != w.Rank() {
		h = &held{by: o, cta: w.Rank()}
		*at = h
	}
	if !slices.ContainsFunc(h.trails, func(u *trail) bool { return u.of == t.of }) {
		h.trails = append(h.trails, t)
	}
}

// follow moves the trails of a warp over an instruction that has run.
func (o *Observer) follow(s *step, trails []*trail) {
	h, _ := (*s.warp.Looked()).(*held)
	h.trails = slices.DeleteFunc(trails, func(t *trail) bool { return o.passes(s, t) })
}

// passes moves a trail; true if it is over.
func (o *Observer) passes(s *step, t *trail) (over bool) {
	frame := s.warp.FrameKey()
	hot := uint32(0)
	for i := range s.of.Sources {
		if a := &s.of.Sources[i]; a.Name != "" {
			hot |= t.in(frame, a.Off) & s.lanes
		}
	}
	switch {
	case hot != 0 && (s.of.Stores || s.decides()):
		o.leaves(t, s.warp.PlaceOf(s.in, hot))
		return true
	case hot != 0 && s.of.Across:
		hot = s.lanes
	}
	for i := range s.of.Results {
		r := &s.of.Results[i]
		t.put(frame, r.Off, s.lanes, hot&s.carries(r))
	}
	if t.at = slices.DeleteFunc(t.at, func(h holder) bool { return h.lanes == 0 }); len(t.at) != 0 {
		return false
	}
	o.lost(t, s.warp.PlaceOf(s.in, s.lanes))
	return true
}

// in is the lanes in which a register holds the value.
func (t *trail) in(frame any, row uint32) uint32 {
	for _, h := range t.at {
		if h.frame == frame && h.row == row {
			return h.lanes
		}
	}
	return 0
}

// put notes in which of some lanes a register holds the value now.
func (t *trail) put(frame any, row, lanes, hot uint32) {
	for i := range t.at {
		if h := &t.at[i]; h.frame == frame && h.row == row {
			h.lanes = h.lanes&^lanes | hot
			return
		}
	}
	if hot != 0 {
		t.at = append(t.at, holder{frame, row, hot})
	}
}

// decides reports whether all that an instruction leaves of its sources is a predicate.
func (s *step) decides() bool {
	return len(s.of.Results) != 0 && !slices.ContainsFunc(s.of.Results, func(r dataflow.Operand) bool { return r.Width != regs.Pred })
}

// carries is the lanes in which a result may have come of the value: numbers that are not finite, and bits.
func (s *step) carries(r *dataflow.Operand) (lanes uint32) {
	switch {
	case r.Width == regs.Pred:
		return 0
	case r.Floats == 0:
		return s.lanes
	}
	row := r.In(s.warp)
	for m := s.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if has(r, row.Low[lane], nan) || has(r, row.Low[lane], infinity) {
			lanes |= 1 << lane
		}
	}
	return lanes
}
