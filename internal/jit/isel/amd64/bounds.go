package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file tests addresses. What follows from the machine's table of bounds is computed where the code is entered.

// frame is what the code's frame has beside what each has.
type frame struct {
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
	if t.align > 1 {
		c.RI(x86.TEST, x86.S32, at, int32(t.align)-1)
		c.Jcc(x86.NE, outside)
	}
	switch {
	case t.lo == 0:
		c.RR(x86.MOV, x86.S64, tmp, at)
	case t.lo >= math.MinInt32 && t.lo <= math.MaxInt32:
		c.RM(x86.LEA, x86.S64, tmp, x86.At(at, int32(t.lo)))
	default:
		c.MovImm(tmp, uint64(t.lo))
		c.RR(x86.ADD, x86.S64, tmp, at)
	}
	c.RM(x86.SUB, x86.S64, tmp, c.frameAt(c.e.frame.startOf(t.bounds)))
	c.RM(x86.CMP, x86.S64, tmp, c.frameAt(c.e.frame.limitOf(t.limit)))
	c.Jcc(x86.AE, outside)
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
