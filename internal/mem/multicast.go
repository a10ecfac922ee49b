package mem

// This file holds multicast ranges: addresses that stand for the same place in several allocations, one of
// each device (9.7.9.14). Only multimem instructions take them, so there is no memory behind the range itself.

import (
	"fmt"
	"slices"
)

// MulticastBase is where multicast ranges begin: below all memory at GlobalBase and above all at HostBase.
const MulticastBase uint64 = 0x6000_0000_0000

// Multicast is a range [Start, End): byte i of it stands for byte i from each of Copies on.
type Multicast struct {
	Start, End uint64
	Copies     []uint64 // in the order of the devices
}

// Covers reports whether n bytes at addr lie in the range.
func (m *Multicast) Covers(addr, n uint64) bool {
	return m.Start <= addr && addr < m.End && n <= m.End-addr
}

// NewMulticast makes a range of size bytes that stands for the bytes at copies, each in one allocation.
func (s *Space) NewMulticast(size uint64, copies []uint64) (start uint64, err error) {
	for _, at := range copies {
		if s.Bytes(at, size) == nil {
			return 0, fmt.Errorf("%w: %d bytes at %#x", ErrNotAllocated, size, at)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	start = MulticastBase
	at := 0
	for ; at < len(s.ranges) && s.ranges[at].Start-start < size+Align; at++ {
		start = (s.ranges[at].End + 2*Align - 1) &^ (Align - 1)
	}
	s.ranges = slices.Insert(slices.Clone(s.ranges), at, &Multicast{start, start + size, slices.Clone(copies)})
	return start, nil
}

// EndMulticast ends the range that starts at addr; ErrNotAllocated if none does.
func (s *Space) EndMulticast(addr uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.ranges, func(m *Multicast) bool { return m.Start == addr })
	if at < 0 {
		return ErrNotAllocated
	}
	s.ranges = slices.Delete(slices.Clone(s.ranges), at, at+1)
	return nil
}

// Multicast returns the range that holds n bytes at addr; nil if there is none.
func (s *Space) Multicast(addr, n uint64) *Multicast {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, m := range s.ranges {
		if m.Covers(addr, n) {
			return m
		}
	}
	return nil
}

// Copies returns the addresses of the copies of n bytes, in the order of the devices; nil if they are in no multicast range.
func (s *Space) Copies(addr, n uint64) []uint64 {
	m := s.Multicast(addr, n)
	if m == nil {
		return nil
	}
	at := make([]uint64, len(m.Copies))
	for k, c := range m.Copies {
		at[k] = c + (addr - m.Start)
	}
	return at
}
