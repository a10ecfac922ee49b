// Package sched tests the schedule contract through the public API: kernels whose lanes, warps and
// CTAs wait for each other, with expectations computed in plain Go.
package sched

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// scenario is one launch. Every kernel takes the address of one block of memory first.
type scenario struct {
	file, kernel string
	grid, block  ptxvm.Dim3
	cluster      ptxvm.Dim3
	mem          []uint32 // initial contents
	args         []any    // further arguments
	want         []uint32 // contents afterwards
}

func (s *scenario) name() string {
	return fmt.Sprintf("%s/%s/%v/%v/%v", s.file, s.kernel, s.grid, s.block, s.cluster)
}

// schedules are the configurations in which every scenario runs.
func schedules() (all []ptxvm.DeviceConfig) {
	for _, workers := range []int{1, 2, 4} {
		for _, seed := range []uint64{0, 7, 0x9e3779b97f4a7c15} {
			all = append(all, ptxvm.DeviceConfig{Workers: workers, Seed: seed, MaxSteps: 50e6, Memory: 1 << 28, Assume: "U68=steps"})
		}
	}
	return all
}

// source reads a file of testdata.
func source(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// kernel compiles a file and loads it onto a new device.
func kernel(t testing.TB, cfg ptxvm.DeviceConfig, file, name string) (*ptxvm.Device, *ptxvm.Kernel) {
	t.Helper()
	m, err := ptxvm.Compile(file+".ptx", source(t, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

// launch runs a scenario and returns the memory afterwards, whatever the outcome.
func (s *scenario) launch(t testing.TB, cfg ptxvm.DeviceConfig) ([]uint32, ptxvm.Stats, error) {
	t.Helper()
	d, k := kernel(t, cfg, s.file, s.kernel)
	b, err := ptxvm.Upload(d, s.mem)
	if err != nil {
		t.Fatal(err)
	}
	stats, launchErr := k.Launch(context.Background(), ptxvm.Launch{Grid: s.grid, Block: s.block, Cluster: s.cluster}, append([]any{b}, s.args...)...)
	if defect := new(ptxvm.DefectError); errors.As(launchErr, &defect) {
		t.Errorf("%v\n%s", defect, defect.Stack)
	}
	got := make([]uint32, len(s.mem))
	if err := ptxvm.Download(b, got); err != nil {
		t.Fatal(err)
	}
	return got, stats, launchErr
}

// TestResults runs every scenario with 1, 2 and 4 workers and three seeds.
func TestResults(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			for _, cfg := range schedules() {
				got, _, err := s.launch(t, cfg)
				if err != nil {
					t.Fatalf("workers %d, seed %d: %v", cfg.Workers, cfg.Seed, err)
				}
				if i := difference(got, s.want); i >= 0 {
					t.Fatalf("workers %d, seed %d: word %d is %#x, want %#x", cfg.Workers, cfg.Seed, i, got[i], s.want[i])
				}
			}
		})
	}
}

// difference is the index of the first word that differs, -1 if none does.
func difference(got, want []uint32) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

// TestEqualSeed holds one worker to equal memory and equal steps for an equal seed, also where the
// result depends on the schedule. Clocks count steps: real time differs from run to run.
func TestEqualSeed(t *testing.T) {
	all := append(scenarios(), tickets())
	for _, s := range all {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			for _, seed := range []uint64{0, 1, 42} {
				cfg := ptxvm.DeviceConfig{Workers: 1, Seed: seed, MaxSteps: 50e6, Memory: 1 << 28, Deterministic: true}
				first, steps, err := s.launch(t, cfg)
				if err != nil {
					t.Fatal(err)
				}
				again, same, err := s.launch(t, cfg)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(first, again) || steps.WarpInsts != same.WarpInsts || steps.LaneOps != same.LaneOps {
					t.Fatalf("seed %d: memory or statistics differ: %+v, %+v", seed, steps, same)
				}
			}
		})
	}
}

// tickets is the scenario whose memory shows the order in which lanes ran.
func tickets() *scenario {
	return &scenario{file: "grid", kernel: "tickets", grid: line(20), block: line(96), mem: make([]uint32, 1+20*96)}
}

// TestSeeds looks at the order of 1920 tickets: ascending without a seed, as the schedule contract
// says; with seeds permutations that differ from each other.
func TestSeeds(t *testing.T) {
	ascending := make([]uint32, 1920)
	for i := range ascending {
		ascending[i] = uint32(i)
	}
	seen := map[string]uint64{}
	for _, seed := range []uint64{0, 1, 2, 3} {
		got, _, err := tickets().launch(t, ptxvm.DeviceConfig{Workers: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		order := got[1:]
		if seed == 0 && !slices.Equal(order, ascending) {
			t.Errorf("without a seed the order is %v…", order[:64])
		}
		if key := fmt.Sprint(order); seen[key] != 0 {
			t.Errorf("seeds %d and %d give the same order", seed, seen[key])
		} else {
			seen[key] = seed + 1
		}
		slices.Sort(order)
		if !slices.Equal(order, ascending) {
			t.Errorf("seed %d: a ticket was given twice", seed)
		}
	}
}

func line(n uint32) ptxvm.Dim3 { return ptxvm.Dim3{X: n} }

// lineOf finds the line that a comment of a test file marks, after a kernel's name.
func lineOf(t *testing.T, file, kernel, mark string) int {
	t.Helper()
	inside := kernel == ""
	n := 0
	for text := range strings.Lines(string(source(t, file))) {
		n++
		inside = inside || strings.Contains(text, ".entry "+kernel+"(")
		if inside && strings.HasSuffix(strings.TrimSpace(text), "// "+mark) {
			return n
		}
	}
	t.Fatalf("%s.ptx has no line marked %q in %s", file, mark, kernel)
	return 0
}

// TestPolling bounds what a lock costs: polling lanes give way soon after they have learnt that it helps.
func TestPolling(t *testing.T) {
	const turns = 100
	_, stats, err := lock(1, 32, turns).launch(t, ptxvm.DeviceConfig{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if each := stats.WarpInsts / (32 * turns); each > 30 {
		t.Errorf("%d warp instructions for each of %d turns with the lock; the section itself has 15", each, 32*turns)
	}
}
