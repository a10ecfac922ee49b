package jit

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// scratch is the memory of one compilation: lists that nobody needs behind it. The next one has them again, so
// that the collector, which would take as long as the compiler, has little to do.
type scratch struct {
	steps      slab[step]
	operations slab[sem.Operation]
	sources    slab[source]
	ops        slab[operation]
	vals       slab[val]
	bools      slab[bool]
	ints       slab[int]
	int32s     slab[int32]
	words      slab[uint32]
	regs       slab[ir.Reg]
	parts      slab[part]
	lists      slab[[]int]
	programs   slab[program]
	accesses   slab[accessed]
	live       []ir.Reg // liveness.found
}

// scratches are those that nobody uses.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// free gives the memory of a compilation to the next.
func (s *scratch) free() {
	s.steps.reset()
	s.operations.reset()
	s.sources.reset()
	s.ops.reset()
	s.vals.reset()
	s.bools.reset()
	s.ints.reset()
	s.int32s.reset()
	s.words.reset()
	s.regs.reset()
	s.parts.reset()
	s.lists.reset()
	s.programs.reset()
	s.accesses.reset()
	scratches.Put(s)
}

// slab hands out lists from long ones.
type slab[T any] struct {
	chunks [][]T // as long as what has been handed out
	at     int   // the one that is handed out
}

// slabSize is how many elements a slab begins with; each chunk has twice as many as the one before.
const slabSize = 256

// take returns n zero elements; appending to them copies.
func (s *slab[T]) take(n int) []T {
	for ; s.at < len(s.chunks); s.at++ {
		c := s.chunks[s.at]
		if used := len(c); n <= cap(c)-used {
			s.chunks[s.at] = c[:used+n]
			return c[used : used+n : used+n]
		}
	}
	c := make([]T, n, max(n, slabSize<<min(len(s.chunks), 8)))
	s.chunks = append(s.chunks, c)
	return c[:n:n]
}

// one is a zero element.
func (s *slab[T]) one() *T { return &s.take(1)[0] }

// reset takes everything back.
func (s *slab[T]) reset() {
	for i, c := range s.chunks {
		clear(c)
		s.chunks[i] = c[:0]
	}
	s.at = 0
}
