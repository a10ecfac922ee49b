package mem

// This file holds the arena: global memory of one device.

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrOutOfMemory is returned when an allocation exceeds the limit of the device.
var ErrOutOfMemory = errors.New("out of device memory")

// ErrNotAllocated is returned for an address at which no allocation starts.
var ErrNotAllocated = errors.New("no allocation starts at this address")

// Info is what an allocation says about itself.
type Info struct {
	Label    string // for reports; may be empty
	ReadOnly bool   // kernels must not write: constants and kernel parameters
	Heap     bool   // made by a kernel's malloc
}

// Allocation is one live allocation; accesses must lie in [Start, End).
type Allocation struct {
	Start, End uint64
	Info
}

// Usage is the memory in use.
type Usage struct {
	Bytes, Peak uint64 // without slack
	Count       int
}

// Arena is the global memory of a device. Allocations are 256-byte aligned and zeroed, with
// unused bytes behind; bounds are precise to the byte. It is safe for concurrent use; what the
// bytes hold is the business of those who use them.
type Arena struct {
	mu    sync.RWMutex
	space reserved
	limit uint64 // bytes of allocations
	top   uint64 // end of what was ever used; everything from here is zero
	live  spans
	free  spans // below top; may hold old bytes
	usage Usage
	epoch atomic.Uint64
	last  Allocation // freed last, for reports
}

// NewArena reserves address space for limit bytes of allocations.
func NewArena(limit uint64) (*Arena, error) {
	// Slack and rounding come on top: twice the limit and a little, as no byte of it costs memory.
	space, err := reserve(2*limit + 64<<20)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve device memory: %w", err)
	}
	return &Arena{space: space, limit: limit, top: GlobalBase}, nil
}

// Close gives the memory back. The arena must not be used afterwards.
func (a *Arena) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live, a.free, a.usage = spans{}, spans{}, Usage{}
	a.epoch.Add(1)
	return a.space.release()
}

// Epoch changes whenever an allocation ends: ranges found before are no longer valid.
func (a *Arena) Epoch() uint64 { return a.epoch.Load() }

// Limit returns the bytes that allocations may have in total.
func (a *Arena) Limit() uint64 { return a.limit }

// Usage returns the memory in use.
func (a *Arena) Usage() Usage {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.usage
}

// Alloc makes a zeroed allocation of size bytes, at least one, with unused bytes behind it. It
// returns ErrOutOfMemory if the limit does not allow it.
func (a *Arena) Alloc(size uint64, info Info) (uint64, error) {
	if info.Heap {
		return a.alloc(size, HeapSlack, info)
	}
	return a.alloc(size, DefaultSlack, info)
}

func (a *Arena) alloc(size, slack uint64, info Info) (uint64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	size = max(size, 1)
	if size > a.limit || a.usage.Bytes+size > a.limit {
		return 0, fmt.Errorf("%w: %d bytes asked for, %d of %d in use", ErrOutOfMemory, size, a.usage.Bytes, a.limit)
	}
	start, err := a.place((size+slack+Align-1)&^(Align-1), size)
	if err != nil {
		return 0, err
	}
	a.live.insert(span{start, start + size, info})
	a.usage.Bytes += size
	a.usage.Peak = max(a.usage.Peak, a.usage.Bytes)
	a.usage.Count++
	return start, nil
}

// place finds room bytes and zeroes the first size of them.
func (a *Arena) place(room, size uint64) (uint64, error) {
	if v, ok := a.free.firstFit(room); ok {
		if v.end > v.start+room {
			a.free.insert(span{start: v.start + room, end: v.end})
		}
		a.space.zero(v.start-GlobalBase, size)
		return v.start, nil
	}
	start := a.top
	if start-GlobalBase+room > a.space.size() {
		return 0, fmt.Errorf("%w: address space is fragmented", ErrOutOfMemory)
	}
	if err := a.space.commit(start - GlobalBase + room); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrOutOfMemory, err)
	}
	a.top += room
	return start, nil
}

// Free ends the allocation that starts at addr; ErrNotAllocated if none does.
func (a *Arena) Free(addr uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.live.remove(addr)
	if !ok {
		return ErrNotAllocated
	}
	a.epoch.Add(1)
	a.usage.Bytes -= v.end - v.start
	a.usage.Count--
	a.last = Allocation{v.start, v.end, v.info}
	a.reclaim(v)
	return nil
}

// reclaim returns the room of a freed span: up to the next live span, joined with its free
// neighbours.
func (a *Arena) reclaim(v span) {
	end := a.top
	if next, ok := a.live.above(v.start); ok {
		end = next.start
	}
	if next, ok := a.free.above(v.start); ok && next.start < end {
		a.free.remove(next.start)
		end = next.end
	}
	start := v.start
	if prev, ok := a.free.below(v.start); ok && prev.end == v.start {
		a.free.remove(prev.start)
		start = prev.start
	}
	a.free.insert(span{start: start, end: end})
}

// Find returns the allocation that holds addr.
func (a *Arena) Find(addr uint64) (Allocation, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	v, ok := a.live.below(addr)
	if !ok || addr >= v.end {
		return Allocation{}, false
	}
	return Allocation{v.start, v.end, v.info}, true
}

// Nearest returns the allocation closest to the bytes [addr, addr+size), and whether one that
// held addr was the last to be freed.
func (a *Arena) Nearest(addr, size uint64) (near Allocation, ok, freed bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.last.Start <= addr && addr < a.last.End {
		return a.last, true, true
	}
	lo, okLo := a.live.below(addr)
	hi, okHi := a.live.above(addr)
	switch {
	case !okLo && !okHi:
		return Allocation{}, false, false
	case !okHi || okLo && addr+size-lo.end <= hi.start-addr:
		return Allocation{lo.start, lo.end, lo.info}, true, false
	}
	return Allocation{hi.start, hi.end, hi.info}, true, false
}

// Bytes returns the memory of [addr, addr+n), for the host side; nil unless one allocation
// holds all of it.
func (a *Arena) Bytes(addr, n uint64) []byte {
	v, ok := a.Find(addr)
	if !ok || n > v.End-addr {
		return nil
	}
	return a.space.bytes(addr-GlobalBase, n)
}
