package jit

// Scalar slots that are constants: of registers that one move of a constant defines. Compilers move what
// shuffles and votes take into registers first.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// constants are the slots whose value is known wherever they are read.
type constants struct {
	slots  map[uint32]uint64
	writes []int32 // by register: instructions that write it
	entry  ir.Bits // registers that may be read before they are written
}

func newConstants(l *liveness) *constants {
	c := &constants{slots: map[uint32]uint64{}, writes: make([]int32, len(l.f.Regs)), entry: l.entry}
	for pc := range l.f.Insts {
		for _, g := range l.uses.writes(int32(pc)) {
			c.writes[g]++
		}
	}
	return c
}

// define notes what an instruction makes of a slot, if that is all that is ever in it.
func (c *constants) define(r *region, pc int32) {
	s := &r.steps[pc]
	if s.prog == nil || !s.op.Scalar || s.dst.typ == tM || r.insts[pc].Guard != machine.NoGuard {
		return
	}
	value, ok := s.prog.known(s.prog.result)
	if !ok {
		return
	}
	g := r.live.uses.writes(pc)
	if len(g) == 1 && c.writes[g[0]] == 1 && !c.entry.Has(int(g[0])) {
		c.slots[s.dst.off] = value
	}
}
