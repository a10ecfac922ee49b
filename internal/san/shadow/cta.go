package shadow

// This file holds what an observer knows about one CTA's memory.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// cta is the shadow of a CTA. Offsets of shared memory are those of its window, cells of tensor
// memory are lane × columns + column.
type cta struct {
	shared, tensor bitset
	allocs         []*machine.Place // by column of tensor memory, once there are some

	*order // with Async
	tensorOrder
	last refs // who wrote each byte of shared memory last
	read refs // who read it last, with Overwrites
}

// newCTA returns the shadow of a CTA that begins, in the memory of one that has ended if there is any.
func (s *Observer) newCTA() *cta {
	c, _ := s.spare.Get().(*cta)
	if c == nil {
		c = new(cta)
	}
	clear(c.shared)
	clear(c.tensor)
	*c = cta{shared: c.shared, tensor: c.tensor, order: c.order}
	switch {
	case s.Checks&Async == 0:
	case c.order == nil:
		c.order = new(order)
	default:
		*c.order = order{}
	}
	return c
}

// columns is at least what any target has of tensor memory; each has 128 lanes of 32 bits.
const columns = 1024

// bitset grows as it is written.
type bitset []uint64

// fill sets the bits from..to.
func (b *bitset) fill(from, to uint64, set bool) {
	if n := int(to+63) / 64; n > len(*b) {
		*b = append(*b, make([]uint64, n-len(*b))...)
	}
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		mask := ^uint64(0) >> (64 - n) << (i % 64)
		if set {
			(*b)[i/64] |= mask
		} else {
			(*b)[i/64] &^= mask
		}
		i += n
	}
}

// all reports whether the bits from..to are set.
func (b bitset) all(from, to uint64) bool {
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		mask := ^uint64(0) >> (64 - n) << (i % 64)
		if i/64 >= uint64(len(b)) || b[i/64]&mask != mask {
			return false
		}
		i += n
	}
	return true
}

// runs visits the bits of an extent as ranges.
func runs(x machine.Extent, visit func(from, to uint64)) {
	if x.Space == machine.Shared {
		visit(x.From, x.To)
		return
	}
	for row := uint64(x.Row); row < uint64(x.End); row++ {
		visit(row*columns+x.From, row*columns+min(x.To, columns))
	}
}

// written notes a write; of a read it tells whether everything was written before.
func (c *cta) written(kind machine.AccessKind, x machine.Extent) bool {
	b, ok := &c.shared, true
	if x.Space == machine.Tensor {
		b = &c.tensor
	}
	runs(x, func(from, to uint64) {
		ok = ok && (kind == machine.Store || b.all(from, to))
		if kind != machine.Load {
			b.fill(from, to, true)
		}
	})
	return ok
}

// allocate makes columns new, or unowned.
func (c *cta) allocate(e *machine.Event) {
	x := *e.Extent
	x.Row, x.End = 0, 128
	runs(x, func(from, to uint64) { c.tensor.fill(from, to, false) })
	c.forget(x)
	var at *machine.Place
	if e.What == events.Allocated {
		p := e.Place(e.Lanes)
		at = &p
	}
	if c.allocs == nil {
		c.allocs = make([]*machine.Place, columns)
	}
	for i := x.From; i < min(x.To, columns); i++ {
		c.allocs[i] = at
	}
}

// allocation says where the first column of an extent was allocated.
func (c *cta) allocation(x machine.Extent) *machine.Place {
	if c.allocs == nil {
		return nil
	}
	return c.allocs[min(x.From, columns-1)]
}
