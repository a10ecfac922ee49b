package ptxvm_test

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

	"ptxvm"
	"ptxvm/internal/jit"
	"ptxvm/internal/ptxtest/corpus"
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
	clock  func() time.Duration // of launches; nil: nobody asks
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
		start := c.now()
		s, err := launch(p, l, buffers, nil)
		r.spent += c.now() - start
		r.compiled += s.Compiled
		for i := range s.Left {
			r.left += s.Left[i].Times
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
	return func(d *ptxvm.Device) error { return ptxvm.CompileWith(d, o) }
}

// TestExits compiles each case of the corpus so that it leaves at one instruction, in both widths.
func TestExits(t *testing.T) {
	needJIT(t)
	var runs, left atomic.Int64
	t.Run("cases", func(t *testing.T) {
		for i, c := range corpus.Cases() {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				run := newCaseRun(t, &c)
				want, _ := run.with(t, ptxvm.Interp, nil)
				r := rand.New(rand.NewPCG(*exitsSeed, uint64(i)))
				for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
					places := map[int32]bool{}
					_, base := run.with(t, ptxvm.JIT, compiledBy(jit.Leaving(jit.Options{Vectors: v}, func(pc int32) bool {
						places[pc] = true
						return false
					})))
					pcs := slices.Sorted(maps.Keys(places))
					r.Shuffle(len(pcs), func(i, k int) { pcs[i], pcs[k] = pcs[k], pcs[i] })
					if *exits >= 0 {
						pcs = pcs[:min(*exits, len(pcs))]
					}
					for _, at := range pcs {
						got, rep := run.with(t, ptxvm.JIT, compiledBy(jit.Leaving(jit.Options{Vectors: v}, func(pc int32) bool { return pc == at })))
						if d := got.differs(&want); d != "" {
							t.Errorf("%v, leaving at pc %d: %s", v, at, d)
						}
						runs.Add(1)
						if rep.left > base.left {
							left.Add(1)
						}
					}
				}
			})
		}
	})
	if t.Logf("%d runs, %d of which left more often than without", runs.Load(), left.Load()); left.Load()*2 < runs.Load() {
		t.Error("forced exits are not taken")
	}
}
