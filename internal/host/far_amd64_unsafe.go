//go:build amd64

package host

// This file copies much memory past the caches, faster than Go's copy does.

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

const (
	farPiece  = 16 << 10 // what copyPages copies at a time: four pages
	line      = 64       // of a cache
	farPieces = 64       // of one call, which nothing interrupts
)

// copyPages copies pieces of farPiece bytes. It needs AVX, and to at the start of a line: two stores past the caches fill it, where a
// line that stays half full for a while is written twice.
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
	at := copy(to[:-uintptr(unsafe.Pointer(&to[0]))&(line-1)], from)
	for n-at >= farPiece {
		pieces := min((n-at)/farPiece, farPieces)
		copyPages(&to[at], &from[at], uint64(pieces))
		at += pieces * farPiece
	}
	copy(to[at:], from[at:])
	return n
}
