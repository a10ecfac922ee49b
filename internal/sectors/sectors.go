// Package sectors counts the traffic of kernels with global memory: sectors of 32 bytes. What the lanes of a warp touch of one sector in
// one instruction, or in one asynchronous operation, counts once. There are no caches: what one would answer counts again.
package sectors

import (
	"cmp"
	"slices"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// Bytes is the size of a sector.
const Bytes = 32

// Counter observes a launch. Others, unless nil, observe it, too.
type Counter struct {
	Others machine.Observer
	count  atomic.Uint64
}

// Count is how many sectors the launch has touched; of no counter none.
func (c *Counter) Count() uint64 {
	if c == nil {
		return 0
	}
	return c.count.Load()
}

// Observe implements machine.Observer.
func (c *Counter) Observe(e *machine.Event) {
	if c.Others != nil {
		c.Others.Observe(e)
	}
	if e.What != events.Touch && e.What != events.ImageTouched {
		return
	}
	if x, ok := e.Dense(); ok {
		s := spanOf(&x)
		c.count.Add(s.to - s.from)
		return
	}
	if e.Async && e.Op != nil {
		c.add(ofOp(e))
		return
	}
	var touched [32]span
	list := touched[:0]
	e.Extents(func(_ int, x machine.Extent) { list = append(list, spanOf(&x)) })
	c.add(list)
}

// ofOp is what an operation touches, once for all of its extents, each of which is an event: that of the first one.
func ofOp(e *machine.Event) (touched []span) {
	for x := range e.Op.Touches(e.Op) {
		if len(touched) == 0 && x != *e.Extent {
			return nil
		}
		touched = append(touched, spanOf(&x))
	}
	return touched
}

// span is sectors [from, to); empty for what is not in global memory.
type span struct{ from, to uint64 }

func spanOf(x *machine.Extent) span {
	if x.Space != machine.Global || x.To <= x.From {
		return span{}
	}
	return span{x.From / Bytes, (x.To-1)/Bytes + 1}
}

// add counts the sectors of a list, each once.
func (c *Counter) add(list []span) {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var sum, reached uint64
	for _, s := range list {
		if s.to > reached {
			sum += s.to - max(s.from, reached)
			reached = s.to
		}
	}
	if sum != 0 {
		c.count.Add(sum)
	}
}
