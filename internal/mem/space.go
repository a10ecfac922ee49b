package mem

// This file holds the address space that the arenas of one machine's devices share.

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Config describes the global memory of a machine. Its zero value is one device without memory.
type Config struct {
	Limits []uint64 // bytes of allocations, one a device
	// Identity places the memory so that a device address is the host address of the same byte: at
	// HostBase, or at the next multiple of HostStep that is free. Only the loader of host programs
	// (libcuda) may ask for it, as addresses then depend on the process.
	Identity bool
	// Guard, with Identity, keeps the host program itself from what Info.Host does not name: its accesses fault. The
	// machine has the memory at another address. Where the system cannot map memory twice, nothing is kept.
	Guard bool
	// Page, a power of two, lets kernels pass the end of an allocation of the host's, within its last page, counted from its
	// start; the bytes there belong to nothing else. 0: bounds are exact.
	Page uint64
	// Quarantine is the bytes of ended allocations whose room is not given out again, the last ones, as long as there is other room:
	// so that a pointer to one is found to be of no use, and does not meet what comes behind it.
	Quarantine uint64
	// Base, of which IsBase holds, is the device address of the first byte, without Identity; 0: GlobalBase.
	Base uint64
	// Foreign, without Identity, are device addresses outside of the arena that AdoptAt makes allocations of, in the order of their
	// starts. On Linux only.
	Foreign []Range
}

// Space is the global memory of one machine. Its devices share addresses: a pointer means the same
// byte in each, and an allocation knows its device. It ends with the last of its arenas.
type Space struct {
	mu      sync.RWMutex
	memory  reserved
	page    uint64 // Config.Page
	base    uint64 // device address of the first byte
	top     uint64 // end of what was ever used; everything from here is zero
	live    spans
	free    spans // below top; may hold old bytes
	epoch   atomic.Uint64
	held    quarantine
	ended   history      // for reports
	foreign []reserved   // pages of Config.Foreign
	open    int          // arenas
	ranges  []*Multicast // in the order of addresses; never changed in place

	endpoints map[uint32]*Endpoint
	named     uint32 // the last endpoint's number
}

// NewArenas reserves address space for the devices of one machine: an arena for each limit.
func NewArenas(cfg Config) ([]*Arena, error) {
	// Slack and rounding come on top: twice the limit and a little, as no byte of it costs memory.
	var room uint64
	for _, limit := range cfg.Limits {
		room += 2*limit + 64<<20
	}
	room += pagesReserved * cfg.Page
	s, err := newSpace(room, cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve device memory: %w", err)
	}
	s.open, s.page, s.held.most = len(cfg.Limits), cfg.Page, cfg.Quarantine
	arenas := make([]*Arena, len(cfg.Limits))
	for i, limit := range cfg.Limits {
		arenas[i] = &Arena{Space: s, device: i, limit: limit}
	}
	return arenas, nil
}

// pagesReserved is how many allocations can end within a page of their own: address space alone.
const pagesReserved = 1 << 15

func newSpace(room uint64, cfg Config) (*Space, error) {
	if cfg.Identity {
		memory, base, err := reserved{}, uint64(0), errNotGuarded
		if cfg.Guard {
			memory, base, err = reserveIdentity(room, reserveTwice)
		}
		if err != nil {
			memory, base, err = reserveIdentity(room, reserveAt)
		}
		return &Space{memory: memory, base: base, top: base}, err
	}
	base := cmp.Or(cfg.Base, GlobalBase)
	if len(cfg.Foreign) != 0 {
		memory, mapped, err := reserveBeside(room, base, cfg.Foreign)
		return &Space{memory: memory, foreign: mapped, base: base, top: base}, err
	}
	memory, err := reserve(room)
	return &Space{memory: memory, base: base, top: base}, err
}

// reserveIdentity reserves memory whose host address serves as its device address.
func reserveIdentity(room uint64, reserve func(base, n uint64) (reserved, error)) (reserved, uint64, error) {
	var err error
	for base := HostBase; base < hostEnd; base += HostStep {
		var r reserved
		if r, err = reserve(base, room); err == nil {
			return r, base, nil
		}
	}
	return reserved{}, 0, err
}

// First is the device address of the first byte: a host address is Base plus what a device address
// is above First.
func (s *Space) First() uint64 { return s.base }

// Epoch changes whenever an allocation ends: ranges found before are no longer valid.
func (s *Space) Epoch() uint64 { return s.epoch.Load() }

var errNotGuarded = errors.New("not guarded")

// hostPage is what is shown to the host program, or kept from it, as a whole.
const hostPage = 4096

// placeShown is place for what the host program may reach: whole pages that nothing else lies in.
func (s *Space) placeShown(room, size uint64) (uint64, error) {
	room = (room + hostPage - 1) &^ (hostPage - 1)
	start, err := s.placePages(room, size)
	if err != nil {
		return 0, err
	}
	if err := s.memory.show(start-s.base, room, true); err != nil {
		s.free.insert(span{start: start, end: start + room})
		return 0, fmt.Errorf("%w: %w", ErrOutOfMemory, err)
	}
	return start, nil
}

