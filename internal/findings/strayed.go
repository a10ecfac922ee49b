package findings

// This file knows addresses that are of another state space than the instruction says.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// FaultFix says what mends a fault, if that can be told from its address; else it is empty.
func FaultFix(m *machine.Fault) string {
	_, fix := strayed(m)
	return fix
}

// The ways to mend an address.
const (
	toShared = "make a shared address of it before it is cut to 32 bits: cvta.to.shared (__cvta_generic_to_shared)"
	toLocal  = "make a local address of it before it is cut to 32 bits: cvta.to.local"
	inShared = "the operand has to lie in shared memory: declare it .shared (__shared__)"
	noGlobal = "access it without .global, or pass an address of global memory"
	noAtomic = "atomic operations reach global and shared memory alone; what one thread has for itself needs none"
)

// strayed says what an address is that an instruction takes for one of its own space, and how to mend it; both are empty where it
// looks like nothing else.
func strayed(m *machine.Fault) (words, fix string) {
	switch m.Kind {
	case faults.OutOfBounds, faults.WrongWindow, faults.NoSuchCTA, faults.NullAccess:
	default:
		return "", ""
	}
	shared, local := mem.InShared(m.Addr), mem.InLocal(m.Addr)
	switch m.Space {
	case machine.Shared:
		return strayedFromShared(m.Addr, shared, local)
	case machine.Local:
		switch {
		case local || lowerHalf(m.Addr, mem.LocalWindow):
			return aGeneric(m.Addr, "local", mem.LocalWindow), toLocal
		case shared:
			return ", which is a generic address of shared memory", ""
		}
	case machine.Generic:
		if local && m.Access == machine.Atomic {
			return ", which lies in local memory", noAtomic
		}
	case machine.Global:
		switch {
		case shared:
			return ", which is a generic address of shared memory", noGlobal
		case local:
			return ", which is a generic address of local memory", noGlobal
		}
	}
	return "", ""
}

func strayedFromShared(addr uint64, shared, local bool) (words, fix string) {
	switch {
	case shared || lowerHalf(addr, mem.SharedWindow):
		return aGeneric(addr, "shared", mem.SharedWindow), toShared
	case local || lowerHalf(addr, mem.LocalWindow):
		return aGeneric(addr, "local", mem.LocalWindow), inShared
	case mem.InLocal(addr + mem.SharedWindow):
		return ", which is an address of local memory that cvta.to.shared has been given", inShared
	}
	return "", ""
}

// strayRange is how far from the beginning of its window an address may lie to be recognised by its lower half: 16 CTAs.
const strayRange = 16 << mem.RankShift

// lowerHalf reports whether an address is the lower half of one in a window.
func lowerHalf(addr, window uint64) bool {
	return addr>>32 == 0 && uint32(addr)-uint32(window) < strayRange
}

// aGeneric says of an address that it is a generic one, or the lower half of one.
func aGeneric(addr uint64, space string, window uint64) string {
	if addr>>32 != 0 {
		return fmt.Sprintf(", which is a generic address of %s memory", space)
	}
	return fmt.Sprintf(", which is the lower half of a generic address of %s memory, %#x", space, window>>32<<32|addr)
}
