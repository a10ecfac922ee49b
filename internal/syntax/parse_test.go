package syntax

import (
	"os"
	"testing"
)

// BenchmarkParse reads the file named by PTXVM_BENCH_PTX, such as a large CUB module.
func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile(os.Getenv("PTXVM_BENCH_PTX"))
	if err != nil {
		b.Skip("PTXVM_BENCH_PTX names no file")
	}
	f := Parse("bench.ptx", data)
	if f.Errors.HasErrors() {
		b.Fatal(f.Errors)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("bench.ptx", data)
	}
	b.ReportMetric(float64(f.Source.Lines())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}
