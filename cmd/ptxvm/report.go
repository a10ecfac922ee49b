package main

// This file says why a run ended early, and with which exit code.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// report prints why a run ended early and gives the exit code of CONTRACT §4.
func report(s streams, f *runFlags, err error) error {
	var fault *ptxvm.Fault
	var deadlock *ptxvm.DeadlockError
	var unsupported *ptxvm.UnsupportedError
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, f.color, diags)
		return exitError{exitInvalid}
	}
	found, err := splitReports(err)
	for _, reports := range found {
		fmt.Fprintln(s.err, reports.Detail())
		for _, r := range reports.Reports {
			f.sourceRoot.show(s.err, quote.OfReport(r)...)
		}
	}
	if found != nil && err == nil {
		return exitError{exitFault}
	}
	var differs *differsError
	var defect *ptxvm.DefectError
	switch {
	case errors.As(err, &defect):
		panic(defect.What + "\n" + defect.Stack) // guarded says how to report it
	case errors.As(err, &differs):
		// A write error on standard error cannot be reported anywhere.
		_ = differs.write(s.err)
		return exitError{exitDiffers}
	case errors.As(err, &fault):
		fmt.Fprintln(s.err, fault.Detail())
		f.sourceRoot.show(s.err, quote.Of(fault)...)
		return exitError{exitFault}
	case errors.As(err, &deadlock):
		fmt.Fprintln(s.err, deadlock.Detail())
		f.sourceRoot.show(s.err, quote.Of(deadlock)...)
		return exitError{exitLimit}
	case errors.As(err, &unsupported):
		fmt.Fprintln(s.err, unsupported)
		return exitError{exitUnsupported}
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

// showStopped lists where the kernel was.
func (f *runFlags) showStopped(s streams, err error) {
	var stopped *ptxvm.StoppedError
	if !errors.As(err, &stopped) || len(stopped.Warps) == 0 {
		return
	}
	fmt.Fprintln(s.err, stopped.Detail())
	f.sourceRoot.show(s.err, quote.Of(stopped)...)
}

// asDiagnostics tells whether err is a list of diagnostics.
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
