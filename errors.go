package ptxvm

// This file holds the errors that callers tell apart; faults and deadlocks are in fault.go.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

var (
	// ErrClosed is returned for a Device, Program or Buffer that has been closed, unloaded or freed.
	ErrClosed = errors.New("ptxvm: use of a closed device, program or buffer")
	// ErrStepLimit is returned when a launch has executed DeviceConfig.MaxSteps warp instructions.
	ErrStepLimit = errors.New("step limit reached")
	// ErrOutOfMemory is returned when DeviceConfig.Memory does not suffice.
	ErrOutOfMemory = errors.New("out of device memory")
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

// StoppedError says that a launch was ended before the kernel ended. It wraps ErrStepLimit or the context's error.
type StoppedError struct {
	Kernel string
	Err    error
	Warps  []RunningWarp // those that executed most, at most eight; the hottest first
}

// RunningWarp is where a warp of such a launch was.
type RunningWarp struct {
	CTA    Index3
	Warp   int
	Lanes  uint32     // that were there, of those that could go on
	Steps  uint64     // warp instructions that it has executed; 0 where compiled code ran its CTA as a whole
	PTX    Location   // the instruction that comes next
	Source []Location // as in Fault
	Calls  []Location

	text string
}

// Error is the kernel and what ended it.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("ptxvm: kernel %s: %v", readable(e.Kernel), e.Err)
}

// Unwrap is Err: ErrStepLimit or the context's error.
func (e *StoppedError) Unwrap() error { return e.Err }

// Detail lists the warps, a few lines each; empty if none was running.
func (e *StoppedError) Detail() string {
	var b strings.Builder
	for i, w := range e.Warps {
		if i == 0 {
			fmt.Fprintf(&b, "kernel %s was at, the warps that executed most first:\n", readable(e.Kernel))
		}
		w.print(&b)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (w *RunningWarp) print(b *strings.Builder) {
	place := w.PTX
	if len(w.Source) > 0 {
		place = w.Source[0]
	}
	fmt.Fprintf(b, "  CTA %v warp %d lanes %08x at %v", w.CTA, w.Warp, w.Lanes, place)
	if w.Steps != 0 {
		fmt.Fprintf(b, ", %d instructions", w.Steps)
	}
	b.WriteByte('\n')
	fmt.Fprintf(b, "    ptx:  %v  %s\n", w.PTX, diag.Escape(w.text))
	for i, l := range w.Calls {
		if i == callsShown {
			fmt.Fprintf(b, "    … %d more calls\n", len(w.Calls)-i)
			break
		}
		fmt.Fprintf(b, "    called from %v%s\n", l, inFunction(l.Function))
	}
}

// stopped wraps the end of a launch by a limit or its context; other errors stay.
func (k *Kernel) stopped(ctx context.Context, err error, running []machine.Running) error {
	if err == nil || !errors.Is(err, ErrStepLimit) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return err
	}
	e := &StoppedError{Kernel: k.info.Name, Err: err}
	for _, r := range running {
		at := k.program.involved(&machine.Place{Site: machine.Site{CTA: r.CTA, Func: r.Func, PC: r.PC}, Calls: r.Calls, Lanes: r.Lanes})
		e.Warps = append(e.Warps, RunningWarp{CTA: at.CTA, Warp: r.Warp, Lanes: r.Lanes, Steps: r.Steps, PTX: at.PTX, Source: at.Source, Calls: at.Calls, text: at.Text})
	}
	return e
}
