package amd64

import (
	"math"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file tests addresses. What follows from the machine's table of bounds is computed where the code is entered.

// frame is what the code's frame has beside what each has.
type frame struct {
	others   [][]int // by limit of accesses by pointers that may have been chosen: those of the same bytes in other allocations
	bounds   []int32 // entries of the table that are used
	limits   []limit
	accesses []accessIn // that operands in memory are of
}

// limit is where in an allocation n bytes may begin, as a number of bytes from its start: below it; 0 if they may
// nowhere.
type limit struct {
	bounds int32
	n      int64
	store  bool
}

// tested is a test of an address.
type tested struct {
	bounds, limit int // places of the frame's lists
	lo            int64
	align         uint8
}

// tested is the test that n bytes at an address are inside.
func (s *selector) tested(bounds int32, n int64, store bool, align uint8) tested {
	return tested{bounds: find(&s.frame.bounds, bounds), limit: find(&s.frame.limits, limit{bounds, n, store}),
		align: align}
}

// testOf is the test of a check.
func (s *selector) testOf(o *ssa.Op) tested {
	c := &s.f.Checks[o.Imm]
	t := s.tested(c.Bounds, c.Hi-c.Lo, c.Store, c.Align)
	t.lo = c.Lo
	return t
}

// find is the index of an element, which is added if it is not there.
func find[T comparable](list *[]T, x T) int {
	for i, y := range *list {
		if x == y {
			return i
		}
	}
	*list = append(*list, x)
	return len(*list) - 1
}

// startOf and limitOf are places in the frame.
func (f *frame) startOf(i int) int { return fBounds + 8*i }
func (f *frame) limitOf(i int) int { return fBounds + 8*(len(f.bounds)+i) }

// slots is where the allocator's slots begin.
func (f *frame) slots() int { return (f.limitOf(len(f.limits)) + 63) &^ 63 }

// test goes to a label where an address is outside.
func (c *code) test(t *tested, at, tmp x86.Reg, outside x86.Label) {
	c.testOr(t, at, tmp, outside, outside)
}

// testAny goes to a label where an address is outside of what the access has hit last, and of what others have: lanes of one whose pointer was
// chosen may be in two allocations, and an address in one after the other from turn to turn. It is for what is accessed right there: of a check in
// front of a loop both ends have to be inside of one.
func (c *code) testAny(t *tested, at, tmp x86.Reg, outside x86.Label) {
	limits := c.e.frame.others[t.limit]
	if len(limits) == 0 {
		c.test(t, at, tmp, outside)
		return
	}
	other, inside, lo, own := c.NewLabel(), c.NewLabel(), t.lo, c.frameAt(c.e.frame.limitOf(t.limit))
	c.testOr(t, at, tmp, outside, other)
	c.Bind(inside)
	c.aside(func() {
		c.Bind(other)
		c.MI(x86.CMP, x86.S64, own, 0) // an access that has hit none yet leaves, to learn which: found there, lanes go together
		c.Jcc(x86.E, outside)
		for _, k := range limits {
			c.within(k, at, tmp, lo)
			c.Jcc(x86.B, inside)
		}
		c.Jmp(outside)
	})
}

// testOr goes to one label where an address is not aligned, and to another where it is not in the allocation.
func (c *code) testOr(t *tested, at, tmp x86.Reg, mistaken, outside x86.Label) {
	if t.align > 1 {
		c.RI(x86.TEST, x86.S32, at, int32(t.align)-1)
		c.Jcc(x86.NE, mistaken)
	}
	c.within(t.limit, at, tmp, t.lo)
	c.Jcc(x86.AE, outside)
}

// within compares what is lo bytes behind an address with a limit: below it, it is inside.
func (c *code) within(limit int, at, tmp x86.Reg, lo int64) {
	f := &c.e.frame
	c.plus(tmp, at, lo)
	c.RM(x86.SUB, x86.S64, tmp, c.frameAt(f.startOf(slices.Index(f.bounds, f.limits[limit].bounds))))
	c.RM(x86.CMP, x86.S64, tmp, c.frameAt(f.limitOf(limit)))
}

// plus is a number and a constant.
func (c *code) plus(d, x x86.Reg, k int64) {
	switch {
	case k == 0:
		c.RR(x86.MOV, x86.S64, d, x)
	case k >= math.MinInt32 && k <= math.MaxInt32:
		c.RM(x86.LEA, x86.S64, d, x86.At(x, int32(k)))
	default:
		c.MovImm(d, uint64(k))
		c.RR(x86.ADD, x86.S64, d, x)
	}
}

// mostOthers is in how many other allocations an address is looked for.
const mostOthers = 4

// findOthers finds in which other allocations addresses are looked for, once it is known which the function has. Shared memory is none.
func (f *frame) findOthers(of *ssa.Func) {
	for i, l := range slices.Clone(f.limits) {
		f.others = append(f.others, nil)
		for _, k := range f.bounds {
			if slices.Contains(of.Chosen, l.bounds) && k != l.bounds && k != of.Shared-1 && len(f.others[i]) < mostOthers {
				f.others[i] = append(f.others[i], find(&f.limits, limit{k, l.n, l.store}))
			}
		}
	}
}

// findBounds computes the frame's part of the table of bounds.
func (c *code) findBounds(f *frame) {
	table, start, t := x86.RAX, x86.RCX, x86.RDX
	c.RM(x86.MOV, x86.S64, table, c.stateAt(sBounds))
	at := func(k int32, off uintptr) x86.Mem { return x86.At(table, k*int32(bSize)+int32(off)).By(ofBounds) }
	for i, k := range f.bounds {
		c.RM(x86.MOV, x86.S64, start, at(k, bStart))
		c.MR(x86.MOV, x86.S64, c.frameAt(f.startOf(i)), start)
	}
	for i, l := range f.limits {
		end := bEnd
		if l.store {
			end = bWrite
		}
		none, done := c.NewLabel(), c.NewLabel()
		c.RM(x86.MOV, x86.S64, t, at(l.bounds, end))
		c.RM(x86.SUB, x86.S64, t, at(l.bounds, bStart))
		c.Jcc(x86.BE, none)
		c.MovImm(start, uint64(l.n-1))
		c.RR(x86.SUB, x86.S64, t, start)
		c.Jcc(x86.A, done)
		c.Bind(none)
		c.Zero(t)
		c.Bind(done)
		c.MR(x86.MOV, x86.S64, c.frameAt(f.limitOf(i)), t)
	}
}
