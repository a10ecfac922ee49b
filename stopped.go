package ptxvm

// This file says where a kernel was when a limit or its context ended a launch.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/machine"
)

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

func (e *StoppedError) Error() string { return fmt.Sprintf("ptxvm: kernel %s: %v", e.Kernel, e.Err) }
func (e *StoppedError) Unwrap() error { return e.Err }

// Detail lists the warps, a few lines each; empty if none was running.
func (e *StoppedError) Detail() string {
	var b strings.Builder
	for i, w := range e.Warps {
		if i == 0 {
			fmt.Fprintf(&b, "kernel %s was at, the warps that executed most first:\n", e.Kernel)
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
