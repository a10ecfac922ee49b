package tensors_test

// This file runs the kernels of testdata/tensor, which fill shared memory, copy it to tensor memory
// and store what they load from there, against a model that starts from the destination, in every
// mode; and mutants of them, each without one line that synchronises.

import (
	"context"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var allMutants = flag.Bool("mutants", false, "run all mutants of testdata/tensor, not a sample")

// tensorCase is a kernel of testdata/tensor.
type tensorCase struct {
	threads  uint32
	ctas     uint32
	in, out  int // words of a CTA
	expected func(in []byte, lane, word int) uint32
}

// at is 4 bytes of shared memory behind an offset without a swizzle.
func at(in []byte, off int) uint32 { return binary.LittleEndian.Uint32(in[off:]) }

// swizzled moves unit `unit` of a row of span bytes, as table 5.5.7 draws it: in line r of 128 bytes
// the units are exchanged by the XOR with r. atom is the units that stay together.
func swizzled(line, unit, span, atom int) int {
	n := span / 16 / atom // atoms of a row
	return (unit/atom^line%n)*atom + unit%atom
}

// rowOf is the offset of unit u of row i in a matrix whose rows of span bytes follow each other
// in groups of 8, 8*span apart.
func rowOf(i, u, span, atom int) int {
	off := i * span
	line, in := off/128, off%128/16+u
	return line*128 + 16*(in/(span/16)*(span/16)+swizzled(line, in%(span/16), span, atom))
}

// element is bits [at, at+n) of 16 bytes.
func element(in []byte, at, n int) (v uint32) {
	for b := range n {
		v |= uint32(in[(at+b)/8]>>((at+b)%8)&1) << b
	}
	return v
}

// sixBits is word `word` of what 16 elements of 6 bits become.
func sixBits(in []byte, word int) (v uint32) {
	for b := range 4 {
		v |= element(in, 6*(4*word+b), 6) << (8 * b)
	}
	return v
}

// fourBits is that of elements of 4 bits, which go to bits 5 to 2 of their bytes.
func fourBits(in []byte, word int) (v uint32) {
	for b := range 4 {
		v |= element(in, 4*(4*word+b), 4) << 2 << (8 * b)
	}
	return v
}

var tensorCases = map[string]tensorCase{
	"cp_128x256b": {128, 1, 1024, 1024, func(in []byte, lane, word int) uint32 {
		return at(in, lane*16+word/4*2048+word%4*4)
	}},
	"cp_128x128b": {128, 1, 4096, 512, func(in []byte, lane, word int) uint32 {
		return at(in, rowOf(lane, 0, 128, 1)+4*word)
	}},
	"cp_4x256b": {128, 1, 512, 1024, func(in []byte, lane, word int) uint32 {
		if lane%32 != 31 {
			return 0
		}
		return at(in, rowOf(lane/32, word/4, 32, 1)+word%4*4)
	}},
	"cp_64x128b_02_13": {128, 1, 1024, 512, func(in []byte, lane, word int) uint32 {
		return at(in, rowOf(lane%64, 0, 64, 1)+4*word)
	}},
	"cp_64x128b_01_23": {128, 1, 512, 512, func(in []byte, lane, word int) uint32 {
		return at(in, (lane/64*32+lane%32)*16+4*word)
	}},
	"cp_32x128b": {128, 1, 512, 512, func(in []byte, lane, word int) uint32 {
		return at(in, lane%32*16+4*word)
	}},
	"decompress4": {128, 1, 512, 512, func(in []byte, lane, word int) uint32 { return fourBits(in[lane*16:], word) }},
	"decompress6": {128, 1, 4096, 1024, func(in []byte, lane, word int) uint32 {
		return sixBits(in[rowOf(lane, word/4, 128, 2):], word%4)
	}},
	"shift": {128, 1, 1024, 1024, func(in []byte, lane, word int) uint32 {
		if lane >= 32 && lane < 63 { // the second warp's lanes take the row of the next
			lane++
		}
		return at(in, lane*16+word/4*2048+word%4*4)
	}},
	"pair": {128, 2, 512, 512, func(in []byte, lane, word int) uint32 { return at(in, lane*16+4*word) }},
	"pair_decompress": {128, 2, 512, 1024, func(in []byte, lane, word int) uint32 {
		if word < 4 {
			return sixBits(in[lane*16:], word)
		}
		return fourBits(in[lane*16:], word-4)
	}},
	"multicast": {128, 2, 512, 512, func(in []byte, lane, word int) uint32 { return at(in, lane*16+4*word) }},
	"stages": {128, 1, 512, 4 * 512, func(in []byte, row, word int) uint32 {
		return at(in, row%128*16+4*word) + uint32(row/128)
	}},
	"producer": {160, 1, 2560, 5 * 512, func(in []byte, row, word int) uint32 { return at(in, row*16+4*word) }},
}

// want is what a kernel stores: CTA after CTA, lane after lane.
func (c *tensorCase) want(in []uint32) (out []uint32) {
	for cta := range int(c.ctas) {
		var b []byte
		for _, x := range in[cta*c.in : (cta+1)*c.in] {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		rows := 128
		if c.out > 1024 {
			rows = c.out / 4
		}
		for i := range c.out {
			across := c.out / rows
			out = append(out, c.expected(b, i/across, i%across))
		}
	}
	return out
}

// runTensor runs a kernel's text and returns what it has stored.
func runTensor(t *testing.T, name, text string, c *tensorCase, cfg ptxvm.DeviceConfig, in []uint32) ([]uint32, ptxvm.Stats, error) {
	t.Helper()
	cfg.Arch = "sm_100a"
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = 1 << 20
	}
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile(name+".ptx", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	from, err := ptxvm.Upload(d, in)
	if err != nil {
		t.Fatal(err)
	}
	to, err := ptxvm.Upload(d, make([]uint32, c.out*int(c.ctas)))
	if err != nil {
		t.Fatal(err)
	}
	stats, err := rig.Kernel(t, p, name).Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: c.ctas}, Block: ptxvm.Dim3{X: c.threads}}, from, to)
	out := make([]uint32, c.out*int(c.ctas))
	if e := ptxvm.Download(to, out); e != nil {
		t.Fatal(e)
	}
	return out, stats, err
}

