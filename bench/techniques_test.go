package main

import (
	"bytes"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestTechniques: each technique that fires on a tuned kernel can be left out, by both widths, and what the kernel writes is the same.
// Kernels have their small size.
func TestTechniques(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		t.Run(v.String(), func(t *testing.T) {
			if v > bestVectors() {
				t.Skip("not on this machine")
			}
			tried := 0
			for _, k := range kernels.All() {
				if !k.Tuned() {
					continue
				}
				s := runOf{&workload{name: k.Name, ptx: k.PTX()}, k.Make(k.Small)}
				var fired jit.Techniques
				want := s.compiledWith(t, jit.Firing(jit.Options{Vectors: v}, &fired))
				for _, what := range jit.AllTechniques() {
					if fired.Has(what) {
						tried++
						var left jit.Techniques
						got := s.compiledWith(t, jit.Firing(jit.Without(jit.Options{Vectors: v}, what), &left))
						if err := s.differs(got, want); err != nil {
							t.Errorf("%s without %v: %v", k.Name, what, err)
						}
						if left.Has(what) {
							t.Errorf("%s: %v fires where it is left out", k.Name, what)
						}
					}
				}
			}
			if t.Logf("%d times a technique was left out", tried); tried < 100 {
				t.Errorf("techniques fire %d times on the tuned kernels", tried)
			}
		})
	}
}

// compiledWith runs the kernel twice, compiled with options, and returns what is in the buffers.
func (s runOf) compiledWith(t *testing.T, o jit.Options) [][]byte {
	t.Helper()
	return s.rounds(t, ptxvm.JIT, 2, func(d *ptxvm.Device) error { return vm.CompileWith(d, o) })
}

// bestVectors are those of this machine.
func bestVectors() jit.Vectors {
	if vectorBits() == 512 {
		return jit.AVX512
	}
	return jit.AVX2
}

// runOf is a kernel at a size.
type runOf struct {
	*workload
	run *corpus.Run
}

// rounds runs the launches so many times on a device that has been prepared, and returns what is in the buffers.
func (s runOf) rounds(t *testing.T, e ptxvm.Engine, times int, prepare func(*ptxvm.Device) error) (got [][]byte) {
	t.Helper()
	top, err := root()
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.start(top, s.run, e, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer x.device.Close()
	if err := prepare(x.device); err != nil {
		t.Fatal(err)
	}
	for range times {
		if _, _, err := x.round(s.run, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range s.run.Buffers {
		p := make([]byte, len(b.Init))
		if _, err := x.buffers[b].ReadAt(p, 0); err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	return got
}

// differs tells where buffers are not the wanted ones, bit by bit.
func (s runOf) differs(got, want [][]byte) error {
	for i, b := range s.run.Buffers {
		if !bytes.Equal(got[i], want[i]) {
			return (&corpus.Buffer{Name: b.Name, Elem: b.Elem, Want: want[i]}).Check(got[i])
		}
	}
	return nil
}
