// Package misuse finds uses of barriers, member masks, mbarriers, products and collector buffers that work on no
// target, or only by luck (P8003), and tells of loops that can never end (P8010). It is told what happens
// (events.WantsUse), before it is done.
package misuse

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/san/clusters"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Observer observes one launch.
type Observer struct {
	reporter found.Reporter
	running  clusters.Table[cluster]
}

// New returns an observer.
func New(reporter found.Reporter) *Observer { return &Observer{reporter: reporter} }

// cluster is what is known of one that runs, by linear index of the CTA in the grid.
type cluster struct{ ctas map[uint64]*cta }

// cta is what is known of a CTA.
type cta struct {
	here       [barriers.Named]uint64 // by barrier: warps that its running generation has counted
	collectors map[string]collector   // by buffer
	products   groups
	registers  groups // changes of their number
	warps      map[int]*warp
}

// warp is what is known of a warp.
type warp struct {
	fenced bool // it has executed wgmma.fence
	uses   registerUses
	unlike []unlike
}

// cta returns what is known of the CTA that an event tells of.
func (o *Observer) cta(e *machine.Event) *cta {
	of := o.running.Of(e.Cluster)
	if of == nil {
		of = o.running.Begin(e.Cluster)
		of.ctas = map[uint64]*cta{}
	}
	c := of.ctas[e.CTA]
	if c == nil {
		c = &cta{collectors: map[string]collector{}, warps: map[int]*warp{}}
		of.ctas[e.CTA] = c
	}
	return c
}

// warp returns what is known of the warp that an event tells of.
func (o *Observer) warp(e *machine.Event) *warp {
	c := o.cta(e)
	if c.warps[e.Warp] == nil {
		c.warps[e.Warp] = new(warp)
	}
	return c.warps[e.Warp]
}

// Observe implements machine.Observer.
func (o *Observer) Observe(e *machine.Event) {
	switch about := e.About.(type) {
	case *machine.Meeting:
		o.meeting(e, about)
	case *[32]uint32:
		o.members(e, about)
	case *machine.Arrival:
		o.arrives(e, about)
	case *machine.BarrierEnd:
		o.ends(e, about)
	case *mbarriers.Step:
		o.mbarrier(e, about)
	case *machine.CollectorStep:
		o.collect(e, about)
	case *machine.GroupStep:
		o.group(e, about)
	case []machine.RowUse:
		o.rows(e, about)
	case *machine.ProductStep:
		o.product(e, about)
	case *machine.Frame:
		o.gone(e, about)
	case *machine.EndlessLoop:
		o.endless(about)
	case *machine.Remains:
		o.finished(e, about)
	default:
		o.other(e)
	}
}

// other notes what is about nothing.
func (o *Observer) other(e *machine.Event) {
	switch e.What {
	case events.Touch:
		o.plain(e)
	case events.StrayShuffle:
		o.misused(e, e.Lanes, "lane %d takes the value of lane %d, which is not among those that take part, %#08x", first(e.Lanes), e.About, e.Members)
	case events.ProductFence:
		w := o.warp(e)
		w.fenced = true
		w.usesOf(e.On.Running()).fences++
	}
}

// finished looks at what the warps of a CTA have done as one, and forgets it.
func (o *Observer) finished(e *machine.Event, left *machine.Remains) {
	of := o.running.Of(e.Cluster)
	if of == nil {
		return
	}
	if c := of.ctas[e.CTA]; c != nil {
		o.uneven(c.products, &products)
		o.uneven(c.registers, &registers)
		for _, n := range slices.Sorted(maps.Keys(c.warps)) {
			for i := range c.warps[n].unlike {
				o.misusedUnlike(&c.warps[n].unlike[i])
			}
		}
	}
	if left.Last {
		o.running.End(e.Cluster)
	}
}

// misused reports what lanes do.
func (o *Observer) misused(e *machine.Event, lanes uint32, format string, args ...any) {
	o.misusedBeside(e, machine.Place{}, found.SyncMisuse, lanes, format, args...)
}

// misusedBeside is misused with another place, of a kind.
func (o *Observer) misusedBeside(e *machine.Event, other machine.Place, kind found.Kind, lanes uint32, format string, args ...any) {
	o.reporter.Report(&found.Report{Kind: kind, Then: e.Place(lanes), Op: other, Text: fmt.Sprintf(format, args...)})
}

// misusedAt reports what has been done at a place, behind which the threads may have gone on or ended.
func (o *Observer) misusedAt(at machine.Place, format string, args ...any) {
	o.reporter.Report(&found.Report{Kind: found.SyncMisuse, Then: at, Text: fmt.Sprintf(format, args...)})
}

func first(lanes uint32) int { return bits.TrailingZeros32(lanes) & 31 }

// lanesText names lanes as a mask.
func lanesText(lanes uint32) string {
	if bits.OnesCount32(lanes) == 1 {
		return fmt.Sprintf("lane %d", first(lanes))
	}
	return fmt.Sprintf("lanes %#08x", lanes)
}

// endless reports a loop.
func (o *Observer) endless(l *machine.EndlessLoop) {
	r := &found.Report{Kind: found.Livelock, Then: l.At, Extent: l.Extent}
	if !l.Reads {
		r.Text = "a loop that can never end: it reads nothing that could change"
	}
	o.reporter.Report(r)
}
