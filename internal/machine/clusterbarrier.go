package machine

// This file holds the barrier of a cluster (9.7.13.3): as at a CTA barrier the lanes of a warp
// gather first, then the warp arrives or waits.

import "math/bits"

// clusterBarrierID is the number by which warps gather at the barrier of the cluster.
const clusterBarrierID = NumBarriers

// clusterBarrier is a CTA's part in the barrier of its cluster: sets of warps.
type clusterBarrier struct {
	arrived uint64 // have arrived in this phase
	waiting uint64 // of these, are at the wait
	passed  uint64 // had arrived when the barrier completed, and have not waited
}

// ClusterBarrier arrives at the barrier of the cluster, or waits for it. On another state than
// Next the handler returns it at once and is executed again.
func (w *Warp) ClusterBarrier(in *Inst, kind BarrierKind) State {
	f := w.frag
	if f.woken {
		f.woken = false
		return Next
	}
	if b := &w.cta.clusterBar; w.helping && (w.Mask != f.mask || w.Mask != w.Live || kind == ClusterWait && b.passed>>w.index&1 == 0) {
		return Wait // nothing is done: the handler is executed again when compiled code has left
	}
	if w.Mask != f.mask {
		return w.separate(in, f, w.Mask)
	}
	e := w.barrierEntry(clusterBarrierID, kind)
	e.lanes |= w.Mask
	e.pc = w.PC(in)
	f.wait, f.id, f.kind, f.pc = WaitWarp, e.id, e.kind, e.pc
	if e.lanes != w.Live {
		return Wait
	}
	if st := w.gatheredForCluster(in, e); st != Next {
		return st
	}
	if f.woken && (kind == ClusterArrive || w.leaves()) {
		f.woken = false
		return Next
	}
	return Wait
}

// gatheredForCluster lets a warp whose living lanes are all there arrive or wait. in is nil when
// an exit completes the gather.
func (w *Warp) gatheredForCluster(in *Inst, e *warpBarrier) State {
	b, bit := &w.cta.clusterBar, uint64(1)<<w.index
	kind, lanes := e.kind, e.lanes
	w.dropEntry(e)
	switch {
	case kind == ClusterArrive && (b.arrived|b.passed)&bit != 0:
		return w.Fault(in, &Fault{Kind: ClusterMisuse, Lanes: lanes, Text: "barrier.cluster.arrive again, without a barrier.cluster.wait since the last"})
	case kind == ClusterWait && (b.arrived|b.passed)&bit == 0:
		return w.Fault(in, &Fault{Kind: ClusterMisuse, Lanes: lanes, Text: "barrier.cluster.wait without a barrier.cluster.arrive before it"})
	case kind == ClusterArrive:
		b.arrived |= bit
		w.wakeAtCluster(WaitWarp, kind)
		w.cta.cluster.completeBarrier()
	case b.passed&bit != 0:
		b.passed &^= bit
		w.wakeAtCluster(WaitWarp, kind)
	default:
		b.waiting |= bit
		for m := w.used; m != 0; m &= m - 1 {
			if f := &w.frags[first(m)]; f.atCluster(WaitWarp, kind) {
				f.wait = WaitCluster
			}
		}
	}
	return Next
}

func (f *Fragment) atCluster(wait WaitFor, kind BarrierKind) bool {
	return f.wait == wait && f.id == clusterBarrierID && f.kind == kind
}

// wakeAtCluster wakes the fragments of a warp at the barrier of the cluster.
func (w *Warp) wakeAtCluster(wait WaitFor, kind BarrierKind) {
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.atCluster(wait, kind) {
			w.wake(f)
		}
	}
}

// completeBarrier releases everyone at the barrier of the cluster once all warps with a living
// lane have arrived.
func (cl *Cluster) completeBarrier() {
	any := uint64(0)
	for _, c := range cl.ctas {
		if c.alive&^c.clusterBar.arrived != 0 {
			return
		}
		any |= c.clusterBar.arrived
	}
	if any == 0 {
		return
	}
	cl.changed++
	cl.ctas[0].tell(ClusterDone, 0)
	for _, c := range cl.ctas {
		b := c.clusterBar
		c.clusterBar = clusterBarrier{passed: b.arrived &^ b.waiting}
		for m := b.waiting; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			c.warps[i].wakeAtCluster(WaitCluster, ClusterWait)
			c.runnable |= 1 << i
		}
	}
}

// arrivals counts the living threads of the cluster, and those that have arrived.
func (cl *Cluster) arrivals() (arrived, alive uint32) {
	for _, c := range cl.ctas {
		for i, w := range c.warps {
			n := uint32(bits.OnesCount32(w.Live))
			alive += n
			arrived += n * uint32(c.clusterBar.arrived>>i&1)
		}
	}
	return arrived, alive
}
