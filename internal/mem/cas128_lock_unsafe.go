//go:build !amd64

package mem

// This file compares and swaps 16 bytes under a lock.

import (
	"sync"
	"unsafe"
)

var stripes [64]sync.Mutex

// CAS128 compares and swaps 16 bytes, aligned to 16, and returns what was there. It is atomic
// with respect to others of its size alone: narrower atomics of the same bytes take no lock.
func CAS128(p unsafe.Pointer, old, new Uint128) Uint128 {
	lock := &stripes[stripe(p)]
	lock.Lock()
	defer lock.Unlock()
	at := (*Uint128)(p)
	was := *at
	if was == old {
		*at = new
	}
	return was
}

// stripe spreads addresses over the locks.
func stripe(p unsafe.Pointer) int {
	return int(uint64(uintptr(p)) >> 4 * 0x9e3779b97f4a7c15 >> 58)
}
