package shadow

// This file finds what is known of a cluster without a lock: one core runs a cluster at a time, so nothing else touches it.

import (
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// cluster is what an observer knows of the CTAs of a cluster.
type cluster struct {
	*Observer
	number  uint64 // linear index in the grid
	ctas    []member
	clock   uint64 // counts the events whose order matters to proxies
	writers map[writer]*machine.Place
	next    atomic.Pointer[cluster] // of the same bucket
}

// member is a CTA of a cluster, by linear index in the grid.
type member struct {
	index uint64
	cta   *cta
}

// cta returns a CTA of the cluster, nil if it is none.
func (c *cluster) cta(index uint64) *cta {
	for i := range c.ctas {
		if c.ctas[i].index == index {
			return c.ctas[i].cta
		}
	}
	return nil
}

// buckets is a power of two near the most clusters that a device has room for.
const buckets = 4096

// clusters are those that run, by number. Looking one up takes no lock; beginning and ending one does.
type clusters struct {
	mu      sync.Mutex
	buckets [buckets]atomic.Pointer[cluster]
}

// of returns a cluster, nil if it has not begun.
func (t *clusters) of(number uint64) *cluster {
	c := t.buckets[number%buckets].Load()
	for c != nil && c.number != number {
		c = c.next.Load()
	}
	return c
}

// begin adds a CTA, and with the first one its cluster.
func (s *Observer) begin(e *machine.Event) {
	c := s.running.of(e.Cluster)
	if c == nil {
		c = &cluster{Observer: s, number: e.Cluster, writers: map[writer]*machine.Place{}}
		s.running.add(c)
	}
	c.ctas = append(c.ctas, member{e.CTA, s.newCTA()})
}

// end takes a CTA away, and with the last one its cluster.
func (c *cluster) end(e *machine.Event) {
	for i := range c.ctas {
		if c.ctas[i].index == e.CTA {
			c.spare.Put(c.ctas[i].cta)
			c.ctas = append(c.ctas[:i], c.ctas[i+1:]...)
			break
		}
	}
	if len(c.ctas) == 0 {
		c.running.remove(c)
	}
}

func (t *clusters) add(c *cluster) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := &t.buckets[c.number%buckets]
	c.next.Store(at.Load())
	at.Store(c)
}

func (t *clusters) remove(c *cluster) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := &t.buckets[c.number%buckets]
	for at.Load() != c {
		at = &at.Load().next
	}
	at.Store(c.next.Load()) // c keeps its next: a look-up may stand there
}
