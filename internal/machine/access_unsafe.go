package machine

// This file touches memory at checked addresses: one plain access of the element's size each.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// At returns the host address of a lane's device address, before its displacement (OneSpan).
func (a *Access) At(addr uint64) unsafe.Pointer { return unsafe.Add(a.base, addr-a.org) }

// Ptr returns the host address of byte off of what a lane accesses, in every mode. Elements
// of up to 32 bits are contiguous in every mode, wider ones are not in local memory. addr is
// the row that Access got.
func (a *Access) Ptr(addr *[32]uint64, lane int, off uint32) unsafe.Pointer {
	switch {
	case a.Mode == OneSpan:
		return unsafe.Add(a.base, addr[lane]-a.org+uint64(off))
	case a.Mode == OneRow:
		off += a.shift
		return unsafe.Add(unsafe.Pointer(a.Row), uint32(lane)*4+off/4*wordStride+off%4)
	case a.Local>>lane&1 != 0:
		p := a.ptr[lane]
		off += uint32(uintptr(p) & 3)
		return unsafe.Add(p, int(off/4*wordStride+off%4)-int(uintptr(p)&3))
	}
	return unsafe.Add(a.ptr[lane], off)
}

// Span tells where addresses lie that are in one piece of host memory: an address less org from base on.
func (a *Access) Span() (base unsafe.Pointer, org uint64, ok bool) {
	return a.base, a.org, a.Mode == OneSpan
}

// scattered reports whether the words of a lane's wider elements lie apart.
func (a *Access) scattered(lane int) bool {
	return a.Mode == OneRow || a.Mode == PerPtr && a.Local>>lane&1 != 0
}

// Load8 returns the byte at byte off of what a lane accesses.
func (a *Access) Load8(addr *[32]uint64, lane int, off uint32) uint8 {
	return *(*uint8)(a.Ptr(addr, lane, off))
}

// Load16 returns 16 bits at byte off of what a lane accesses.
func (a *Access) Load16(addr *[32]uint64, lane int, off uint32) uint16 {
	return *(*uint16)(a.Ptr(addr, lane, off))
}

// Load32 returns 32 bits at byte off of what a lane accesses.
func (a *Access) Load32(addr *[32]uint64, lane int, off uint32) uint32 {
	return *(*uint32)(a.Ptr(addr, lane, off))
}

// Load64 returns 64 bits at byte off of what a lane accesses.
func (a *Access) Load64(addr *[32]uint64, lane int, off uint32) uint64 {
	if a.scattered(lane) {
		return uint64(a.Load32(addr, lane, off)) | uint64(a.Load32(addr, lane, off+4))<<32
	}
	return *(*uint64)(a.Ptr(addr, lane, off))
}

// Store8 stores the byte at byte off of what a lane accesses.
func (a *Access) Store8(addr *[32]uint64, lane int, off uint32, v uint8) {
	*(*uint8)(a.Ptr(addr, lane, off)) = v
}

// Store16 stores 16 bits at byte off of what a lane accesses.
func (a *Access) Store16(addr *[32]uint64, lane int, off uint32, v uint16) {
	*(*uint16)(a.Ptr(addr, lane, off)) = v
}

// Store32 stores 32 bits at byte off of what a lane accesses.
func (a *Access) Store32(addr *[32]uint64, lane int, off uint32, v uint32) {
	*(*uint32)(a.Ptr(addr, lane, off)) = v
}

// Store64 stores 64 bits at byte off of what a lane accesses.
func (a *Access) Store64(addr *[32]uint64, lane int, off uint32, v uint64) {
	if a.scattered(lane) {
		a.Store32(addr, lane, off, uint32(v))
		a.Store32(addr, lane, off+4, uint32(v>>32))
		return
	}
	*(*uint64)(a.Ptr(addr, lane, off)) = v
}

// hostGlobal returns the host address of a checked global address.
func (w *Warp) hostGlobal(x uint64) unsafe.Pointer {
	return unsafe.Add(w.core.arenaBase, x-w.core.arenaFirst)
}

// Rest returns the memory from a global address to the end of its allocation, which the instruction reads; nil at any
// other address, where an access says what is there.
func (w *Warp) Rest(in *Inst, x uint64) []byte {
	q := Request{Space: Global, Kind: Load, Size: 1, Align: 1}
	if x >= mem.SharedWindow || !w.lookup(in, &q, x, x) {
		return nil
	}
	return unsafe.Slice((*byte)(w.hostGlobal(x)), w.core.cacheLine(in).end-x)
}

// GlobalAt returns the host address of byte off of an image. Bounds are the caller's business.
func (w *Warp) GlobalAt(im *images.Image, off uint64) unsafe.Pointer {
	return w.hostGlobal(im.Base + off)
}

// sharedAt returns the host address of an offset in the CTA's shared memory.
func (c *CTA) sharedAt(off uint64) unsafe.Pointer { return unsafe.Add(c.shared, off) }

// cacheLine returns the core's memory of an instruction. Instructions that fall together
// share one: it holds bounds of an allocation, which are right for anybody.
func (core *Core) cacheLine(in *Inst) *cached {
	return &core.cache[uintptr(unsafe.Pointer(in))/unsafe.Sizeof(Inst{})%uintptr(len(core.cache))]
}
