// Package barriers counts who has come to the barriers of a CTA (9.7.13.1) and of a cluster (9.7.13.3). Both
// have two stages: the lanes of a warp gather, then the warp arrives with 32 threads.
package barriers

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// Named is the number of named barriers of a CTA.
const Named = 16

// OfCluster is the number by which warps gather at the barrier of the cluster.
const OfCluster = Named

// Kind is the operation of a barrier instruction. Lanes of one warp gather by barrier
// and kind.
type Kind = uop.BarrierKind

// The kinds.
const (
	Sync Kind = iota
	Arrive
	Popc
	And
	Or
	ClusterArrive // the last two at the barrier of the cluster
	ClusterWait
)

// Gather is the lanes of one warp that have come to a barrier.
type Gather struct {
	ID    uint8
	Kind  Kind
	Lanes uint32
	Pred  uint32
	Count uint32 // threads that the barrier expects; 0: everyone
	PC    int32
}

// Gathers are those of a warp.
type Gathers []Gather

// At is the gather at a barrier, which may begin here. It is valid until the next call.
func (list *Gathers) At(id uint8, kind Kind) *Gather {
	for i := range *list {
		if g := &(*list)[i]; g.ID == id && g.Kind == kind {
			return g
		}
	}
	*list = append(*list, Gather{ID: id, Kind: kind})
	return &(*list)[len(*list)-1]
}

// Drop takes one off.
func (list *Gathers) Drop(g *Gather) {
	last := len(*list) - 1
	*g = (*list)[last]
	*list = (*list)[:last]
}

// Barrier is a named barrier: zero when no warp is there.
type Barrier struct {
	Count   uint32 // threads expected; 0: all warps with a living lane
	Arrived uint32 // threads
	Popc    uint32 // lanes with a true predicate
	Lanes   uint32 // lanes that brought a predicate
	Waiting uint64 // warps
}

// Differs reports whether those who have arrived expect another number of threads.
func (b *Barrier) Differs(count uint32) bool { return b.Arrived != 0 && b.Count != count }

// Expects is how many threads complete the barrier; alive are the warps with a living lane.
func (b *Barrier) Expects(alive uint64) uint32 {
	if b.Count != 0 {
		return b.Count
	}
	return 32 * uint32(bits.OnesCount64(alive))
}

// Arrive counts a warp, all of whose lanes have gathered.
func (b *Barrier) Arrive(warp int32, g *Gather) {
	b.Count = g.Count
	b.Arrived += 32
	b.Popc += uint32(bits.OnesCount32(g.Pred))
	b.Lanes += uint32(bits.OnesCount32(g.Lanes))
	if g.Kind != Arrive {
		b.Waiting |= 1 << warp
	}
}

// Complete reports whether enough threads are there.
func (b *Barrier) Complete(alive uint64) bool { return b.Arrived != 0 && b.Arrived >= b.Expects(alive) }

// CompletedBy reports whether a warp that arrives now goes on at once: it arrives only, or as the last one.
func (b *Barrier) CompletedBy(kind Kind, count uint32, alive uint64) bool {
	after := Barrier{Count: count, Arrived: b.Arrived + 32}
	return !b.Differs(count) && (kind == Arrive || after.Complete(alive))
}

// Result is that of a reduction, which covers the lanes that brought a predicate.
func (b *Barrier) Result(k Kind) uint32 {
	yes := false
	switch k {
	case Popc:
		return b.Popc
	case And:
		yes = b.Popc == b.Lanes
	case Or:
		yes = b.Popc != 0
	}
	if yes {
		return 1
	}
	return 0
}

// Cluster is a CTA's part in the barrier of its cluster: sets of warps.
type Cluster struct {
	Arrived uint64 // have arrived in this phase
	Waiting uint64 // of these, are at the wait
	Passed  uint64 // had arrived when the barrier completed, and have not waited
}

// Wrong says what is wrong with the operation of a warp; "": nothing.
func (b *Cluster) Wrong(kind Kind, warp int32) string {
	switch there := (b.Arrived|b.Passed)>>warp&1 != 0; {
	case kind == ClusterArrive && there:
		return "barrier.cluster.arrive again, without a barrier.cluster.wait since the last"
	case kind == ClusterWait && !there:
		return "barrier.cluster.wait without a barrier.cluster.arrive before it"
	}
	return ""
}

// Meet notes a warp that arrives or waits, and tells whether it goes on at once.
func (b *Cluster) Meet(kind Kind, warp int32) bool {
	switch bit := uint64(1) << warp; {
	case kind == ClusterArrive:
		b.Arrived |= bit
	case b.Passed&bit != 0:
		b.Passed &^= bit
	default:
		b.Waiting |= bit
		return false
	}
	return true
}

// Lacks reports whether a warp with a living lane has not arrived.
func (b *Cluster) Lacks(alive uint64) bool { return alive&^b.Arrived != 0 }

// Release ends the phase, and returns the warps that have waited for that.
func (b *Cluster) Release() (waiting uint64) {
	waiting = b.Waiting
	*b = Cluster{Passed: b.Arrived &^ b.Waiting}
	return waiting
}
