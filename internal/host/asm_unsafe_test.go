package host

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// word returns a word of the test buffer, which is the first allocation.
func word(w *machine.Warp, i uint64) unsafe.Pointer {
	return unsafe.Pointer(w.Byte(machine.Global, mem.GlobalBase+4*i, 0))
}

func wordsOf(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
