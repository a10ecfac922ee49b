package machine

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// word returns a word of the test buffer, which is the first allocation.
func word(w *Warp, i uint64) unsafe.Pointer { return w.hostGlobal(mem.GlobalBase + 4*i) }

func wordsOf(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

func specialNamed(name string) isa.Special {
	s, ok := isa.LookupSpecial(name)
	if !ok {
		panic("no special register " + name)
	}
	return s
}

// rowsAt is the register block that compiled code gets; it lies outside the Go heap.
func rowsAt(s *abi.State) rowBase { return *(*unsafe.Pointer)(unsafe.Pointer(&s.Regs)) }

// warpsAt is where compiled code finds the warps of a batch; it lies outside the Go heap.
func warpsAt(b *abi.Batch) *[32]abi.Warp {
	return *(**[32]abi.Warp)(unsafe.Pointer(&b.Warps))
}

// clearRows zeroes the registers that compiled code begins a warp with.
func clearRows(s *abi.State) { regs.Block{P: rowsAt(s)}.Clear(testBytes) }
