package compiled_test

// This file leaves compiled code at each instruction where it could go on, and compares with the interpreter.

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/vm"
)

var (
	exits     = flag.Int("exits", 2, "leave compiled code at so many instructions of each case and width; negative: at each")
	exitsSeed = flag.Uint64("exits.seed", 1, "which they are")
)

// caseRun runs a case of the corpus again and again, with one worker.
type caseRun struct {
	module *ptxvm.Module
	arch   int
	run    *corpus.Run
	clock  func() time.Duration // of launches; nil: no clock
	twice  bool                 // launches are repeated, and what is spent is that of the second time
}

// outcome is all that a run can be told by.
type outcome struct {
	memory [][]byte
	stdout string
	err    string
	counts [][3]uint64 // CTAs, steps and lane-ops of each launch
}

// report is what else is known of it: lane-ops that ran in compiled code, and how often that left.
type report struct {
	compiled, left uint64
	spent          time.Duration
}

func newCaseRun(t testing.TB, c *corpus.Case) *caseRun {
	t.Helper()
	arch := c.Archs[len(c.Archs)-1]
	path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile(path, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &caseRun{module: m, arch: arch, run: c.Make(corpus.Target{Arch: arch})}
}

// with runs the case on a new device; prepare may change the device before.
func (c *caseRun) with(t testing.TB, e ptxvm.Engine, prepare func(*ptxvm.Device) error) (o outcome, r report) {
	t.Helper()
	var out bytes.Buffer
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: fmt.Sprintf("sm_%d", c.arch), Workers: 1, Stdout: &out, Memory: 1 << 30, Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if prepare != nil {
		if err := prepare(d); err != nil {
			t.Skip(err)
		}
	}
	p, err := d.Load(c.module)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range c.run.Buffers {
		if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range c.run.Launches {
		if c.twice {
			rig.Launch(d, p, l, buffers, nil)
		}
		start := c.now()
		s, err := rig.Launch(d, p, l, buffers, nil)
		r.spent += c.now() - start
		r.compiled += s.Compiled
		for i := range s.Left {
			r.left += s.Left[i].Times
		}
		for i := range s.Helpers {
			r.left += s.Helpers[i].Times
		}
		if err != nil {
			o.err = err.Error()
			var f *ptxvm.Fault
			if errors.As(err, &f) {
				o.err = f.Detail()
			}
			break // what warps executed before they heard of the fault is not defined
		}
		o.counts = append(o.counts, [3]uint64{s.CTAs, s.WarpInsts, s.LaneOps})
	}
	for _, b := range c.run.Buffers {
		got := make([]byte, buffers[b].Len())
		if err := ptxvm.Download(buffers[b], got); err != nil {
			t.Fatal(err)
		}
		o.memory = append(o.memory, got)
	}
	o.stdout = out.String()
	return o, r
}

func (c *caseRun) now() time.Duration {
	if c.clock == nil {
		return 0
	}
	return c.clock()
}

// differs says where two outcomes differ, "" if they do not.
func (o *outcome) differs(want *outcome) string {
	for i := range want.memory {
		for k := range want.memory[i] {
			if o.memory[i][k] != want.memory[i][k] {
				return fmt.Sprintf("byte %d of buffer %d is %#x, the interpreter's %#x", k, i, o.memory[i][k], want.memory[i][k])
			}
		}
	}
	switch {
	case o.err != want.err:
		return fmt.Sprintf("error %q, the interpreter's %q", o.err, want.err)
	case o.stdout != want.stdout:
		return fmt.Sprintf("printed %q, the interpreter %q", o.stdout, want.stdout)
	case !slices.Equal(o.counts, want.counts):
		return fmt.Sprintf("CTAs, steps and lane-ops %v, the interpreter's %v", o.counts, want.counts)
	}
	return ""
}

// compiledBy compiles with options.
func compiledBy(o jit.Options) func(*ptxvm.Device) error {
	return func(d *ptxvm.Device) error {
		vm.TuningOf(d).PartsAfter = 0
		return vm.CompileWith(d, o)
	}
}

// exitGroup is how many ways to leave a case are tried one by one; where there are more, several are tried in one run.
const exitGroup = 256

// TestExits compiles each case of the corpus so that it leaves at one instruction, in both widths and tiers: before it is
// executed, or when an access finds its allocation unknown; and so that a handler of the interpreter executes one.
func TestExits(t *testing.T) {
	rig.NeedJIT(t)
	var places, runs, left atomic.Int64
	t.Run("cases", func(t *testing.T) {
		for i, c := range corpus.Cases() {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				x := exitRun{caseRun: newCaseRun(t, &c), places: &places, runs: &runs, left: &left}
				x.want, _ = x.with(t, ptxvm.Interp, nil)
				r := rand.New(rand.NewPCG(*exitsSeed, uint64(i)))
				for _, o := range jit.Compilers() {
					x.leave(t, r, o, jit.Leaving)
					x.leave(t, r, o, jit.Missing)
					x.leave(t, r, o, jit.Helping)
				}
			})
		}
	})
	if t.Logf("%d places, %d runs, %d of which left more often than without", places.Load(), runs.Load(), left.Load()); left.Load()*2 < runs.Load() {
		t.Error("forced exits are not taken")
	}
}

// exitRun leaves a case.
type exitRun struct {
	*caseRun
	want               outcome
	places, runs, left *atomic.Int64
}

// leave leaves it in one way at the places that the flag asks for.
func (x *exitRun) leave(t *testing.T, r *rand.Rand, o jit.Options, way func(jit.Options, func(pc int32) bool) jit.Options) {
	asked := map[int32]bool{}
	_, base := x.with(t, ptxvm.JIT, compiledBy(way(o, func(pc int32) bool {
		asked[pc] = true
		return false
	})))
	pcs := slices.Sorted(maps.Keys(asked))
	r.Shuffle(len(pcs), func(i, k int) { pcs[i], pcs[k] = pcs[k], pcs[i] })
	if *exits >= 0 {
		pcs = pcs[:min(*exits, len(pcs))]
	}
	for group := range slices.Chunk(pcs, 1+len(pcs)/exitGroup) {
		what, rep := x.at(t, o, way, group)
		if x.places.Add(int64(len(group))); what != "" {
			x.blame(t, o, way, group, what)
		}
		x.runs.Add(1)
		if rep.left > base.left {
			x.left.Add(1)
		}
	}
}

// at runs the case so that it leaves at some instructions, and says what differs.
func (x *exitRun) at(t *testing.T, o jit.Options, way func(jit.Options, func(pc int32) bool) jit.Options, pcs []int32) (string, report) {
	got, rep := x.with(t, ptxvm.JIT, compiledBy(way(o, func(pc int32) bool { return slices.Contains(pcs, pc) })))
	return got.differs(&x.want), rep
}

// blame names the instruction of a group that makes the difference, if one does alone.
func (x *exitRun) blame(t *testing.T, o jit.Options, way func(jit.Options, func(pc int32) bool) jit.Options, group []int32, what string) {
	for _, pc := range group {
		if alone, _ := x.at(t, o, way, []int32{pc}); alone != "" {
			t.Errorf("%v, leaving at pc %d: %s", o, pc, alone)
			return
		}
	}
	t.Errorf("%v, leaving at all of %d: %s", o, group, what)
}
