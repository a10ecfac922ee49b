package shadow

// This file has what is known of the clusters that run.

import "ptxvm.invalid/ptxvm/internal/machine"

// cluster is what an observer knows of the CTAs of a cluster.
type cluster struct {
	*Observer
	number  uint64 // linear index in the grid
	ctas    []member
	clock   uint64 // counts the events whose order matters to proxies
	writers map[writer]*machine.Place
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

// begin adds a CTA, and with the first one its cluster.
func (s *Observer) begin(e *machine.Event) {
	c := s.running.Of(e.Cluster)
	if c == nil {
		c = s.running.Begin(e.Cluster)
		*c = cluster{Observer: s, number: e.Cluster, writers: map[writer]*machine.Place{}}
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
		c.running.End(c.number)
	}
}
