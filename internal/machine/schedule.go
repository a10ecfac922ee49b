package machine

// This file decides which cluster a worker runs next.

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// schedule hands out the clusters of a launch: new ones in ascending linear order (permuted by the
// seed) while the device has room for them, then parked ones in the order in which they were
// parked.
type schedule struct {
	total    uint64
	room     int64 // clusters that may be resident
	next     atomic.Uint64
	resident atomic.Int64
	waiting  atomic.Int64 // length of queue
	hopeless atomic.Int64 // resident clusters that have waited for mbarriers too long
	taken    atomic.Int64 // clusters that workers have taken and not begun
	mu       sync.Mutex
	queue    []*Cluster // parked
	seed     uint64
}

// begin makes room for a cluster, and returns one that has not started unless the worker has its own.
func (s *schedule) begin(own bool) (rank uint64, ok bool) {
	if !own && s.next.Load() >= s.total {
		return 0, false
	}
	if s.resident.Add(1) > s.room {
		s.resident.Add(-1)
		return 0, false
	}
	if own {
		return 0, true
	}
	i := s.next.Add(1) - 1
	if i >= s.total {
		s.resident.Add(-1)
		return 0, false
	}
	return s.permute(i), true
}

// leave tells that a cluster has ended.
func (s *schedule) leave() { s.resident.Add(-1) }

// take gives a worker the next clusters: one that is alone all, else of n its share of half of those that are left.
func (s *schedule) take(n int) (from, to uint64) {
	next := s.next.Load()
	if next >= s.total || s.seed != 0 {
		return 0, 0
	}
	share := s.total - next
	if n > 1 {
		share /= 2 * uint64(n)
	}
	if share == 0 || !s.next.CompareAndSwap(next, next+share) {
		return 0, 0
	}
	s.taken.Add(int64(share))
	return next, next + share
}

// giveBack undoes take for clusters that the only worker has not begun.
func (s *schedule) giveBack(from, to uint64) {
	if from < to {
		s.taken.Add(-int64(to - from))
		s.next.Store(from)
	}
}

// crowded tells whether another cluster could use a worker, which may have its own.
func (s *schedule) crowded(own bool) bool {
	return s.waiting.Load() > 0 || (own || s.next.Load() < s.total) && s.resident.Load() < s.room
}

// last tells whether one cluster is left, so that no worker will ever be crowded.
func (s *schedule) last() bool {
	return s.waiting.Load() == 0 && s.next.Load() >= s.total && s.taken.Load() == 0 && s.resident.Load() == 1
}

func (s *schedule) park(c *Cluster) {
	s.mu.Lock()
	s.queue = append(s.queue, c)
	s.waiting.Store(int64(len(s.queue)))
	s.mu.Unlock()
}

func (s *schedule) unpark() *Cluster {
	if s.waiting.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil
	}
	c := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.waiting.Store(int64(len(s.queue)))
	return c
}

// permute maps ranks one to one onto ranks: a four-round Feistel network over the next even
// number of bits, walked until it falls below the total.
func (s *schedule) permute(i uint64) uint64 {
	if s.seed == 0 || s.total < 2 {
		return i
	}
	half := uint(bits.Len64(s.total-1)+1) / 2
	for {
		if i = s.feistel(i, half); i < s.total {
			return i
		}
	}
}

func (s *schedule) feistel(i uint64, half uint) uint64 {
	mask := uint64(1)<<half - 1
	l, r := i>>half, i&mask
	for round := range uint64(4) {
		l, r = r, l^mix(r+s.seed+round<<56)&mask
	}
	return l<<half | r
}

// firstWarp is the warp with which a pass over a CTA's warps begins.
func (g *Grid) firstWarp(rank uint64, pass int) int {
	if g.Seed == 0 {
		return 0
	}
	return int(mix(g.Seed^rank<<20^uint64(pass)) % uint64(g.block.warps))
}

// firstFuel is the fuel of a warp's first turn: a seed lets warps give way at different times.
func (g *Grid) firstFuel(rank uint64, warp int32) int32 {
	if g.Seed == 0 {
		return turn
	}
	return int32(1 + mix(g.Seed+rank<<8+uint64(warp))%turn)
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
