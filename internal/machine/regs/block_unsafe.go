// Package regs is the register block of a frame: rows of 32 lanes, scalar slots and predicates at byte offsets, what decode
// puts where, and how values go from one form to the other.
package regs

import "unsafe"

// Block is the register block of one frame: 64-byte aligned memory outside the Go heap. Offsets are decode's; nothing looks
// whether they are inside.
type Block struct {
	P unsafe.Pointer
	N uint32 // bytes
}

// Row32 is the row of 32-bit elements at an offset, Row64 that of 64-bit ones, Word a mask, Slot a scalar.
func (b Block) Row32(off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(b.P, off)) }

func (b Block) Row64(off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(b.P, off)) }

func (b Block) Word(off uint32) *uint32 { return (*uint32)(unsafe.Add(b.P, off)) }

func (b Block) Slot(off uint32) *uint64 { return (*uint64)(unsafe.Add(b.P, off)) }

// Bytes is the whole block.
func (b Block) Bytes() []byte { return unsafe.Slice((*byte)(b.P), b.N) }

// Clear zeroes the first n bytes.
func (b Block) Clear(n uint32) { clear(unsafe.Slice((*byte)(b.P), n)) }

// ClearFrom zeroes n bytes from an offset on.
func (b Block) ClearFrom(off, n uint32) { clear(unsafe.Slice((*byte)(unsafe.Add(b.P, off)), n)) }

// Put writes lane i of a row, or all of a slot or one bit of a predicate; it tells whether the
// next lane has a place of its own.
func (b Block) Put(off uint32, width Width, i int, v uint64) bool {
	switch width {
	case Row32:
		b.Row32(off)[i] = uint32(v)
	case Row64:
		b.Row64(off)[i] = v
	case Pred:
		p := b.Word(off)
		*p = *p&^(1<<i) | uint32(v&1)<<i
	default:
		*b.Slot(off) = v
		return false
	}
	return true
}

// Fill writes all lanes of a row or a predicate, or a slot.
func (b Block) Fill(off uint32, width Width, v uint64) {
	switch width {
	case Row32:
		row := b.Row32(off)
		for i := range row {
			row[i] = uint32(v)
		}
	case Row64:
		row := b.Row64(off)
		for i := range row {
			row[i] = v
		}
	case Pred:
		*b.Word(off) = -uint32(v & 1)
	default:
		*b.Slot(off) = v
	}
}

// Holds reports whether fill has written a value there, if it was fill that wrote last.
func (b Block) Holds(off uint32, width Width, v uint64) bool {
	switch width {
	case Row32:
		return b.Row32(off)[0] == uint32(v)
	case Row64:
		return b.Row64(off)[0] == v
	case Pred:
		return *b.Word(off)&1 == uint32(v&1)
	}
	return *b.Slot(off) == v
}

// FillConsts writes the constant rows of a new block.
func (b Block) FillConsts(consts []ConstRow) {
	for _, c := range consts {
		b.Fill(c.Off, c.Width, c.Value)
	}
}

// Any is the slots and words at some offsets, one in another.
func (b Block) Any(slots, words []uint32) (any uint64) {
	for _, at := range slots {
		any |= *b.Slot(at)
	}
	for _, at := range words {
		any |= uint64(*b.Word(at))
	}
	return any
}

// Register reads a row in whatever width; of a predicate bit i is lane i.
func (b Block) Register(r Row) (out Register) {
	for i := range 32 {
		switch r.Width {
		case Row32:
			out.Low[i] = uint64(b.Row32(r.Off)[i])
		case Pred:
			out.Low[i] = uint64(*b.Word(r.Off) >> i & 1)
		default:
			out.Low[i] = b.Row64(r.Off)[i]
		}
	}
	if r.Wide {
		out.High = *b.Row64(r.Off + 32*8)
	}
	return out
}
