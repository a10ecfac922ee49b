package mem

// This file lets kernels use memory of the host that is not the arena's.

import (
	"errors"
	"unsafe"
)

// ErrOverlap is returned for memory of which some is already a device's.
var ErrOverlap = errors.New("some of the memory is already known to the device")

// ErrTooFar is returned for memory that lies too far from the arena's for a device address, which cannot be with
// Config.Identity.
var ErrTooFar = errors.New("the memory lies too far from the device's for an address of its own")

// Adopt makes size bytes of the host's memory an allocation of the device, which counts towards no limit, and returns
// its device address: the host's, where the two are the same (Config.Identity). The caller keeps the memory in its place
// until Disown.
func (a *Arena) Adopt(host, size uint64, info Info) (uint64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	start := host - a.hostBase() + a.base
	end := start + size
	if size == 0 || end < start || end > SharedWindow {
		return 0, ErrTooFar
	}
	if v, ok := a.live.below(end - 1); ok && v.end > start || start < a.base+a.memory.size() && end > a.base {
		return 0, ErrOverlap
	}
	info.Device, info.Adopted = a.device, true
	a.live.insert(span{start, end, info})
	return start, nil
}

// Disown ends what Adopt began.
func (a *Arena) Disown(addr uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v, ok := a.live.below(addr); !ok || v.start != addr || !v.info.Adopted || v.info.Device != a.device {
		return ErrNotAllocated
	}
	a.live.remove(addr)
	a.epoch.Add(1)
	return nil
}

func (s *Space) hostBase() uint64 { return uint64(uintptr(s.Base())) }

// adopted is the host's memory at a device address that Adopt gave.
func (s *Space) adopted(addr, n uint64) []byte {
	host := addr - s.base + s.hostBase()
	return unsafe.Slice((*byte)(hostMemory(host)), n)
}

// hostMemory makes a pointer of a number at which no Go object lies.
func hostMemory(addr uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
