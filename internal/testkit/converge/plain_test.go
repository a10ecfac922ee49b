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
	otherwise int // kernels that do the same in other steps (TestEach)
}

// note is called with each kernel that is compiled.
func (n *tally) note(kernel string, err error) {
	if rig.NoDefect(kernel, err); kernel != "k" {
		return // a function of its own
	}
	if n.lastError = err; err != nil {
		n.refusals[err.Error()]++
		return
	}
	n.taken++
}

// refused is how many kernels are not taken.
func (n *tally) refused() (sum int) {
	for _, times := range n.refusals {
		sum += times
	}
	return sum
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
	r, err := k.interpreted()
	if err != nil {
		return err
	}
	c := wayOf(seed)
	c.Own = !*byC
	return k.held(r, n.options(&c, vectors(seed), true), seed, c.Turn != 0, n)
}

// wayOf is how the kernel of a seed is compiled: half of them as they are.
func wayOf(seed uint64) jit.PipelineC { return plainWays[[]int{0, 0, 0, 1, 2, 3}[seed%6]] }

// options are for the new pipeline, which notes what it takes.
func (n *tally) options(c *jit.PipelineC, v jit.Vectors, verify bool) jit.Options {
	c.Opt, c.Note, c.Build.Some = opt.Options{Verify: verify}, n.note, true
	return jit.ThroughC(jit.Options{Vectors: v}, c)
}

var errSteps = errors.New("DIFFERS")

// sameCounts holds what was counted to the interpreter's.
func sameCounts(got, want *ptxvm.Stats) error {
	if got.WarpInsts != want.WarpInsts || got.LaneOps != want.LaneOps {
		return fmt.Errorf("%w: %d steps of %d lane operations, the interpreter's %d of %d", errSteps,
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
				c.Own = !*byC
				way := Way{Engine: ptxvm.JIT, Options: n.options(&c, v, true), Workers: 1 + i/len(plainWays)}
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
