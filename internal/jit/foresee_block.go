package jit

// Blocks behind a branch of a course that some lanes of a warp go through (inline.go): the warp stays on its course. What such a
// block computes for itself is foreseen there as anywhere, as if all lanes computed it. What it leaves behind is not, since some lanes
// do not compute it.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// blockBehind finds such a block behind a node at whose end something is known, and the warps that may go through it in part, all
// of which go on behind it. What is foreseen there must not depend on the way.
func (c *course) blockBehind(n *node, know foresight) (warps uint32) {
	s := &c.segs[n.seg]
	if s.first == s.end {
		return 0
	}
	pc := s.end - 1
	if in := &c.insts[pc]; c.steps[pc].op.Kind != sem.OpBranch || in.Guard == machine.NoGuard || !c.inlines(n.seg, pc) {
		return 0
	}
	warps = n.warps
	if g := know[c.f.Insts[pc].Guard.Reg]; g != nil {
		warps &^= g.agree(true) | g.agree(false)
	}
	if warps == 0 {
		return 0
	}
	if n.inner == nil && c.allows(Blocks) {
		n.inner = c.block(n, know)
	}
	if n.inner == nil || !c.uses(Blocks) {
		return 0
	}
	return warps
}

// block makes the node of the block behind a node; nil if it writes what is foreseen and looked at behind it.
func (c *course) block(outer *node, know foresight) *node {
	s := &c.segs[outer.seg+1]
	behind := c.live.at(s.end)
	for pc := s.first; pc < s.end; pc++ {
		for _, g := range c.live.uses.writes(pc) {
			if know[g] != nil && behind.Has(int(g)) {
				return nil
			}
		}
	}
	gen := c.generationFor(outer.seg + 1)
	if gen == nil {
		return nil
	}
	n := &node{seg: outer.seg + 1, gen: gen, know: c.living(outer.seg+1, know), outer: outer}
	gen.nodes[n.seg] = n
	now := maps.Clone(n.know)
	for pc := s.first; pc < s.end; pc++ {
		c.followInside(pc, now, s.end)
	}
	return n
}

// followInside is follow in a block that ends before a pc.
func (c *course) followInside(pc int32, know foresight, end int32) *foreseen {
	if !c.staysBehind(pc, end) {
		return c.follow(pc, know)
	}
	c.askOthers(pc, know)
	for _, g := range c.live.uses.writes(pc) {
		delete(know, g)
	}
	return nil
}

// applyBlock makes the steps of a block read the table.
func (c *course) applyBlock(n *node) {
	know, s := maps.Clone(n.know), &c.segs[n.seg]
	for pc := s.first; pc < s.end; pc++ {
		step := &n.gen.steps[pc]
		step.fetched = false
		step.full, step.moot = slices.Clone(step.full), false
		for k := range step.full {
			if step.reads(k) {
				c.see(step, k, c.sourceOf(pc, &step.in[k], know))
			}
		}
		if v := c.followInside(pc, know, s.end); v != nil && !v.slot {
			step.made, step.tests, step.moot = nil, false, true
		}
	}
	base := c.steps
	c.region.steps = n.gen.steps
	c.segmentRuns(s, false, n.gen.runs)
	c.region.steps = base
}
