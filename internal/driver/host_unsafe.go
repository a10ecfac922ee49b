package driver

// This file reaches memory of the program by its address.

import (
	"sync/atomic"
	"unsafe"
)

// hostBytes is the program's memory at an address. The program answers for its being there.
func hostBytes(addr, n uint64) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}

// hostAddress is where bytes of Go's memory lie as long as the caller holds them.
func hostAddress(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// hostWord is 8 bytes of the program's memory.
func hostWord(addr uint64) uint64 {
	return *(*uint64)(unsafe.Pointer(unsafe.SliceData(hostBytes(addr, 8))))
}

// hostWord32 is 4 bytes that kernels write, too.
func hostWord32(addr uint64) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(hostBytes(addr, 4))))
}

// hostText is the text at an address, up to its NUL.
func hostText(addr uint64) []byte {
	n := uint64(0)
	for p := hostBytes(addr, 1<<40); p[n] != 0; n++ {
	}
	return hostBytes(addr, n)
}
