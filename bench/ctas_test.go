package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestCTAPrograms: where compiling makes a program of whole CTAs, CTAs run by it at each size; where it makes another for borders, they do
// so at some size; and all is as in the interpreter. Kernels are the tuned ones, and the twelve.
func TestCTAPrograms(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	jit.CountFromNow()
	t.Cleanup(jit.CountNoMore)
	subjects := ctaSubjects()
	interpreted := make([][][]byte, len(subjects))
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		t.Run(v.String(), func(t *testing.T) {
			if v > bestVectors() {
				t.Skip("not on this machine")
			}
			ctas := map[string]uint64{} // by program, as compiledCTAs has them
			for i, s := range subjects {
				programs, got := s.compiledCTAs(t, v)
				if len(programs) == 0 {
					continue
				}
				if interpreted[i] == nil {
					interpreted[i] = s.interpreted(t)
				}
				if err := s.differs(got, interpreted[i]); err != nil {
					t.Errorf("%s, %s: %v", s.name, s.size, err)
				}
				for name, n := range programs {
					if ctas[name] += n; n+programs[name+borders] == 0 && !strings.HasSuffix(name, borders) {
						t.Errorf("%s, %s: no CTA has run by a program", name, s.size)
					}
				}
			}
			for name, n := range ctas {
				if n == 0 {
					t.Errorf("%s: the program has been made in vain", name)
				}
			}
			if made := slices.Sorted(maps.Keys(ctas)); !slices.Equal(made, withPrograms[v]) {
				t.Errorf("programs of CTAs are made of\n%q, want\n%q", made, withPrograms[v])
			}
		})
	}
}

// borders is behind the name of a function whose program for borders is meant.
const borders = ", borders"

// withPrograms are the functions of which programs are made.
var withPrograms = map[jit.Vectors][]string{
	jit.AVX2: {
		"conv3x3", "fft256", "fir17", "heat2d", "heat2d, borders", "maxpool", "maxpool, borders", "stencil", "stencil, borders",
		"transpose", "transpose, borders", "ttnorm",
	},
	jit.AVX512: {
		"conv3x3", "conv3x3, borders", "fft256", "fir17", "fir17, borders", "heat2d", "heat2d, borders", "maxpool", "maxpool, borders",
		"stencil", "stencil, borders", "transpose", "transpose, borders", "ttnorm",
	},
}

// Titles of the parts of code that are the programs.
const (
	ctaInside = "all lanes, of all warps of a CTA"
	ctaBorder = "some lanes, of all warps of a CTA"
)

// bestVectors are those of this machine.
func bestVectors() jit.Vectors {
	if vectorBits() == 512 {
		return jit.AVX512
	}
	return jit.AVX2
}

// ctaSubject is a kernel at a size.
type ctaSubject struct {
	*workload
	size string
	run  *corpus.Run
}

// ctaSubjects are the tuned kernels at both sizes, and the twelve; transpose also where tiles do not fill the matrix.
func ctaSubjects() (list []ctaSubject) {
	for _, k := range kernels.All() {
		if k.Tuned() {
			w := &workload{name: k.Name, ptx: k.PTX()}
			list = append(list, ctaSubject{w, "small", k.Make(k.Small)}, ctaSubject{w, "large", k.Make(k.Large)})
		}
	}
	for i := range workloads {
		if w := &workloads[i]; w.twelve {
			list = append(list, ctaSubject{w, "large", w.make(corpus.Target{Arch: 90})})
			if w.name == "transpose" {
				list = append(list, ctaSubject{w, "small", corpus.Transpose(70, 45)})
			}
		}
	}
	return list
}

// compiledCTAs runs a kernel twice, the first time to learn of allocations, and tells how many CTAs have run by each program that has been
// made, "function" and "function, borders", and what is in the buffers. A function that is compiled again, as code for some of the lanes
// was missing, has its programs again; what ran by either counts.
func (s ctaSubject) compiledCTAs(t *testing.T, v jit.Vectors) (programs map[string]uint64, got [][]byte) {
	t.Helper()
	before := len(jit.AllCounted())
	got = s.rounds(t, ptxvm.JIT, 2, func(d *ptxvm.Device) error { return vm.CompileWith(d, jit.Options{Vectors: v}) })
	programs = map[string]uint64{}
	for _, c := range jit.AllCounted()[before:] {
		for _, p := range partsOf(c) {
			switch p.title {
			case ctaInside:
				programs[c.Name] += p.count
			case ctaBorder:
				programs[c.Name+borders] += p.count
			}
		}
	}
	return programs, got
}

// interpreted is what the interpreter leaves in the buffers.
func (s ctaSubject) interpreted(t *testing.T) [][]byte {
	t.Helper()
	return s.rounds(t, ptxvm.Interp, 1, func(*ptxvm.Device) error { return nil })
}

// rounds runs the launches so many times on a device that has been prepared, and returns what is in the buffers.
func (s ctaSubject) rounds(t *testing.T, e ptxvm.Engine, times int, prepare func(*ptxvm.Device) error) (got [][]byte) {
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
func (s ctaSubject) differs(got, want [][]byte) error {
	for i, b := range s.run.Buffers {
		if !bytes.Equal(got[i], want[i]) {
			return (&corpus.Buffer{Name: b.Name, Elem: b.Elem, Want: want[i]}).Check(got[i])
		}
	}
	return nil
}
