package ptxvm

// This file holds what sanitizers know of a device's global memory between launches.

import (
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
)

// shadow is that of the devices of one machine; without sanitizers it is told everything and keeps nothing.
type shadow struct {
	loads  *san.Memory
	values *flow.Memory
}

// newShadow returns what a set of sanitizers needs.
func newShadow(set Sanitize) (s shadow) {
	if set&SanitizeInitLoads != 0 {
		s.loads = new(san.Memory)
	}
	if set&(SanitizeInit|SanitizeMem) != 0 {
		s.values = flow.NewMemory()
	}
	return s
}

// Track begins an allocation that nothing has written.
func (s *shadow) Track(addr, n uint64) {
	s.loads.Track(addr, n)
	s.values.Track(addr, n)
}

// Drop ends an allocation.
func (s *shadow) Drop(addr uint64) {
	s.loads.Drop(addr)
	s.values.Drop(addr, 0, nil)
}

// Written notes that the host has written bytes.
func (s *shadow) Written(addr, n uint64) {
	s.loads.Written(addr, n)
	s.values.Written(addr, n)
}
