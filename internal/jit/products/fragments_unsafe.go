package products

// This file calls machine code for products in the order of a warp's registers.

import (
	"runtime"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/num"
)

// fragmentContext is what the code of a product gets; offsets are fc….
type fragmentContext struct {
	registers     [5]unsafe.Pointer // of A, B, C, D, metadata
	offsets, room unsafe.Pointer
	result        uint64 // 1: D has been written; 0: something does not fit
	scales, meta  unsafe.Pointer
	tiles         uint64
}

// fragmentKey is what a product's code depends on: its shape, and how many registers it has before the tiles and in each.
type fragmentKey struct {
	shape     num.DenseShape
	registers [2]int
}

// Prepare implements num.Multiplier.
func (m *Multiplier) Prepare(f *num.Fragments) bool {
	key := fragmentKey{f.DenseShape, f.Counts()}
	f.Code = codeOf(m, m.warps, key, denseKey(key.shape), func(e *denseCode) bool { return e.assembleFragments(key.registers) })
	return f.Code != 0
}

// MultiplyFragments implements num.Multiplier.
func (m *Multiplier) MultiplyFragments(f *num.Fragments, at *num.FragmentsAt) bool {
	if at.Room == nil {
		at.Room = new(num.FragmentRoom)
	}
	c := fragmentContext{
		offsets: unsafe.Pointer(&f.Offsets[0]), room: unsafe.Pointer(at.Room), scales: unsafe.Pointer(at.Scales),
		meta: unsafe.Pointer(unsafe.SliceData(f.Meta)), tiles: uint64(f.Tiles),
	}
	for i, p := range at.Registers {
		c.registers[i] = unsafe.Pointer(p)
	}
	native.Call(f.Code, unsafe.Pointer(&c))
	runtime.KeepAlive(f)
	runtime.KeepAlive(at)
	return c.result != 0
}
