package machine

// This file finds the scalars that are live at a pc. A function has as many as it likes, of which few are live at a
// time: what a frame does when its lanes part or come together must not take longer the more there are elsewhere.

import (
	"cmp"
	"slices"
)

// fewScalars are looked at one by one.
const fewScalars = 64

// scalarsAt is an iterator (iter.Seq) of those that are live before the instruction at a pc.
func (c *Code) scalarsAt(pc int32) func(yield func(*ScalarSlot) bool) {
	return func(yield func(*ScalarSlot) bool) {
		if len(c.Scalars) > fewScalars {
			c.scalarIndex().visit(pc, yield)
			return
		}
		for i := range c.Scalars {
			if s := &c.Scalars[i]; s.LiveAt(pc) && !yield(s) {
				return
			}
		}
	}
}

// scalarIndex is the index of the function's scalars, made when it is asked for first.
func (c *Code) scalarIndex() scalarIndex {
	if x := c.scalars.Load(); x != nil {
		return *x
	}
	x := newScalarIndex(c.Scalars)
	c.scalars.Store(&x) // what another core has made meanwhile is the same
	return x
}

// scalarIndex is the ranges in which scalars are live, by where they begin. It is a tree: the root of a part is in
// its middle.
type scalarIndex []liveScalar

// liveScalar is a range of a scalar.
type liveScalar struct {
	Range
	last int32 // the greatest To of the part whose root this is
	slot *ScalarSlot
}

func newScalarIndex(list []ScalarSlot) (x scalarIndex) {
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
func (x scalarIndex) close() (last int32) {
	if len(x) == 0 {
		return 0
	}
	m := len(x) / 2
	x[m].last = max(x[m].To, x[:m].close(), x[m+1:].close())
	return x[m].last
}

// visit calls back for the ranges that hold a pc, in the order of their beginnings; false: it has been told to stop.
func (x scalarIndex) visit(pc int32, yield func(*ScalarSlot) bool) bool {
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
