package pipeline

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// This file keeps a list of why kernels are not taken, and of what the interpreter executes in those that are: what the pipeline lacks.

var update = flag.Bool("update", false, "write the list of reasons anew")

const refusedFile = "testdata/refused.txt"

// lack is how many kernels of each set lack something.
type lack [3]int

const (
	ofTuned   = iota // those that the compiler may be tuned on
	ofEmitted        // what nvcc, clang and Triton make of the corpus
	ofForms          // those of the vector files, for each form of an instruction
)

// lacks are the lines of the list.
type lacks struct {
	refused, helped map[string]lack
	kernels, taken  lack
}

// nowhere places functions and variables.
type nowhere struct{}

func (nowhere) Func(*ir.Func) uint64 { return mem.CodeWindow }
func (nowhere) Var(*ir.Var) uint64   { return 1 << 20 }

// numbers are what differs between reasons that are one.
var numbers = regexp.MustCompile(`[0-9]+`)

// TestRefused holds what the pipeline lacks to a list.
func TestRefused(t *testing.T) {
	l := &lacks{refused: map[string]lack{}, helped: map[string]lack{}}
	for _, k := range kernels.All() {
		if k.Tuned() {
			at := k.Make(k.Small).Launches[0].Block
			l.module(t, ofTuned, k.PTX(), source(t, k), ir.LaunchShape{BlockX: int32(at[0]), BlockY: int32(at[1]), BlockZ: int32(at[2])})
		}
	}
	for _, pattern := range []string{"cuda", "clang", "triton"} {
		files, err := filepath.Glob("../../../testdata/" + pattern + "/*.ptx")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l.module(t, ofEmitted, file, string(text), ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1})
		}
	}
	all, err := vec.Load("../../sem/testdata/vec")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		if w.Todo == "" {
			l.module(t, ofForms, w.File, w.Header()+w.Kernel("k"), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1})
		}
	}
	l.hold(t)
}

// module adds what a module's kernels lack.
func (l *lacks) module(t *testing.T, of int, file, text string, shape ir.LaunchShape) {
	m, err := load.Text(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Funcs {
		if !f.Entry {
			continue
		}
		code, err := decoded(m, f, shape)
		if err != nil {
			t.Errorf("%s: %s: %v", file, f.Name, err)
			continue
		}
		add(&l.kernels, of)
		b, err := build.Build(code, jit.ForOwn(build.Options{}, jit.AVX2))
		if err != nil {
			reason := numbers.ReplaceAllString(strings.TrimPrefix(err.Error(), "not taken: "), "#")
			n := l.refused[reason]
			add(&n, of)
			l.refused[reason] = n
			continue
		}
		add(&l.taken, of)
		for op := range helpedOps(b.Func, func(pc int32) string { return code.Insts[pc].Op.String() }) {
			n := l.helped[op]
			add(&n, of)
			l.helped[op] = n
		}
	}
}

// decoded is the code of a kernel, with functions in place of their calls.
func decoded(m *ir.Module, f *ir.Func, shape ir.LaunchShape) (*machine.Code, error) {
	p, err := decode.New(m, nowhere{}).Inlined(f, shape, sizes.Of(m.Target.Arch), uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		return nil, err
	}
	return p.Entry, nil
}

func add(n *lack, of int) { n[of]++ }

// helpedOps are the names of operations that the interpreter executes in a function.
func helpedOps(f *ssa.Func, name func(pc int32) string) map[string]bool {
	found := map[string]bool{}
	for _, b := range f.Blocks {
		for _, e := range b.Effects {
			if e.Kind == ssa.Helper {
				found[name(e.PC)] = true
			}
		}
	}
	return found
}

// hold compares the list with what was found.
func (l *lacks) hold(t *testing.T) {
	text := "# What the new pipeline lacks, and of how many kernels: of those that the compiler may be tuned on, of those that nvcc, clang and\n" +
		"# Triton make of the corpus, and of those for the forms of instructions. -run TestRefused -update writes this list.\n\n" +
		fmt.Sprintf("%5d %5d %5d  kernels\n", l.kernels[0], l.kernels[1], l.kernels[2]) +
		fmt.Sprintf("%5d %5d %5d  are taken\n", l.taken[0], l.taken[1], l.taken[2]) +
		"\n# The others are refused because of\n" + lines(l.refused) +
		"\n# Executed by the interpreter, in kernels that are taken\n" + lines(l.helped)
	if *update {
		if err := os.WriteFile(refusedFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(refusedFile)
	if err != nil || string(was) != text {
		t.Errorf("%s is not what was found (%v): -run TestRefused -update writes it\n%s", refusedFile, err, text)
	}
}

// lines has what most kernels lack first.
func lines(of map[string]lack) (text string) {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		x, y := of[a], of[b]
		return cmp.Or(cmp.Compare(y[0]*1000+y[1]*10+y[2], x[0]*1000+x[1]*10+x[2]), cmp.Compare(a, b))
	})
	for _, n := range names {
		text += fmt.Sprintf("%5d %5d %5d  %s\n", of[n][0], of[n][1], of[n][2], n)
	}
	return text
}
