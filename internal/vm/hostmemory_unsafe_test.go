package vm

import (
	"unsafe"
)

// hostMemory is the memory at a host address.
func hostMemory(addr uint64, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}
