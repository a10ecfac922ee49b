package mem

// This file holds the arena: global memory of one device.

import (
	"errors"
	"fmt"
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
	Internal bool   // the machine's own: no program was told its address, and no report names it
	Device   int    // whose memory it is; set by Alloc
	Adopted  bool   // the host's memory; set by Adopt
	Host     bool   // the host program reaches it, too (Config.Guard)
	Tail     uint64 // bytes behind it that belong to nothing else and that kernels may touch (Config.Page); set by Alloc
	Made     Place  // by which instruction; nil: by the host
	Ended    Place  // the same of the free
}

// Place is an instruction that allocates or frees. The arena keeps it for reports.
type Place interface{ IsPlace() }

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
// bytes hold is the business of those who use them. Devices of one machine find each other's
// allocations; limit and usage are the device's own.
type Arena struct {
	*Space
	device int
	limit  uint64 // bytes of allocations
	usage  Usage
	closed bool
}

// NewArena reserves address space for limit bytes of allocations of a machine's only device.
func NewArena(limit uint64) (*Arena, error) {
	arenas, err := NewArenas(Config{Limits: []uint64{limit}})
	if err != nil {
		return nil, err
	}
	return arenas[0], nil
}

// Close ends the device's allocations; the last arena of a machine gives its memory back. The arena
// must not be used afterwards.
func (a *Arena) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed, a.usage = true, Usage{}
	a.epoch.Add(1)
	if a.open--; a.open == 0 {
		a.live, a.free = spans{}, spans{}
		return errors.Join(a.memory.release(), releaseAll(a.foreign))
	}
	for _, v := range a.live.all(func(v *span) bool { return v.info.Device == a.device }) {
		a.live.remove(v.start)
		if !v.info.Adopted {
			a.hide(v)
			a.reclaim(v)
		}
	}
	return nil
}

// Device is the number of the arena's device in its machine.
func (a *Arena) Device() int { return a.device }

// Limit returns the bytes that allocations may have in total.
func (a *Arena) Limit() uint64 { return a.limit }

// Usage returns the memory in use.
func (a *Arena) Usage() Usage {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.usage
}

// Alloc makes a zeroed allocation of size bytes, at least one, with unused bytes behind it. It begins at a multiple of
// Align, and from Large bytes on at a page, as NVIDIA's allocators do: programs that cut one into pages of their own rely on it.
// It returns ErrOutOfMemory if the limit does not allow it.
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
	if err := a.allow(size); err != nil {
		return 0, err
	}
	info.Tail = a.tail(size, &info)
	place := a.place
	switch {
	case info.Host:
		place = a.placeShown
	case size >= Large:
		place = a.placePages
	}
	start, err := place(roomFor(size+info.Tail, slack), size)
	if err != nil {
		return 0, err
	}
	a.begin(start, size, info)
	return start, nil
}

// allow says why the limit does not allow so many bytes more.
func (a *Arena) allow(bytes uint64) error {
	if bytes > a.limit || a.usage.Bytes+bytes > a.limit {
		return fmt.Errorf("%w: %d bytes asked for, %d of %d in use", ErrOutOfMemory, bytes, a.usage.Bytes, a.limit)
	}
	return nil
}

// roomFor is how far the next allocation begins behind one of this size.
func roomFor(size, slack uint64) uint64 { return (size + slack + Align - 1) &^ (Align - 1) }

// begin enters an allocation that has been placed.
func (a *Arena) begin(start, size uint64, info Info) {
	info.Device = a.device
	a.live.insert(span{start, start + size, info})
	a.ended.forget(start, start+size)
	a.usage.Bytes += size
	a.usage.Peak = max(a.usage.Peak, a.usage.Bytes)
	a.usage.Count++
}

// AllocAdjacent makes zeroed allocations of these sizes, at least one byte each, that lie one behind the other, with unused bytes
// between them, whatever room the memory has elsewhere. Their bounds are exact (Config.Page). It returns their addresses, or
// ErrOutOfMemory and makes none.
func (a *Arena) AllocAdjacent(sizes []uint64, infos []Info) ([]uint64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	bytes, room := uint64(0), uint64(0)
	for _, size := range sizes {
		size = max(size, 1)
		bytes = max(size, bytes+size) // a sum that wraps has a size above every limit
		if err := a.allow(bytes); err != nil {
			return nil, err
		}
		room += roomFor(size, DefaultSlack)
	}
	at, err := a.place(room, room)
	if err != nil {
		return nil, err
	}
	starts := make([]uint64, len(sizes))
	for i, size := range sizes {
		size = max(size, 1)
		starts[i] = at
		a.begin(at, size, infos[i])
		at += roomFor(size, DefaultSlack)
	}
	return starts, nil
}

// tail is what kernels may touch behind an allocation.
func (a *Arena) tail(size uint64, info *Info) uint64 {
	if a.page == 0 || info.Heap || info.Internal {
		return 0
	}
	return -size & (a.page - 1)
}

// Free ends the device's allocation that starts at addr; ErrNotAllocated if none does.
func (a *Arena) Free(addr uint64) error { return a.FreeAt(addr, nil) }

// FreeAt is Free by an instruction.
func (a *Arena) FreeAt(addr uint64, by Place) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v, ok := a.live.below(addr); !ok || v.start != addr || v.info.Device != a.device || v.info.Adopted {
		return ErrNotAllocated
	}
	v, _ := a.live.remove(addr)
	a.epoch.Add(1)
	a.usage.Bytes -= v.end - v.start
	a.usage.Count--
	v.info.Ended = by
	a.ended.add(v)
	a.hide(v)
	a.hold(v)
	return nil
}
