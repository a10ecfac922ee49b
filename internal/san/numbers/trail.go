package numbers

// This file follows what was made from register to register.

import (
	"math"
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// trail is a value on its way, in lanes of one warp.
type trail struct {
	of     *creation
	place  machine.Place                              // where it was made
	words  func(lanes uint32) (lane int, made string) // of the first of some lanes that has made it, or else of the first that has
	moment *uint64                                    // when it was made, where a debugger counts
	at     []holder
}

// report is what is known at the start, of one of some lanes if it has the value: what others hold they may have from another one.
func (t *trail) report(w *machine.Warp, what class, lanes uint32) found.Report {
	lane, words := t.words(lanes)
	return found.Report{Kind: kinds[what].nowhere, Then: w.At(t.place, lane), Text: words, Moment: t.moment}
}

// holder is where lanes hold the value, or what was made of it: a register, or size bytes of local memory.
type holder struct {
	machine.Spot
	size  uint32
	lanes uint32
}

// overlaps reports whether a holder is in a range of local memory.
func (h *holder) overlaps(at, size uint32) bool {
	return h.Frame == nil && h.At < at+size && at < h.At+h.size
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

// follow moves the trails of a warp over an instruction that has run, but for those that it has begun.
func (o *Observer) follow(s *step, trails []*trail) {
	h, _ := (*s.warp.Looked()).(*held)
	begun := slices.Clone(h.trails[len(trails):])
	h.trails = append(slices.DeleteFunc(trails, func(t *trail) bool { return o.passes(s, t) }), begun...)
}

// passes moves a trail; true if it is over.
func (o *Observer) passes(s *step, t *trail) (over bool) {
	frame := s.warp.FrameKey()
	hot := uint32(0)
	for i := range s.of.Sources {
		if a := &s.of.Sources[i]; a.Name != "" {
			hot |= t.in(machine.Spot{Frame: frame, At: a.Off}) & s.lanes
		}
	}
	if out := s.leaving(t, hot); out != 0 {
		o.leaves(t, s.warp, s.warp.PlaceOf(s.in, out))
		return true
	}
	if s.of.Across && hot != 0 {
		hot = s.lanes
	}
	for i := range s.of.Results {
		r := &s.of.Results[i]
		t.put(machine.Spot{Frame: frame, At: r.Off}, 0, s.lanes, (hot|s.loaded(t, i))&s.carries(r))
	}
	if t.at = slices.DeleteFunc(t.at, func(h holder) bool { return h.lanes == 0 }); len(t.at) != 0 {
		return false
	}
	o.lost(t, s.warp, s.warp.PlaceOf(s.in, s.lanes))
	return true
}

// leaving is the lanes in which the value goes where no one follows it, or decides something; hot are those that have it in a source.
// What a store takes to local memory stays on its way.
func (s *step) leaving(t *trail, hot uint32) uint32 {
	switch l := s.of.Local; {
	case s.of.Prints:
		return t.inLocal(0, math.MaxUint32) & s.lanes
	case l != nil && l.Store:
		return s.spills(t, l)
	case s.of.Stores || s.decides():
		return hot
	}
	return 0
}

// spills moves the value to local memory, and returns the lanes in which it goes elsewhere.
func (s *step) spills(t *trail, l *dataflow.LocalAccess) (out uint32) {
	for k, operand := range l.Operands {
		hot := uint32(0)
		if operand >= 0 && s.of.Sources[operand].Name != "" {
			hot = t.in(machine.Spot{Frame: s.warp.FrameKey(), At: s.of.Sources[operand].Off})
		}
		for m := s.lanes; m != 0; m &= m - 1 {
			lane := m & -m
			if at, local := s.localAt(l, k, bits.TrailingZeros32(m)&31); local {
				t.put(machine.Spot{At: at}, l.Elem, lane, hot&lane)
			} else {
				out |= hot & lane
			}
		}
	}
	return out
}

// loaded is the lanes in which the i-th result comes from local memory that has the value.
func (s *step) loaded(t *trail, i int) (lanes uint32) {
	l := s.of.Local
	if l == nil || l.Store {
		return 0
	}
	k := slices.Index(l.Operands, i)
	for m := s.lanes; m != 0 && k >= 0; m &= m - 1 {
		if at, local := s.localAt(l, k, bits.TrailingZeros32(m)&31); local {
			lanes |= t.inLocal(at, l.Elem) & (m & -m)
		}
	}
	return lanes
}

// localAt is where the k-th element of a lane's access is in local memory; false: it is elsewhere.
func (s *step) localAt(l *dataflow.LocalAccess, k, lane int) (at uint32, local bool) {
	x := s.warp.ExtentAt(l.Space, s.addresses[lane]+uint64(k)*uint64(l.Elem), uint64(l.Elem))
	return uint32(x.From), x.Space == machine.Local
}

// in is the lanes in which a register holds the value.
func (t *trail) in(at machine.Spot) uint32 {
	for _, h := range t.at {
		if h.Spot == at {
			return h.lanes
		}
	}
	return 0
}

// inLocal is the lanes in which some bytes of local memory hold the value.
func (t *trail) inLocal(at, size uint32) (lanes uint32) {
	for i := range t.at {
		if h := &t.at[i]; h.overlaps(at, size) {
			lanes |= h.lanes
		}
	}
	return lanes
}

// put notes in which of some lanes a register, or so many bytes of local memory, hold the value now.
func (t *trail) put(at machine.Spot, size, lanes, hot uint32) {
	held := false
	for i := range t.at {
		h := &t.at[i]
		switch {
		case h.Spot == at && h.size == size:
			h.lanes, held = h.lanes&^lanes|hot, true
		case size != 0 && h.overlaps(at.At, size):
			h.lanes &^= lanes
		}
	}
	if hot != 0 && !held {
		t.at = append(t.at, holder{at, size, hot})
	}
}

// Moved implements machine.Numbers.
func (o *Observer) Moved(w *machine.Warp, from, to machine.Spot, size, lanes uint32) {
	for _, t := range o.trails(w) {
		if from.Frame != nil {
			t.put(to, 0, lanes, t.in(from)&lanes)
			continue
		}
		var moved []holder
		for i := range t.at {
			if h := &t.at[i]; h.overlaps(from.At, size) && h.lanes&lanes != 0 {
				moved = append(moved, holder{machine.Spot{At: h.At - from.At + to.At}, h.size, h.lanes & lanes})
			}
		}
		t.put(to, size, lanes, 0)
		for _, h := range moved {
			t.put(h.Spot, h.size, h.lanes, h.lanes)
		}
	}
}

// Left implements machine.Numbers: what a frame held is gone.
func (o *Observer) Left(w *machine.Warp, frame any, from, to, lanes uint32) {
	trails := o.trails(w)
	if len(trails) == 0 {
		return
	}
	h, _ := (*w.Looked()).(*held)
	h.trails = slices.DeleteFunc(trails, func(t *trail) bool {
		for i := range t.at {
			if h := &t.at[i]; h.Frame == frame || h.overlaps(from, to-from) {
				h.lanes &^= lanes
			}
		}
		t.at = slices.DeleteFunc(t.at, func(h holder) bool { return h.lanes == 0 })
		return len(t.at) == 0
	})
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
