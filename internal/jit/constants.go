package jit

// Scalar slots that are constants: of registers that one move of a constant defines. Compilers move what
// shuffles and votes take into registers first.

import (
	"ptxvm/internal/ir"
	"ptxvm/internal/machine"
)

// constants are the slots whose value is known wherever they are read.
type constants struct {
	slots  map[uint32]uint64
	writes []int32 // by register: instructions that write it
	entry  ir.Bits // registers that may be read before they are written
}

func newConstants(f *ir.Func) *constants {
	c := &constants{slots: map[uint32]uint64{}, writes: make([]int32, len(f.Regs)), entry: f.LiveAt(0)}
	for pc := range f.Insts {
		f.EachReg(&f.Insts[pc], func(g ir.Reg, a ir.Access) {
			if a == ir.Write {
				c.writes[g]++
			}
		})
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
	n := 0
	r.f.EachReg(&r.f.Insts[pc], func(g ir.Reg, a ir.Access) {
		if a == ir.Write {
			n++
			ok = ok && c.writes[g] == 1 && !c.entry.Has(int(g))
		}
	})
	if ok && n == 1 {
		c.slots[s.dst.off] = value
	}
}
