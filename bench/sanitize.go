package main

// This file measures what sanitizers cost: kernels on one worker, in the interpreter without and with each of them, in
// turns, so that a machine that changes its speed changes both.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/ptxtest/corpus"
)

// watchings are the configurations that are compared, the first with itself.
var watchings = []struct {
	name string
	cfg  ptxvm.DeviceConfig
}{
	{"none", ptxvm.DeviceConfig{}},
	{"init", ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeInit}},
	{"race", ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeRace}},
	{"--async lazy", ptxvm.DeviceConfig{Async: ptxvm.AsyncLazy}},
}

// watchedKernels are streams, trees, look-back, tiles, scatters and counters.
var watchedKernels = []string{"saxpy", "reduce", "scan", "matmul", "radixsort", "histogram"}

// sanitizeTable prints how many times as long each kernel takes under each sanitizer.
func sanitizeTable(s *series) error {
	fmt.Printf("Machine: %s.\n\n| Kernel |", machine())
	for _, c := range watchings {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Printf("\n|%s\n", strings.Repeat("---|", len(watchings)+1))
	means := make([]ratios, len(watchings))
	err := s.each(func(w *workload) error {
		if !slices.Contains(watchedKernels, w.name) {
			return nil
		}
		times, err := w.watched(s)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.1f ms |", w.name, 1000*times[0].Seconds())
		for i, t := range times[1:] {
			means[i+1] = append(means[i+1], t.Seconds()/times[0].Seconds())
			fmt.Printf(" %.1f |", t.Seconds()/times[0].Seconds())
		}
		fmt.Println()
		return nil
	})
	if err != nil || len(means[1]) == 0 {
		return err
	}
	fmt.Print("| geometric mean | |")
	for _, m := range means[1:] {
		fmt.Printf(" %.1f |", m.mean())
	}
	fmt.Println()
	return nil
}

// watched returns the fastest processor time of a workload's launches in each configuration.
func (w *workload) watched(s *series) ([]time.Duration, error) {
	r := w.make(corpus.Target{Arch: 90})
	times := make([]rounds, len(watchings))
	for start, n := time.Now(), 0; n < 3 || time.Since(start) < s.span; n++ {
		for i, c := range watchings {
			took, err := w.once(s, r, c.cfg)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			times[i].add(took)
		}
	}
	out := make([]time.Duration, len(times))
	for i := range times {
		out[i] = times[i].fastest()
	}
	return out, nil
}

// once runs the launches on a new device, whose memory the host has not written before.
func (w *workload) once(s *series, r *corpus.Run, cfg ptxvm.DeviceConfig) (spent, error) {
	cfg.Engine, cfg.Workers = ptxvm.Interp, 1
	x, err := w.startOn(s.top, r, cfg)
	if err != nil {
		return spent{}, err
	}
	defer x.device.Close()
	took, _, err := x.round(r, nil)
	if err == nil {
		err = x.check(r)
	}
	return took, err
}
