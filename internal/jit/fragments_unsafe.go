package jit

// This file calls machine code for products in the order of a warp's registers.

import (
	"runtime"
	"sync"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/num"
)

// fragmentContext is what the code of a product gets; offsets are fc….
type fragmentContext struct {
	registers, offsets, room unsafe.Pointer
	result                   uint64 // 1: D has been written; 0: something does not fit, and nothing has
	scales, meta             unsafe.Pointer
}

// fragmentKey is what a product's code depends on: its shape, and how many registers it has.
type fragmentKey struct {
	shape     num.DenseShape
	registers int
}

// Prepare implements num.Multiplier.
func (m *Dense) Prepare(f *num.Fragments) bool {
	key := fragmentKey{f.DenseShape, len(f.Registers)}
	f.Code = codeOf(m, m.warps, key, denseKey(key.shape), func(e *denseCode) bool { return e.assembleFragments(key.registers) })
	return f.Code != 0
}

// fragmentRooms has rooms that are used again.
var fragmentRooms = sync.Pool{New: func() any { return new([fragmentRoom / 8]uint64) }}

// MultiplyFragments implements num.Multiplier.
func (m *Dense) MultiplyFragments(f *num.Fragments, registers *[32]uint32, factors *num.FragmentScales) bool {
	room := fragmentRooms.Get().(*[fragmentRoom / 8]uint64)
	c := fragmentContext{
		registers: unsafe.Pointer(registers), offsets: unsafe.Pointer(&f.Registers[0]), room: unsafe.Pointer(room),
		scales: unsafe.Pointer(factors), meta: unsafe.Pointer(unsafe.SliceData(f.Meta)),
	}
	native.Call(f.Code, unsafe.Pointer(&c))
	runtime.KeepAlive(f)
	runtime.KeepAlive(factors)
	fragmentRooms.Put(room)
	return c.result != 0
}
