package shadow

// This file checks that shared memory written through the generic proxy is fenced before the
// async proxy reads it (8.6, 8.9.5: operations of different proxies are ordered only by a
// proxy fence between them; 9.7.13.4 fence.proxy.async).
//
// A fence covers the stores of its own lanes, and those of others that its warp has acquired:
// made before the warp last passed a barrier, a fence or a strong access. So a fence by the
// writer before the barrier and one by the issuer behind it both count.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// ref is the generic store that wrote a byte last; by is nil if none or the async proxy did.
type ref struct {
	by   *machine.Place
	time uint64
	lane uint8
}

// writer is an instruction of a warp.
type writer struct {
	fn   *machine.FuncInfo
	pc   int32
	warp int
	cta  uint64
}

// page is the bytes of a piece of the shadow.
const page = 1024

// refs are accesses by page of shared memory and byte.
type refs map[uint64]*[page]ref

// order is what a CTA's warps have acquired and fenced, by the cluster's clock.
type order struct {
	passed   [32]uint64     // by warp: when the barrier completed that it has not told to have passed
	acquired [32]uint64     // by warp: it has seen what others had published by then
	joined   [32]uint64     // by warp: its lanes have seen what the others of them had published
	fenced   [32][32]uint64 // by warp and lane: its own last fence
	covered  uint64         // what was published by then, some fence covers
	within   [32]uint64     // by warp: what its lanes had published to each other by then, a fence of it covers
}

// barrierDone notes when warps have acquired what they will tell to have passed.
func (s *cluster) barrierDone(e *machine.Event) {
	c, now := s.cta(e.CTA), s.tick()
	for m := e.Warps; c != nil && m != 0; m &= m - 1 {
		c.passed[bits.TrailingZeros64(m)&31] = now
	}
}

// acquire notes that a warp has seen what others had published.
func (s *cluster) acquire(e *machine.Event) {
	c, now := s.cta(e.CTA), s.tick()
	switch {
	case c == nil:
	case e.Scope == model.WarpScope:
		c.joined[e.Warp] = now
	case e.Scope == model.CTAScope && e.What == events.Acquire && c.passed[e.Warp] != 0:
		now, c.passed[e.Warp] = c.passed[e.Warp], 0
		fallthrough
	default:
		c.acquired[e.Warp], c.joined[e.Warp] = now, now
	}
}

// fence covers stores.
func (s *cluster) fence(e *machine.Event) {
	c := s.cta(e.CTA)
	if c == nil || e.Proxy != model.AsyncProxy || e.Space == machine.Global {
		return
	}
	now := s.tick()
	for lane := range 32 {
		if e.Lanes>>lane&1 != 0 {
			c.fenced[e.Warp][lane] = now
		}
	}
	c.covered = max(c.covered, c.acquired[e.Warp])
	c.within[e.Warp] = max(c.within[e.Warp], c.joined[e.Warp])
}

func (s *cluster) tick() uint64 {
	s.clock++
	return s.clock
}

// cross notes a generic store to a CTA's shared memory, and finds one that the async proxy reads
// without a fence.
func (s *cluster) cross(c *cta, e *machine.Event, lane int, x machine.Extent) *machine.Place {
	switch {
	case e.Proxy == model.AsyncProxy && e.Kind == machine.Load:
		return s.unfenced(c.last, e, x)
	case e.Kind == machine.Load:
	case e.Proxy == model.AsyncProxy:
		c.last.mark(x, ref{})
	default:
		c.last.mark(x, ref{s.writer(e), s.tick(), uint8(max(lane, 0))})
	}
	return nil
}

// writer is the place of an event, one for all events of the instruction and warp.
func (s *cluster) writer(e *machine.Event) *machine.Place {
	key := writer{e.Func, e.PC, e.Warp, e.CTA}
	p := s.writers[key]
	if p == nil {
		place := e.Place(e.Lanes)
		p = &place
		s.writers[key] = p
	}
	return p
}

// overwrites notes a generic load, and finds one of bytes that the async proxy overwrites without a fence. Nothing else than the
// proxies is wrong there: that the load comes first is for others to see.
func (s *cluster) overwrites(c *cta, e *machine.Event, lane int, x machine.Extent) (at *machine.Place) {
	switch {
	case e.Proxy == model.AsyncProxy && e.Kind != machine.Load:
		at = s.unfenced(c.read, e, x)
		c.read.mark(x, ref{})
	case e.Proxy != model.AsyncProxy && e.Kind == machine.Load && !e.Waits:
		c.read.mark(x, ref{s.writer(e), s.tick(), uint8(max(lane, 0))})
	}
	return at
}

func (list *refs) mark(x machine.Extent, r ref) {
	for i := x.From; i < x.To; i++ {
		p := (*list)[i/page]
		if p == nil {
			if r.by == nil {
				continue
			}
			if *list == nil {
				*list = refs{}
			}
			p = new([page]ref)
			(*list)[i/page] = p
		}
		p[i%page] = r
	}
}

// unfenced returns an access to the bytes that no fence covers.
func (s *cluster) unfenced(list refs, e *machine.Event, x machine.Extent) *machine.Place {
	issuer := s.cta(e.CTA)
	for i := x.From; i < x.To; i++ {
		p := list[i/page]
		if p == nil || p[i%page].by == nil {
			continue
		}
		r := p[i%page]
		from, w := s.cta(r.by.CTARank), r.by.Warp
		if from == nil || max(from.fenced[w][r.lane], from.within[w], from.covered, issuer.covered) > r.time {
			continue
		}
		place := e.On.At(*r.by, int(r.lane))
		return &place
	}
	return nil
}
