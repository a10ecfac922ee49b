package shape

import (
	"math/rand/v2"
	"testing"
)

// random returns a shape that is valid.
func random(rng *rand.Rand) (s Shape) {
	for {
		for i := range 3 {
			s.Cluster[i] = 1 + rng.Uint32N(4)
			s.Grid[i] = s.Cluster[i] * (1 + rng.Uint32N(4))
			s.Block[i] = 1 + rng.Uint32N(20)
		}
		if s.Validate() == nil {
			return s
		}
	}
}

// TestPlaces: each CTA is one rank of one cluster, and what is asked of it by either says the same.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := random(rng)
		seen := map[uint64]bool{}
		for c := range s.Clusters() {
			for rank := range uint32(s.ClusterSize()) {
				id, cta := s.Place(c, rank)
				if seen[cta] || cta >= s.CTAs() {
					t.Fatalf("%+v: CTA %d twice, or not there", s, cta)
				}
				seen[cta] = true
				if s.ID(cta) != id || s.ClusterOf(cta) != c || s.RankInCluster(cta) != rank {
					t.Fatalf("%+v: CTA %d at %v, rank %d of cluster %d: %v, %d, %d", s, cta, id, rank, c, s.ID(cta), s.RankInCluster(cta), s.ClusterOf(cta))
				}
				other := rng.Uint32N(uint32(s.ClusterSize()))
				if mate, ok := s.Mate(id, other); !ok || s.ClusterOf(mate) != c || s.RankInCluster(mate) != other {
					t.Fatalf("%+v: rank %d beside %v is %d, %v", s, other, id, mate, ok)
				}
			}
		}
		if _, ok := s.Mate([3]uint32{}, uint32(s.ClusterSize())); ok {
			t.Fatalf("%+v: a rank that no cluster has", s)
		}
	}
}

// TestThreads: the lanes of all warps are the threads of a block, in order.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		s := random(rng)
		n := uint32(0)
		for w := range s.Warps() {
			for lane := range 32 {
				if Lanes(s.Threads(), w)>>lane&1 == 0 {
					continue
				}
				at := s.Thread(int32(w), lane)
				if got := at[0] + s.Block[0]*(at[1]+s.Block[1]*at[2]); got != n {
					t.Fatalf("%+v: warp %d lane %d is thread %v, want number %d", s, w, lane, at, n)
				}
				n++
			}
		}
		if n != s.Threads() {
			t.Fatalf("%+v: %d lanes", s, n)
		}
	}
}

// TestRefused names what no target takes.
func TestRefused(t *testing.T) {
	one := [3]uint32{1, 1, 1}
	for name, s := range map[string]Shape{
		"no CTA":            {Block: one, Cluster: one},
		"a large block":     {Grid: one, Block: [3]uint32{32, 32, 2}, Cluster: one},
		"half a cluster":    {Grid: [3]uint32{3, 1, 1}, Block: one, Cluster: [3]uint32{2, 1, 1}},
		"a large cluster":   {Grid: [3]uint32{8, 4, 1}, Block: one, Cluster: [3]uint32{8, 4, 1}},
		"a cluster of none": {Grid: one, Block: one},
	} {
		if s.Validate() == nil {
			t.Errorf("%s: %+v is valid", name, s)
		}
	}
}

// TestSeed starts clusters in another order, each once; without a seed in ascending order.
func TestSeed(t *testing.T) {
	for _, total := range []uint64{1, 2, 3, 100, 1000, 65537} {
		seen, moved := make([]bool, total), false
		for i := range total {
			j := Seed(7).Permute(i, total)
			if seen[j] || Seed(0).Permute(i, total) != i {
				t.Fatalf("total %d: rank %d twice, or without a seed elsewhere", total, j)
			}
			seen[j], moved = true, moved || i != j
		}
		if total > 2 && !moved {
			t.Errorf("total %d: no rank has moved", total)
		}
	}
	for warp := range int32(100) {
		if f := Seed(7).FirstFuel(3, warp, 64); f < 1 || f > 64 || Seed(0).FirstFuel(3, warp, 64) != 64 {
			t.Errorf("warp %d begins with %d", warp, f)
		}
		if w := Seed(9).FirstWarp(3, int(warp), 5); w < 0 || w > 4 || Seed(0).FirstWarp(3, int(warp), 5) != 0 {
			t.Errorf("pass %d begins with warp %d", warp, w)
		}
	}
}
