package pipeline

// This file validates translations: kernels are evaluated as they are built, whole warps and groups of lanes, and behind each pass. Memory,
// counts and faults are the interpreter's, and what the machine reads wherever a warp is left is what it read before the pass.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa/eval"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// stage is how far a kernel has come.
type stage struct {
	name    string
	without []string // techniques that have not run
	placed  bool     // operations have places
	elsehow bool     // warps may be left elsewhere than in the stage before
}

// stages are those of all kernels, in order.
func stages() []stage {
	var behind []string
	for _, p := range opt.Passes {
		behind = append(behind, p.Name)
	}
	list := []stage{{name: "whole warps", without: append(slices.Clone(behind), "groups of lanes")}, {name: "built", without: slices.Clone(behind), elsehow: true}}
	for i, p := range opt.Passes {
		list = append(list, stage{p.Name, behind[i+1:], p.Name == opt.Placing, p.Name == "tests" || p.Name == "cta"})
	}
	return list
}

// evaluated is what a stage of a kernel has done.
type evaluated struct {
	runs   []outcome
	exits  []eval.Exit
	states int // 0: the kernel is not taken
}

// at evaluates a stage of a kernel twice; mutate changes the function before, if it is not nil.
func (s stage) at(t *testing.T, text string, r *corpus.Run, c jit.PipelineC, mutate func(*ssa.Func)) (out evaluated) {
	t.Helper()
	without := map[string]bool{}
	for _, name := range s.without {
		without[name] = true
	}
	c.Without = without
	with := byEval.with(&c, map[string]error{})
	c.Instead = func(f *ssa.Func) (jit.WholeCode, error) {
		for _, b := range f.Blocks {
			if !s.placed {
				b.Order = nil
			}
		}
		if mutate != nil {
			mutate(f)
		}
		out.states = len(f.States)
		if c.Forced != nil && (int(c.Forced.Load()) >= len(f.States) || f.States[c.Forced.Load()].FuelOut) {
			c.Forced.Store(0) // a warp without fuel gives way to the others
		}
		return eval.New(f, eval.Options{Forced: c.Forced != nil, Exited: func(x eval.Exit) { out.exits = append(out.exits, x) }})
	}
	out.runs = run(t, text, r, 2, with)
	return out
}

// validate evaluates all stages; what is wrong is returned, and the number of stages that were evaluated.
func validate(t *testing.T, text string, r *corpus.Run, c jit.PipelineC, mutate func(stage string, f *ssa.Func)) (wrong string, evaluations int) {
	t.Helper()
	want := run(t, text, r, 1, nil)[0]
	var before evaluated
	for _, s := range stages() {
		var change func(*ssa.Func)
		if mutate != nil {
			change = func(f *ssa.Func) { mutate(s.name, f) }
		}
		now := s.at(t, text, r, c, change)
		if now.states == 0 {
			return "", evaluations
		}
		for i := range now.runs {
			gaveWay := c.Turn != 0 && want.err != "" && now.runs[i].err != "" // turns decide which warp faults
			if diff := now.runs[i].differs(&want); diff != "" && !gaveWay {
				return fmt.Sprintf("%s, run %d: %s", s.name, i, diff), evaluations
			}
		}
		numbered := c.Forced == nil || now.states == before.states // a pass that adds states parts the forced one from others
		if evaluations++; evaluations > 1 && !s.elsehow && numbered {
			if diff := differentExits(now.exits, before.exits); diff != "" {
				return s.name + ": " + diff, evaluations
			}
		}
		before = now
	}
	return "", evaluations
}

// differentExits says where warps are not left as they were.
func differentExits(now, before []eval.Exit) string {
	if len(now) != len(before) {
		return fmt.Sprintf("warps are left %d times, before the pass %d times", len(now), len(before))
	}
	for i := range now {
		a, b := now[i], before[i]
		if a.State, b.State = 0, 0; !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("exit %d is %+v with state %d, before the pass %+v with state %d", i, a, now[i].State, b, before[i].State)
		}
	}
	return ""
}

// validateRandom validates a random kernel in one of the ways.
func validateRandom(t *testing.T, n uint64, mutate func(stage string, f *ssa.Func)) (text, wrong string, evaluations int) {
	write, stream := wraps, uint64(42)
	if n%2 == 1 {
		write, stream = exchanges, 43
	}
	text, l := randomKernel(n, stream, write)
	keep("kernel.ptx", text)
	ways := randomWays()
	c := ways[[]int{0, 0, 1, 0, 2, 3, 4, 5}[n/2%8]]
	if c.Build.Waits = true; strings.Contains(text, exits) && strings.Contains(text, ".sync") {
		c.Turn = 0 // as in testRandom
	} else if n%3 == 0 {
		c.Forced = new(atomic.Uint32)
		c.Forced.Store(uint32(1 + n/3%12))
	}
	if n%5 == 0 {
		c.Build.Lanes = []int{8, 16}[n/5%2]
	}
	wrong, evaluations = validate(t, text, l.run(), c, mutate)
	return text, wrong, evaluations
}

// TestValidate validates random kernels, -random of them, and the small sizes of the kernels that the compiler may be tuned on: without -full
// some.
func TestValidate(t *testing.T) {
	n, all := *random, 0
	if n == 6 {
		n = 24
	}
	for i := range n {
		text, wrong, stages := validateRandom(t, *seed+uint64(i), nil)
		if all += stages; wrong != "" {
			t.Fatalf("seed %d: %s\n%s", *seed+uint64(i), wrong, text)
		}
	}
	if t.Logf("%d stages of %d random kernels", all, n); all < 3*n {
		t.Errorf("%d stages of %d kernels", all, n)
	}
	for _, k := range kernels.All() {
		if k.Tuned() && (*full || slices.Contains([]string{"gray", "pagerank", "knapsack", "fft256"}, k.Name)) {
			t.Run(k.Name, func(t *testing.T) {
				wrong, stages := validate(t, source(t, k), k.Make(k.Small), jit.PipelineC{Build: build.Options{Waits: true}}, nil)
				if t.Log(stages, "stages"); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
}
