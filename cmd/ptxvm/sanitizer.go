package main

// This file gathers what sanitizers have reported.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/report"
)

// splitReports takes the reports of sanitizers out of an error: what they say, launch by launch, and what else it says.
func splitReports(err error) (all []*ptxvm.SanitizerError, rest error) {
	if one, ok := err.(*ptxvm.SanitizerError); ok { //nolint:errorlint // nothing wraps it but a join, below
		return []*ptxvm.SanitizerError{one}, one.Err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	var others []error
	for _, e := range joined.Unwrap() {
		found, other := splitReports(e)
		all, others = append(all, found...), append(others, other)
	}
	if all == nil {
		return nil, err
	}
	return all, errors.Join(others...)
}

// faultsOf lists the faults of launches that went on behind them.
func faultsOf(err error) (list []*ptxvm.FaultsError) {
	if one, ok := err.(*ptxvm.FaultsError); ok { //nolint:errorlint // nothing wraps it but a join, below
		return []*ptxvm.FaultsError{one}
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, e := range joined.Unwrap() {
		list = append(list, faultsOf(e)...)
	}
	return list
}

// leaks reports what kernels have allocated and not freed when all launches are over; nil if nothing.
func (s *invocation) leaks() error {
	reports := s.Program.Leaks()
	if len(reports) == 0 {
		return nil
	}
	return &ptxvm.SanitizerError{Kernel: reports[0].Kernel, Reports: reports}
}

// replay is the command line that shows the same again: what was given, on one worker, where the seed decides the schedule.
func (s *streams) replay() string {
	words := []string{"ptxvm"}
	for i, w := range withoutFlags(s.args, "workers", "report", "write-suppressions") {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`;&|<>()*?[]{}~#!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
		if i == 0 {
			words = append(words, "--workers", "1")
		}
	}
	return strings.Join(words, " ")
}

// withoutFlags leaves flags and their values out of a command line.
func withoutFlags(args []string, names ...string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-") || !slices.Contains(names, name):
			out = append(out, args[i])
		case !joined:
			i++
		}
	}
	return out
}

// reports are what the sanitizers have said of a run.
type reports struct {
	found []*ptxvm.SanitizerError // of launches with reports
	notes []*ptxvm.Report
	known int // pairs of places that suppressions mean
}

// all are the reports and the notes.
func (r *reports) all() (list []*ptxvm.Report) {
	for _, l := range r.found {
		list = append(list, l.Reports...)
	}
	return append(list, r.notes...)
}

// unseen leaves out the reports that earlier runs have printed, and takes the others down.
func (r *reports) unseen(seen map[string]bool) *reports {
	fresh := func(list []*ptxvm.Report) []*ptxvm.Report {
		return slices.DeleteFunc(slices.Clone(list), func(one *ptxvm.Report) bool { return seen[one.ID] })
	}
	out := &reports{notes: fresh(r.notes), known: r.known}
	for _, l := range r.found {
		launch := *l
		launch.Reports = fresh(l.Reports)
		out.found = append(out.found, &launch)
	}
	for _, one := range r.all() {
		seen[one.ID] = true
	}
	return out
}

// fold joins what is the same in several launches, and says how to see it again.
func (r *reports) fold(replay string) {
	r.found = report.FoldLaunches(r.found)
	if folded := report.FoldLaunches([]*ptxvm.SanitizerError{{Reports: r.notes}}); len(folded) != 0 {
		r.notes = folded[0].Reports
	}
	for _, one := range r.all() {
		one.Replay = replay
	}
}

// suppressionsFile is what is read where no option names a file.
const suppressionsFile = ".ptxvm-suppress"

// suppressions reads --suppress, or the file beside the first module that has one; nil if there is none.
func (f *runFlags) suppressions(files []string) (*report.Suppressions, error) {
	name := f.suppress
	for i := 0; name == "" && i < len(files); i++ {
		beside := filepath.Join(filepath.Dir(files[i]), suppressionsFile)
		if _, err := os.Stat(beside); err == nil && files[i] != "-" {
			name = beside
		}
	}
	if name == "" {
		return nil, nil
	}
	text, err := launchlang.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--suppress: %w", err)
	}
	return report.ParseSuppressions(name, text)
}

// writeSuppressions writes a line for each report, if the command line asks for it.
func (f *runFlags) writeSuppressions(list []*ptxvm.Report) error {
	if f.newSuppressions == "" {
		return nil
	}
	var lines []string
	for _, r := range list {
		if line := r.Suppression() + "\n"; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if err := launchlang.WriteWhole(f.newSuppressions, []byte(strings.Join(lines, ""))); err != nil {
		return usageError{fmt.Errorf("cannot write --write-suppressions: %w", err)}
	}
	return nil
}
