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
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// stateLine begins what the text of a function says of a state.
var stateLine = regexp.MustCompile(`(?m)^state (\d+) `)

// forced are the kernels that are left so without -full: loops that lanes leave together and one by one, arms that some take.
var forced = []string{"pagerank", "knapsack", "bytecode"}

// TestForced compiles kernels once, and runs them as often as they have states; and so where only the copy for any lanes is built.
func TestForced(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains(taken, k.Name) || !*full && !slices.Contains(forced, k.Name) {
			return
		}
		b.leaveEverywhere(t, k, build.Options{})
		if *full && (b.own || k.Name != "chol6") {
			b.leaveEverywhere(t, k, build.Options{Rest: true})
		}
	})
}

// leaveEverywhere runs a kernel once for each of its states.
func (b backEnd) leaveEverywhere(t *testing.T, k kernels.Kernel, o build.Options) {
	t.Helper()
	text, r := source(t, k), k.Make(k.Small)
	want := run(t, text, r, 1, nil)
	var states []string
	c := &jit.PipelineC{Build: o, Forced: new(atomic.Uint32), Own: b.own}
	c.Opt = opt.Options{Verify: true, Behind: func(pass, text string) {
		if pass != opt.Placing {
			return
		}
		for _, m := range stateLine.FindAllStringSubmatch(text, -1) {
			states = append(states, m[1])
		}
	}}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 28, Engine: ptxvm.JIT})
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	if err := vm.CompileWith(d, jit.ThroughC(jit.Options{Vectors: b.vectors}, c)); err != nil {
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
