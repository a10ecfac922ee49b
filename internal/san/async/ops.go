package async

// This file keeps the operations of a cluster, and what the program has been told of them.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
)

// owedLimit bounds what is kept of a cluster that has happened: an operation without a necessary wait, such as a
// store to global memory whose source has been read, stays to the end.
const owedLimit = 512

// op is an operation, or a part of one, of the lanes that have not been waited for apart.
type op struct {
	machine.Op
	sure  step        // the last of which a wait has told
	told  []signalled // phases in which it has counted
	reach *reach
}

// step is how far the program knows an operation to be.
type step uint8

const (
	issued step = iota
	read
	written
	over
)

// object is an mbarrier of a cluster.
type object struct {
	rank uint32
	at   uint64
}

func objectOf(x *machine.Extent) object { return object{x.CTA, x.From} }

// signalled is a phase of an mbarrier.
type signalled struct {
	object
	phase uint64
}

// ops is a list of operations.
type ops []*op

// parts are the operations of the lanes of one that the machine names; those that have other lanes, too, are divided.
func (list *ops) parts(of *machine.Op) (parts ops) {
	for i := 0; i < len(*list); i++ {
		if one := (*list)[i]; one.Number == of.Number && one.Lanes&of.Lanes != 0 {
			parts = append(parts, list.part(one, one.Lanes&of.Lanes))
		}
	}
	return parts
}

// part is the operation of some lanes: itself, or a record of their own before it.
func (list *ops) part(one *op, lanes uint32) *op {
	if lanes == one.Lanes {
		return one
	}
	mine := *one
	mine.Lanes, mine.reach = lanes, nil
	one.Lanes, one.reach = one.Lanes&^lanes, nil
	*list = slices.Insert(*list, slices.Index(*list, one), &mine)
	return &mine
}

func (list *ops) drop(one *op) {
	i := slices.Index(*list, one)
	*list = slices.Delete(*list, i, i+1)
}

// owe keeps an operation that has happened and that a wait has still to tell of.
func (c *cluster) owe(one *op) {
	switch {
	case one.sure == over, one.Touches == nil && !one.After:
		return
	case one.Pipe == queue.Store && one.Signal == nil: // nothing could ever tell
		return
	case len(c.owed) == owedLimit:
		c.owed = slices.Delete(c.owed, 0, 1)
	}
	c.owed = append(c.owed, one)
}

// pay takes out of the list what waits have told of.
func (c *cluster) pay() {
	c.owed = slices.DeleteFunc(c.owed, func(one *op) bool { return one.sure == over })
}

// awaited notes a wait of lanes for what they have issued.
func (c *cluster) awaited(e *machine.Event, a *machine.Await) {
	to := over
	if a.Reads {
		to = read
	}
	for _, list := range [...]*ops{&c.owed, &c.open} {
		for i := 0; i < len(*list); i++ {
			one := (*list)[i]
			if !one.IssuedBy(e.On) || one.Pipe != a.Pipe || one.sure >= to {
				continue
			}
			lanes := uint32(0)
			for m := one.Lanes & e.Lanes; m != 0; m &= m - 1 {
				if a.Covers(&one.Op, bits.TrailingZeros32(m)) {
					lanes |= m & -m
				}
			}
			if lanes != 0 {
				list.part(one, lanes).sure = to
			}
		}
	}
	c.pay()
}

// passed notes that a wait has seen the phases of an mbarrier before one complete.
func (c *cluster) passed(s signalled) {
	if len(c.owed) == 0 {
		return
	}
	for _, one := range c.owed {
		for _, told := range one.told {
			if told.object == s.object && told.phase < s.phase {
				one.sure = over
			}
		}
	}
	for i := len(c.owed) - 1; i >= 0; i-- {
		if one := c.owed[i]; one.After && one.sure == over {
			c.passedEarlier(one)
		}
	}
	c.pay()
}

// passedEarlier: a signal that comes after all that its lanes have issued before tells of that, too.
func (c *cluster) passedEarlier(one *op) {
	for i := 0; i < len(c.owed); i++ {
		if o := c.owed[i]; o.sure != over && one.Follows(&o.Op, true) {
			c.owed.part(o, o.Lanes&one.Lanes).sure = over
		}
	}
}

// gone notes that the registers of a frame are no more.
func (c *cluster) gone(f *machine.Frame) {
	for _, one := range c.owed {
		if one.Writes(f) {
			one.sure = over
		}
	}
	c.pay()
}

// each visits what may still touch its memory: what has happened first.
func (c *cluster) each(visit func(*op) bool) {
	for _, list := range [...]ops{c.owed, c.open} {
		for _, one := range list {
			if !visit(one) {
				return
			}
		}
	}
}
