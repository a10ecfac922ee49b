package eval

import (
	"encoding/binary"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file touches memory of the host: that of the device, register blocks, and the state of compiled code.

// hostMemory is what lies at an address of the host.
func hostMemory(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func bytesAt(at uintptr, n int) []byte { return unsafe.Slice((*byte)(hostMemory(at)), n) }

// take is the number that bytes are.
func take(from []byte) uint64 {
	var b [8]byte
	copy(b[:], from)
	return binary.LittleEndian.Uint64(b[:])
}

// put makes bytes those of a number.
func put(to []byte, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(to, b[:])
}

// load loads from an address of the device, store stores there.
func (r *run) load(at uint64, n int) uint64 { return take(bytesAt(r.s.GlobalHost+uintptr(at), n)) }

func (r *run) store(at uint64, n int, v uint64) { put(bytesAt(r.s.GlobalHost+uintptr(at), n), v) }

// field is one of the state.
func (r *run) field(off uint64, n int) uint64 {
	return take(bytesAt(uintptr(unsafe.Pointer(r.s))+uintptr(off), n))
}

// save is the first word of what the state has for compiled code.
func (r *run) save() uint32 { return binary.NativeEndian.Uint32(r.s.Save[:]) }

// shared is the CTA's shared memory, of which a multiple of 64 bytes is its own.
func (r *run) shared() []byte {
	n := int(r.s.SharedBytes+63) &^ 63
	if n == 0 {
		return nil
	}
	return bytesAt(r.s.Shared, n)
}

// boundsOf is an entry of the machine's table.
func (r *run) boundsOf(i int32) *abi.Bounds {
	return (*abi.Bounds)(hostMemory(r.s.Bounds + uintptr(i)*unsafe.Sizeof(abi.Bounds{})))
}

// warpAt is where the running warp is described.
func (r *run) warpAt() uintptr {
	return r.s.Batch.Warps + uintptr(r.warp)*unsafe.Sizeof(abi.Warp{})
}

func (r *run) warpOf() *abi.Warp { return (*abi.Warp)(hostMemory(r.warpAt())) }

// row is part of the running warp's register block.
func (r *run) row(off uint32, n int) []byte { return bytesAt(r.warpOf().Regs+uintptr(off), n) }
