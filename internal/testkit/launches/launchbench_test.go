//go:build unix

package launches_test

import (
	"context"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
)

// BenchmarkLaunch is a launch in steady state of what takes next to no time: what a launch costs, from call to
// return, for some numbers of CTAs and warps, with one worker and with two.
func BenchmarkLaunch(b *testing.B) {
	src, err := os.ReadFile("testdata/cuda/saxpy.sm_90.ptx")
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range []struct {
		name    string
		engine  ptxvm.Engine
		workers int
		ctas    int
		threads int
	}{
		{"jit/1x32", ptxvm.JIT, 1, 1, 32},
		{"jit/1x256", ptxvm.JIT, 1, 1, 256},
		{"jit/4x256", ptxvm.JIT, 1, 4, 256},
		{"jit/64x256", ptxvm.JIT, 1, 64, 256},
		{"jit/64x256/two", ptxvm.JIT, 2, 64, 256},
		{"auto/1x256", ptxvm.Auto, 1, 1, 256},
		{"interp/1x32", ptxvm.Interp, 1, 1, 32},
	} {
		b.Run(k.name, func(b *testing.B) {
			d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 1 << 24, Workers: k.workers, Engine: k.engine})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			m, err := ptxvm.Compile("saxpy.ptx", src, nil)
			if err != nil {
				b.Fatal(err)
			}
			p, err := d.Load(m)
			if err != nil {
				b.Fatal(err)
			}
			kernel, err := p.Kernel("saxpy")
			if err != nil {
				b.Fatal(err)
			}
			n := k.ctas * k.threads
			x, err := d.Alloc(4 * n)
			if err != nil {
				b.Fatal(err)
			}
			y, err := d.Alloc(4 * n)
			if err != nil {
				b.Fatal(err)
			}
			shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: uint32(k.ctas)}, Block: ptxvm.Dim3{X: uint32(k.threads)}}
			launch := func() {
				if _, err := kernel.Launch(context.Background(), shape, int32(n), float32(0.5), x, y); err != nil {
					b.Fatal(err)
				}
			}
			for range 100 {
				launch()
			}
			b.ReportAllocs()
			start := cputime.Used()
			for b.Loop() {
				launch()
			}
			b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N), "ns-cpu/op")
		})
	}
}
