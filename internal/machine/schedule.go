package machine

// This file decides which cluster a worker runs next.

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// schedule hands out the clusters of a launch: new ones (parts.go; permuted by the seed) while the device has room for
// them, then parked ones in the order in which they were parked. With one worker new ones come in ascending linear order.
type schedule struct {
	total    uint64
	room     int64 // clusters that may be resident
	seed     uint64
	parts    []part // of the workers, those who are asleep too if they have been called
	least    uint64 // clusters that are worth taking
	ordered  atomic.Bool
	resident atomic.Int64 // with places that workers keep for the next one
	waiting  atomic.Int64 // length of queue
	hopeless atomic.Int64 // resident clusters that have waited for mbarriers too long
	taken    atomic.Int64 // workers that have taken clusters which they have not begun
	mu       sync.Mutex
	queue    []*Cluster // parked
}

// enter makes room for a cluster that begins.
func (s *schedule) enter() bool {
	if s.resident.Add(1) > s.room {
		s.resident.Add(-1)
		return false
	}
	return true
}

// leave tells that a cluster has ended.
func (s *schedule) leave() { s.resident.Add(-1) }

// crowded tells whether another cluster could use a worker, which may have its own.
func (s *schedule) crowded(own bool) bool {
	return s.waiting.Load() > 0 || (own || s.left()) && s.resident.Load() < s.room
}

// last tells whether one cluster is left, so that no worker will ever be crowded.
func (s *schedule) last() bool {
	return s.resident.Load() == 1 && s.waiting.Load() == 0 && s.taken.Load() == 0 && !s.left()
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
