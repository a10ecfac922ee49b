package machine

// This file takes clusters over that have not begun (clusterlaunchcontrol, 9.7.13.17).

import "ptxvm.invalid/ptxvm/internal/machine/shape"

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
