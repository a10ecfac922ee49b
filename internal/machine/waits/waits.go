// Package waits says what lanes wait for, and in words.
package waits

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
)

// For says what a fragment waits for.
type For uint8

// What a fragment can wait for; those from Members on may be in a deadlock.
const (
	Nothing   For = iota
	Sibling       // joining: at a reconvergence pc
	Members       // at a .sync instruction, for the member mask
	Warp          // at a CTA barrier, for the other lanes of its warp
	CTA           // at a CTA barrier, for other warps
	Tensor        // at tcgen05.alloc or dealloc, for columns or for the peer CTA
	Registers     // at setmaxnreg.inc, for registers
	Aligned       // at an .aligned instruction, for the other lanes of its warp
	Cluster       // at the barrier of the cluster, for other warps
	Phase         // in try_wait, for the phase of an mbarrier
)

// Wait is what some lanes wait for.
type Wait struct {
	For     For
	Barrier uint8           // for Warp and CTA; barriers.OfCluster is that of the cluster
	Members uint32          // for Members: the member mask; for Warp: the living lanes
	Missing uint32          // lanes of this warp that have not come
	Arrived uint32          // for CTA and Cluster: threads that are there
	Want    uint32          // for CTA and Cluster: threads expected
	Object  *mbarriers.Wait // for Phase; nil where it is not known
	Text    string          // for Phase: what holds it back beside; for Tensor and Registers: why
}

// Reason says in words what the lanes wait for.
func (v *Wait) Reason() string {
	switch v.For {
	case Members:
		return fmt.Sprintf("wait for lanes %08x of member mask %08x", v.Missing, v.Members)
	case Warp:
		return fmt.Sprintf("wait at %s for lanes %08x of their warp", barrierName(v.Barrier), v.Missing)
	case Aligned:
		return fmt.Sprintf("wait at an .aligned instruction for lanes %08x of their warp", v.Missing)
	case Phase:
		return v.Object.Reason() + v.Text
	case Tensor, Registers, Nothing:
		return v.Text
	case Cluster:
		return fmt.Sprintf("wait at barrier.cluster, %d of %d threads of the cluster have arrived", v.Arrived, v.Want)
	}
	return fmt.Sprintf("wait at barrier %d, %d of %d threads have arrived", v.Barrier, v.Arrived, v.Want)
}

func barrierName(id uint8) string {
	if id == barriers.OfCluster {
		return "barrier.cluster"
	}
	return fmt.Sprintf("barrier %d", id)
}