// placePages is place that begins at a page.
func (s *Space) placePages(room, size uint64) (uint64, error) {
	const extra = hostPage - Align
	at, err := s.place(room+extra, size)
	if err != nil {
		return 0, err
	}
	start := (at + hostPage - 1) &^ (hostPage - 1)
	if start > at {
		s.free.insert(span{start: at, end: start})
		s.memory.zero(at+size-s.base, start-at) // the rest is
	}
	if end := at + room + extra; end > start+room {
		s.free.insert(span{start: start + room, end: end})
	}
	return start, nil
}

// hide keeps a span that ends from the host program. What cannot be kept from it stays as it is.
func (s *Space) hide(v span) {
	if v.info.Host {
		_ = s.memory.show(v.start-s.base, (v.end-v.start+v.info.Tail+hostPage-1)&^(hostPage-1), false)
	}
}

// place finds room bytes and zeroes the first size of them.
func (s *Space) place(room, size uint64) (uint64, error) {
	at, err := s.placeBeside(room, size)
	if err != nil && s.held.bytes != 0 {
		s.release(0)
		at, err = s.placeBeside(room, size)
	}
	return at, err
}

// placeBeside is place that leaves what is in quarantine there.
func (s *Space) placeBeside(room, size uint64) (uint64, error) {
	if v, ok := s.free.firstFit(room); ok {
		if v.end > v.start+room {
			s.free.insert(span{start: v.start + room, end: v.end})
		}
		s.memory.zero(v.start-s.base, size)
		return v.start, nil
	}
	start := s.top
	if start-s.base+room > s.memory.size() {
		return 0, fmt.Errorf("%w: address space is fragmented", ErrOutOfMemory)
	}
	if err := s.memory.commit(start - s.base + room); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrOutOfMemory, err)
	}
	s.top += room
	return start, nil
}

// reclaim returns the room of a freed span: up to the next live span, joined with its free
// neighbours.
func (s *Space) reclaim(v span) {
	end := s.top
	if next, ok := s.live.above(v.start); ok {
		end = min(end, next.start) // what has been adopted lies anywhere
	}
	if next, ok := s.held.spans.above(v.start); ok {
		end = min(end, next.start)
	}
	if next, ok := s.free.above(v.start); ok && next.start < end {
		s.free.remove(next.start)
		end = next.end
	}
	start := v.start
	if prev, ok := s.free.below(v.start); ok && prev.end == v.start {
		s.free.remove(prev.start)
		start = prev.start
	}
	s.free.insert(span{start: start, end: end})
}

// Find returns the allocation that holds addr, of any device.
func (s *Space) Find(addr uint64) (Allocation, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.live.below(addr)
	if !ok || addr >= v.end {
		return Allocation{}, false
	}
	return v.allocation(), true
}

// Past returns the allocation that the bytes [addr, addr+n) pass the end of, but not its page (Config.Page).
func (s *Space) Past(addr, n uint64) (Allocation, bool) {
	if s.page == 0 {
		return Allocation{}, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.live.below(addr)
	end := v.end + v.info.Tail
	if !ok || addr >= end || n > end-addr || addr+n <= v.end {
		return Allocation{}, false
	}
	return v.allocation(), true
}

func (v span) allocation() Allocation { return Allocation{v.start, v.end, v.info} }

// Nearest returns the allocation closest to the bytes [addr, addr+size), and whether it is one that held addr and has
// been freed.
func (s *Space) Nearest(addr, size uint64) (near Allocation, ok, freed bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if near, freed = s.ended.find(addr); freed {
		return near, true, true
	}
	lo, okLo := s.live.below(addr)
	for okLo && lo.info.Internal {
		lo, okLo = s.live.below(lo.start - 1)
	}
	hi, okHi := s.live.above(addr)
	for okHi && hi.info.Internal {
		hi, okHi = s.live.above(hi.start)
	}
	switch {
	case !okLo && !okHi:
		return Allocation{}, false, false
	case !okHi || okLo && addr+size-lo.end <= hi.start-addr:
		return lo.allocation(), true, false
	}
	return hi.allocation(), true, false
}

// Bytes returns the memory of [addr, addr+n), for the host side; nil unless one allocation
// holds all of it.
func (s *Space) Bytes(addr, n uint64) []byte {
	v, ok := s.Find(addr)
	if !ok || n > v.End-addr {
		return nil
	}
	if v.Adopted {
		return s.adopted(addr, n)
	}
	return s.memory.bytes(addr-s.base, n)
}

// Heap returns what kernels have allocated and not freed, in the order of addresses.
func (s *Space) Heap() (list []Allocation) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.live.all(func(v *span) bool { return v.info.Heap }) {
		list = append(list, v.allocation())
	}
	return list
}
