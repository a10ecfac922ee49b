package build

import (
	"ptxvm.invalid/ptxvm/internal/ir"
)

// This file knows exits that no lane takes. Where lanes may exit in a loop it is one that they leave one by one, and what lies between a branch
// and where its ways meet has no copy for some of them; what follows from the values alone, as that x & 3 is not above 3 in front of a table of four
// targets, is found where the exit is built. If no copy of the code takes one of which something was asked the kernel is built again without.

// exits are what an attempt finds out about those of a kernel.
type exits struct {
	asked map[int32]bool // pcs
	taken map[int32]bool // whether lanes may take it, of those that were built
}

// mayExit tells whether lanes may exit at an instruction that is an exit.
func (b *builder) mayExit(pc int32) bool {
	b.exits.asked[pc] = true
	return !b.plan.idle[pc]
}

// exitsIn tells whether lanes may exit in a block.
func (b *builder) exitsIn(id ir.BlockID) bool {
	for pc := b.fn.Blocks[id].First; pc < b.fn.Blocks[id].End; pc++ {
		if isExit(&b.code.Insts[pc]) && b.mayExit(pc) {
			return true
		}
	}
	return false
}

// notIdle says that lanes take an exit after all.
type notIdle int32

// takesExit notes whether lanes take one.
func (b *builder) takesExit(pc int32, taken bool) {
	if taken && b.plan.idle[pc] {
		panic(notIdle(pc))
	}
	b.exits.taken[pc] = b.exits.taken[pc] || taken
}

// foundIdle notes exits that no lane has taken in an attempt, for the next one; it tells whether there are any that matter and are new.
func (b *builder) foundIdle() (found bool) {
	for pc, taken := range b.exits.taken {
		if _, known := b.plan.idle[pc]; !known && !taken && b.exits.asked[pc] {
			b.plan.idle[pc], found = true, true
		}
	}
	return found
}
