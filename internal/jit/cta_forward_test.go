package jit

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
)

// TestForwardBounds: a load that reads global memory instead of shared memory has no bounds of its own, so that what
// was stored from it is not passed by, nor is a lane that the load does not bring.
func TestForwardBounds(t *testing.T) {
	place := func(shared bool) *ctaPlace { return &ctaPlace{shared: shared, ctaSplit: &ctaSplit{}} }
	load := &ctaNode{kind: nodeLoad, lanes: allOf, pc: 0, at: place(false)}
	words := map[int64]ctaWordFrom{0: {&ctaNode{lanes: allOf, in: []ctaVal{{node: load}}}, 0}}
	reads := &ctaNode{kind: nodeLoad, lanes: 1, at: place(true)}
	for _, c := range []struct {
		bound int32
		lanes uint32
		want  bool
	}{{0, allOf, true}, {-1, allOf, false}, {0, allOf - 1, false}} {
		k := &cta{region: &region{f: &ir.Func{}, bounds: []int32{c.bound}}}
		load.lanes = c.lanes
		if p, _ := k.origin(reads, words); (p != nil) != c.want {
			t.Errorf("bound %d, lanes %#x: %v", c.bound, c.lanes, p)
		}
	}
}
