package pipeline

// This file measures what our own back end costs.

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// placed is the text of a kernel's function, as the back end gets it.
func placed(b *testing.B, k kernels.Kernel) (text string, instructions int) {
	ptx, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(k.PTX())))
	if err != nil {
		b.Fatal(err)
	}
	for line := range bytes.Lines(ptx) {
		if line = bytes.TrimSpace(line); bytes.HasSuffix(line, []byte(";")) && line[0] != '.' {
			instructions++
		}
	}
	c := &jit.PipelineC{Own: true, Opt: opt.Options{Behind: func(pass, made string) { text = made }}}
	prepare := func(d *ptxvm.Device) error { return vm.CompileWith(d, jit.ThroughC(jit.Options{}, c)) }
	run(b, string(ptx), k.Make(k.Small), 3, prepare)
	return text, instructions
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
