package machine

// This file holds clusters: the CTAs that one core runs together, turn by turn, until all
// have ended or others shall have the core.

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
)

// Cluster is the CTAs that run together. Everything in it (shared memory, barriers, mbarriers)
// is touched by the core alone that owns it; a launch without clusters is clusters of one.
//
// A CTA that has ended keeps its place, so that an access to its shared memory is a fault with
// a name, and its memory until the cluster ends.
type Cluster struct {
	grid  *Grid
	rank  uint64 // linear index in the grid of clusters
	ctas  []*CTA // by rank in the cluster
	core  *Core
	async openOps

	sleepers []sleeper
	changed  uint64 // operations on mbarriers, completed barriers and exits
	seen     uint64 // changed at the last timeout
	passed   int    // passes over the warps, the running one included
	proof    int    // passes at which Judge is asked next
	rounds   uint32 // timeouts without a change between them
	given    bool   // counted among the hopeless
	event    Event  // room for what is told of a CTA
	ended    BarrierEnd
}

// newCluster returns started CTAs.
func (core *Core) newCluster(g *Grid, rank uint64) *Cluster {
	var cl *Cluster
	if n := len(core.clusters); n > 0 {
		cl, core.clusters = core.clusters[n-1], core.clusters[:n-1]
	} else {
		cl = new(Cluster)
	}
	cl.grid, cl.rank, cl.core = g, rank, core
	cl.sleepers, cl.changed, cl.seen, cl.rounds = cl.sleepers[:0], 0, 0, 0
	_, first := g.Place(rank, 0)
	cl.startOps(first)
	for i := range g.ClusterSize() {
		cl.ctas = append(cl.ctas, core.newCTA(g, cl, uint32(i)))
	}
	return cl
}

// startOps begins the queue of operations; rank is that of the first CTA.
func (cl *Cluster) startOps(rank uint64) {
	g := cl.grid
	cl.async.Start(g.Async, g.wants(events.WantsOwed|events.WantsLeft), g.Seed^rank<<24^0x9e3779b9)
}

// Retire puts a cluster to rest, in whatever state it is.
func (core *Core) Retire(cl *Cluster) {
	cl.giveHope()
	if len(cl.ctas) != 0 && cl.ctas[0].grid.stopped.Load() {
		cl.ctas[0].grid.noteRunning(cl)
	}
	for i, c := range cl.ctas {
		core.retire(c)
		cl.ctas[i] = nil
	}
	cl.ctas = cl.ctas[:0]
	core.clusters = append(core.clusters, cl)
}

// Run executes the cluster on its core.
func (cl *Cluster) Run() Verdict {
	cl.proof = firstProof
	for cl.passed = 1; ; cl.passed++ {
		moved, ok := cl.pass(cl.passed)
		able, alive := cl.able()
		switch {
		case !ok:
			return Broken
		case !alive:
			return cl.finish()
		case cl.grid.stopped.Load():
			return Broken
		case (!moved || !able) && cl.async.Press():
			continue
		case !able && cl.idle():
		case !able && !cl.grid.stopped.Load():
			cl.grid.Fail(cl.deadlock())
			return Stuck
		}
		if cl.grid.wants(events.WantsLoops) && cl.passed >= cl.proof {
			if cl.proof = 2 * cl.passed; cl.core.host.Judge(cl) {
				return Stuck
			}
		}
		if (!moved || cl.passed >= ctaSlice) && cl.core.host.Crowded() {
			cl.core.stats.Parked++
			if moved {
				return Parked
			}
			return Polling
		}
		cl.core.host.Breathe(!moved)
	}
}

// finish ends a cluster whose lanes have all exited: asynchronous operations outlive them.
func (cl *Cluster) finish() Verdict {
	quiet := cl.async.Quiet()
	for i, c := range cl.ctas {
		c.issues()
		c.finished(quiet, i == len(cl.ctas)-1)
	}
	if !cl.async.Drain() {
		return Broken
	}
	for _, c := range cl.ctas {
		c.leaks()
		c.show()
	}
	n := uint64(len(cl.ctas))
	cl.core.stats.CTAs += n
	cl.core.publish(cl.grid, n)
	return Finished
}

// pass lets every CTA that can run have a turn, in ascending order: one that waits for a peer
// gives way to it. moved is false if all only polled.
func (cl *Cluster) pass(number int) (moved, ok bool) {
	if len(cl.sleepers) != 0 {
		cl.due()
	}
	for _, c := range cl.ctas {
		if c.runnable == 0 {
			continue
		}
		m, ok := c.pass(number)
		if moved = moved || m; !ok {
			return moved, false
		}
		if c.alive == 0 && cl.async.Tracks {
			c.tellUse(Event{What: events.CTAEmpty})
		}
	}
	return moved, true
}

// able reports whether a warp can run, and whether one has a living lane.
func (cl *Cluster) able() (able, alive bool) {
	for _, c := range cl.ctas {
		able = able || c.runnable != 0
		alive = alive || c.alive != 0
	}
	return able, alive
}

// Withdraw takes a cluster of the grid that has not begun off the launch, so that it never does. It returns the coordinates
// of its first CTA; false if none is left. Which one it is depends on the order of the launch, and thereby on its seed.
func (op *Op) Withdraw() (first [3]uint32, ok bool) {
	core, g := op.cta.cluster.core, op.cta.grid
	rank, ok := core.host.Withdraw()
	if !ok {
		return first, false
	}
	first, _ = g.Place(shape.Seed(g.Seed).Permute(rank, g.Clusters()), 0)
	core.publish(g, g.ClusterSize())
	g.countIssued(g.ClusterSize())
	return first, true
}
