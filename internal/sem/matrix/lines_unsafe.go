package matrix

// Lines of matrices in memory, 16 bytes each, as rows of registers.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// loadLines reads a row of lines of 16 bytes, each for four lanes, at the addresses of lanes first to first+7; storeLines writes
// them.
func loadLines(row *[32]uint32, a *machine.Access, addr *[32]uint64, first int) {
	for i := range 8 {
		*(*[4]uint32)(row[4*i:]) = *(*[4]uint32)(lineAt(a, addr, first+i))
	}
}

func storeLines(row *[32]uint32, a *machine.Access, addr *[32]uint64, first int) {
	for i := range 8 {
		*(*[4]uint32)(lineAt(a, addr, first+i)) = *(*[4]uint32)(row[4*i:])
	}
}

// lineAt is where a lane's line is: Ptr, made in place for the usual access.
func lineAt(a *machine.Access, addr *[32]uint64, lane int) mem.Pointer {
	if base, org, ok := a.Span(); ok {
		return unsafe.Add(base, addr[lane&31]-org)
	}
	return a.Ptr(addr, lane, 0)
}
