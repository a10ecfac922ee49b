package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/ptxtest/corpus"
	"ptxvm.invalid/ptxvm/internal/tuning"
)

// TestCTAPrograms: where compiling makes a program of whole CTAs, CTAs run by it. Kernels are the tuned ones at both sizes, and the twelve.
func TestCTAPrograms(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	jit.CountFromNow()
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		t.Run(v.String(), func(t *testing.T) {
			if v > bestVectors() {
				t.Skip("not on this machine")
			}
			var made []string
			for name, r := range ctaSubjects() {
				programs, ran := ctaPrograms(t, r.workload, r.run, v)
				if programs > 0 {
					made = append(made, name)
				}
				if ran < programs {
					t.Errorf("%s: of %d programs of CTAs %d have run", name, programs, ran)
				}
			}
			if slices.Sort(made); !slices.Equal(made, withPrograms) {
				t.Errorf("programs of CTAs are made of\n%q, want\n%q", made, withPrograms)
			}
		})
	}
}

// withPrograms are the kernels of which programs are made, by both widths.
var withPrograms = []string{
	"conv3x3, large", "conv3x3, small", "fft256, large", "fft256, small", "fir17, large", "fir17, small",
	"heat2d, large", "heat2d, small", "matmul", "maxpool, large", "maxpool, small", "stencil", "transpose", "ttnorm, large", "ttnorm, small",
}

// bestVectors are those of this machine.
func bestVectors() jit.Vectors {
	if vectorBits() == 512 {
		return jit.AVX512
	}
	return jit.AVX2
}

// ctaSubjects are the kernels by name, tuned ones with their size.
func ctaSubjects() map[string]*subject {
	list := map[string]*subject{}
	for _, k := range kernels.All() {
		if k.Tuned() {
			w := &workload{name: k.Name, ptx: k.PTX()}
			list[k.Name+", small"], list[k.Name+", large"] = &subject{workload: w, run: k.Make(k.Small)}, &subject{workload: w, run: k.Make(k.Large)}
		}
	}
	for i := range workloads {
		if w := &workloads[i]; w.twelve {
			list[w.name] = &subject{workload: w, run: w.make(corpus.Target{Arch: 90})}
		}
	}
	return list
}

// ctaPrograms runs a kernel twice, the first time to learn of allocations, and counts the functions of which programs are made, and
// those of which they have run.
func ctaPrograms(t *testing.T, w *workload, r *corpus.Run, v jit.Vectors) (programs, ran int) {
	t.Helper()
	top, err := root()
	if err != nil {
		t.Fatal(err)
	}
	before := len(jit.AllCounted())
	x, err := w.start(top, r, ptxvm.JIT, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer x.device.Close()
	if err := tuning.CompileWith(x.device, jit.Options{Vectors: v}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := x.round(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	last := map[string]uint64{} // by function: how many CTAs
	for _, c := range jit.AllCounted()[before:] {
		for _, p := range partsOf(c) {
			if strings.HasSuffix(p.title, " lanes, of all warps of a CTA") {
				last[c.Name] += p.count
			}
		}
	}
	for n := range maps.Values(last) {
		programs++
		if n > 0 {
			ran++
		}
	}
	return programs, ran
}
