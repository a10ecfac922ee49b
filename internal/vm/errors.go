package vm

// This file holds the errors that callers tell apart.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/report"
)

var (
	// ErrClosed is returned for a Device, Program or Buffer that has been closed, unloaded or freed.
	ErrClosed = errors.New("ptxvm: use of a closed device, program or buffer")
	// ErrStepLimit is returned when a launch has executed DeviceConfig.MaxSteps warp instructions.
	ErrStepLimit = errors.New("step limit reached")
	// ErrOutOfMemory is returned when DeviceConfig.Memory does not suffice.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrOverlap is returned by Device.Adopt for memory of which some is the device's already.
	ErrOverlap = mem.ErrOverlap
	// ErrTooFar is returned by Device.Adopt for memory that has no address on the device.
	ErrTooFar = mem.ErrTooFar
)

// What ends a launch, and what sanitizers say of one, is described in package report.
type (
	// Fault says what stopped a kernel.
	Fault = report.Fault
	// FaultsError is what a launch returns that went on behind its faults (DeviceConfig.KeepGoing).
	FaultsError = report.FaultsError
	// DeadlockError says that no thread of a CTA and its cluster can go on.
	DeadlockError = report.DeadlockError
	// StoppedError says that a launch was ended by ErrStepLimit or its context.
	StoppedError = report.StoppedError
	// SanitizerError is what a launch returns that sanitizers have reported about.
	SanitizerError = report.SanitizerError
	// Report is one thing that a sanitizer has found.
	Report = report.Report
	// Location is a place in a source.
	Location = report.Location
	// Index3 is the place of a CTA in its grid (%ctaid) or of a thread in its block (%tid).
	Index3 = report.Index3
)

// DefectError says that a launch has come upon a mistake in ptxvm, which would have been a panic; the module is not to blame.
// The device goes on, what the kernel was to write is not known.
type DefectError struct {
	What  string // first line of a report
	Stack string // of the goroutine in which it was noticed
}

// Error says that the mistake is ptxvm's.
func (e *DefectError) Error() string { return "ptxvm: a defect in ptxvm, not in your PTX: " + e.What }

// ArgError says that the arguments or the shape of a launch do not fit the kernel.
type ArgError struct {
	Kernel    string
	Index     int    // argument number from 0; -1 where the error is about no single argument
	Msg       string // want and have, in words
	Signature string // the kernel's parameters as declared
}

// Error has the kernel in it.
func (e *ArgError) Error() string {
	if e.Kernel == "" || strings.Contains(e.Msg, e.Kernel) {
		return "ptxvm: " + e.Msg
	}
	return "ptxvm: " + e.Kernel + ": " + e.Msg
}

// UnsupportedError lists the forms of a module that are valid PTX but are not
// executed. Nothing of the kernel has run.
type UnsupportedError struct {
	Kernel string
	Forms  []UnsupportedForm
}

// UnsupportedForm is one instruction form that is not executed.
type UnsupportedForm struct {
	Name    string // the form's id, such as wgmma.mma_async
	Text    string // one spelling that the module uses
	Section string // section of the PTX ISA manual
	Reason  string // which part of it is missing, or what no manual describes
	Count   int    // instructions of this form in the code that the kernel reaches
	Line    int    // source line of the first

	Undocumented bool // ptxas takes it, and no manual describes it
}

// Error lists the forms, one a line, with the section and the first line in the source of each.
func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs %d form(s) that ptxvm does not execute:", e.Kernel, len(e.Forms))
	for _, f := range e.Forms {
		fmt.Fprintf(&b, "\n  %s (PTX ISA %s): %s; %d times, first at line %d", f.Text, f.Section, f.Reason, f.Count, f.Line)
	}
	return b.String()
}

// unsupported puts decode's list of missing forms into the terms of the source.
func (p *Program) unsupported(kernel string, err error) error {
	var missing *decode.UnsupportedError
	if !errors.As(err, &missing) {
		return err
	}
	out := &UnsupportedError{Kernel: kernel}
	for _, f := range missing.Forms {
		e := isa.Table().Entry(f.ID)
		line, _ := p.module.Sources[f.Unit].Position(f.At[0])
		out.Forms = append(out.Forms, UnsupportedForm{Name: e.Name, Text: f.Text, Section: e.Section, Reason: f.Err.Error(),
			Count: len(f.At), Line: line, Undocumented: f.Undocumented()})
	}
	return out
}

// stopped wraps the end of a launch by a limit or its context; other errors stay.
func (k *Kernel) stopped(ctx context.Context, err error, ran *machine.Stats, ctas uint64) error {
	if err == nil || !errors.Is(err, ErrStepLimit) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return err
	}
	e := &StoppedError{Kernel: k.info.Name, Err: err, Done: ran.CTAs, CTAs: ctas}
	for _, r := range ran.Running {
		at := findings.Involved(k.program.module, &machine.Place{Site: machine.Site{CTA: r.CTA, Func: r.Func, PC: r.PC}, Calls: r.Calls, Lanes: r.Lanes})
		e.Warps = append(e.Warps, report.RunningWarp{CTA: at.CTA, Warp: r.Warp, Lanes: r.Lanes, Steps: r.Steps, PTX: at.PTX, Source: at.Source, Calls: at.Calls, Text: at.Text, Waits: r.Waits})
	}
	return e
}
