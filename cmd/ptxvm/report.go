package main

// This file says why a run ended early, and with which exit code.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// printEnd prints why a run ended early and gives the exit code of CONTRACT §4.
func printEnd(s streams, f *runFlags, found *reports, err error) error {
	var fault *ptxvm.Fault
	var deadlock *ptxvm.DeadlockError
	var unsupported *ptxvm.UnsupportedError
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, f.color, diags)
		return exitError{exitInvalid}
	}
	f.showReports(s, found)
	if found.found != nil && err == nil {
		return exitError{exitFault}
	}
	faults := faultsOf(err)
	var differs *launchlang.DiffersError
	var defect *ptxvm.DefectError
	switch {
	case errors.As(err, &defect):
		panic(defect.What + "\n" + defect.Stack) // guarded says how to report it
	case errors.As(err, &differs):
		// A write error on standard error cannot be reported anywhere.
		_ = differs.Write(s.err)
		return exitError{exitDiffers}
	case faults != nil:
		for _, launch := range faults {
			fmt.Fprintln(s.err, f.painted(s.err, launch.Detail()))
			f.sourceRoot.show(s.err, quote.Of(launch)...)
		}
		return exitError{exitFault}
	case errors.As(err, &fault):
		fmt.Fprintln(s.err, f.painted(s.err, fault.Detail()))
		f.sourceRoot.show(s.err, quote.Of(fault)...)
		return exitError{exitFault}
	case errors.As(err, &deadlock):
		fmt.Fprintln(s.err, f.painted(s.err, deadlock.Detail()))
		f.sourceRoot.show(s.err, quote.Of(deadlock)...)
		return exitError{exitLimit}
	case errors.As(err, &unsupported):
		fmt.Fprintln(s.err, unsupported)
		return exitError{exitUnsupported}
	case errors.As(err, new(*ptxvm.CompilingError)):
		return f.compiling(s, err)
	case errors.Is(err, ptxvm.ErrStepLimit):
		fmt.Fprintf(s.err, "steps: the launch executed --max-steps %d warp instructions without ending\n", f.maxSteps)
		f.showStopped(s, err)
		return exitError{exitLimit}
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(s.err, "timeout: the kernel was still running after --timeout %v\n", time.Duration(f.timeout))
		f.showStopped(s, err)
		return exitError{exitLimit}
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.err, "interrupted")
		f.showStopped(s, err)
		return exitError{exitInterrupted}
	}
	return wrapUsage(err)
}

// compiling says which limit was reached before the kernel ran; other errors stay.
func (f *runFlags) compiling(s streams, err error) error {
	var e *ptxvm.CompilingError
	if !errors.As(err, &e) {
		return err
	}
	what := fmt.Sprintf("compiling %s (%s)", diag.Escape(e.What), e.Pass)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(s.err, "interrupted while %s\n", what)
		return exitError{exitInterrupted}
	case !errors.Is(err, context.DeadlineExceeded):
		return wrapUsage(err)
	}
	fmt.Fprintf(s.err, "timeout: the time limit of %v (--timeout) passed while %s\n", time.Duration(f.timeout), what)
	return exitError{exitLimit}
}

// showReports prints what sanitizers have found, with the lines of the sources.
func (f *runFlags) showReports(s streams, found *reports) {
	show := func(r *ptxvm.Report) {
		fmt.Fprintln(s.err, f.painted(s.err, r.Detail()))
		f.sourceRoot.show(s.err, quote.OfReport(r)...)
	}
	for _, launch := range found.found {
		if len(launch.Reports) == 0 { // another run has printed them
			continue
		}
		for _, r := range launch.Reports {
			show(r)
		}
		fmt.Fprintln(s.err, launch.Summary())
	}
	if f.quiet {
		return
	}
	for _, r := range found.notes {
		show(r)
	}
	if found.known != 0 {
		fmt.Fprintf(s.err, "sanitizer: %s suppressed\n", known(found.known))
	}
}

// showStopped lists where the kernel was.
func (f *runFlags) showStopped(s streams, err error) {
	var stopped *ptxvm.StoppedError
	if !errors.As(err, &stopped) || stopped.Detail() == "" {
		return
	}
	fmt.Fprintln(s.err, stopped.Detail())
	f.sourceRoot.show(s.err, quote.Of(stopped)...)
}

// asDiagnostics reports whether err is a list of diagnostics.
func asDiagnostics(err error) (ptxvm.Diagnostics, bool) {
	var diags ptxvm.Diagnostics
	ok := errors.As(err, &diags)
	return diags, ok
}

// writeDiagnostics prints compile errors of run to standard error.
func writeDiagnostics(s streams, color string, diags ptxvm.Diagnostics) {
	// A write error on standard error cannot be reported anywhere.
	_ = cli.WriteDiagnostics(s.err, diags, cli.DiagnosticText, useColor(s.err, color))
}

// known counts reports that suppressions mean.
func known(n int) string {
	if n == 1 {
		return "1 known report is"
	}
	return fmt.Sprintf("%d known reports are", n)
}
