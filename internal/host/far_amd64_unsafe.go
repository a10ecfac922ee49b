//go:build amd64

package host

// This file copies much memory past the caches, faster than Go's copy does.

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

const (
	farPiece  = 16 << 10 // what copyPages copies at a time: four pages
	farPieces = 64       // of one call, which nothing interrupts
)

// copyPages copies pieces of farPiece bytes to an address that is a multiple of 32. It needs AVX.
//
//go:noescape
func copyPages(to, from *byte, pieces uint64)

// copyFar does what copy does.
func copyFar(to, from []byte) int {
	n := min(len(to), len(from))
	to, from = to[:n], from[:n]
	if n < 2*farPiece || !cpu.X86.HasAVX || overlap(to, from) {
		return copy(to, from)
	}
	at := copy(to[:-uintptr(unsafe.Pointer(&to[0]))&31], from)
	for n-at >= farPiece {
		pieces := min((n-at)/farPiece, farPieces)
		copyPages(&to[at], &from[at], uint64(pieces))
		at += pieces * farPiece
	}
	copy(to[at:], from[at:])
	return n
}
