package launches_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestLaunchAllocs holds launches in steady state to allocating nothing, whatever they have of CTAs and barriers: events without an
// observer, descriptions of launches and frames are not made anew. What is allowed beside is rare (a collection
// that empties a pool).
func TestLaunchAllocs(t *testing.T) {
	for _, k := range []struct {
		module, kernel string
		args           func(x, y ptxvm.Buffer) []any
	}{
		{"saxpy", "saxpy", func(x, y ptxvm.Buffer) []any { return []any{int32(2048), float32(0.5), x, y} }},
		{"reduce", "reduce<int>(int const*, int*, int)", func(x, y ptxvm.Buffer) []any { return []any{x, y, int32(2048)} }},
	} {
		src, err := os.ReadFile("testdata/cuda/" + k.module + ".sm_90.ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
			d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 1 << 24, Workers: 1, Engine: engine})
			if errors.Is(err, ptxvm.ErrNoJIT) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			m, err := ptxvm.Compile(k.module, src, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			kernel, err := p.Kernel(k.kernel)
			if err != nil {
				t.Fatal(err)
			}
			x, _ := d.Alloc(1 << 14)
			y, _ := d.Alloc(1 << 14)
			args, shape := k.args(x, y), ptxvm.Launch{Grid: ptxvm.Dim3{X: 8}, Block: ptxvm.Dim3{X: 256}}
			var stats ptxvm.Stats
			launch := func() {
				if stats, err = kernel.Launch(context.Background(), shape, args...); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 {
				launch()
			}
			if len(stats.Helpers) > 0 {
				continue // the new pipeline's code has handlers execute what it has no operation for: the list of them is allocated
			}
			if n := testing.AllocsPerRun(200, launch); n > 0 {
				t.Errorf("%s by %v: %v allocations a launch of 8 CTAs, want none", k.module, engine, n)
			}
		}
	}
}
