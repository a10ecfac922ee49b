package host

// This file decides which cluster a worker runs next.

import (
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// schedule hands out the clusters of a launch: new ones (parts.go) while the device has room for
// them, then parked ones in the order in which they were parked. With one worker new ones come in ascending linear order.
type schedule struct {
	total    uint64
	room     int64  // clusters that may be resident
	parts    []part // of the workers, those who are asleep too if they have been called
	least    uint64 // clusters that are worth taking
	ordered  atomic.Bool
	resident atomic.Int64  // with places that workers keep for the next one
	waiting  atomic.Int64  // length of queue
	hopeless atomic.Int64  // resident clusters that have waited for mbarriers too long
	taken    atomic.Int64  // workers that have taken clusters which they have not begun
	parked   atomic.Uint64 // times that clusters have given way to each other, under judge
	judged   atomic.Int32  // looks
	sole     atomic.Int32  // 1 + the worker that goes on alone with all clusters; 0: all workers do
	mu       sync.Mutex
	queue    []*machine.Cluster // parked
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

// crowded reports whether another cluster could use a worker, which may have its own.
func (s *schedule) crowded(own bool) bool {
	return s.waiting.Load() > 0 || (own || s.left()) && s.resident.Load() < s.room
}

// last reports whether one cluster is left, so that no worker will ever be crowded.
func (s *schedule) last() bool {
	return s.resident.Load() == 1 && s.waiting.Load() == 0 && s.taken.Load() == 0 && !s.left()
}

func (s *schedule) park(c *machine.Cluster) {
	s.mu.Lock()
	s.queue = append(s.queue, c)
	s.waiting.Store(int64(len(s.queue)))
	s.mu.Unlock()
}

func (s *schedule) unpark() *machine.Cluster {
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

// stuck reports whether no cluster is left that could change what the hopeless ones wait for.
func (s *schedule) stuck() bool {
	return s.hopeless.Load() >= s.resident.Load() && (!s.left() && s.taken.Load() == 0 || s.resident.Load() >= s.room)
}
