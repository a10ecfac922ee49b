// The fast paths against their reference implementation, soft.go: every modifier variant on
// edge products and random samples.

package num

import (
	"math/rand/v2"
	"testing"
)

// reference32 pairs a fast function of up to 32-bit operands with its slow form.
// Unused operands are ignored.
type reference32 struct {
	name string
	fast func(a, b, c uint32) uint32
	op   byte // + - * f / r(cp) q(sqrt)
	mode Mode
	ftz  bool
	post func(uint32) uint32 // sat, relu; nil for none
}

// two and one fit functions of fewer operands into a reference.
func two(f func(a, b uint32) uint32) func(a, b, c uint32) uint32 {
	return func(a, b, _ uint32) uint32 { return f(a, b) }
}
func one(f func(a uint32) uint32) func(a, b, c uint32) uint32 {
	return func(a, _, _ uint32) uint32 { return f(a) }
}

// slow computes the reference's operation in format f.
func (w *reference32) slow(f *Format, a, b, c uint64) uint64 {
	switch w.op {
	case '+':
		return f.Add(a, b, w.mode, w.ftz)
	case '-':
		return f.Sub(a, b, w.mode, w.ftz)
	case '*':
		return f.Mul(a, b, w.mode, w.ftz)
	case 'f':
		return f.Fma(a, b, c, w.mode, w.ftz)
	case '/':
		return f.Div(a, b, w.mode, w.ftz)
	case 'r':
		return f.Div(newOracle(f).one(), a, w.mode, w.ftz)
	}
	return f.Sqrt(a, w.mode, w.ftz)
}

// slowSat and slowRelu are the modifiers by value.
func slowSat(f *Format) func(uint32) uint32 {
	o := newOracle(f)
	return func(d uint32) uint32 {
		v := uint64(d)
		switch {
		case o.isNaN(v) || o.neg(v):
			return 0
		case v > o.one():
			return uint32(o.one())
		}
		return d
	}
}

func slowRelu(f *Format) func(uint32) uint32 {
	o := newOracle(f)
	return func(d uint32) uint32 {
		if o.neg(uint64(d)) && !o.isNaN(uint64(d)) {
			return 0
		}
		return d
	}
}

