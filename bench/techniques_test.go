package main

import (
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
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
				s := ctaSubject{&workload{name: k.Name, ptx: k.PTX()}, "small", k.Make(k.Small)}
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
func (s ctaSubject) compiledWith(t *testing.T, o jit.Options) [][]byte {
	t.Helper()
	return s.rounds(t, ptxvm.JIT, 2, func(d *ptxvm.Device) error { return vm.CompileWith(d, o) })
}
