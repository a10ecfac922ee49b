package vm

// This file finds races between launches, and between launches and copies, that nothing orders: of different streams, or
// calls at the same time (SanitizeRace).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// place is that of a launch among others, which the caller ends.
func (d *Device) place(c *call) *streams.Work {
	if c.place != nil {
		return c.place
	}
	return d.shadow.Order.Begin()
}

// meet ends the place of a launch that is over, and reports what it did to the same bytes as others.
func (k *Kernel) meet(place *streams.Work, state *launchState) {
	var touched *race.Touched
	if state.races != nil {
		touched = state.races.Touched(launchOf{k})
	}
	for _, c := range place.End(touched, k.program.d.number) {
		state.found.Many(across(c), c.Times)
	}
}

// across is the report of two pieces of work. Where one of them is a copy, it is about the other: nothing says who is first.
func across(c streams.Conflict) *found.Report {
	op, then, with, hazard := c.First, c.Second, c.Earlier, c.Hazard
	if c.Later.Copy() {
		op, then, with, hazard = then, op, c.Later, hazard.Reversed()
	}
	r := &found.Report{
		Kind: race.KindOf(hazard, c.Scoped), Between: found.AcrossLaunches, Unwaited: c.Unwaited, Op: op, Then: then, By: with.Owner, Text: another(with),
		Extent: machine.Extent{Space: machine.Global, Lane: -1, From: c.From, To: c.To},
	}
	return r
}

// Blame reports what a launch that is over and a copy behind it did to the same bytes; nil if that is known.
func (l launchOf) Blame(c streams.Conflict) error {
	k := l.kernel
	r := k.newReport(&found.Counted{Report: *across(c), Times: c.Times}, noLaunch)
	if k.program.d.cfg.Suppress.Meets(r) {
		return nil
	}
	return &SanitizerError{Kernel: k.info.Name, Reports: []*Report{r}}
}

// another names the launch that a race is with.
func another(t *race.Touched) string {
	if l, ok := t.Owner.(launchOf); ok {
		return fmt.Sprintf("kernel %s of another launch", diag.Escape(kernelname.Demangle(l.kernel.info.Name)))
	}
	return "a copy"
}
