package jit

// slab hands out short lists from long ones, so that few of them are allocated one by one.
type slab[T any] struct{ free []T }

// slabSize is how many elements are allocated at a time.
const slabSize = 256

// take returns n zero elements; appending to them copies.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, slabSize))
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}
