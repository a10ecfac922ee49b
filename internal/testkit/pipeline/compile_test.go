package pipeline

// This file measures what compiling by the pipeline costs: all of it, and our own back end alone.

import (
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// placed is the text of a kernel's function, as the back end gets it.
func placed(b testing.TB, k kernels.Kernel) (text string, instructions int) {
	ptx := source(b, k)
	c := &jit.PipelineC{Own: true, Opt: opt.Options{Behind: func(pass, made string) { text = made }}}
	prepare := func(d *ptxvm.Device) error { return vm.CompileWith(d, jit.ThroughC(jit.Options{}, c)) }
	run(b, ptx, k.Make(k.Small), 3, prepare)
	return text, instructionsOf(ptx)
}

// instructionsOf counts the lines of PTX that are instructions.
func instructionsOf(ptx string) (n int) {
	for line := range strings.Lines(ptx) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ";") && line[0] != '.' {
			n++
		}
	}
	return n
}

// BenchmarkCompile compiles the kernels that the pipeline takes, from decoded code to machine code.
func BenchmarkCompile(b *testing.B) {
	for _, k := range kernels.All() {
		if !k.Tuned() || !slices.Contains(taken, k.Name) && !slices.Contains(waits, k.Name) {
			continue
		}
		for _, isa := range []*amd64.Target{amd64.AVX2, amd64.AVX512} {
			b.Run(k.Name+"/"+isa.String(), func(b *testing.B) { compileAll(b, k, isa) })
		}
	}
}

// compileAll compiles a kernel's code for a target.
func compileAll(b *testing.B, k kernels.Kernel, isa *amd64.Target) {
	ptx, at := source(b, k), k.Make(k.Small).Launches[0]
	m, err := load.Text(k.PTX(), ptx)
	if err != nil {
		b.Fatal(err)
	}
	shape := ir.LaunchShape{BlockX: int32(at.Block[0]), BlockY: int32(at.Block[1]), BlockZ: int32(at.Block[2])}
	code, err := decoded(m, m.Func(at.Kernel), shape)
	if err != nil {
		b.Fatal(err)
	}
	vectors := jit.AVX2
	if isa == amd64.AVX512 {
		vectors = jit.AVX512
	}
	before := cputime.Used()
	for b.Loop() {
		made, err := build.Build(code, jit.ForOwn(build.Options{}, vectors))
		if err == nil {
			err = opt.Run(made.Func, opt.Options{})
		}
		if err == nil {
			_, err = amd64.Compile(made.Func, isa, amd64.Options{})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cputime.Used()-before).Microseconds())/float64(b.N*instructionsOf(ptx)), "µs/inst")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBackEnd compiles the kernels that the pipeline takes, from the placed function to machine code.
func BenchmarkBackEnd(b *testing.B) {
	for _, k := range kernels.All() {
		if !k.Tuned() || !slices.Contains(taken, k.Name) {
			continue
		}
		for _, isa := range []*amd64.Target{amd64.AVX2, amd64.AVX512} {
			b.Run(k.Name+"/"+isa.String(), func(b *testing.B) { compileOn(b, k, isa) })
		}
	}
}

// compileOn compiles a kernel for a target.
func compileOn(b *testing.B, k kernels.Kernel, isa *amd64.Target) {
	text, instructions := placed(b, k)
	f, err := ssa.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	size, before := 0, cputime.Used()
	for b.Loop() {
		code, err := amd64.Compile(f, isa, amd64.Options{})
		if err != nil {
			b.Fatal(err)
		}
		size = len(code)
	}
	b.ReportMetric(float64((cputime.Used()-before).Microseconds())/float64(b.N*instructions), "µs/inst")
	b.ReportMetric(float64(size)/float64(instructions), "bytes/inst")
	b.ReportMetric(0, "ns/op")
}

// TestOnce: where a block is one row of threads the addresses of all its warps are tested once for a CTA, by which each warp has its own.
func TestOnce(t *testing.T) {
	for _, k := range kernels.All() {
		if k.Name != "knapsack" {
			continue
		}
		text, _ := placed(t, k)
		n := 0
		for block := range strings.SplitSeq(text, "\nb") {
			if head, _, _ := strings.Cut(block, "\n"); strings.Contains(head, " level 1") {
				n += strings.Count(block, "inside.m")
			}
		}
		if n != 3 {
			t.Errorf("%d tests of addresses where a CTA begins, want 3\n%s", n, text)
		}
	}
}