var referencesF32 = []reference32{
	{"AddF32", two(AddF32), '+', RN, false, nil},
	{"AddSatF32", two(AddSatF32), '+', RN, false, slowSat(fmtF32)},
	{"AddFtzF32", two(AddFtzF32), '+', RN, true, nil},
	{"AddFtzSatF32", two(AddFtzSatF32), '+', RN, true, slowSat(fmtF32)},
	{"AddRZF32", two(AddRZF32), '+', RZ, false, nil},
	{"AddRZSatF32", two(AddRZSatF32), '+', RZ, false, slowSat(fmtF32)},
	{"AddRZFtzF32", two(AddRZFtzF32), '+', RZ, true, nil},
	{"AddRZFtzSatF32", two(AddRZFtzSatF32), '+', RZ, true, slowSat(fmtF32)},
	{"AddRMF32", two(AddRMF32), '+', RM, false, nil},
	{"AddRMSatF32", two(AddRMSatF32), '+', RM, false, slowSat(fmtF32)},
	{"AddRMFtzF32", two(AddRMFtzF32), '+', RM, true, nil},
	{"AddRMFtzSatF32", two(AddRMFtzSatF32), '+', RM, true, slowSat(fmtF32)},
	{"AddRPF32", two(AddRPF32), '+', RP, false, nil},
	{"AddRPSatF32", two(AddRPSatF32), '+', RP, false, slowSat(fmtF32)},
	{"AddRPFtzF32", two(AddRPFtzF32), '+', RP, true, nil},
	{"AddRPFtzSatF32", two(AddRPFtzSatF32), '+', RP, true, slowSat(fmtF32)},
	{"SubF32", two(SubF32), '-', RN, false, nil},
	{"SubSatF32", two(SubSatF32), '-', RN, false, slowSat(fmtF32)},
	{"SubFtzF32", two(SubFtzF32), '-', RN, true, nil},
	{"SubFtzSatF32", two(SubFtzSatF32), '-', RN, true, slowSat(fmtF32)},
	{"SubRZF32", two(SubRZF32), '-', RZ, false, nil},
	{"SubRZSatF32", two(SubRZSatF32), '-', RZ, false, slowSat(fmtF32)},
	{"SubRZFtzF32", two(SubRZFtzF32), '-', RZ, true, nil},
	{"SubRZFtzSatF32", two(SubRZFtzSatF32), '-', RZ, true, slowSat(fmtF32)},
	{"SubRMF32", two(SubRMF32), '-', RM, false, nil},
	{"SubRMSatF32", two(SubRMSatF32), '-', RM, false, slowSat(fmtF32)},
	{"SubRMFtzF32", two(SubRMFtzF32), '-', RM, true, nil},
	{"SubRMFtzSatF32", two(SubRMFtzSatF32), '-', RM, true, slowSat(fmtF32)},
	{"SubRPF32", two(SubRPF32), '-', RP, false, nil},
	{"SubRPSatF32", two(SubRPSatF32), '-', RP, false, slowSat(fmtF32)},
	{"SubRPFtzF32", two(SubRPFtzF32), '-', RP, true, nil},
	{"SubRPFtzSatF32", two(SubRPFtzSatF32), '-', RP, true, slowSat(fmtF32)},
	{"MulF32", two(MulF32), '*', RN, false, nil},
	{"MulSatF32", two(MulSatF32), '*', RN, false, slowSat(fmtF32)},
	{"MulFtzF32", two(MulFtzF32), '*', RN, true, nil},
	{"MulFtzSatF32", two(MulFtzSatF32), '*', RN, true, slowSat(fmtF32)},
	{"MulRZF32", two(MulRZF32), '*', RZ, false, nil},
	{"MulRZSatF32", two(MulRZSatF32), '*', RZ, false, slowSat(fmtF32)},
	{"MulRZFtzF32", two(MulRZFtzF32), '*', RZ, true, nil},
	{"MulRZFtzSatF32", two(MulRZFtzSatF32), '*', RZ, true, slowSat(fmtF32)},
	{"MulRMF32", two(MulRMF32), '*', RM, false, nil},
	{"MulRMSatF32", two(MulRMSatF32), '*', RM, false, slowSat(fmtF32)},
	{"MulRMFtzF32", two(MulRMFtzF32), '*', RM, true, nil},
	{"MulRMFtzSatF32", two(MulRMFtzSatF32), '*', RM, true, slowSat(fmtF32)},
	{"MulRPF32", two(MulRPF32), '*', RP, false, nil},
	{"MulRPSatF32", two(MulRPSatF32), '*', RP, false, slowSat(fmtF32)},
	{"MulRPFtzF32", two(MulRPFtzF32), '*', RP, true, nil},
	{"MulRPFtzSatF32", two(MulRPFtzSatF32), '*', RP, true, slowSat(fmtF32)},
	{"FmaF32", FmaF32, 'f', RN, false, nil},
	{"FmaSatF32", FmaSatF32, 'f', RN, false, slowSat(fmtF32)},
	{"FmaFtzF32", FmaFtzF32, 'f', RN, true, nil},
	{"FmaFtzSatF32", FmaFtzSatF32, 'f', RN, true, slowSat(fmtF32)},
	{"FmaRZF32", FmaRZF32, 'f', RZ, false, nil},
	{"FmaRZSatF32", FmaRZSatF32, 'f', RZ, false, slowSat(fmtF32)},
	{"FmaRZFtzF32", FmaRZFtzF32, 'f', RZ, true, nil},
	{"FmaRZFtzSatF32", FmaRZFtzSatF32, 'f', RZ, true, slowSat(fmtF32)},
	{"FmaRMF32", FmaRMF32, 'f', RM, false, nil},
	{"FmaRMSatF32", FmaRMSatF32, 'f', RM, false, slowSat(fmtF32)},
	{"FmaRMFtzF32", FmaRMFtzF32, 'f', RM, true, nil},
	{"FmaRMFtzSatF32", FmaRMFtzSatF32, 'f', RM, true, slowSat(fmtF32)},
	{"FmaRPF32", FmaRPF32, 'f', RP, false, nil},
	{"FmaRPSatF32", FmaRPSatF32, 'f', RP, false, slowSat(fmtF32)},
	{"FmaRPFtzF32", FmaRPFtzF32, 'f', RP, true, nil},
	{"FmaRPFtzSatF32", FmaRPFtzSatF32, 'f', RP, true, slowSat(fmtF32)},
	{"DivF32", two(DivF32), '/', RN, false, nil},
	{"DivFtzF32", two(DivFtzF32), '/', RN, true, nil},
	{"DivRZF32", two(DivRZF32), '/', RZ, false, nil},
	{"DivRZFtzF32", two(DivRZFtzF32), '/', RZ, true, nil},
	{"DivRMF32", two(DivRMF32), '/', RM, false, nil},
	{"DivRMFtzF32", two(DivRMFtzF32), '/', RM, true, nil},
	{"DivRPF32", two(DivRPF32), '/', RP, false, nil},
	{"DivRPFtzF32", two(DivRPFtzF32), '/', RP, true, nil},
	{"RcpF32", one(RcpF32), 'r', RN, false, nil},
	{"RcpFtzF32", one(RcpFtzF32), 'r', RN, true, nil},
	{"RcpRZF32", one(RcpRZF32), 'r', RZ, false, nil},
	{"RcpRZFtzF32", one(RcpRZFtzF32), 'r', RZ, true, nil},
	{"RcpRMF32", one(RcpRMF32), 'r', RM, false, nil},
	{"RcpRMFtzF32", one(RcpRMFtzF32), 'r', RM, true, nil},
	{"RcpRPF32", one(RcpRPF32), 'r', RP, false, nil},
	{"RcpRPFtzF32", one(RcpRPFtzF32), 'r', RP, true, nil},
	{"SqrtF32", one(SqrtF32), 'q', RN, false, nil},
	{"SqrtFtzF32", one(SqrtFtzF32), 'q', RN, true, nil},
	{"SqrtRZF32", one(SqrtRZF32), 'q', RZ, false, nil},
	{"SqrtRZFtzF32", one(SqrtRZFtzF32), 'q', RZ, true, nil},
	{"SqrtRMF32", one(SqrtRMF32), 'q', RM, false, nil},
	{"SqrtRMFtzF32", one(SqrtRMFtzF32), 'q', RM, true, nil},
	{"SqrtRPF32", one(SqrtRPF32), 'q', RP, false, nil},
	{"SqrtRPFtzF32", one(SqrtRPFtzF32), 'q', RP, true, nil},
}

