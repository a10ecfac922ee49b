package converge

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var (
	plainKernels = flag.Int("converge.plain", 300, "kernels of TestPlain")
	byC          = flag.Bool("converge.c", false, "TestPlain: by way of C")
	width        = flag.Int("converge.width", 0, "TestPlain: of vectors, 256 or 512 bits; 0: kernels take turns")
)

// plainWays are ways to compile by the new pipeline: as it is, any lanes alone, fuel of three turns, leaving before
// accesses.
var plainWays = []jit.PipelineC{
	{}, {Build: build.Options{Rest: true}}, {Turn: 3},
	{Build: build.Options{Leave: func(pc int32) bool { return pc%3 == 0 }}},
}

// tally counts the kernels that the new pipeline has taken, and why it has not taken the others.
type tally struct {
	taken     int
	laneOps   uint64
	compiled  uint64
	refusals  map[string]int
	lastError error
}

// note is called with each kernel that is compiled.
func (n *tally) note(kernel string, err error) {
	if kernel != "k" {
		return // a function of its own
	}
	if n.lastError = err; err != nil {
		n.refusals[err.Error()]++
		return
	}
	n.taken++
}

// TestPlain has the compiler's new pipeline compile kernels of votes, exits, branches, loops and functions: each
// writes what the oracle says, in as many steps and lane operations as interpreted.
func TestPlain(t *testing.T) {
	rig.NeedJIT(t)
	n := &tally{refusals: map[string]int{}}
	for s := *seed; s < *seed+uint64(*plainKernels); s++ {
		k := NewPlain(s)
		if err := k.plainly(s, n); err != nil {
			first := err
			k.Shrink(func() bool { return k.Threads%32 == 0 && differs(k.plainly(s, n)) && n.lastError == nil })
			t.Fatalf("seed %d: %v\n%v, %v\n%s", s, first, k.plainly(s, n), n.lastError, k)
		}
	}
	often := func(a, b string) int { return n.refusals[b] - n.refusals[a] }
	for _, why := range slices.SortedFunc(maps.Keys(n.refusals), often) {
		t.Logf("%d %s", n.refusals[why], why)
	}
	t.Logf("%d of %d kernels are taken, and %d of %d lane operations of these are compiled code's",
		n.taken, *plainKernels, n.compiled, n.laneOps)
	if n.taken*2 < *plainKernels || n.compiled*8 < n.laneOps {
		t.Error("that is too few")
	}
}

// differs reports whether a kernel writes something else, or runs in other steps.
func differs(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "DIFFERS") }

// plainly holds a kernel to the oracle and to the interpreter, compiled in one of the ways.
func (k *Kernel) plainly(seed uint64, n *tally) error {
	m, err := ptxvm.Compile("kernel.ptx", []byte(k.String()), nil)
	if err != nil {
		return err
	}
	want, counts, err := k.counted(m, Way{Engine: ptxvm.Interp, Workers: 1}, 1)
	if err != nil {
		return err
	}
	if what := k.differs(k.Evaluate(), want); what != "" {
		return fmt.Errorf("interpreted: %s", what)
	}
	c := plainWays[[]int{0, 0, 0, 1, 2, 3}[seed%6]]
	way := Way{Engine: ptxvm.JIT, Options: n.options(&c, vectors(seed)), Workers: 1 + int(seed/6%2)}
	have, got, err := k.counted(m, way, 3)
	if err != nil {
		return fmt.Errorf("DIFFERS: %w", err)
	}
	if what := k.differs(want, have); what != "" {
		return errors.New("DIFFERS: " + what)
	}
	if n.lastError != nil {
		return nil
	}
	n.compiled, n.laneOps = n.compiled+got.Compiled, n.laneOps+got.LaneOps
	if calls := map[*Func]bool{}; c.Turn != 0 {
		return nil // lanes whose turn is over give way to others: with another turn they meet elsewhere
	} else if callsOf(k.Nodes, calls); len(calls) > 0 {
		return nil // functions stand in place of their calls in code that may be compiled: RATIONALE.md has what differs
	}
	return sameCounts(&got, &counts)
}

// options are for the new pipeline, which notes what it takes.
func (n *tally) options(c *jit.PipelineC, v jit.Vectors) jit.Options {
	c.Own, c.Opt, c.Note, c.Build.Some = !*byC, opt.Options{Verify: true}, n.note, true
	return jit.ThroughC(jit.Options{Vectors: v}, c)
}

// sameCounts holds what was counted to the interpreter's.
func sameCounts(got, want *ptxvm.Stats) error {
	if got.WarpInsts != want.WarpInsts || got.LaneOps != want.LaneOps {
		return fmt.Errorf("DIFFERS: %d steps of %d lane operations, the interpreter's %d of %d",
			got.WarpInsts, got.LaneOps, want.WarpInsts, want.LaneOps)
	}
	return nil
}

// TestFoundPlain: the kernels of testdata write by the new pipeline what they write interpreted, compiled in each way, in
// as many steps where no function is called.
func TestFoundPlain(t *testing.T) {
	rig.NeedJIT(t)
	eachFound(t, func(name, text string, k *Kernel) {
		m, err := ptxvm.Compile("kernel.ptx", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, counts, err := k.counted(m, Way{Engine: ptxvm.Interp, Workers: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range slices.Concat(plainWays, plainWays) {
			for _, v := range jit.Runnable() {
				n := &tally{refusals: map[string]int{}}
				way := Way{Engine: ptxvm.JIT, Options: n.options(&c, v), Workers: 1 + i/len(plainWays)}
				have, got, err := k.counted(m, way, 3)
				if err == nil && c.Turn == 0 && n.lastError == nil && !strings.Contains(text, "call") {
					err = sameCounts(&got, &counts)
				}
				if err != nil {
					t.Errorf("%s, way %d, %v: %v", name, i, v, err)
				} else if what := k.differs(want, have); what != "" {
					t.Errorf("%s, way %d, %v: %s", name, i, v, what)
				}
			}
		}
	})
}

// vectors is the set that a kernel is compiled for.
func vectors(seed uint64) jit.Vectors {
	list := jit.Runnable()
	switch *width {
	case 0:
		return list[seed/12%uint64(len(list))]
	case 256:
		return jit.AVX2
	}
	return jit.AVX512
}

// counted is the last of some launches in one way.
func (k *Kernel) counted(m *ptxvm.Module, w Way, launches int) (r *Result, s ptxvm.Stats, err error) {
	d, err := k.load(m, w)
	if err != nil {
		return nil, s, err
	}
	defer d.Close()
	for range launches {
		if r, s, err = d.launched(k); err != nil {
			return nil, s, errors.New(told(err))
		}
	}
	return r, s, nil
}
