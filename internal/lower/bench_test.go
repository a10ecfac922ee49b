package lower

// This file measures lowering in instructions per second: the goal is 500,000.

import (
	"os"
	"testing"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// BenchmarkLower lowers SHA-256, or the file that PTXVM_BENCH_PTX names.
func BenchmarkLower(b *testing.B) {
	file := os.Getenv("PTXVM_BENCH_PTX")
	if file == "" {
		file = "../../testdata/cuda/sha256.sm_90.ptx"
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	info, diags := check.Check(syntax.Parse(file, text), check.Options{})
	if len(diags) > 0 {
		b.Fatal(diags)
	}
	insts := 0
	b.ReportAllocs()
	for b.Loop() {
		m, err := Module(info, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range m.Funcs {
			insts += len(f.Insts)
		}
	}
	b.ReportMetric(float64(insts)/b.Elapsed().Seconds(), "insts/s")
}
