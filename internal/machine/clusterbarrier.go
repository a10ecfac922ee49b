package machine

// This file holds the barrier of a cluster (9.7.13.3): as at a CTA barrier the lanes of a warp
// gather first, then the warp arrives or waits.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// ClusterBarrier arrives at the barrier of the cluster, or waits for it. On another state than
// Next the handler returns it at once and is executed again.
func (w *Warp) ClusterBarrier(in *Inst, kind barriers.Kind) State {
	f := w.frag
	if f.woken {
		f.woken = false
		return Next
	}
	if b := &w.cta.clusterBar; w.helping && (w.Mask != f.mask || w.Mask != w.Live || kind == barriers.ClusterWait && b.Passed>>w.index&1 == 0) {
		return Wait // nothing is done: the handler is executed again when compiled code has left
	}
	if w.Mask != f.mask {
		return w.separate(in, f, w.Mask)
	}
	e := w.bars.At(barriers.OfCluster, kind)
	e.Lanes |= w.Mask
	e.PC = w.PC(in)
	f.wait, f.id, f.kind, f.pc = waits.Warp, e.ID, e.Kind, e.PC
	if e.Lanes != w.Live {
		return Wait
	}
	if st := w.gatheredForCluster(in, e); st != Next {
		return st
	}
	if f.woken && (kind == barriers.ClusterArrive || w.leaves()) {
		f.woken = false
		return Next
	}
	return Wait
}

// gatheredForCluster lets a warp whose living lanes are all there arrive or wait. in is nil when
// an exit completes the gather.
func (w *Warp) gatheredForCluster(in *Inst, e *barriers.Gather) State {
	b, kind, lanes := &w.cta.clusterBar, e.Kind, e.Lanes
	w.bars.Drop(e)
	if text := b.Wrong(kind, w.index); text != "" {
		return w.Fault(in, &Fault{Kind: faults.ClusterMisuse, Lanes: lanes, Text: text})
	}
	if b.Meet(kind, w.index) {
		w.wakeAtCluster(waits.Warp, kind)
		w.cta.cluster.completeBarrier()
		return Next
	}
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.atCluster(waits.Warp, kind) {
			f.wait = waits.Cluster
		}
	}
	return Next
}

func (f *Fragment) atCluster(wait waits.For, kind barriers.Kind) bool {
	return f.wait == wait && f.id == barriers.OfCluster && f.kind == kind
}

// wakeAtCluster wakes the fragments of a warp at the barrier of the cluster.
func (w *Warp) wakeAtCluster(wait waits.For, kind barriers.Kind) {
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
		if c.clusterBar.Lacks(c.alive) {
			return
		}
		any |= c.clusterBar.Arrived
	}
	if any == 0 {
		return
	}
	cl.changed++
	cl.ctas[0].tell(events.ClusterDone, 0)
	for _, c := range cl.ctas {
		for m := c.clusterBar.Release(); m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			c.warps[i].wakeAtCluster(waits.Cluster, barriers.ClusterWait)
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
			arrived += n * uint32(c.clusterBar.Arrived>>i&1)
		}
	}
	return arrived, alive
}
