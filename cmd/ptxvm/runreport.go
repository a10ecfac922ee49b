package main

// This file writes --report FILE: how a run ended, as JSON.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// runReport is the object of --report; the JSON names are part of the contract (docs/json.md).
type runReport struct {
	Schema      int                   `json:"schema"`
	Outcome     string                `json:"outcome"` // by exit code
	Exit        int                   `json:"exit"`
	Message     string                `json:"message"`
	Launches    []launchReport        `json:"launches"`
	Diagnostics []diagnosticReport    `json:"diagnostics,omitempty"`
	Fault       *ptxvm.Fault          `json:"fault,omitempty"`
	Waiters     []waiterReport        `json:"waiters,omitempty"`
	Running     []runningReport       `json:"running,omitempty"`
	Missing     []missingForm         `json:"missing,omitempty"`
	Faults      []*ptxvm.Fault        `json:"faults,omitempty"`
	Sanitizer   []*ptxvm.Report       `json:"sanitizer,omitempty"`
	Suppressed  int                   `json:"suppressed,omitempty"`
	Differences []launchlang.Mismatch `json:"differences,omitempty"`

	reports reports
}

type launchReport struct {
	Kernel      string    `json:"kernel"`
	Grid        [3]uint32 `json:"grid"`
	Block       [3]uint32 `json:"block"`
	CTAs        uint64    `json:"ctas"`
	WarpInsts   uint64    `json:"warp_insts"`
	LaneOps     uint64    `json:"lane_ops"`
	ElapsedNs   int64     `json:"elapsed_ns"`
	Assumptions []string  `json:"guesses"`
}

type diagnosticReport struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

type waiterReport struct {
	CTA    [3]uint32        `json:"cta"`
	Warp   int              `json:"warp"`
	Lanes  uint32           `json:"lanes"`
	Reason string           `json:"reason"`
	PTX    ptxvm.Location   `json:"ptx"`
	Source []ptxvm.Location `json:"source"`
}

type runningReport struct {
	CTA    [3]uint32        `json:"cta"`
	Warp   int              `json:"warp"`
	Lanes  uint32           `json:"lanes"`
	Steps  uint64           `json:"steps"`
	PTX    ptxvm.Location   `json:"ptx"`
	Source []ptxvm.Location `json:"source"`
	Calls  []ptxvm.Location `json:"calls"`
}

// outcomes names the exit codes.
var outcomes = map[int]string{
	exitDone: "done", exitInvalid: "invalid", exitUsage: "usage", exitFault: "fault", exitLimit: "limit",
	exitUnsupported: "unsupported", exitDiffers: "differs", exitInterrupted: "interrupted",
}

// save writes the report of a run that ended with err and gives this exit code. text is what
// standard error was told; to is standard output.
func (r *runReport) save(to io.Writer, name string, err error, code int, text string) error {
	r.Schema, r.Outcome, r.Exit, r.Message = 1, outcomes[code], code, text
	if r.Launches == nil {
		r.Launches = []launchReport{}
	}
	r.explain(err)
	var out bytes.Buffer
	if err := writeJSON(&out, r.form(name)); err != nil {
		return err
	}
	if name == launchlang.ToStdout {
		_, err := to.Write(out.Bytes())
		return wrapUsage(err)
	}
	if err := launchlang.WriteWhole(name, out.Bytes()); err != nil {
		return usageError{fmt.Errorf("cannot write --report: %w", err)}
	}
	return nil
}

// form is what a file gets: FILE.sarif faults and what sanitizers have reported, for code scanning, all others the whole report.
func (r *runReport) form(name string) any {
	if strings.HasSuffix(name, ".sarif") {
		faults := r.Faults
		if faults == nil && r.Fault != nil {
			faults = []*ptxvm.Fault{r.Fault}
		}
		return sarifOf(faults, r.reports.all())
	}
	return r
}

// explain adds what the error holds.
func (r *runReport) explain(err error) {
	var fault *ptxvm.Fault
	var deadlock *ptxvm.DeadlockError
	var unsupported *ptxvm.UnsupportedError
	var differs *launchlang.DiffersError
	if diags, ok := asDiagnostics(err); ok {
		for _, d := range diags {
			r.Diagnostics = append(r.Diagnostics, diagnosticReport{d.Code.String(), d.Severity.String(), d.Msg})
		}
	}
	r.Sanitizer, r.Suppressed = r.reports.all(), r.reports.known
	for _, launch := range faultsOf(err) {
		r.Faults = append(r.Faults, launch.Faults...)
	}
	if errors.As(err, &fault) {
		r.Fault = fault
	}
	if errors.As(err, &deadlock) {
		for _, w := range deadlock.Waiters {
			r.Waiters = append(r.Waiters, waiterReport{w.CTA.Array(), w.Warp, w.Lanes, w.Reason, w.PTX, placesOf(w.Source)})
		}
	}
	var stopped *ptxvm.StoppedError
	if errors.As(err, &stopped) {
		for _, w := range stopped.Warps {
			r.Running = append(r.Running, runningReport{w.CTA.Array(), w.Warp, w.Lanes, w.Steps, w.PTX, placesOf(w.Source), placesOf(w.Calls)})
		}
	}
	if errors.As(err, &unsupported) {
		for _, f := range unsupported.Forms {
			r.Missing = append(r.Missing, missingForm(f))
		}
	}
	if errors.As(err, &differs) {
		r.Differences = differs.List
	}
}

// ran adds a launch.
func (r *runReport) ran(j *launchlang.Job, stats ptxvm.Stats) {
	r.Launches = append(r.Launches, launchReport{
		Kernel: j.Kernel.Info().Name, Grid: filled(j.Shape.Grid), Block: filled(j.Shape.Block), CTAs: stats.CTAs,
		WarpInsts: stats.WarpInsts, LaneOps: stats.LaneOps, ElapsedNs: stats.Elapsed.Nanoseconds(),
		Assumptions: append([]string{}, stats.Assumed...),
	})
	r.reports.notes = append(r.reports.notes, stats.Notes...)
	r.reports.known += stats.Known
}

// filled is an extent; what is 0 counts as 1.
func filled(d ptxvm.Dim3) [3]uint32 { return [3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// placesOf is a list that JSON does not write as null.
func placesOf(list []ptxvm.Location) []ptxvm.Location { return append([]ptxvm.Location{}, list...) }