func (c *tensorCase) data(seed uint64) []uint32 {
	r := rand.New(rand.NewPCG(seed, 9))
	in := make([]uint32, c.in*int(c.ctas))
	for i := range in {
		in[i] = r.Uint32()
	}
	return in
}

func tensorText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/tensor", name+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTensorKernels compares every kernel with its model in every mode, with and without a
// sanitizer; no tensor memory is left allocated.
func TestTensorKernels(t *testing.T) {
	for name, c := range tensorCases {
		text, in := tensorText(t, name), c.data(1)
		want := c.want(in)
		for _, cfg := range []ptxvm.DeviceConfig{
			{}, {Async: ptxvm.AsyncLazy, Workers: 1}, {Async: ptxvm.AsyncRandom, Seed: 1, Workers: 2}, {Async: ptxvm.AsyncRandom, Seed: 2},
			{Async: ptxvm.AsyncLazy, Sanitize: ptxvm.SanitizeInit}, {Sanitize: ptxvm.SanitizeAll | ptxvm.SanitizeAsyncFences}, {Async: ptxvm.AsyncRandom, Seed: 3, Sanitize: ptxvm.SanitizeAll},
		} {
			out, stats, err := runTensor(t, name, text, &c, cfg, in)
			if err != nil {
				t.Errorf("%s, %v: %v", name, cfg.Async, err)
				continue
			}
			if !slices.Equal(out, want) {
				i := 0
				for out[i] == want[i] {
					i++
				}
				t.Errorf("%s, %v: word %d is %08x, want %08x", name, cfg.Async, i, out[i], want[i])
			}
			if stats.Leak != nil {
				t.Errorf("%s: %v", name, stats.Leak)
			}
		}
	}
}

// TestTensorPairSecond: either CTA of a pair may start the copies of both.
func TestTensorPairSecond(t *testing.T) {
	for _, name := range []string{"pair", "pair_decompress"} {
		c, text := tensorCases[name], tensorText(t, name)
		second := strings.Replace(text, "setp.ne.u32 %p5, %r15, 0;", "setp.ne.u32 %p5, %r15, 1;", 1)
		if second == text {
			t.Fatalf("%s: the choice of a CTA is not found", name)
		}
		in := c.data(3)
		for _, mode := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy} {
			if out, _, err := runTensor(t, name, second, &c, ptxvm.DeviceConfig{Async: mode}, in); err != nil || !slices.Equal(out, c.want(in)) {
				t.Errorf("%s, %v: %v, or other words", name, mode, err)
			}
		}
	}
}

var dropMark = regexp.MustCompile(`// drop( with next)?: (reported|legal, .+)$`)

// TestTensorMutants drops one line that synchronises from each kernel. In mode Lazy, with the
// sanitizer, and in mode Eager, with all of them, each mutant is reported, faults or hangs (a deadlock, or the limit of steps), unless
// the line's comment says why it may go; then its results are right.
func TestTensorMutants(t *testing.T) {
	n := 0
	for name, c := range tensorCases {
		lines := strings.Split(tensorText(t, name), "\n")
		in := c.data(2)
		want := c.want(in)
		for i, line := range lines {
			mark := dropMark.FindStringSubmatch(line)
			if mark == nil {
				if strings.Contains(line, "// drop") {
					t.Errorf("%s:%d: %q is no mark", name, i+1, line)
				}
				continue
			}
			if n++; testing.Short() || !*allMutants && n%4 != 0 && mark[2] != "reported" {
				continue
			}
			mutant := slices.Clone(lines)
			mutant[i] = "// " + line
			if mark[1] != "" {
				mutant[i+1] = "// " + lines[i+1]
			}
			for _, cfg := range []ptxvm.DeviceConfig{
				{Async: ptxvm.AsyncLazy, Sanitize: ptxvm.SanitizeInit, Workers: 1},
				{Sanitize: ptxvm.SanitizeAll | ptxvm.SanitizeAsyncFences, Workers: 1},
			} {
				out, _, err := runTensor(t, name, strings.Join(mutant, "\n"), &c, cfg, in)
				if legal := mark[2] != "reported"; legal != (err == nil) || legal && !slices.Equal(out, want) {
					t.Errorf("%s.ptx:%d: %v, without %q: %v; the line says %s", name, i+1, cfg.Async, strings.TrimSpace(strings.Split(line, "//")[0]), err, mark[2])
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d lines to drop", n)
	}
}
