package waits

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
)

// TestReason: what lanes wait for is said with the numbers that matter there.
func TestReason(t *testing.T) {
	for want, v := range map[string]Wait{
		"wait for lanes 0000000c of member mask 0000000f":                       {For: Members, Members: 15, Missing: 12, Barrier: 1},
		"wait at barrier 1 for lanes 0000000c of their warp":                    {For: Warp, Missing: 12, Barrier: 1},
		"wait at barrier.cluster for lanes 0000000c of their warp":              {For: Warp, Missing: 12, Barrier: barriers.OfCluster},
		"wait at an .aligned instruction for lanes 00000001 of their warp":      {For: Aligned, Missing: 1},
		"wait at barrier 3, 32 of 64 threads have arrived":                      {For: CTA, Barrier: 3, Arrived: 32, Want: 64},
		"wait at barrier.cluster, 32 of 64 threads of the cluster have arrived": {For: Cluster, Arrived: 32, Want: 64},
		"wait for the mbarrier at 0x8, phase 2: all 1 arrivals are there; more": {
			For: Phase, Object: &mbarriers.Wait{Addr: 8, Phase: 2, Expected: 1}, Text: "; more"},
		"wait for columns": {For: Tensor, Text: "wait for columns"},
	} {
		if got := v.Reason(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
