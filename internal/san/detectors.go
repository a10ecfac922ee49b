package san

// This file holds the detectors: when each of them looks, and what it wants to be told.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/san/async"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/misuse"
	"ptxvm.invalid/ptxvm/internal/san/numbers"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/san/shadow"
)

// told is what a detector wants whatever the launch.
func told(w events.Wants) func(*Planned) events.Wants {
	return func(*Planned) events.Wants { return w }
}

var (
	// uses looks how barriers, member masks, mbarriers and products are used, and whether loops can end.
	uses = &detector{of: Sync,
		wants: func(p *Planned) (w events.Wants) {
			w = events.WantsUse | events.WantsLoops
			if p.Alone {
				w |= events.WantsAlone
			}
			if p.Multiplies {
				w |= events.WantsRows
			}
			if p.set&Async != 0 { // plain accesses to mbarriers
				w |= events.WantsAccesses
			}
			return w
		},
		new: func(p *Planned) machine.Observer { return misuse.New(p.Found) }}
	// peers looks at accesses to shared memory of CTAs of the cluster that may not be there; with Race, races does.
	peers = &detector{of: Sync,
		when: func(p *Planned) bool {
			c := &p.Launch.Cluster
			return p.set&Race == 0 && c[0]*c[1]*c[2] > 1
		},
		wants: told(ordered),
		new: func(p *Planned) machine.Observer {
			o := race.NewPeers(p.Launch, p.Found)
			if p.Took != nil {
				o.Takes(p.Took.Took)
			}
			return o
		}}
	// races looks at accesses that nothing orders.
	races = &detector{of: Race, wants: told(ordered), new: func(p *Planned) machine.Observer {
		p.Races = race.NewObserver(p.Launch, p.Found, race.Options{Strict: p.set&RaceStrict != 0, Peers: p.set&Sync != 0})
		p.Races.Takes(p.Took.Took)
		return p.Races
	}}
	// unused marks what kernels touch of global memory.
	unused = &detector{of: LeakUnused, wants: told(events.WantsAccesses), new: func(p *Planned) machine.Observer {
		return shadow.Used{Memory: p.Memory.Used}
	}}
	// operations follows asynchronous operations: what they may still touch, and what a CTA leaves behind.
	operations = &detector{of: Async | Leak,
		when: func(p *Planned) bool { return p.set&Leak != 0 || p.StartsAsync },
		wants: func(p *Planned) (w events.Wants) {
			if p.set&Leak != 0 {
				w |= events.WantsLeft
			}
			if p.set&Async != 0 && p.StartsAsync {
				w |= events.WantsAll | events.WantsOwed
			}
			return w
		},
		new: func(p *Planned) machine.Observer {
			return async.New(p.Launch, p.Found, async.Options{Early: p.set&Async != 0 && p.StartsAsync, Left: p.set&Leak != 0})
		}}
	// shadows looks at what was written, and through which proxy.
	shadows = &detector{of: Init | InitLoads | Async | AsyncFences | AsyncWAR,
		when: func(p *Planned) bool { return p.shadowChecks() != 0 },
		wants: func(p *Planned) (w events.Wants) {
			c := p.shadowChecks()
			if c&shadow.Init != 0 {
				w |= events.WantsAccesses
			}
			if c&shadow.InitTensor != 0 {
				w |= events.WantsOthers
			}
			if c&shadow.Async != 0 {
				w |= events.WantsAll
			}
			return w
		},
		new: func(p *Planned) machine.Observer {
			return shadow.New(shadow.Config{Checks: p.shadowChecks(), Global: p.Memory.Loads, Reporter: p.Found})
		}}
	// computed looks at the results of floating-point instructions.
	computed = &detector{of: NaN | NaNInf, wants: told(0), new: func(p *Planned) machine.Observer {
		p.numbers = numbers.New(p.Found, p.set&NaNInf != 0)
		return nil
	}}
	// values follows the values of registers.
	values = &detector{of: Init | Mem, wants: told(events.WantsOthers), new: func(p *Planned) machine.Observer {
		c := p.Values
		c.Checks = flow.Checks{Init: p.set&Init != 0, Mem: p.set&Mem != 0}
		c.Memory, c.Reporter = p.Memory.Values, p.Found
		e := flow.New(c, p.Launch)
		p.values = e
		return e
	}}
)

// ordered is what those want that follow the order of accesses.
const ordered = events.WantsAccesses | events.WantsOrder | events.WantsFences | events.WantsLoaded

// shadowChecks is what to look for in shadows of memory. The cells of tensor memory no row of registers follows, so
// they are looked at for Init, too; what only asynchronous operations could meet is not looked for without them.
func (p *Planned) shadowChecks() (c shadow.Checks) {
	for _, one := range [...]struct {
		of     Set
		async  bool // of code that begins asynchronous operations
		checks shadow.Checks
	}{
		{InitLoads, false, shadow.Init}, {Init | InitLoads, true, shadow.InitTensor}, {Async, true, shadow.Async}, {AsyncFences, true, shadow.TensorFences}, {AsyncWAR, true, shadow.Overwrites},
	} {
		if p.set&one.of != 0 && (p.StartsAsync || !one.async) {
			c |= one.checks
		}
	}
	return c
}
