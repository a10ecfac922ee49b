package san

// This file decides which detectors look at a launch, and what code tells them.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/internal/san/race"
)

// detector looks at a launch for one check or several.
type detector struct {
	of    Set                             // any of which brings it
	when  func(*Planned) bool             // of launches in which it may find something; nil: of all
	wants func(*Planned) events.Wants     // what code tells it
	new   func(*Planned) machine.Observer // nil where the machine reports all that it looks for, or it looks on as machine.Numbers, as all that it looks for the machine reports
}

// Facts is what is known of a launch before it begins.
type Facts struct {
	Launch      *machine.Launch // its shape, and when asynchronous operations happen
	StartsAsync bool            // code that it may run begins asynchronous operations
	Multiplies  bool            // it multiplies by wgmma
	Alone       bool            // nothing but the launch writes global memory until its end
	Memory      *Shadows        // of the device
	Took        *LaunchShadow   // what the launch takes of their budget; nil: nothing is counted
	Values      flow.Config     // whose launch it is, and what is known of its pointers
	Max         int             // reports that are kept, and as many notes
	Judge       func(*found.Report) found.Fate
	Object      func(*found.Report) string // names what a report is about
	Early       func(*found.Report)        // is told while the launch runs of what is reported at its end; nil: nothing asks
}

// Planned is who looks at a launch.
type Planned struct {
	Facts
	Found *found.List
	Races *race.Observer // nil without Race

	set       Set
	wants     events.Wants
	observers observers
	values    machine.Values
	numbers   dataflow.Numbers
}

// Plan finds who looks at a launch for a set of checks; nil if there is nothing to look for. Asynchronous operations
// that happen late bring Async, with its option.
func Plan(set Set, f Facts) *Planned {
	if f.Launch.Async == queue.Lazy {
		set |= Async | AsyncFences
	}
	p := &Planned{Facts: f, set: set}
	who := p.detectors()
	if len(who) == 0 {
		return nil
	}
	p.Found = found.NewList(f.Max, f.Judge, f.Object)
	p.Found.Early = f.Early
	for _, d := range who {
		p.wants |= d.wants(p)
		if o := d.new(p); o != nil {
			p.observers = append(p.observers, o)
		}
	}
	return p
}

// detectors are those that may find something, each once: first those of the last checks, whose reports say why
// others come.
func (p *Planned) detectors() (list []*detector) {
	for i := range slices.Backward(Checks) {
		for _, d := range Checks[i].detectors {
			if p.set&d.of != 0 && (d.when == nil || d.when(p)) && !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}

// Attach lets them look at the launch.
func (p *Planned) Attach(l *machine.Launch) {
	l.Values, l.Numbers = p.values, p.numbers
	l.Wants |= p.wants
	switch len(p.observers) {
	case 0:
	case 1:
		l.Observer = p.observers[0]
	default:
		l.Observer = p.observers
	}
}

// observers are those of a launch that several look at.
type observers []machine.Observer

func (list observers) Observe(e *machine.Event) {
	for _, one := range list {
		one.Observe(e)
	}
}
