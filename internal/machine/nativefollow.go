package machine

// This file lets compiled code know, from launch to launch, which allocations its memory instructions hit. What an
// instruction touches mostly is what a parameter points to; so where it has hit the allocation of one, it will hit that of
// the same parameter in the next launch, and need not leave to find it: buffers may change places, or be allocated anew.
// An assumption that is wrong costs what none would have cost.

import (
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// take remembers the arguments of a CTA's launch.
func (t *nativeTable) take(c *CTA) { t.args.Take(c.launch+1, c.grid.special.Params, c.grid.Params) }

// follow learns the allocations of a launch from what has been followed so far.
func (t *nativeTable) follow(core *Core, c *CTA) {
	t.take(c)
	for k, f := range t.follows {
		at, ok := t.args.At(f)
		if b := &t.bounds[k]; !ok || b.Start <= at && at < b.End {
			continue
		}
		if v, ok := core.arena.Find(at); ok {
			t.bounds[k] = abi.Bounds{Start: v.Start, End: v.End, WriteEnd: v.End}
			if v.ReadOnly {
				t.bounds[k].WriteEnd = 0
			}
		}
	}
}
