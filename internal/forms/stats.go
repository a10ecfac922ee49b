package forms

// This file writes what launches have executed, and in which time.

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// Bench is what bench prints; the JSON names are part of the contract.
type Bench struct {
	Schema        int                `json:"schema"`
	Kernel        string             `json:"kernel"`
	TimesNs       []int64            `json:"times_ns"`
	LaneOps       uint64             `json:"lane_ops"` // of one launch
	LaneOpsPerSec float64            `json:"lane_ops_per_s"`
	Engines       map[string]float64 `json:"engines"` // share of lane_ops
}

func (r *Bench) Add(elapsed time.Duration, stats ptxvm.Stats) {
	r.TimesNs = append(r.TimesNs, elapsed.Nanoseconds())
	r.LaneOps, r.Engines = stats.LaneOps, stats.EngineShares()
	r.LaneOpsPerSec = float64(r.LaneOps) / (float64(r.median()) / 1e9)
}

// median is the middle time, which bench's rate is computed from.
func (r *Bench) median() int64 {
	sorted := slices.Sorted(slices.Values(r.TimesNs))
	return sorted[len(sorted)/2]
}

func (r *Bench) Write(w io.Writer, format string) error {
	if format == "json" {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, "%s: %d launches, median %v, fastest %v; %d lane-ops, %slane-ops/s\n", r.Kernel,
		len(r.TimesNs), time.Duration(r.median()), time.Duration(slices.Min(r.TimesNs)), r.LaneOps, Rate(r.LaneOpsPerSec))
	return err
}

// Rate prints a rate with a decimal prefix: "1.25 G".
func Rate(perSecond float64) string {
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

// PrintStats is what --stats shows after a run.
func PrintStats(w io.Writer, stats ptxvm.Stats) {
	fmt.Fprintf(w, "stats: %s, %s, %s, %slane-ops/s, %v\n", launchlang.Count(stats.CTAs, "CTA"),
		launchlang.Count(stats.WarpInsts, "warp instruction"), launchlang.Count(stats.LaneOps, "lane-op"), Rate(stats.LaneOpsPerSecond()), stats.Elapsed)
	if stats.Compiled != 0 {
		byC := ""
		switch {
		case stats.CompiledC != 0:
			byC = fmt.Sprintf(", %.1f %% in the C compiler's", 100*stats.EngineShares()["cc"])
		case stats.New != 0:
			byC = fmt.Sprintf(", %.1f %% in the new pipeline's", 100*float64(stats.New)/float64(stats.LaneOps))
		}
		fmt.Fprintf(w, "stats: %.1f %% of the lane-ops in compiled code%s\n", 100*float64(stats.Compiled)/float64(stats.LaneOps), byC)
	}
	if stats.Sums != 0 {
		fmt.Fprintf(w, "stats: %d elements of products of matrices, %.1f %% computed one by one\n", stats.Sums, 100*float64(stats.SlowSums)/float64(stats.Sums))
	}
	for _, why := range stats.Refused {
		fmt.Fprintf(w, "stats: not compiled: %s\n", why)
	}
	for _, why := range stats.NotC {
		fmt.Fprintf(w, "stats: not by the C compiler: %s\n", why)
	}
	for _, why := range stats.NotNew {
		fmt.Fprintf(w, "stats: by the old compiler: %s\n", why)
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
