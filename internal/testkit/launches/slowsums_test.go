package launches_test

import (
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// TestSlowSums: a launch counts the elements of its products, and those that took the slow way: few of numbers, be matrices
// sparse or have scale factors, all of a matrix of NaN.
func TestSlowSums(t *testing.T) {
	for _, c := range []struct {
		path string
		arch string
		run  *corpus.Run
		sums uint64
		slow bool
	}{
		{"cuda/pipegemm.sm_90.ptx", "sm_90", corpus.PipeGemm(64, 64, 160), 64 * 64 * 160 / 16, false}, // of m16n8k16
		{"cuda/pipegemm.sm_90.ptx", "sm_90", ofNaN(corpus.PipeGemm(64, 64, 160)), 64 * 64 * 160 / 16, true},
		{"cuda/sparsegemm.sm_90.ptx", "sm_90", corpus.SparseGemm(64, 32, 160), 64 * 32 * 160 / 32, false},
		{"cuda/bytegemm.sm_90.ptx", "sm_90a", corpus.ByteGemm(64, 128, 384), 64 * 128 * 384 / 32, false},
		{"cuda/tcgemm.sm_100.ptx", "sm_100a", corpus.TensorGemm("half", 1, 128, 128, 128), 128 * 128 * 128 / 16, false},
		{"cuda/tcgemm.sm_100.ptx", "sm_100a", corpus.TensorGemm("mx8", 1, 128, 128, 128), 128 * 128 * 128 / 32, false},
		{"cuda/tcgemm.sm_100.ptx", "sm_100a", corpus.TensorGemm("nv4", 1, 128, 128, 256), 128 * 128 * 256 / 64, false},
	} {
		src, err := os.ReadFile("testdata/" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			d := rig.Device(t, ptxvm.DeviceConfig{Arch: c.arch, Workers: workers})
			m, err := ptxvm.Compile(c.path, src, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			buffers := map[*corpus.Buffer]ptxvm.Buffer{}
			for _, b := range c.run.Buffers {
				if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
					t.Fatal(err)
				}
			}
			stats, err := rig.Launch(d, p, c.run.Launches[0], buffers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if stats.Sums != c.sums || c.slow && stats.SlowSums != stats.Sums || !c.slow && stats.SlowSums > stats.Sums/50 {
				t.Errorf("%s, %d workers: %d sums, %d of them slow; want %d", c.path, workers, stats.Sums, stats.SlowSums, c.sums)
			}
		}
	}
}

// ofNaN is the run with a first matrix of NaN.
func ofNaN(r *corpus.Run) *corpus.Run {
	for i := range r.Buffers[0].Init {
		r.Buffers[0].Init[i] = 0xff
	}
	return r
}
