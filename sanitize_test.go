package ptxvm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ptxvm"
	"ptxvm/internal/ptxtest/corpus"
)

// TestCorpusSanitized: observed code gives the results of unobserved code, and what nvcc and
// Triton made is free of reports.
func TestCorpusSanitized(t *testing.T) {
	for _, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
			path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cfg := ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeInit, Async: ptxvm.AsyncLazy}
			runWith(t, cfg, path, src, arch, c.Make(corpus.Target{Arch: arch}))
		})
	}
}

// BenchmarkSanitized is saxpy on one worker: unobserved, and under sanitizers.
func BenchmarkSanitized(b *testing.B) {
	for name, cfg := range map[string]ptxvm.DeviceConfig{
		"none": {}, "init": {Sanitize: ptxvm.SanitizeInit}, "lazy": {Async: ptxvm.AsyncLazy},
	} {
		b.Run(name, func(b *testing.B) {
			cfg.Workers, cfg.Memory = 1, 1<<24
			src, err := os.ReadFile("testdata/cuda/saxpy.sm_90.ptx")
			if err != nil {
				b.Fatal(err)
			}
			m, err := ptxvm.Compile("saxpy", src, nil)
			if err != nil {
				b.Fatal(err)
			}
			d, err := ptxvm.NewDevice(&cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			p, err := d.Load(m)
			if err != nil {
				b.Fatal(err)
			}
			k, err := p.Kernel("")
			if err != nil {
				b.Fatal(err)
			}
			const n = 1 << 16
			x, _ := ptxvm.Upload(d, make([]float32, n))
			y, _ := ptxvm.Upload(d, make([]float32, n))
			for b.Loop() {
				if _, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: n / 256}, Block: ptxvm.Dim3{X: 256}},
					uint32(n), float32(2), x, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*3*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccesses/s")
		})
	}
}
