package machine

// This file holds pieces of memory and of registers.

import "ptxvm.invalid/ptxvm/internal/mem"

// Extent is a piece of what an operation touches.
type Extent struct {
	Space    Space
	CTA      uint32 // Shared, Tensor: rank in the cluster
	Lane     int    // of the operation; -1: the operation as a whole
	From, To uint64 // Global: addresses; Shared: offsets in the CTA's window; Tensor: columns; Registers: bytes of the frame's block
	Row, End uint32 // Tensor: lanes [Row, End)
	Frame    *Frame // Registers
}

// Overlaps reports whether two extents have something in common.
func (e Extent) Overlaps(o Extent) bool {
	switch {
	case e.Space != o.Space || e.From >= o.To || o.From >= e.To:
		return false
	case e.Space == Shared:
		return e.CTA == o.CTA
	case e.Space == Tensor:
		return e.CTA == o.CTA && e.Row < o.End && o.Row < e.End
	case e.Space == Registers:
		return e.Frame == o.Frame
	}
	return true
}

// Rows returns the extent of bytes of the running frame's register block.
func (w *Warp) Rows(from, to uint32) Extent {
	return Extent{Space: Registers, Lane: -1, From: uint64(from), To: uint64(to), Frame: w.frag.frame}
}

// extentOf classifies an address; false for memory that no operation touches.
func (w *Warp) extentOf(space Space, addr, size uint64) (Extent, bool) {
	switch {
	case space == Generic && mem.InShared(addr):
		space, addr = Shared, addr-mem.SharedWindow
	case space == Generic && mem.InLocal(addr), space == Local:
		return Extent{}, false
	case space <= Param:
		space = Global
	}
	x := Extent{Space: space, Lane: -1, From: addr, To: addr + size}
	if space == Shared {
		off := addr & (mem.MaxShared - 1)
		x.CTA, x.From, x.To = uint32(addr>>mem.RankShift), off, off+size
	}
	return x, true
}

// Extent returns the extent of n bytes at an address of global memory or of the shared window,
// rank included, for a lane of the operation.
func (op *Op) Extent(space Space, lane int, addr, n uint64) Extent {
	x := Extent{Space: space, Lane: lane, From: addr, To: addr + n}
	if space == Shared {
		off := addr & (mem.MaxShared - 1)
		x.CTA, x.From, x.To = uint32(addr>>mem.RankShift), off, off+n
	}
	return x
}
