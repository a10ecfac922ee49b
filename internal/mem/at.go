package mem

// This file puts allocations where they were in another arena, and lists what an arena holds.

import "fmt"

// IsBase reports whether an arena's memory may begin at an address, with or without Config.Identity.
func IsBase(addr uint64) bool {
	return addr == GlobalBase || addr >= HostBase && addr < hostEnd && addr%HostStep == 0
}

// AllocAt makes a zeroed allocation at an address, a multiple of Align, with unused bytes behind it as far as there is room.
// It returns ErrOutOfMemory if the limit or the arena does not allow it, ErrOverlap if something lies there.
func (a *Arena) AllocAt(start, size uint64, info Info) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	size = max(size, 1)
	if err := a.allow(size); err != nil {
		return err
	}
	slack := DefaultSlack
	if info.Heap {
		slack = HeapSlack
	}
	room := roomFor(size, slack)
	if off := start - a.base; start%Align != 0 || start < a.base || off > a.memory.size() || room > a.memory.size()-off {
		return fmt.Errorf("%w: the arena has no %d bytes at %#x", ErrOutOfMemory, size, start)
	}
	if err := a.claim(start, size, room); err != nil {
		return err
	}
	a.begin(start, size, info)
	return nil
}

// claim takes room at an address, less where something follows.
func (s *Space) claim(start, size, room uint64) error {
	if start >= s.top {
		if err := s.memory.commit(start - s.base + room); err != nil {
			return fmt.Errorf("%w: %w", ErrOutOfMemory, err)
		}
		if start > s.top {
			s.free.insert(span{start: s.top, end: start})
		}
		s.top = start + room
		return nil
	}
	v, ok := s.free.below(start)
	if !ok || start+size > v.end {
		return fmt.Errorf("%w: %d bytes at %#x", ErrOverlap, size, start)
	}
	s.free.remove(v.start)
	if start > v.start {
		s.free.insert(span{start: v.start, end: start})
	}
	if end := start + room; end < v.end {
		s.free.insert(span{start: end, end: v.end})
	}
	s.memory.zero(start-s.base, size)
	return nil
}

// Live lists the allocations of all devices, by address.
func (s *Space) Live() (list []Allocation) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.live.all(func(*span) bool { return true }) {
		list = append(list, v.allocation())
	}
	return list
}

// Touched lists the parts, as address and size, of the n bytes of an allocation from addr on that anything may have been
// written in: the others are zero, and reading them would take as much of the host's memory where it is mapped twice (Config.Guard).
func (s *Space) Touched(addr, n uint64) (parts [][2]uint64) {
	if v, ok := s.Find(addr); !ok || n > v.End-addr || v.Adopted {
		return [][2]uint64{{addr, n}}
	}
	for _, p := range s.memory.touched(addr-s.base, n) {
		parts = append(parts, [2]uint64{p[0] + s.base, p[1]})
	}
	return parts
}

// Fabric reports whether there are multicast ranges or endpoints.
func (s *Space) Fabric() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.ranges) != 0 || len(s.endpoints) != 0
}
