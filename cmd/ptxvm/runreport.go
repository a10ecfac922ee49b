package main

// This file writes --report FILE: how a run ended, as JSON.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/sarif"
	"ptxvm.invalid/ptxvm/report"
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
	Missing     []forms.Missing       `json:"missing,omitempty"`
	Faults      []*ptxvm.Fault        `json:"faults,omitempty"`
	Sanitizer   []*ptxvm.Report       `json:"sanitizer,omitempty"`
	Suppressed  int                   `json:"suppressed,omitempty"`
	Differences []launchlang.Mismatch `json:"differences,omitempty"`

	modules []*ptxvm.Module
	reports reports
	diags   ptxvm.Diagnostics // why modules are not valid
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
	Text   string           `json:"text"`
}

type runningReport struct {
	CTA    [3]uint32        `json:"cta"`
	Warp   int              `json:"warp"`
	Lanes  uint32           `json:"lanes"`
	Steps  uint64           `json:"steps"`
	Waits  string           `json:"waits"`
	PTX    ptxvm.Location   `json:"ptx"`
	Source []ptxvm.Location `json:"source"`
	Calls  []ptxvm.Location `json:"calls"`
}

// outcomes names the exit codes.
var outcomes = map[int]string{
	exitDone: "done", exitInvalid: "invalid", exitUsage: "usage", exitFault: "fault", exitLimit: "limit",
	exitUnsupported: "unsupported", exitDiffers: "differs", exitInterrupted: "interrupted",
}

// end says how the run ended: err, the exit code, and what standard error was told.
func (r *runReport) end(err error, code int, text string) {
	r.Schema, r.Outcome, r.Exit, r.Message = 1, outcomes[code], code, text
	if r.Launches == nil {
		r.Launches = []launchReport{}
	}
	r.explain(err)
	r.diags, _ = asDiagnostics(err)
}

// severalReports is the object of --report for several runs of one command line.
type severalReports struct {
	Schema int          `json:"schema"`
	Runs   []*runReport `json:"runs"`
}

// saveReports writes --report; to is standard output.
func saveReports(to io.Writer, name string, all []*runReport) error {
	var out bytes.Buffer
	err := writeReports(&out, name, all)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--report %s: %w", name, err)}
	case name == launchlang.ToStdout:
		_, err := to.Write(out.Bytes())
		return wrapUsage(err)
	}
	if err := launchlang.WriteWhole(name, out.Bytes()); err != nil {
		return usageError{fmt.Errorf("cannot write --report: %w", err)}
	}
	return nil
}

func writeReports(to io.Writer, name string, all []*runReport) error {
	if filepath.Ext(name) == ".sarif" {
		var logs []*sarif.Log
		for _, r := range all {
			log, err := r.sarif()
			if err != nil {
				return err
			}
			logs = append(logs, log)
		}
		return sarif.Merge(logs...).Write(to)
	}
	if len(all) == 1 {
		return writeJSON(to, all[0])
	}
	return writeJSON(to, severalReports{1, all})
}

// sarif is the log of one run: faults, reports, diagnostics of modules, and how the run ended.
func (r *runReport) sarif() (*sarif.Log, error) {
	faults := r.Faults
	if faults == nil && r.Fault != nil {
		faults = []*ptxvm.Fault{r.Fault}
	}
	version := cli.About().Version
	found, err := readBack(func(w io.Writer) error { return report.WriteSARIF(w, version, faults, r.reports.all()) })
	if err != nil {
		return nil, err
	}
	diags, err := readBack(func(w io.Writer) error { return diag.WriteSARIF(w, version, r.diags) })
	if err != nil {
		return nil, err
	}
	log := sarif.Merge(found, diags)
	why := ""
	if !slices.Contains([]int{exitDone, exitFault, exitDiffers}, r.Exit) {
		why = cmp.Or(r.Message, r.Outcome)
	}
	log.Describe("run", r.Exit, why)
	return log, nil
}

// readBack is the log that a function of a public package writes.
func readBack(write func(io.Writer) error) (*sarif.Log, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	return sarif.Read(&b)
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
			r.Waiters = append(r.Waiters, waiterReport{w.CTA.Array(), w.Warp, w.Lanes, w.Reason, w.PTX, placesOf(w.Source), w.Text})
		}
	}
	var stopped *ptxvm.StoppedError
	if errors.As(err, &stopped) {
		for _, w := range stopped.Warps {
			r.Running = append(r.Running, runningReport{w.CTA.Array(), w.Warp, w.Lanes, w.Steps, w.Waits, w.PTX, placesOf(w.Source), placesOf(w.Calls)})
		}
	}
	if errors.As(err, &unsupported) {
		for _, f := range unsupported.Forms {
			r.Missing = append(r.Missing, forms.Missing(f))
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