var referencesF16 = []reference32{
	{"AddF16", two(AddF16), '+', RN, false, nil},
	{"AddSatF16", two(AddSatF16), '+', RN, false, slowSat(fmtF16)},
	{"AddFtzF16", two(AddFtzF16), '+', RN, true, nil},
	{"AddFtzSatF16", two(AddFtzSatF16), '+', RN, true, slowSat(fmtF16)},
	{"SubF16", two(SubF16), '-', RN, false, nil},
	{"SubSatF16", two(SubSatF16), '-', RN, false, slowSat(fmtF16)},
	{"SubFtzF16", two(SubFtzF16), '-', RN, true, nil},
	{"SubFtzSatF16", two(SubFtzSatF16), '-', RN, true, slowSat(fmtF16)},
	{"MulF16", two(MulF16), '*', RN, false, nil},
	{"MulSatF16", two(MulSatF16), '*', RN, false, slowSat(fmtF16)},
	{"MulFtzF16", two(MulFtzF16), '*', RN, true, nil},
	{"MulFtzSatF16", two(MulFtzSatF16), '*', RN, true, slowSat(fmtF16)},
	{"FmaF16", FmaF16, 'f', RN, false, nil},
	{"FmaSatF16", FmaSatF16, 'f', RN, false, slowSat(fmtF16)},
	{"FmaReluF16", FmaReluF16, 'f', RN, false, slowRelu(fmtF16)},
	{"FmaFtzF16", FmaFtzF16, 'f', RN, true, nil},
	{"FmaFtzSatF16", FmaFtzSatF16, 'f', RN, true, slowSat(fmtF16)},
	{"FmaFtzReluF16", FmaFtzReluF16, 'f', RN, true, slowRelu(fmtF16)},
}

var referencesBF16 = []reference32{
	{"AddBF16", two(AddBF16), '+', RN, false, nil},
	{"SubBF16", two(SubBF16), '-', RN, false, nil},
	{"MulBF16", two(MulBF16), '*', RN, false, nil},
	{"FmaBF16", FmaBF16, 'f', RN, false, nil},
	{"FmaReluBF16", FmaReluBF16, 'f', RN, false, slowRelu(fmtBF16)},
}

