package main

// This file is the bench verb: run's flags, several launches, times.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// newBench builds the bench verb.
func newBench(s streams) *cli.Command {
	var f runFlags
	var repeat int
	var format string
	cmd := &cli.Command{
		Use:   "bench FILE… [flags]",
		Short: "Launch a kernel repeatedly and print times (its printf output is discarded)",
		Args:  needFiles,
		Run: func(cmd *cli.Command, files []string) error {
			if repeat < 1 || (format != "text" && format != "json") {
				return usageError{fmt.Errorf("want --repeat of at least 1 and --format text or json")}
			}
			var found reports
			err := benchFiles(cmd.Context(), s, &f, files, repeat, format)
			found.found, err = splitReports(err)
			return printEnd(s, &f, &found, err)
		},
	}
	f.bind(cmd)
	cmd.Flags().Int(&repeat, "repeat", "", 10, "launch it `N` times")
	cmd.Flags().String(&format, "format", "", "text", "print as `text|json`")
	return cmd
}

// benchResult is what bench prints; the JSON names are part of the contract.
type benchResult struct {
	Schema        int                `json:"schema"`
	Kernel        string             `json:"kernel"`
	TimesNs       []int64            `json:"times_ns"`
	LaneOps       uint64             `json:"lane_ops"` // of one launch
	LaneOpsPerSec float64            `json:"lane_ops_per_s"`
	Engines       map[string]float64 `json:"engines"` // share of lane_ops
}

// benchFiles launches repeat times. Kernel printf is discarded, since it would stand between
// the figures. Results are those of the first launch, written when all have succeeded.
func benchFiles(ctx context.Context, s streams, f *runFlags, files []string, repeat int, format string) (err error) {
	launches, files, err := f.launches(files)
	if err == nil && len(launches) > 1 {
		err = usageError{fmt.Errorf("bench times one launch; the options hold %d, separated by ---", len(launches))}
	}
	if err != nil {
		return err
	}
	if f.report != "" || len(f.expects) > 0 || f.trace.what != nil || f.traceTo != "" || f.show.cta != nil {
		return usageError{fmt.Errorf("bench measures; --report, --expect, --trace and --show are for run")}
	}
	line := newProgressLine(s.err, f.quiet)
	defer line.done()
	defer context.AfterFunc(ctx, line.end)()
	session, err := prepare(launches, files, s, ptxvm.DeviceConfig{Progress: line.report()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	session.line = line
	j := session.launches[0]
	if err := j.Fill(); err != nil {
		return err
	}
	bench := benchResult{Schema: 1, Kernel: j.Kernel.Info().Name}
	var first []launchlang.Result
	for i := range repeat {
		line.about = fmt.Sprintf("%s, launch %d of %d", j.Kernel.Info().Base(), i+1, repeat)
		err := j.measure(ctx, &bench)
		if line.done(); err != nil {
			return err
		}
		if i == 0 {
			if first, err = j.AllResults(); err != nil {
				return err
			}
		}
	}
	if err := launchlang.WriteSinks(first); err != nil {
		return usageError{fmt.Errorf("cannot write results: %w", err)}
	}
	return bench.write(s.out, format)
}

// measure restores the buffers and times one launch.
func (j *launch) measure(ctx context.Context, bench *benchResult) error {
	if err := j.RestoreAll(); err != nil {
		return err
	}
	start := time.Now()
	stats, err := j.Launch(ctx)
	if err == nil {
		bench.add(time.Since(start), stats)
	}
	return err
}

func (r *benchResult) add(elapsed time.Duration, stats ptxvm.Stats) {
	r.TimesNs = append(r.TimesNs, elapsed.Nanoseconds())
	r.LaneOps, r.Engines = stats.LaneOps, stats.EngineShares()
	r.LaneOpsPerSec = float64(r.LaneOps) / (float64(r.median()) / 1e9)
}

// median is the middle time, which bench's rate is computed from.
func (r *benchResult) median() int64 {
	sorted := slices.Sorted(slices.Values(r.TimesNs))
	return sorted[len(sorted)/2]
}

func (r *benchResult) write(w io.Writer, format string) error {
	if format == "json" {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, "%s: %d launches, median %v, fastest %v; %d lane-ops, %slane-ops/s\n", r.Kernel,
		len(r.TimesNs), time.Duration(r.median()), time.Duration(slices.Min(r.TimesNs)), r.LaneOps, siRate(r.LaneOpsPerSec))
	return err
}

// siRate prints a rate with a decimal prefix: "1.25 G".
func siRate(perSecond float64) string {
	for _, unit := range []struct {
		factor float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if perSecond >= unit.factor {
			return fmt.Sprintf("%.2f %s", perSecond/unit.factor, unit.prefix)
		}
	}
	return fmt.Sprintf("%.0f ", perSecond)
}

// mostLeaves is how many places printStats shows.
const mostLeaves = 8

// printStats is what --stats shows after a run.
func printStats(w io.Writer, stats ptxvm.Stats) {
	fmt.Fprintf(w, "stats: %s, %s, %s, %slane-ops/s, %v\n", launchlang.Count(stats.CTAs, "CTA"),
		launchlang.Count(stats.WarpInsts, "warp instruction"), launchlang.Count(stats.LaneOps, "lane-op"), siRate(stats.LaneOpsPerSecond()), stats.Elapsed)
	if stats.Compiled != 0 {
		fmt.Fprintf(w, "stats: %.1f %% of the lane-ops in compiled code\n", 100*stats.EngineShares()["jit"])
	}
	if stats.Sums != 0 {
		fmt.Fprintf(w, "stats: %d elements of products of matrices, %.1f %% computed one by one\n", stats.Sums, 100*float64(stats.SlowSums)/float64(stats.Sums))
	}
	for _, why := range stats.Refused {
		fmt.Fprintf(w, "stats: not compiled: %s\n", why)
	}
	for _, l := range stats.Left[:min(len(stats.Left), mostLeaves)] {
		waits := ""
		if l.Blocked != 0 {
			waits = fmt.Sprintf(", %d of them to wait", l.Blocked)
		}
		fmt.Fprintf(w, "stats: left to the interpreter %d times%s: %s:%d: %s\n", l.Times, waits, l.At.File, l.At.Line, l.Text)
	}
	for _, h := range stats.Helpers[:min(len(stats.Helpers), mostLeaves)] {
		fmt.Fprintf(w, "stats: helper %s called %d times\n", h.Op, h.Times)
	}
	for _, assumption := range stats.Assumed {
		fmt.Fprintf(w, "stats: assumes %s\n", assumption)
	}
}
