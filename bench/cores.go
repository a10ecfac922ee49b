package main

// This file measures what a second core gains, by wall time: two workers against one, and beside it two processes of
// the same work in C at once against one alone, which is all that the machine gives. Only a quiet machine shows it.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"

	"ptxvm"
	"ptxvm/internal/ptxtest/corpus"
)

// boundGain is what kernels are to gain that are bound by computing; others shareGain of what C gains.
const boundGain, shareGain = 1.9, 0.9

// coresTable prints a line for each workload.
func coresTable(s *series) error {
	if runtime.NumCPU() < 2 {
		return errors.New("this machine has one core")
	}
	fmt.Printf("Machine: %s, vectors of %d bits, load %s.\n\n| Kernel | One worker | Two | Gain | C gains | Goal |\n|---|---|---|---|---|---|\n", machine(), vectorBits(), load1())
	return s.each(func(w *workload) error { return w.cores(s) })
}

// load1 is how many others want the cores.
func load1() string {
	var load string
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}

// cores measures one workload.
func (w *workload) cores(s *series) error {
	makes := w.make
	if w.large != nil {
		makes = w.large
	}
	r := makes(corpus.Target{Arch: 90})
	gainC, err := w.gainOfC(s, r)
	if err != nil {
		return err
	}
	one, two, err := w.workers(s, r)
	if err != nil {
		return err
	}
	goal := shareGain * gainC
	if w.bound {
		goal = boundGain
	}
	fmt.Printf("| %s | %.0f µs | %.0f µs | %.2f | %.2f | %.2f |\n", w.name, micros(one), micros(two), one.Seconds()/two.Seconds(), gainC, goal)
	return nil
}

// gainOfC runs the reference of gcc alone, then two of them at once: how much more work that is in a time.
func (w *workload) gainOfC(s *series, r *corpus.Run) (gain float64, err error) {
	args, err := w.arguments(s.dir, r)
	if err != nil {
		return 0, err
	}
	binary, err := w.buildC(s, "gcc", w.forms()[len(w.forms())/2])
	if err != nil {
		return 0, err
	}
	run := func() (time.Duration, error) {
		out, err := exec.Command(binary, append([]string{fmt.Sprint(s.span.Seconds())}, args...)...).Output()
		if err != nil {
			return 0, err
		}
		_, middle, err := timesOfC(out)
		return middle, err
	}
	alone, err := run()
	if err != nil {
		return 0, err
	}
	var both [2]time.Duration
	var errs [2]error
	var wait sync.WaitGroup
	for i := range both {
		wait.Go(func() { both[i], errs[i] = run() })
	}
	wait.Wait()
	return alone.Seconds()/both[0].Seconds() + alone.Seconds()/both[1].Seconds(), errors.Join(errs[:]...)
}

// workers launches with one worker and with two in turn, and returns the middle wall times.
func (w *workload) workers(s *series, r *corpus.Run) (one, two time.Duration, err error) {
	var with [2]*running
	for i := range with {
		if with[i], err = w.start(s.top, r, s.engine, i+1); err != nil {
			return 0, 0, err
		}
		defer with[i].device.Close()
	}
	var times [2][]time.Duration
	for start := time.Now(); len(times[1]) < 5 || time.Since(start) < 2*s.span; {
		for i, x := range with {
			took := time.Duration(0)
			if _, _, err := x.round(r, func(s ptxvm.Stats) { took += s.Elapsed }); err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], took)
		}
	}
	for i := range times {
		times[i] = times[i][1:] // the first compiles
		slices.Sort(times[i])
	}
	return times[0][len(times[0])/2], times[1][len(times[1])/2], nil
}
