package machine

import (
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
)

// This file starts CTAs whose warps compiled code begins by itself (Native.Begin). What Warp.begin does is then
// for none: the warps stay as the CTA before has left them, at rest, until another looks at one.

// mayRest reports whether the warps of a CTA that starts may stay at rest. They have their frames.
func (c *CTA) mayRest() bool {
	g := c.grid
	if !g.Native || g.Seed != 0 || g.observed || g.Async != queue.Eager || g.ShowTensor != nil || g.ClusterSize() != 1 {
		return false
	}
	n := g.Entry.batching()
	return n != nil && n.begins(g.threads)
}

// begins reports whether compiled code begins all warps of a block.
func (n *installed) begins(threads uint32) bool { return n.Begin != 0 && (!n.Whole || threads%32 == 0) }

// rouse begins the warps of a CTA that rest.
func (c *CTA) rouse() {
	if c.resting {
		c.resting = false
		c.beginWarps()
	}
}

// beginWarps puts all warps at the start of the kernel.
func (c *CTA) beginWarps() {
	g, core := c.grid, c.cluster.core
	for i, w := range c.warps {
		w.core = core
		w.begin(shape.Lanes(g.threads, i))
	}
}

// fillResting describes a CTA to compiled code whose warps all are to begin.
func (c *CTA) fillResting(n *installed, s *abi.State) {
	g, core := c.grid, c.cluster.core
	warps, b := core.batchWarps(), &s.Batch
	c.startBatch(b)
	for i, w := range c.warps {
		warps[i].BeginAt(n.Start, regsOf(w.root), shape.Lanes(g.threads, i), turn)
	}
	fillWarps(b, warps)
	b.CTAs = uint32(min(core.host.Reserve(c.rank), 1<<30))
}
