package regs

// This file holds the scalars of a function: which are live at a pc, and how they go to rows and back. A function has as many as it likes, of which few are live at a
// time: what a frame does when its lanes part or come together must not take longer the more there are elsewhere.

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"
)

// fewScalars are looked at one by one.
const fewScalars = 64

// Live is an iterator (iter.Seq) of the scalars of a list that are live before the instruction at a pc. index is where what is
// found out about a long list stays.
func Live(list []Scalar, index *atomic.Pointer[Index], pc int32) func(yield func(*Scalar) bool) {
	return func(yield func(*Scalar) bool) {
		if len(list) > fewScalars {
			indexOf(list, index).visit(pc, yield)
			return
		}
		for i := range list {
			if s := &list[i]; s.LiveAt(pc) && !yield(s) {
				return
			}
		}
	}
}

// indexOf is the index of scalars, made when it is asked for first.
func indexOf(list []Scalar, index *atomic.Pointer[Index]) Index {
	if x := index.Load(); x != nil {
		return *x
	}
	x := newIndex(list)
	index.Store(&x) // what another core has made meanwhile is the same
	return x
}

// Index is the ranges in which scalars are live, by where they begin. It is a tree: the root of a part is in
// its middle.
type Index []liveScalar

// liveScalar is a range of a scalar.
type liveScalar struct {
	Range
	last int32 // the greatest To of the part whose root this is
	slot *Scalar
}

func newIndex(list []Scalar) (x Index) {
	for i := range list {
		for _, r := range list[i].Live {
			x = append(x, liveScalar{r, r.To, &list[i]})
		}
	}
	slices.SortFunc(x, func(a, b liveScalar) int { return cmp.Compare(a.From, b.From) })
	x.close()
	return x
}

// close finds the ends of a part.
func (x Index) close() (last int32) {
	if len(x) == 0 {
		return 0
	}
	m := len(x) / 2
	x[m].last = max(x[m].To, x[:m].close(), x[m+1:].close())
	return x[m].last
}

// visit calls back for the ranges that hold a pc, in the order of their beginnings; false: it has been told to stop.
func (x Index) visit(pc int32, yield func(*Scalar) bool) bool {
	if len(x) == 0 {
		return true
	}
	m := len(x) / 2
	if x[m].last <= pc {
		return true
	}
	if !x[:m].visit(pc, yield) {
		return false
	}
	if x[m].From > pc {
		return true
	}
	if x[m].To > pc && !yield(x[m].slot) {
		return false
	}
	return x[m+1:].visit(pc, yield)
}

// Spread writes a scalar to the lanes of its row.
func (b Block) Spread(s *Scalar, lanes uint32) {
	if s.Width == Pred {
		return
	}
	v := *b.Slot(s.Slot)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		e := v + uint64(i)*s.Stride
		if s.Width == Row64 {
			b.Row64(s.Row)[i] = e
		} else {
			b.Row32(s.Row)[i] = uint32(e)
		}
	}
}

// Scalar is the value of a scalar by the first of some lanes, counted back to lane 0.
func (b Block) Scalar(s *Scalar, lanes uint32) uint64 {
	i := bits.TrailingZeros32(lanes) & 31
	if s.Width == Row64 {
		return b.Row64(s.Row)[i] - uint64(i)*s.Stride
	}
	return uint64(b.Row32(s.Row)[i] - uint32(i)*uint32(s.Stride))
}

// Agree reports whether some lanes hold the values of one scalar.
func (b Block) Agree(s *Scalar, lanes uint32) bool {
	if s.Width == Pred {
		p := *b.Word(s.Row) & lanes
		return p == 0 || p == lanes
	}
	v := b.Scalar(s, lanes)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		want := v + uint64(i)*s.Stride
		if s.Width == Row64 && b.Row64(s.Row)[i] != want {
			return false
		}
		if s.Width != Row64 && b.Row32(s.Row)[i] != uint32(want) {
			return false
		}
	}
	return true
}
