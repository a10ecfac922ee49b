package async

// This file finds what a CTA leaves behind when its threads have exited.

import (
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// asked is where an mbarrier was told last of bytes to come, and in which of its phases.
type asked struct {
	phase uint64
	at    machine.Place
}

// objectAt is the mbarrier at a shared address.
func objectAt(addr uint32) object {
	return object{addr >> mem.RankShift, uint64(addr) & (mem.MaxShared - 1)}
}

// empty reports the operations that may still read the shared memory of a CTA without lanes.
func (o *Observer) empty(c *cluster, e *machine.Event) {
	if !o.Early {
		return
	}
	c.each(func(one *op) bool {
		if one.CTARank == e.CTA && one.sure < read && one.Touches != nil {
			o.mayRead(one, e)
		}
		return true
	})
}

// mayRead reports an operation if it may still read shared memory.
func (o *Observer) mayRead(one *op, e *machine.Event) {
	for x, does := range one.Touches(&one.Op) {
		if x.Space == machine.Shared && does == machine.Load {
			o.left(e, found.OpenAtExit, one.Place, x, "")
			return
		}
	}
}

// finished reports what a CTA leaves behind when all lanes of its cluster have exited: tensor memory, mbarriers that
// still expect bytes, copies that no wait covers.
func (o *Observer) finished(e *machine.Event, left *machine.Remains) {
	for i, made := range left.Tensor {
		o.left(e, found.TensorKept, made, left.Extents[i], "")
	}
	c := o.running.Of(e.Cluster)
	if c == nil {
		return
	}
	if o.Left {
		for _, m := range left.Mbarriers {
			if a, ok := c.asked[objectOf(&m.Extent)]; ok && a.phase == m.Phase && left.Quiet {
				o.left(e, found.BytesMissing, a.at, m.Extent, fmt.Sprintf("%d bytes", m.Bytes))
			}
		}
		c.each(func(one *op) bool {
			o.leftCopy(one, e)
			return true
		})
	}
	if left.Last {
		o.running.End(e.Cluster)
	}
}

// leftCopy reports a copy into shared memory that the warp has neither waited for by group nor given to an mbarrier.
func (o *Observer) leftCopy(one *op, e *machine.Event) {
	if one.CTARank != e.CTA || one.Pipe != queue.Copy || one.After || one.Touches == nil || one.sure >= written {
		return
	}
	text := "that no wait covers"
	if !one.InGroup(bits.TrailingZeros32(one.Lanes)) {
		text = "that no cp.async.commit_group and no wait covers"
	}
	for x, does := range one.Touches(&one.Op) {
		if does == machine.Store {
			o.left(e, found.NotWaited, one.Place, x, text)
			return
		}
	}
}

// left reports what is left at the end of the CTA that an event tells of.
func (o *Observer) left(e *machine.Event, kind found.Kind, op machine.Place, x machine.Extent, text string) {
	end := o.launch.PlaceOf(e.CTA, 0, 1, nil, 0)
	o.reporter.Report(&found.Report{Kind: kind, Extent: x, Op: op, Then: machine.Place{Site: machine.Site{CTA: end.CTA}, CTARank: e.CTA}, Text: text})
}
