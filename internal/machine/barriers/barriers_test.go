package barriers

import "testing"

// TestCount: a barrier is complete when the threads that it expects are there, and the reductions are of all of them.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		count uint32
		alive uint64
		warps int // that complete it
	}{{0, 0b111, 3}, {0, 0b101, 2}, {64, 0b111, 2}, {96, 0b1, 3}} {
		var b Barrier
		for i := range c.warps {
			last := i == c.warps-1
			if b.CompletedBy(Sync, c.count, c.alive) != last || !b.CompletedBy(Arrive, c.count, c.alive) {
				t.Errorf("%+v: before warp %d", c, i)
			}
			b.Arrive(int32(i), &Gather{Kind: Popc, Lanes: 0xff, Pred: 1 << i, Count: c.count})
			if b.Complete(c.alive) != last {
				t.Errorf("%+v: %d warps: %+v", c, i+1, b)
			}
		}
		if b.Result(Popc) != uint32(c.warps) || b.Result(Or) != 1 || b.Result(And) != 0 || b.Result(Sync) != 0 || b.Waiting != 1<<c.warps-1 {
			t.Errorf("%+v", b)
		}
		if !b.Differs(c.count+32) || b.Differs(c.count) || b.CompletedBy(Arrive, c.count+32, c.alive) {
			t.Errorf("another count at %+v", b)
		}
	}
	b := Barrier{}
	if b.Complete(0) || b.Differs(32) {
		t.Error("no warp is there")
	}
	b.Arrive(5, &Gather{Kind: Arrive, Lanes: ^uint32(0), Pred: ^uint32(0)})
	if b.Waiting != 0 || b.Result(And) != 1 {
		t.Errorf("%+v", b)
	}
}

// TestCluster: who has arrived waits once, before or behind the end of the phase.
func TestCluster(t *testing.T) {
	var b Cluster
	if b.Wrong(ClusterWait, 0) == "" || b.Wrong(ClusterArrive, 0) != "" {
		t.Error("a wait comes first")
	}
	for warp := range int32(2) {
		if !b.Lacks(0b11) || !b.Meet(ClusterArrive, warp) || b.Wrong(ClusterArrive, warp) == "" || b.Wrong(ClusterWait, warp) != "" {
			t.Errorf("warp %d: %+v", warp, b)
		}
	}
	if b.Meet(ClusterWait, 1) || b.Lacks(0b11) {
		t.Errorf("%+v", b)
	}
	if waiting := b.Release(); waiting != 0b10 || b != (Cluster{Passed: 0b01}) {
		t.Errorf("%b: %+v", waiting, b)
	}
	if b.Wrong(ClusterArrive, 0) == "" || b.Wrong(ClusterArrive, 1) != "" || !b.Meet(ClusterWait, 0) || b != (Cluster{}) {
		t.Errorf("%+v", b)
	}
}

// TestGathers: lanes gather by barrier and kind.
func TestGathers(t *testing.T) {
	var list Gathers
	list.At(1, Sync).Lanes = 1
	list.At(1, Arrive).Lanes = 2
	list.At(1, Sync).Lanes |= 4
	list.At(2, Sync).Lanes = 8
	if list.Drop(list.At(1, Sync)); len(list) != 2 || list.At(1, Arrive).Lanes != 2 || list.At(2, Sync).Lanes != 8 || list.At(1, Sync).Lanes != 0 {
		t.Errorf("%+v", list)
	}
}
