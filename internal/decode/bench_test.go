package decode_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// The throughput figures of bench/NOTES.md: lane-ops per second of one core.

func BenchmarkALU(b *testing.B) { benchmark(b, "aluloop", 72, uint32(50)) }

func BenchmarkFMA(b *testing.B) { benchmark(b, "fmaloop", 8, float32(0.99), float32(0.33), int32(500)) }

// benchmark runs 64 CTAs of 256 threads with one worker.
func benchmark(b *testing.B, name string, _ int, args ...any) {
	src, err := os.ReadFile(fmt.Sprintf("../../testdata/cuda/%s.sm_90.ptx", name))
	if err != nil {
		b.Fatal(err)
	}
	m, err := ptxvm.Compile(name, src, nil)
	if err != nil {
		b.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 24})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		b.Fatal(err)
	}
	k, err := p.Kernel(name)
	if err != nil {
		b.Fatal(err)
	}
	out, err := d.Alloc(64 * 256 * 4)
	if err != nil {
		b.Fatal(err)
	}
	ops := uint64(0)
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: 64}, Block: ptxvm.Dim3{X: 256}}
	for b.Loop() {
		s, err := k.Launch(context.Background(), shape, append([]any{out}, args...)...)
		if err != nil {
			b.Fatal(err)
		}
		ops += s.LaneOps
	}
	b.ReportMetric(float64(ops)/b.Elapsed().Seconds()/1e9, "Glane-ops/s")
}
