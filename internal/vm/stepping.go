package vm

// This file lets a debugger (internal/debug) stand between the warp instructions of a launch.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Stepping is how a debugger goes through one launch, of a device with one worker whose programs are KeepRegisters.
//
//face:inside
type Stepping struct {
	machine.Moments
	// Reported is told by the launch, while it runs, of what sanitizers report; may be nil.
	Reported func(*Report)
	// Accesses is told by the launch of every access to memory before it is made; nil: code does not tell.
	Accesses func(*machine.Event)
}

// Observe implements machine.Observer for a launch that sanitizers look at, too, or not.
func (o *steppedObserver) Observe(e *machine.Event) {
	if o.others != nil {
		o.others.Observe(e)
	}
	o.to(e)
}

type steppedObserver struct {
	others machine.Observer
	to     func(*machine.Event)
}

// StepBy returns a Watch by a debugger.
//
//face:inside
func StepBy(s *Stepping) Watch { return Watch{steps: s} }

// KeepRegisters makes programs that the device loads from now on keep each register in a row of its own, so that a debugger finds
// there what was written last.
//
//face:inside
func KeepRegisters(d *Device) { d.tuning.OneRowEach = true }

// Parts are what a debugger looks at of a kernel's program.
//
//face:inside
type Parts struct {
	Module         *ir.Module
	Kernel         *ir.Func
	Memory         *mem.Arena
	Address        func(*ir.Var) uint64 // of a variable in global or constant memory
	ReservedShared uint32               // bytes in front of the shared memory of a CTA
	Sanitized      bool                 // sanitizers look
	images         *images.Table
}

// PartsOf returns them.
//
//face:inside
func PartsOf(k *Kernel) Parts {
	p := k.program
	return Parts{Module: p.module, Kernel: k.fn, Memory: p.d.machine.Arena, Address: p.image.Var, ReservedShared: p.d.sizes.ReservedShared, Sanitized: p.d.cfg.Sanitize != 0, images: &p.d.machine.Table}
}

// stepped sets up a launch for a debugger, if there is one; sanitizers have been set up.
func (w *Watch) stepped(l *machine.Launch) {
	if l.Moments = nil; w.steps == nil {
		return
	}
	l.Moments = &w.steps.Moments
	if w.steps.Accesses != nil {
		l.Observer = &steppedObserver{l.Observer, w.steps.Accesses}
		l.Wants |= events.WantsAccesses
	}
}