// checkReference compares one reference on one set of operands.
func checkReference(t *testing.T, w *reference32, f *Format, a, b, c uint64) bool {
	got, want := w.fast(uint32(a), uint32(b), uint32(c)), uint32(w.slow(f, a, b, c))
	if w.post != nil {
		want = w.post(want)
	}
	if got != want {
		t.Errorf("%s %x %x %x = %x, want %x", w.name, a, b, c, got, want)
	}
	return got == want
}

func testReferences(t *testing.T, references []reference32, f *Format, samples int) {
	o := newOracle(f)
	edges := o.edges()
	r := rand.New(rand.NewPCG(3, uint64(f.Man)))
	for i := range references {
		w, ok := &references[i], true
		for _, a := range edges {
			for _, b := range edges {
				ok = ok && checkReference(t, w, f, a, b, edges[r.IntN(len(edges))])
			}
		}
		for range scale(samples) {
			a, b, c := o.sample(r), o.sample(r), o.sample(r)
			if w.op == 'f' && r.IntN(3) == 0 { // near cancellation
				c = f.Mul(a, b, modes[r.IntN(4)], false) ^ o.sign()
			}
			ok = ok && checkReference(t, w, f, a, b, c)
		}
	}
}

func TestReferencesF32(t *testing.T)  { testReferences(t, referencesF32, fmtF32, 5000) }
func TestReferencesF16(t *testing.T)  { testReferences(t, referencesF16, fmtF16, 10000) }
func TestReferencesBF16(t *testing.T) { testReferences(t, referencesBF16, fmtBF16, 10000) }

// TestFmaTies aims at the case that separates an exact fma from a float64 sum
// rounded twice: a product just off a midpoint of the addend's spacing.
func TestFmaTies(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, w := range []*reference32{&referencesF32[indexReference("FmaF32")], &referencesF32[indexReference("FmaFtzF32")]} {
		for range scale(20000) {
			a := uint64(0x3f800000 | r.Uint32()&0x7ff<<12)
			b := uint64(0x3f800000 | r.Uint32()&0x7ff<<12)
			c := uint64(r.Uint32()&0x807fffff | (127-uint32(r.IntN(90)))<<23)
			if r.IntN(2) == 0 { // results that are subnormal
				a -= uint64(60+r.IntN(20)) << 23
				b -= uint64(60+r.IntN(20)) << 23
				c = uint64(r.Uint32() & 0x80ffffff >> r.IntN(20))
			}
			checkReference(t, w, fmtF32, a, b, c)
		}
	}
}

func indexReference(name string) int {
	for i := range referencesF32 {
		if referencesF32[i].name == name {
			return i
		}
	}
	panic("BUG: no reference " + name)
}

// TestReferencesF64 covers f64 in nearest mode, which alone has a fast path.
func TestReferencesF64(t *testing.T) {
	o := newOracle(fmtF64)
	edges := o.edges()
	r := rand.New(rand.NewPCG(5, 5))
	check := func(name string, got, want uint64, ops ...uint64) {
		if got != want {
			t.Errorf("%s %x = %x, want %x", name, ops, got, want)
		}
	}
	all := func(a, b, c uint64) {
		check("add", AddF64(a, b), fmtF64.Add(a, b, RN, false), a, b)
		check("sub", SubF64(a, b), fmtF64.Sub(a, b, RN, false), a, b)
		check("mul", MulF64(a, b), fmtF64.Mul(a, b, RN, false), a, b)
		check("fma", FmaF64(a, b, c), fmtF64.Fma(a, b, c, RN, false), a, b, c)
		check("div", DivF64(a, b), fmtF64.Div(a, b, RN, false), a, b)
		check("rcp", RcpF64(a), fmtF64.Div(oneF64, a, RN, false), a)
		check("sqrt", SqrtF64(a), fmtF64.Sqrt(a, RN, false), a)
	}
	for _, a := range edges {
		for _, b := range edges {
			all(a, b, edges[r.IntN(len(edges))])
		}
	}
	for range scale(20000) {
		all(o.sample(r), o.sample(r), o.sample(r))
	}
}
