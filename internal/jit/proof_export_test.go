package jit

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Defects are what Planted can plant: what a compiler would do that has lost, or never had, what shows where an access may go.
var Defects = map[string]func(c *compiler) bool{
	"no entry":      eachAccess(machine.Global, func(c *compiler, pc int32) { c.bounds[pc] = -1 }),
	"entry of none": eachAccess(machine.Global, func(c *compiler, pc int32) { c.bounds[pc] = int32(c.nbound) }),
	"absent row": eachAccess(machine.Global, func(c *compiler, pc int32) {
		s := &c.steps[pc]
		s.in[0] = source{typ: tX, off: machine.NoGuard, row: -1}
	}),
}

// eachAccess plants something in each access of a space at a row of 64 bits.
func eachAccess(space machine.Space, plant func(c *compiler, pc int32)) func(c *compiler) bool {
	return func(c *compiler) (some bool) {
		for pc := range c.steps {
			if s := &c.steps[pc]; !s.leaves && (s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore) && s.op.Memory.Space == space && s.op.Memory.By == sem.ByRow64 {
				plant(c, int32(pc))
				some = true
			}
		}
		return some
	}
}

// Planted plants a defect, and tells whether there was a place for it.
func Planted(o Options, name string, there *bool) Options {
	o.spoil = func(c *compiler) { *there = Defects[name](c) }
	return o
}

// Touching collects the accesses in whose name code touches memory.
func Touching(o Options, pcs map[int32]bool) Options {
	var last *compiler
	o.stage = func(name string) {
		if name != "finish" || last == nil {
			return
		}
		for v := range versions {
			for pc, touched := range last.proofs.touched[v] {
				if touched {
					pcs[int32(pc)] = true
				}
			}
		}
	}
	o.spoil = func(c *compiler) { last = c }
	return o
}
