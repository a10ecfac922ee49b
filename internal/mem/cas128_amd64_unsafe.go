//go:build amd64

package mem

// This file uses the processor's 16-byte compare-and-swap: every x86-64 but the first few has it.

import "unsafe"

// cas128 compares and swaps 16 aligned bytes and returns what was there.
//
//go:noescape
func cas128(p unsafe.Pointer, oldLo, oldHi, newLo, newHi uint64) (lo, hi uint64)

// CAS128 compares and swaps 16 bytes, aligned to 16, and returns what was there. It is atomic
// with respect to every other access to them.
func CAS128(p unsafe.Pointer, old, new Uint128) Uint128 {
	lo, hi := cas128(p, old.Lo, old.Hi, new.Lo, new.Hi)
	return Uint128{lo, hi}
}
