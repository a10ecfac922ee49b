package pipeline

// This file leaves compiled code with each of its states, wherever the code comes to it.

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// stateLine is what the text of a function says of a state.
var stateLine = regexp.MustCompile(`(?m)^state (\d+) .*$`)

// forced are the kernels that are left so through C without -full: loops that lanes leave together and one by one, arms that some take.
var forced = []string{"knapsack", "bytecode"}

// TestForced compiles kernels once, and runs them as often as they have states; and so where only the copy for any lanes is built.
func TestForced(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains(taken, k.Name) && !(b.own && slices.Contains(waits, k.Name)) || !b.own && !*full && !slices.Contains(forced, k.Name) {
			return
		}
		text, r := source(t, k), k.Make(k.Small)
		want := run(t, text, r, 1, nil)
		for _, rest := range []bool{false, true}[:1+btoi(b.own || *full && k.Name != "chol6")] {
			states, left, refused := b.leaveEverywhere(t, text, r, &want[0], build.Options{Rest: rest})
			t.Logf("%d states, %d of which the launches come to", states, left)
			if left == 0 && (refused == nil || !strings.Contains(refused.Error(), "a frame of")) { // bitonic's, and sgemm's, are too large
				t.Errorf("it never leaves: %v", refused)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestForcedRandom does so with random kernels, as many as -random says.
func TestForcedRandom(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n, all, reached := *random, 0, 0
		if b.own && n == 6 {
			n = 40
		}
		for i := range n {
			write, stream := wraps, uint64(40)
			if b.own && i%2 == 1 {
				write, stream = exchanges, 41
			} else if b.own && i%4 == 2 {
				write, stream = parts, 43
			}
			text, l := randomKernel(*seed+uint64(i), stream, write)
			keep("kernel.ptx", text)
			want := run(t, text, l.run(), 1, nil)
			states, left, _ := b.leaveEverywhere(t, text, l.run(), &want[0], build.Options{Rest: i%4 > 1})
			if all, reached = all+states, reached+left; t.Failed() {
				t.Fatalf("seed %d:\n%s", l.seed, text)
			}
		}
		if t.Logf("%d states, %d of which the launches come to", all, reached); reached == 0 {
			t.Error("they never leave")
		}
	})
}

// leaveEverywhere runs a kernel once for each of its states; it returns how many there are, and how many the launches come to,
// or why the kernel is not taken.
func (b backEnd) leaveEverywhere(
	t *testing.T, text string, r *corpus.Run, want *outcome, o build.Options,
) (states, left int, refused error) {
	t.Helper()
	var list [][]string
	c := &jit.PipelineC{Build: o, Forced: new(atomic.Uint32), Own: b.own}
	c.Note = func(_ string, err error) { refused = cmp.Or(refused, err) }
	c.Opt = opt.Options{Verify: true, Behind: func(pass, text string) {
		if keep(pass+".ssa", text); pass != opt.Placing {
			return
		}
		list = append(list, stateLine.FindAllStringSubmatch(text, -1)...)
	}}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 26, Engine: ptxvm.JIT})
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
	for _, state := range list {
		n, err := strconv.Atoi(state[1])
		if err != nil {
			t.Fatal(err)
		}
		c.Forced.Store(uint32(n))
		got := next()
		// A warp without fuel gives way to the others: as in testRandom that decides who waits for exits, and who faults.
		gaveWay := strings.Contains(state[0], " fuelout ") && strings.Contains(text, ".sync")
		if gaveWay && (strings.Contains(text, exits) || want.err != "" && got.err != "") {
			continue
		}
		if strings.Contains(state[0], " fuelout ") && strings.Contains(state[0], " place ") {
			got.stepsOf(want) // lanes that wait for those which rest go on without them
		}
		if diff := got.differs(want); diff != "" {
			t.Errorf("leaving with state %s: %s", state[1], diff)
		}
		if got.byC != whole.byC {
			left++
		}
	}
	return len(list), left, refused
}
