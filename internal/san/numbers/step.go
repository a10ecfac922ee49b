package numbers

// This file looks at the numbers of one instruction.

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/internal/value"
)

// class is what is looked for.
type class uint8

const (
	nan class = iota
	infinity
)

// kinds are the reports of what has left the registers, and of what has not.
var kinds = [...]struct{ left, nowhere found.Kind }{
	nan:      {found.NaNMade, found.NaNLost},
	infinity: {found.InfMade, found.InfLost},
}

// step is an instruction with what its sources held.
type step struct {
	warp  *machine.Warp
	in    *machine.Inst
	of    *dataflow.Arithmetic
	lanes uint32
	kept  []regs.Register // of Arithmetic.Kept; or, of a step that is remembered, of all sources
	whole bool

	addresses [32]uint64 // of Arithmetic.Local
}

// keep copies the sources that the instruction may overwrite.
func (s *step) keep() {
	if !s.of.Makes {
		return
	}
	for _, i := range s.of.Kept {
		s.kept = append(s.kept, s.of.Sources[i].In(s.warp))
	}
}

// source is what a source held.
func (s *step) source(i int) regs.Register {
	if s.whole {
		return s.kept[i]
	}
	if at := slices.Index(s.of.Kept, i); at >= 0 {
		return s.kept[at]
	}
	return s.of.Sources[i].In(s.warp)
}

// remembered is the step with all that its sources held, for when registers have changed.
func (s *step) remembered() *step {
	all := *s
	all.kept, all.whole = nil, true
	for i := range s.of.Sources {
		all.kept = append(all.kept, s.source(i))
	}
	return &all
}

// suspicious reports whether a lane of a register holds a number that is not finite: quickly, of the usual formats.
func suspicious(w *machine.Warp, r *dataflow.Operand, lanes uint32) bool {
	f := r.Elem.Format()
	top := (uint64(1)<<f.Exp - 1) << f.Man
	switch {
	case r.Floats > 1 || f.Inf == 0:
		return true
	case r.Width == regs.Row32:
		row := w.R32(r.Off)
		for m := lanes; m != 0; m &= m - 1 {
			if uint64(row[bits.TrailingZeros32(m)&31])&top == top {
				return true
			}
		}
		return false
	}
	row := w.R64(r.Off)
	for m := lanes; m != 0; m &= m - 1 {
		if row[bits.TrailingZeros32(m)&31]&top == top {
			return true
		}
	}
	return false
}

// is reports whether a number is of a class.
func is(elem num.Type, v uint64, what class) bool {
	if what == nan {
		return elem.Format().IsNaN(v)
	}
	return elem.Format().IsInf(v)
}

// element is one of the numbers in a register.
func element(r *dataflow.Operand, v uint64, i int) uint64 {
	return v >> (uint(i) * r.Elem.Width()) & (1<<r.Elem.Width() - 1)
}

// has reports whether one of the numbers in a register is of a class.
func has(r *dataflow.Operand, v uint64, what class) bool {
	return r.Floats != 0 && which(r, v, what) >= 0
}

// which is the first of the numbers in a register that is of a class; -1 if none is.
func which(r *dataflow.Operand, v uint64, what class) int {
	for i := range r.Floats {
		if is(r.Elem, element(r, v, i), what) {
			return i
		}
	}
	return -1
}

// made is the lanes in which a result is of a class, and no operand says why: a NaN among the operands makes NaNs, and so does it, or
// an infinity, make infinities.
func (s *step) made(r *dataflow.Operand, what class) (lanes uint32) {
	row := r.In(s.warp)
	for m := s.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		for i := range r.Floats {
			if is(r.Elem, element(r, row.Low[lane], i), what) && !s.given(r, what, lane, i) {
				lanes |= 1 << lane
				break
			}
		}
	}
	return lanes
}

// given reports whether an operand of a lane, or of any lane where results come from all of them, is why a number of a result is of
// a class. Of packed operands the numbers at the same place count.
func (s *step) given(r *dataflow.Operand, what class, lane, elem int) bool {
	for i := range s.of.Sources {
		a := &s.of.Sources[i]
		if a.Floats == 0 {
			continue
		}
		from := s.source(i)
		from1, to := lane, lane
		if s.of.Across {
			from1, to = 0, 31
		}
		for l := from1; l <= to; l++ {
			if s.lanes>>l&1 == 0 {
				continue
			}
			v, one := from.Low[l], *a
			if !s.of.Across && a.Floats == r.Floats && a.Floats > 1 {
				v, one.Floats = element(a, v, elem), 1
			}
			if has(&one, v, nan) || what == infinity && has(&one, v, infinity) {
				return true
			}
		}
	}
	return false
}

// wording is trail.words of what an instruction has made.
func (s *step) wording(in []made, what class) func(lanes uint32) (lane int, words string) {
	return func(lanes uint32) (int, string) {
		m := &in[0]
		if i := slices.IndexFunc(in, func(m made) bool { return m.lanes&lanes != 0 }); i >= 0 {
			m = &in[i]
		}
		lane := first(m.lanes)
		if of := m.lanes & lanes; of != 0 {
			lane = first(of)
		}
		return lane, s.words(m, what, lane)
	}
}

// words is what a lane has computed: operands → result.
func (s *step) words(m *made, what class, lane int) string {
	r, result := m.in, m.holds.Low[lane]
	elem := which(r, result, what)
	to := operand(r, result, elem, r.Floats > 1)
	var from []string
	add := func(words string) {
		if !slices.Contains(from, words) {
			from = append(from, words)
		}
	}
	for i := range s.of.Sources {
		a := &s.of.Sources[i]
		v := s.source(i).Low[lane]
		switch {
		case a.Width == regs.Pred && a.Name != "":
		case a.Floats == r.Floats:
			add(operand(a, v, elem, a.Floats > 1))
		default:
			for e := range max(1, a.Floats) {
				add(operand(a, v, e, a.Floats > 1))
			}
		}
	}
	return strings.Join(from, ", ") + " → " + to
}

// operand is a register, or one of its numbers, with its value; a constant is a value.
func operand(a *dataflow.Operand, v uint64, elem int, part bool) string {
	switch {
	case a.Name == "":
		return text(a, v, elem)
	case part:
		return fmt.Sprintf("%s[%d] = %s", a.Name, elem, text(a, v, elem))
	}
	return a.Name + " = " + text(a, v, elem)
}

// text is a number of an operand with the fewest digits, or its bits.
func text(a *dataflow.Operand, v uint64, elem int) string {
	if a.Floats != 0 {
		return number(a.Elem, element(a, v, elem))
	}
	t := value.BitsType(32)
	if a.Width == regs.Row64 {
		t = value.BitsType(64)
	}
	return t.Format(t.Append(nil, v))
}

// number is a number with the fewest digits.
func number(elem num.Type, v uint64) string {
	t, err := value.ParseType(elem.String())
	if err != nil {
		t = value.BitsType(max(8, int(elem.Width())))
	}
	return t.Format(t.Append(nil, v))
}

// first is the lowest of some lanes.
func first(lanes uint32) int { return bits.TrailingZeros32(lanes) & 31 }
