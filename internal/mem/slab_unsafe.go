package mem

// This file holds slabs: memory outside the Go heap for register blocks, local and shared memory.

import "unsafe"

// Slab hands out zeroed, 64-byte aligned pieces of memory outside the Go heap, all of which
// end with Close. Those who no longer need a piece keep it for their next use. It is not safe
// for concurrent use.
type Slab struct {
	chunks [][]byte
	rest   []byte
	bytes  uint64
}

// chunkSize is what a slab asks the system for.
const chunkSize = 1 << 20

// Get returns n zeroed bytes; it panics if the system has no memory, as make does.
func (s *Slab) Get(n int) unsafe.Pointer {
	n = (n + 63) &^ 63
	if n > len(s.rest) {
		s.grow(max(n, chunkSize))
	}
	p := unsafe.Pointer(unsafe.SliceData(s.rest))
	s.rest = s.rest[n:]
	return p
}

func (s *Slab) grow(n int) {
	m, err := outside(n + 64)
	if err != nil {
		panic("out of memory: " + err.Error())
	}
	s.chunks = append(s.chunks, m)
	s.bytes += uint64(n)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(m))) & 63
	s.rest = m[skip : int(skip)+n]
}

// Bytes returns how much memory the slab holds.
func (s *Slab) Bytes() uint64 { return s.bytes }

// Close ends all pieces.
func (s *Slab) Close() error {
	var first error
	for _, m := range s.chunks {
		if err := freeOutside(m); err != nil && first == nil {
			first = err
		}
	}
	*s = Slab{}
	return first
}
