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

// block is the register block of one frame.
type block struct {
	p rowBase
	n uint32 // bytes
}

func (b block) row32(off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(b.p, off)) }
func (b block) row64(off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(b.p, off)) }
func (b block) word(off uint32) *uint32      { return (*uint32)(unsafe.Add(b.p, off)) }
func (b block) slot(off uint32) *uint64      { return (*uint64)(unsafe.Add(b.p, off)) }

// bytes is the whole block.
func (b block) bytes() []byte { return unsafe.Slice((*byte)(b.p), b.n) }

// clear zeroes the first n bytes.
func (b block) clear(n uint32) { clear(unsafe.Slice((*byte)(b.p), n)) }

// clearFrom zeroes n bytes from an offset on.
func (b block) clearFrom(off, n uint32) { clear(unsafe.Slice((*byte)(unsafe.Add(b.p, off)), n)) }

// PC returns the index of a decoded instruction of the running frame.
func (w *Warp) PC(in *Inst) int32 {
	return int32((uintptr(unsafe.Pointer(in)) - uintptr(unsafe.Pointer(unsafe.SliceData(w.insts)))) / unsafe.Sizeof(Inst{}))
}

// put writes lane i of a row, or all of a slot or one bit of a predicate; it tells whether the
// next lane has a place of its own.
func (b block) put(off uint32, width Width, i int, v uint64) bool {
	switch width {
	case Row32:
		b.row32(off)[i] = uint32(v)
	case Row64:
		b.row64(off)[i] = v
	case Pred:
		p := b.word(off)
		*p = *p&^(1<<i) | uint32(v&1)<<i
	default:
		*b.slot(off) = v
		return false
	}
	return true
}

// fill writes all lanes of a row or a predicate, or a slot.
func (b block) fill(off uint32, width Width, v uint64) {
	switch width {
	case Row32:
		row := b.row32(off)
		for i := range row {
			row[i] = uint32(v)
		}
	case Row64:
		row := b.row64(off)
		for i := range row {
			row[i] = v
		}
	case Pred:
		*b.word(off) = -uint32(v & 1)
	default:
		*b.slot(off) = v
	}
}

// holds reports whether fill has written a value there, if it was fill that wrote last.
func (b block) holds(off uint32, width Width, v uint64) bool {
	switch width {
	case Row32:
		return b.row32(off)[0] == uint32(v)
	case Row64:
		return b.row64(off)[0] == v
	case Pred:
		return *b.word(off)&1 == uint32(v&1)
	}
	return *b.slot(off) == v
}

// fillConsts writes the constant rows of a new block.
func (b block) fillConsts(consts []ConstRow) {
	for _, c := range consts {
		b.fill(c.Off, c.Width, c.Value)
	}
}
