package machine

// This file makes warps for tests of handlers that touch nothing but rows.

import "unsafe"

// NewLooseWarp returns a warp outside any launch, with a zeroed register block of n bytes.
func NewLooseWarp(n int) *Warp {
	block := make([]uint64, (n+7)/8)
	return &Warp{regs: unsafe.Pointer(unsafe.SliceData(block)), Mask: ^uint32(0), Live: ^uint32(0)}
}
