package vm

// This file keeps what one launch of a kernel has in common with the next. It tells of accesses behind the end of allocations that
// DeviceConfig.PageBounds lets pass, and carries printf to the writer of the configuration: a writer that fails ends the launch, so
// that no output is lost in silence.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/sectors"
)

// launchState is what a launch needs, kept for the next.
type launchState struct {
	params []byte
	output host.Output // of a device without one
	shape  Launch      // of the launch before, if that could be the next one with other arguments
	code   *decode.Program
	ready  *host.Launch      // what is launched for that shape, if it has come twice; else nil
	other  host.Launch       // what is launched otherwise
	bounds []flow.Bound      // of slices of buffers among the arguments, where pointers are followed
	shadow *san.LaunchShadow // of a launch under sanitizers that have one; else nil
	found  *found.List       // of a launch that sanitizers look at; else nil
	races  *race.Observer    // of a launch under SanitizeRace; else nil
	faults *faultList        // of a launch that goes on behind them; else nil
	past   *faultList        // of what PageBounds lets pass; else nil

	sectors *sectors.Counter // of DeviceConfig.Sectors; else nil
}

// count lets the launch's traffic be counted, if the device does; sanitizers have been set up.
func (s *launchState) count(d *Device, l *machine.Launch) {
	s.sectors = nil
	if d.cfg.Sectors {
		s.sectors = &sectors.Counter{Others: l.Observer}
		l.Observer = s.sectors
		l.Wants |= events.WantsAccesses
	}
}

// state returns memory for a launch, which gives it back by k.spare.Store.
func (k *Kernel) state() *launchState {
	if r := k.spare.Swap(nil); r != nil {
		clear(r.params)
		return r
	}
	return &launchState{params: make([]byte, k.fn.ParamBytes)}
}

// bound holds pointers to the slices that they were made from (SanitizeMem).
func (s *launchState) bound(d *Device, params []ParamInfo, args []any) {
	s.bounds = nil
	if d.cfg.Sanitize&SanitizeMem == 0 {
		return
	}
	for i, arg := range args {
		if b, ok := arg.(Buffer); ok && i < len(params) && !b.own {
			s.bounds = append(s.bounds, flow.Bound{Offset: uint64(params[i].Offset), From: b.addr, To: b.addr + uint64(b.size)})
		}
	}
}

// prepared describes a launch to the machine. A description that stays (host.Launch) is found in the state.
func (k *Kernel) prepared(ctx context.Context, c *call, state *launchState) (*host.Launch, error) {
	same := state.shape == c.Launch && c.watch == (Watch{}) && k.program.d.tuning.Observer == nil && c.terms == (Terms{})
	if same && state.ready != nil {
		return state.ready, nil
	}
	ml := &state.other
	state.ready, state.shape = nil, Launch{}
	if err := k.describe(ctx, c, state); err != nil {
		return nil, err
	}
	if c.terms == (Terms{}) && ml.Observer == nil && ml.OnFault == nil && ml.Trace == nil && ml.Moments == nil && ml.Breakpoint == nil && ml.Progress == nil && c.watch.Tensor == nil && k.program.stdout == nil {
		state.shape = c.Launch
		if same {
			ml = new(host.Launch)
			*ml = state.other
			ml.Output, ml.Stays, state.ready = &state.output, true, ml
		}
	}
	return ml, nil
}

// describe describes a launch in state.other.
func (k *Kernel) describe(ctx context.Context, c *call, state *launchState) (err error) {
	d, ml := k.program.d, &state.other
	if err := k.shape(c.Launch, ml); err != nil {
		return err
	}
	if ml.Observer = d.tuning.Observer; ml.Observer != nil {
		ml.Wants = events.WantsAll
	}
	if c.terms.Depends != nil && k.program.decoder.Depends(k.fn) {
		ml.Depends = c.terms.Depends
	}
	state.shadow, state.found, state.races = d.shadow.Launch(), nil, nil
	k.sanitize(&ml.Launch, state, c)
	state.count(d, &ml.Launch)
	c.watch.stepped(&ml.Launch)
	state.keepGoing(d)
	state.watchPast(d)
	if ml.Trace, err = k.tracer(c.watch.Trace, &ml.Launch); err != nil {
		return err
	}
	countMoments(&ml.Launch, d.cfg.Workers)
	ml.Breakpoint = k.stopper(c.watch.Breakpoints)
	if err := k.record(c.watch.Record, &ml.Launch); err != nil {
		return err
	}
	if state.code, err = k.decode(ctx, &ml.Launch); err != nil {
		return err
	}
	ml.Params, ml.Progress = state.params, k.progress()
	d.compiling(ml)
	return nil
}

// begin is some time before the first launch of the process.
var begin = time.Now()

// sinceBegin is the time that has passed since then. It is read from one clock, where time.Now reads two.
func sinceBegin() time.Duration { return time.Since(begin) }

// clockBegan is the time of day, in nanoseconds, at begin.
var clockBegan = uint64(begin.UnixNano())

// clock is the clock of kernels: the real one, or nil, by the assumption.
func (d *Device) clock() func() uint64 {
	if d.assumptions.At(assume.Clocks) != assume.ClocksReal {
		return nil
	}
	return realClock
}

// realClock never shows the same twice where the system's clock is as fine as a nanosecond.
func realClock() uint64 { return uint64(sinceBegin()) }

// outputError is a failure of DeviceConfig.Stdout.
type outputError struct{ cause error }

func (e outputError) Error() string { return fmt.Sprintf("ptxvm: writing kernel output: %v", e.cause) }
func (e outputError) Unwrap() error { return e.cause }

// output is the writer of one launch.
type output struct {
	to     io.Writer
	cancel context.CancelCauseFunc
}

// watchOutput returns where a launch prints, and a context that ends when writing there fails; end ends both. A
// nil w discards, by nowhere.
func watchOutput(ctx context.Context, w io.Writer, limit int64, nowhere *host.Output) (watched context.Context, o *host.Output, end func()) {
	if w == nil {
		nowhere.Discard(limit)
		return ctx, nowhere, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, host.NewOutput(&output{w, cancel}, limit), func() { cancel(nil) }
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.cancel(outputError{err})
	}
	return n, err
}

// outputFailed puts the writer's failure, or the end of the memory for shadows, in the place of the cancellation that it caused.
func outputFailed(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	var failed outputError
	switch {
	case errors.As(cause, &failed):
		return failed
	case errors.Is(cause, ErrOutOfMemory):
		return cause
	}
	return err
}

// watchPast collects them for a launch, if the configuration allows them.
func (s *launchState) watchPast(d *Device) {
	s.past, s.other.OnPast = nil, nil
	if d.cfg.PageBounds {
		s.past = newFaultList()
		s.other.OnPast = s.past.add
	}
}

// passed puts what a launch has collected into the terms of the source, and forgets it: the state may stay.
func (k *Kernel) passed(state *launchState) (list []*Fault) {
	if state.past == nil {
		return nil
	}
	for _, c := range state.past.take() {
		f := k.program.newFault(c.first)
		f.Times, f.Passed = c.times, true
		k.nameMemory(f, state.params)
		list = append(list, f)
	}
	return list
}
