package jit

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
)

// LiveAt answers as the compiler's cursor does, for tests.
func LiveAt(f *ir.Func) func(pc int32) ir.Bits {
	return newLiveness(f, decode.RowOffsets(f), new(scratch)).at
}

// LiveRows tells for each row whether it is held before an instruction and behind it, as it is counted and as its
// registers say, for tests.
func LiveRows(f *ir.Func, visit func(pc int32, off uint32, counted, behind, before, after bool)) {
	l := newLiveness(f, decode.RowOffsets(f), new(scratch))
	for pc := range int32(len(f.Insts)) {
		end := pc+1 == f.Blocks[f.BlockOf(pc)].End
		for _, off := range l.regsOf.offs {
			before := slices.ContainsFunc(l.regsOf.of(off), func(g ir.Reg) bool { return f.LiveAt(pc).Has(int(g)) })
			after := slices.ContainsFunc(l.regsOf.of(off), func(g ir.Reg) bool {
				if end {
					return f.LiveOut(f.BlockOf(pc), g)
				}
				return f.LiveAt(pc + 1).Has(int(g))
			})
			visit(pc, off, l.holds(l.at(pc), off), l.behind(pc+1, off), before, after)
		}
	}
}

// TestSlab: lists are zero, apart from each other, and zero again when they are handed out once more.
func TestSlab(t *testing.T) {
	var s slab[int]
	for range 3 {
		a, b, long := s.take(3), s.take(2), s.take(3*slabSize)
		if slices.ContainsFunc(slices.Concat(a, b, long), func(n int) bool { return n != 0 }) {
			t.Fatal("a list is not zero")
		}
		for i := range long {
			long[i] = 7
		}
		a = append(a, 1)
		if a[0] = 5; b[0] != 0 || b[1] != 0 {
			t.Fatal("appending to a list writes the next")
		}
		*s.one() = 9
		s.reset()
	}
}
