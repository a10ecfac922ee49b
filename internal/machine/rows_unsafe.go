package machine

// This file reaches the rows of the current frame: byte offsets chosen by decode, no bounds
// checks. A register block is 64-byte aligned memory outside the Go heap.

import "unsafe"

// rowBase is the address of a register block.
type rowBase = unsafe.Pointer

// R32 returns the row of 32 32-bit elements at a byte offset of the current frame's block.
func (w *Warp) R32(off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(w.regs, off)) }

// R64 returns the row of 32 64-bit elements at a byte offset of the current frame's block.
// A 128-bit register is two of them: low halves, then high halves 256 bytes on.
func (w *Warp) R64(off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(w.regs, off)) }

// P returns the lane mask of the predicate at a byte offset of the current frame's block.
func (w *Warp) P(off uint32) *uint32 { return (*uint32)(unsafe.Add(w.regs, off)) }

// S32 returns the 32-bit scalar slot at a byte offset of the current frame's block.
func (w *Warp) S32(off uint32) *uint32 { return (*uint32)(unsafe.Add(w.regs, off)) }

// S64 returns the 64-bit scalar slot at a byte offset of the current frame's block.
func (w *Warp) S64(off uint32) *uint64 { return (*uint64)(unsafe.Add(w.regs, off)) }

// PC returns the index of a decoded instruction of the running frame.
func (w *Warp) PC(in *Inst) int32 {
	return int32((uintptr(unsafe.Pointer(in)) - uintptr(unsafe.Pointer(unsafe.SliceData(w.insts)))) / unsafe.Sizeof(Inst{}))
}
