package main

// This file measures what sanitizers cost: kernels in the interpreter without and with each of them, on one and on two workers, in
// turns, so that a machine that changes its speed changes both.

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm"
	hw "ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// watching is a configuration.
type watching struct {
	name string
	set  ptxvm.Sanitize
	see  hw.Observer
}

// watchings are the configurations that are compared, the first with itself.
var watchings = []watching{
	{name: "none"},
	{name: "empty", see: deaf{}}, // hears everything and does nothing
	{name: "sync", set: ptxvm.SanitizeSync},
	{name: "leak", set: ptxvm.SanitizeLeak},
	{name: "mem", set: ptxvm.SanitizeMem},
	{name: "init", set: ptxvm.SanitizeInit},
	{name: "async", set: ptxvm.SanitizeAsync},
	{name: "race", set: ptxvm.SanitizeRace},
	{name: "all", set: ptxvm.SanitizeAll},
}

// deaf is an observer for whom an event is nothing.
type deaf struct{}

func (deaf) Observe(*hw.Event) {}

// watchedKernels are streams, trees, look-back, tiles, scatters and rows; watchedWorkloads is where those are that no other table has.
var watchedKernels = []string{"saxpy", "reduce", "scan", "matmul", "radixsort", "softmax"}

var watchedWorkloads = []workload{
	{name: "softmax", ptx: "testdata/triton/softmax.sm_80.ptx", make: func(corpus.Target) *corpus.Run { return corpus.TritonSoftmaxRows(256) }},
}

// sanitizeTable prints how many times as long each kernel takes under each sanitizer on one worker, and how many times as
// fast each of them is with two.
//
// checks chooses some of them, path is of a profile of these on one worker; both may be empty.
func sanitizeTable(checks, path string) func(s *series) error {
	return func(s *series) error {
		match, err := regexp.Compile(checks)
		if err != nil {
			return err
		}
		watchings = slices.DeleteFunc(watchings, func(c watching) bool { return c.name != "none" && !match.MatchString(c.name) })
		if path == "" {
			return printSanitizers(s)
		}
		return profileSanitizers(s, path)
	}
}

// profileSanitizers writes where the time of the kernels goes, on one worker.
func profileSanitizers(s *series, path string) error {
	return profiled(path, func() error {
		return s.amongWatched(func(w *workload) error {
			r := w.make(corpus.Target{Arch: 90})
			for start := time.Now(); time.Since(start) < s.span; {
				for _, c := range watchings[1:] {
					if _, err := w.once(s, r, c.set, c.see, 1); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// profiled writes where the time of f goes to a file; "" is none.
func profiled(path string, f func() error) error {
	if path == "" {
		return f()
	}
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := pprof.StartCPUProfile(to); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}

// amongWatched runs f for the kernels of the table.
func (s *series) amongWatched(f func(w *workload) error) error {
	return s.among(append(slices.Clone(workloads), watchedWorkloads...), func(w *workload) error {
		if !slices.Contains(watchedKernels, w.name) {
			return nil
		}
		return f(w)
	})
}

func printSanitizers(s *series) error {
	fmt.Printf("Machine: %s.\n\n| Kernel |", machine())
	for _, c := range watchings {
		fmt.Printf(" %s |", c.name)
	}
	for _, c := range watchings {
		fmt.Printf(" %s, 2 workers |", c.name)
	}
	fmt.Printf("\n|%s\n", strings.Repeat("---|", 2*len(watchings)+1))
	costs, gains := make([]ratios, len(watchings)), make([]ratios, len(watchings))
	err := s.amongWatched(func(w *workload) error {
		times, err := w.watched(s)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.1f ms |", w.name, 1000*times[0].cpu.fastest().Seconds())
		for i := range times[1:] {
			costs[i+1] = append(costs[i+1], times[i+1].cpu.fastest().Seconds()/times[0].cpu.fastest().Seconds())
			fmt.Printf(" %.1f |", costs[i+1][len(costs[i+1])-1])
		}
		for i := range times {
			gains[i] = append(gains[i], times[i].one.Seconds()/times[i].two.Seconds())
			fmt.Printf(" %.2f |", gains[i][len(gains[i])-1])
		}
		fmt.Println()
		return nil
	})
	if err != nil || len(gains[0]) == 0 {
		return err
	}
	fmt.Print("| geometric mean | |")
	for _, m := range costs[1:] {
		fmt.Printf(" %.1f |", m.mean())
	}
	for _, m := range gains {
		fmt.Printf(" %.2f |", m.mean())
	}
	fmt.Println()
	return nil
}

// watchedTimes are the fastest rounds of a configuration: processor time on one worker, and time on one and on two.
type watchedTimes struct {
	cpu      rounds
	one, two time.Duration
}

// watched returns the fastest rounds of a workload's launches in each configuration.
func (w *workload) watched(s *series) ([]watchedTimes, error) {
	r := w.make(corpus.Target{Arch: 90})
	times := make([]watchedTimes, len(watchings))
	for start, n := time.Now(), 0; n < 3 || time.Since(start) < s.span; n++ {
		for i, c := range watchings {
			one, err := w.once(s, r, c.set, c.see, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			two, err := w.once(s, r, c.set, c.see, 2)
			if err != nil {
				return nil, fmt.Errorf("%s, two workers: %w", c.name, err)
			}
			t := &times[i]
			t.cpu.add(one)
			t.one, t.two = lesser(t.one, one.wall), lesser(t.two, two.wall)
		}
	}
	return times, nil
}

// once runs the launches on a new device, whose memory the host has not written before.
func (w *workload) once(s *series, r *corpus.Run, set ptxvm.Sanitize, see hw.Observer, workers int) (spent, error) {
	x, err := w.startOn(s.top, r, ptxvm.DeviceConfig{Engine: ptxvm.Interp, Workers: workers, Sanitize: set})
	if err != nil {
		return spent{}, err
	}
	defer x.device.Close()
	if see != nil {
		vm.TuningOf(x.device).Observer = see
	}
	took, _, err := x.round(r, nil)
	if err == nil {
		err = x.check(r)
	}
	return took, err
}
