// Package tensor is the arithmetic of tensor memory and of matrices in shared memory (9.7.16):
// which bytes a matrix descriptor names, how a swizzle permutes them, which cell of tensor
// memory a register of a fragment is, where a copy puts what it reads. Pure functions of
// numbers; nothing here holds data of a kernel.
//
// Tensor memory of a CTA is a matrix of words: 128 lanes of 512 columns of 32 bits.
//
//	taddr = lane<<16 | column                                     an Addr
//	shared memory: descriptor ─Layout─→ offset ─Swizzle─→ address  of 16-byte units
//	copy:          unit (row, u) → 4 columns from taddr.column+4u, in one, two or four lanes
//	fragment:      (thread of the warp, register) → (row, column) from taddr
//
// Each map has a reference implementation in the tests that was written from the other direction (from the
// destination back to the source), and cells worked out by hand.
package tensor
