// Package async follows asynchronous operations until something in the program tells that they are over, whether they
// have happened or not, and finds what does not wait for them: accesses to what they may still touch (P8005;
// 9.7.9.25.1: reading the destination or changing the source before completion is undefined), and what a CTA leaves
// behind at its end (P8007).
//
// A wait of the issuing lane for its group tells, and so does a wait for a phase of an mbarrier that the operation
// has signalled, by whomever: which threads have learnt of it from there is not asked here.
package async

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/san/clusters"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Options are what an observer looks for.
type Options struct {
	Early bool // accesses to what an operation may still touch
	Left  bool // what a CTA leaves behind
}

// Observer observes one launch.
type Observer struct {
	Options
	reporter found.Reporter
	launch   *machine.Launch
	running  clusters.Table[cluster]
}

// New returns an observer of a launch.
func New(l *machine.Launch, reporter found.Reporter, options Options) *Observer {
	return &Observer{Options: options, reporter: reporter, launch: l}
}

// cluster is what is known of one that runs.
type cluster struct {
	owed  ops // that have happened, and of which nothing has told
	open  ops // that have not, in the order of issue
	asked map[object]asked
}

// of returns what is known of the cluster that an event tells of.
func (o *Observer) of(e *machine.Event) *cluster {
	c := o.running.Of(e.Cluster)
	if c == nil {
		c = o.running.Begin(e.Cluster)
		c.asked = map[object]asked{}
	}
	return c
}

// Observe implements machine.Observer.
func (o *Observer) Observe(e *machine.Event) {
	switch e.What {
	case events.OpBegins, events.BytesAsked:
		o.begins(e)
	case events.CTAFinished:
		o.finished(e, e.About.(*machine.Remains))
	default:
		if c := o.running.Of(e.Cluster); c != nil {
			o.happens(c, e)
		}
	}
}

// happens notes what has to do with operations that have begun.
func (o *Observer) happens(c *cluster, e *machine.Event) {
	switch about := e.About.(type) {
	case *machine.Await:
		c.awaited(e, about)
	case []machine.RowUse:
		o.rows(c, e, about)
	case *machine.Frame:
		c.gone(about)
	case *mbarriers.Step:
		if about.Use == mbarriers.Inits {
			delete(c.asked, objectAt(about.Addr))
		}
	default:
		o.other(c, e)
	}
}

// begins notes what adds to what is known.
func (o *Observer) begins(e *machine.Event) {
	c := o.of(e)
	if e.What == events.BytesAsked {
		c.asked[objectOf(e.Extent)] = asked{e.Phase, e.Place(e.Lanes)}
		return
	}
	mine := &op{Op: *e.Op}
	if o.Early {
		o.issued(c, mine)
	}
	c.open = append(c.open, mine)
}

// other notes what is about nothing.
func (o *Observer) other(c *cluster, e *machine.Event) {
	switch e.What {
	case events.OpSignals:
		for _, one := range c.open.parts(e.Op) {
			one.told = append(one.told[:len(one.told):len(one.told)], signalled{objectOf(e.Extent), e.Phase})
		}
	case events.OpOver:
		for _, one := range c.open.parts(e.Op) {
			c.open.drop(one)
			c.owe(one)
		}
	case events.PhasePassed:
		c.passed(signalled{objectOf(e.Extent), e.Phase})
	case events.Touch:
		o.touch(c, e)
	case events.Freed:
		o.freed(c, e)
	case events.CTAEmpty:
		o.empty(c, e)
	}
}
