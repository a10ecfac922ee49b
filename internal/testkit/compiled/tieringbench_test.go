//go:build unix

package compiled_test

// This file measures when compiling pays, and what the collector of garbage waits for.

import (
	"context"
	"fmt"
	"math"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// thresholds are those of the quick tier and of the other; the same twice: without a quick one.
var thresholds = [][2]uint32{{60, 60}, {5, 60}, {15, 60}, {15, 120}}

// BenchmarkCold launches every kernel of the corpus for the first time, in each engine and with several
// thresholds of auto: processor time of all together, and the geometric mean of a case.
func BenchmarkCold(b *testing.B) {
	var cases []*caseRun
	for _, c := range corpus.Cases() {
		run := newCaseRun(b, &c)
		run.clock = cputime.Used
		cases = append(cases, run)
	}
	measure := func(name string, e ptxvm.Engine, quick, after uint32) {
		b.Run(name, func(b *testing.B) {
			best := make([]time.Duration, len(cases))
			for b.Loop() {
				for i, c := range cases {
					_, r := c.with(b, e, func(d *ptxvm.Device) error {
						tuning := vm.TuningOf(d)
						tuning.QuickAfter, tuning.HotAfter = quick, after
						return nil
					})
					if best[i] == 0 || r.spent < best[i] {
						best[i] = max(r.spent, time.Microsecond)
					}
				}
			}
			total, logs := time.Duration(0), 0.0
			for _, d := range best {
				total += d
				logs += math.Log(float64(d.Microseconds()))
			}
			b.ReportMetric(float64(total.Microseconds())/1e3, "ms-all")
			b.ReportMetric(math.Exp(logs/float64(len(best))), "µs-mean")
		})
	}
	measure("interp", ptxvm.Interp, 0, 0)
	measure("jit", ptxvm.JIT, 0, 0)
	for _, at := range thresholds {
		measure(fmt.Sprintf("auto-%d-%d", at[0], at[1]), ptxvm.Auto, at[0], at[1])
	}
}

// BenchmarkTiers launches kernels of the corpus on devices that have compiled them: processor time of the launches of a case
// in the interpreter and in both tiers, the best of all rounds.
func BenchmarkTiers(b *testing.B) {
	for _, c := range corpus.Cases() {
		run := newCaseRun(b, &c)
		run.clock, run.twice = cputime.Used, true
		for _, way := range []struct {
			name    string
			engine  ptxvm.Engine
			prepare func(*ptxvm.Device) error
		}{
			{"interp", ptxvm.Interp, nil}, {"quick", ptxvm.JIT, compiledBy(jit.Options{Quick: true})}, {"jit", ptxvm.JIT, compiledBy(jit.Options{})},
		} {
			b.Run(c.Name+"/"+way.name, func(b *testing.B) {
				best := time.Duration(math.MaxInt64)
				for b.Loop() {
					_, r := run.with(b, way.engine, way.prepare)
					best = min(best, r.spent)
				}
				b.ReportMetric(float64(best.Nanoseconds())/1e3, "µs-best")
			})
		}
	}
}

// garbage is where the allocations go that are to be collected.
var garbage atomic.Pointer[[]byte]

// BenchmarkPauses allocates while kernels run: how long the collector stops the world for.
func BenchmarkPauses(b *testing.B) {
	for _, name := range []string{"converged", "nested", "barrier", "brief"} {
		b.Run(name, func(b *testing.B) {
			_, kernel := tieringDevice(b, ptxvm.DeviceConfig{Engine: ptxvm.JIT})
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan error)
			go func() {
				_, err := kernel(name).Launch(ctx, ptxvm.Launch{Grid: ptxvm.Dim3{X: 1 << 30}, Block: ptxvm.Dim3{X: 1024}})
				done <- err
			}()
			sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
			metrics.Read(sample)
			before := append([]uint64(nil), sample[0].Value.Float64Histogram().Counts...)
			for b.Loop() {
				block := make([]byte, 1<<16)
				garbage.Store(&block)
			}
			metrics.Read(sample)
			h := sample[0].Value.Float64Histogram()
			cancel()
			<-done
			for i := range h.Counts {
				h.Counts[i] -= before[i]
			}
			median, longest, count := pauses(h)
			b.ReportMetric(median*1e3, "ms-median")
			b.ReportMetric(longest*1e3, "ms-longest")
			b.ReportMetric(float64(count), "pauses")
		})
	}
}

// pauses reads a histogram; both times are upper bounds of a class.
func pauses(h *metrics.Float64Histogram) (median, longest float64, count uint64) {
	for _, n := range h.Counts {
		count += n
	}
	seen := uint64(0)
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		longest = h.Buckets[i+1]
		if seen += n; median == 0 && seen*2 >= count {
			median = longest
		}
	}
	return median, longest, count
}

// BenchmarkSizes launches kernels of growing size for the first time: processor time of a launch, the best of
// all rounds, in each engine and with several thresholds of auto.
func BenchmarkSizes(b *testing.B) {
	both := []int{75, 90}
	for _, c := range []corpus.Case{
		{Name: "saxpy/32", Module: "cuda/saxpy", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 32) }},
		{Name: "saxpy/4096", Module: "cuda/saxpy", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 4096) }},
		{Name: "saxpy/65536", Module: "cuda/saxpy", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 65536) }},
		{Name: "saxpy/1048576", Module: "cuda/saxpy", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 1<<20) }},
		{Name: "matmul/16", Module: "cuda/matmul", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Matmul(t, 16, 16, 16) }},
		{Name: "matmul/64", Module: "cuda/matmul", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Matmul(t, 64, 64, 64) }},
		{Name: "matmul/128", Module: "cuda/matmul", Archs: both, Make: func(t corpus.Target) *corpus.Run { return corpus.Matmul(t, 128, 128, 128) }},
		{Name: "reduce/1024", Module: "cuda/reduce", Archs: both, Make: func(corpus.Target) *corpus.Run { return corpus.ReduceInt(4, 1024) }},
		{Name: "reduce/65536", Module: "cuda/reduce", Archs: both, Make: func(corpus.Target) *corpus.Run { return corpus.ReduceInt(64, 65536) }},
		{Name: "reduce/1048576", Module: "cuda/reduce", Archs: both, Make: func(corpus.Target) *corpus.Run { return corpus.ReduceInt(64, 1<<20) }},
	} {
		run := newCaseRun(b, &c)
		run.clock = cputime.Used
		measure := func(name string, e ptxvm.Engine, quick, after uint32) {
			b.Run(c.Name+"/"+name, func(b *testing.B) {
				best := time.Duration(math.MaxInt64)
				for b.Loop() {
					_, r := run.with(b, e, func(d *ptxvm.Device) error {
						tuning := vm.TuningOf(d)
						tuning.QuickAfter, tuning.HotAfter = quick, after
						return nil
					})
					best = min(best, r.spent)
				}
				b.ReportMetric(float64(best.Nanoseconds())/1e3, "µs-best")
			})
		}
		measure("interp", ptxvm.Interp, 0, 0)
		measure("jit", ptxvm.JIT, 0, 0)
		for _, at := range thresholds {
			measure(fmt.Sprintf("auto-%d-%d", at[0], at[1]), ptxvm.Auto, at[0], at[1])
		}
	}
}
