// Package shape is the arithmetic of a launch's shape: which thread, warp, CTA and cluster is where, and, by a seed, in which
// order they have their turns.
package shape

import "fmt"

// Limits of any target.
const (
	MaxThreads     = 1024 // of a CTA
	MaxClusterRank = 16   // CTAs of a cluster, with the attribute for non-portable sizes; 8 is the portable limit
)

// Shape is how many threads a launch has, and how they belong together.
type Shape struct {
	Grid    [3]uint32 // CTAs
	Block   [3]uint32 // threads
	Cluster [3]uint32 // CTAs; {1,1,1} without clusters
}

// Validate refuses shapes that this arithmetic does not hold; what a target allows is judged before.
func (s *Shape) Validate() error {
	for i := range 3 {
		if s.Grid[i] == 0 || s.Block[i] == 0 || s.Block[i] > MaxThreads || s.Cluster[i] == 0 {
			return fmt.Errorf("launch shape grid %v block %v cluster %v is not possible", s.Grid, s.Block, s.Cluster)
		}
	}
	if n := uint64(s.Block[0]) * uint64(s.Block[1]) * uint64(s.Block[2]); n > MaxThreads {
		return fmt.Errorf("a block of %d threads is not possible; the most is %d", n, MaxThreads)
	}
	for i := range 3 {
		if s.Cluster[i] > MaxClusterRank || s.Grid[i]%s.Cluster[i] != 0 {
			return fmt.Errorf("a grid of %v CTAs is not possible in clusters of %v", s.Grid, s.Cluster)
		}
	}
	if n := s.Cluster[0] * s.Cluster[1] * s.Cluster[2]; n > MaxClusterRank {
		return fmt.Errorf("a cluster of %d CTAs is not possible; the most is %d", n, MaxClusterRank)
	}
	return nil
}

// CTAs is how many CTAs there are.
func (s *Shape) CTAs() uint64 { return uint64(s.Grid[0]) * uint64(s.Grid[1]) * uint64(s.Grid[2]) }

// ClusterSize is how many of them a cluster has.
func (s *Shape) ClusterSize() uint64 {
	return uint64(s.Cluster[0]) * uint64(s.Cluster[1]) * uint64(s.Cluster[2])
}

// Clusters is how many clusters there are.
func (s *Shape) Clusters() uint64 { return s.CTAs() / s.ClusterSize() }

// Threads is how many a CTA has.
func (s *Shape) Threads() uint32 { return s.Block[0] * s.Block[1] * s.Block[2] }

// Warps is how many warps a CTA has.
func (s *Shape) Warps() int { return int(s.Threads()+31) / 32 }

// Lanes are those of a warp in a CTA of so many threads.
func Lanes(threads uint32, warp int) uint32 {
	return ^uint32(0) >> (32 - min(threads-uint32(warp)*32, 32))
}

// Thread returns the place of a lane in its block.
func (s *Shape) Thread(warp int32, lane int) [3]uint32 {
	t := uint32(warp)*32 + uint32(lane)
	if t < s.Block[0] {
		return [3]uint32{t, 0, 0}
	}
	return [3]uint32{t % s.Block[0], t / s.Block[0] % s.Block[1], t / s.Block[0] / s.Block[1]}
}

// Place returns the coordinates of a CTA in the grid and its linear index there, by the linear index of its cluster and its
// rank in that.
func (s *Shape) Place(cluster uint64, rank uint32) (id [3]uint32, linear uint64) {
	if s.ClusterSize() == 1 {
		return coordinates(s.Grid, cluster), cluster
	}
	at, in := coordinates(s.clusters(), cluster), coordinates(s.Cluster, uint64(rank))
	for i := range 3 {
		id[i] = at[i]*s.Cluster[i] + in[i]
	}
	return id, s.linear(id)
}

// clusters is the extent of the grid in clusters.
func (s *Shape) clusters() (n [3]uint32) {
	for i := range 3 {
		n[i] = s.Grid[i] / s.Cluster[i]
	}
	return n
}

// linear is the linear index of a CTA.
func (s *Shape) linear(id [3]uint32) uint64 {
	return uint64(id[0]) + uint64(s.Grid[0])*(uint64(id[1])+uint64(s.Grid[1])*uint64(id[2]))
}

// coordinates are those of a linear index in an extent.
func coordinates(extent [3]uint32, rank uint64) [3]uint32 {
	x, rest := rank%uint64(extent[0]), rank/uint64(extent[0])
	return [3]uint32{uint32(x), uint32(rest % uint64(extent[1])), uint32(rest / uint64(extent[1]))}
}

// ID returns the coordinates of a CTA by its linear index.
func (s *Shape) ID(cta uint64) [3]uint32 { return coordinates(s.Grid, cta) }

// ClusterOf returns the linear index of the cluster to which a CTA belongs.
func (s *Shape) ClusterOf(cta uint64) uint64 {
	index, stride := uint64(0), uint64(1)
	for i := range 3 {
		n := uint64(s.Grid[i])
		index += cta % n / uint64(s.Cluster[i]) * stride
		cta, stride = cta/n, stride*(n/uint64(s.Cluster[i]))
	}
	return index
}

// RankInCluster returns the rank of a CTA in its cluster.
func (s *Shape) RankInCluster(cta uint64) uint32 {
	rank, stride := uint32(0), uint32(1)
	for i := range 3 {
		n := uint64(s.Grid[i])
		rank += uint32(cta%n) % s.Cluster[i] * stride
		cta, stride = cta/n, stride*s.Cluster[i]
	}
	return rank
}

// Mate returns the linear index of the CTA with a rank in the cluster of the CTA at some coordinates; false if there is none.
func (s *Shape) Mate(id [3]uint32, rank uint32) (index uint64, ok bool) {
	if uint64(rank) >= s.ClusterSize() {
		return 0, false
	}
	in := coordinates(s.Cluster, uint64(rank))
	for i := range 3 {
		id[i] += in[i] - id[i]%s.Cluster[i]
	}
	return s.linear(id), true
}
