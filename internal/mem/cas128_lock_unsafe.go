//go:build !amd64

package mem

// This file compares and swaps 16 bytes under a lock.

import (
	"sync"
	"unsafe"
)

var stripes [64]sync.Mutex

// CAS128 compares and swaps 16 bytes, aligned to 16, and returns what was there. It is atomic
// with respect to accesses that take Lock128: every atomic does once a module uses .b128.
func CAS128(p unsafe.Pointer, old, new Uint128) Uint128 {
	Lock128(p)
	defer Unlock128(p)
	at := (*Uint128)(p)
	was := *at
	if was == old {
		*at = new
	}
	return was
}

// Lock128 takes the lock of the 16 bytes around p.
func Lock128(p unsafe.Pointer) { stripes[stripe(p)].Lock() }

// Unlock128 gives the lock of the 16 bytes around p back.
func Unlock128(p unsafe.Pointer) { stripes[stripe(p)].Unlock() }

// stripe spreads addresses over the locks.
func stripe(p unsafe.Pointer) int {
	return int(uint64(uintptr(p)) >> 4 * 0x9e3779b97f4a7c15 >> 58)
}
