package pipeline

// This file leaves compiled code with each of its states, wherever the code comes to it.

import (
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// exitLabel is where the exit of a state begins in C.
var exitLabel = regexp.MustCompile(`(?m)^X(\d+): \{`)

// forced are the kernels that are left so without -full: loops that lanes leave together and one by one, arms that some take.
var forced = []string{"pagerank", "knapsack", "bytecode"}

// TestForced compiles kernels once, and runs them as often as they have states; and so where only the copy for any lanes is built.
func TestForced(t *testing.T) {
	tuned(t, func(t *testing.T, k kernels.Kernel) {
		if !slices.Contains(taken, k.Name) || !*full && !slices.Contains(forced, k.Name) {
			return
		}
		leaveEverywhere(t, k, build.Options{})
		if *full && k.Name != "chol6" {
			leaveEverywhere(t, k, build.Options{Rest: true})
		}
	})
}

// leaveEverywhere runs a kernel once for each of its states.
func leaveEverywhere(t *testing.T, k kernels.Kernel, o build.Options) {
	t.Helper()
	text, r := source(t, k), k.Make(k.Small)
	want := run(t, text, r, 1, nil)
	var states []string
	c := &jit.PipelineC{Build: o, Forced: new(atomic.Uint32)}
	c.Opt.Verify = true
	c.Text = func(_, c string) {
		for _, m := range exitLabel.FindAllStringSubmatch(c, -1) {
			states = append(states, m[1])
		}
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 28, Engine: ptxvm.JIT})
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	if err := vm.CompileWith(d, jit.ThroughC(jit.Options{}, c)); err != nil {
		t.Fatal(err)
	}
	next := runningOn(t, d, text, r)
	next()
	whole := next()
	left := 0
	for _, id := range states {
		n, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		c.Forced.Store(uint32(n))
		got := next()
		if diff := got.differs(&want[0]); diff != "" {
			t.Errorf("leaving with state %s: %s", id, diff)
		}
		if got.compiled != whole.compiled {
			left++
		}
	}
	t.Logf("%d states, %d of which the launches come to", len(states), left)
	if left == 0 {
		t.Error("it never leaves")
	}
}
