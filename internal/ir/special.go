package ir

// This file gives the classes of special registers.

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// specialKinds lists the special registers that differ between lanes, but for the thread
// index, which depends on the launch. All others are the same for a warp; clocks and
// counters are read once for all lanes that read them together.
var specialKinds = sync.OnceValue(func() map[isa.Special]Kind {
	kinds := map[isa.Special]Kind{}
	for name, k := range map[string]Kind{
		"%laneid": Affine, "%lanemask_eq": Vector, "%lanemask_le": Vector, "%lanemask_lt": Vector,
		"%lanemask_ge": Vector, "%lanemask_gt": Vector,
	} {
		if s, ok := isa.LookupSpecial(name); ok {
			kinds[s] = k
		}
	}
	return kinds
})

var specialTid = sync.OnceValue(func() isa.Special {
	s, _ := isa.LookupSpecial("%tid")
	return s
})

// special is the class of one component of a special register.
func (s LaunchShape) special(sp isa.Special, comp uint8) Class {
	if sp != specialTid() {
		return Class{Kind: specialKinds()[sp]}
	}
	switch comp {
	case 0:
		return s.tidX()
	case 1:
		return s.tidY()
	case 2:
		return s.tidZ()
	}
	return Class{} // %tid.w is 0
}
