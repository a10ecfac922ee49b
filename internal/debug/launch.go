package debug

// This file runs the launch that is debugged: on a goroutine of its own, which waits whenever the session looks.

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Target makes the launch that is debugged.
type Target struct {
	// Open makes it anew: on a device of its own, with the engine Interp, one worker, Deterministic clocks, and vm.KeepRegisters; all
	// else the same each time, but for the seed. The launch is watched as w says, and the kernel prints to out.
	Open func(w vm.Watch, seed uint64, out io.Writer) (*Launch, error)
	Seed uint64
	// Output gets what the kernel prints, once; nil discards it.
	Output io.Writer
}

// Launch is one launch that has not begun.
type Launch struct {
	Kernel *vm.Kernel
	Shape  vm.Launch
	Run    func(context.Context) error // launches it
	Close  func() error                // gives the device back
	Result func() error                // tells of results behind a launch that has gone well; may be nil
}

// errLeft ends launches that are looked at no more.
var errLeft = errors.New("the debugger has left the launch")

// run is one run of the launch.
type run struct {
	*Launch
	steps   vm.Stepping
	parts   vm.Parts
	asked   func(*machine.Pause) bool // by the launch, whether it stops; set while it waits
	arrived chan *machine.Pause       // where it waits; nil: it has ended with err
	goOn    chan bool                 // false: it is to end
	err     error
	cancel  context.CancelFunc
}

// begin makes a run, which waits at its first instruction. reported is called by the launch.
func (t *Target) begin(seed uint64, out io.Writer, accesses func(*machine.Event), reported func(*vm.Report)) (*run, error) {
	r := &run{arrived: make(chan *machine.Pause), goOn: make(chan bool)}
	r.steps.At, r.steps.Reported, r.steps.Accesses = r.arrive, reported, accesses
	var err error
	if r.Launch, err = t.Open(vm.StepBy(&r.steps), seed, out); err != nil {
		return nil, err
	}
	r.parts = vm.PartsOf(r.Kernel)
	r.asked = func(*machine.Pause) bool { return true }
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		r.err = r.Run(ctx)
		r.arrived <- nil
	}()
	return r, nil
}

// arrive is called by the launch at a moment.
func (r *run) arrive(p *machine.Pause) error {
	if !r.asked(p) {
		return nil
	}
	if r.steps.Flush != nil {
		r.steps.Flush()
	}
	r.arrived <- p
	if !<-r.goOn {
		return errLeft
	}
	return nil
}

// leave ends a run that waits, and gives its device back.
func (r *run) leave(waits bool) error {
	if waits {
		r.goOn <- false
		<-r.arrived
	}
	r.cancel()
	return r.Close()
}

// once passes on what a writer is given for the first time: of launches that print the same, one behind the other.
type once struct {
	to      io.Writer
	written *atomic.Int64 // by all launches, at most
	own     int64
}

func (o *once) Write(p []byte) (int, error) {
	from := o.own
	o.own += int64(len(p))
	if o.to == nil || o.own <= o.written.Load() {
		return len(p), nil
	}
	skip := max(o.written.Load()-from, 0)
	o.written.Store(o.own)
	_, err := o.to.Write(p[skip:])
	return len(p), err
}

// Prepare makes a new device one whose launches can be debugged.
func Prepare(d *vm.Device) { vm.KeepRegisters(d) }
