// The approximate functions against the error bounds that the manual states
// (9.7.3.8, 9.7.3.13 to 9.7.3.22, 9.7.4.9, 9.7.4.10), on dense samples.

package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bound is a sampled operand range with the error allowed there.
type bound struct {
	name   string
	fast   func(uint32) uint32
	exact  func(float64) float64
	lo, hi float64
	logX   bool    // sample magnitudes evenly by exponent
	abs    float64 // absolute error, or
	rel    float64 // relative error, or
	ulps   float64 // units in the last place of the correctly rounded result
}

func rsqrt64(x float64) float64 { return 1 / math.Sqrt(x) }
func rcp64(x float64) float64   { return 1 / x }

var bounds = []bound{
	{"rcp", RcpApproxF32, rcp64, 0x1p-149, 0x1p128, true, 0, 0, 1},
	{"rcp.ftz", RcpApproxFtzF32, rcp64, 0x1p-126, 0x1p126, true, 0, 0, 1},
	{"sqrt", SqrtApproxF32, math.Sqrt, 0x1p-149, 0x1p128, true, 0, 0x1p-23, 0},
	{"rsqrt", RsqrtApproxF32, rsqrt64, 0x1p-149, 0x1p128, true, 0, 0x1.13p-23, 0},
	{"rsqrt.ftz", RsqrtApproxFtzF32, rsqrt64, 1, 4, false, 0, 0x1.13p-23, 0},
	{"sin", SinApproxF32, math.Sin, -2 * math.Pi, 2 * math.Pi, false, 0x1.6ap-21, 0, 0},
	// The manual says 2^-20.5 for cos too. The multiplication that the compiler
	// emits and this table reach 2^-20.43, close to 3π/2 and beyond.
	{"cos", CosApproxF32, math.Cos, -2 * math.Pi, 2 * math.Pi, false, 0x1.7dp-21, 0, 0},
	{"cos.half", CosApproxF32, math.Cos, -math.Pi, math.Pi, false, 0x1.6ap-21, 0, 0},
	{"sin.wide", SinApproxF32, math.Sin, -100 * math.Pi, 100 * math.Pi, false, 0x1.3bp-15, 0, 0},
	{"cos.wide", CosApproxF32, math.Cos, -100 * math.Pi, 100 * math.Pi, false, 0x1.3bp-15, 0, 0},
	{"lg2.near1", Lg2ApproxF32, math.Log2, 0.5, 2, false, 0x1p-22, 0, 0},
	{"lg2", Lg2ApproxF32, math.Log2, 2, 0x1p128, true, 0, 0x1p-22, 0},
	{"lg2.small", Lg2ApproxF32, math.Log2, 0x1p-149, 0.5, true, 0, 0x1p-22, 0},
	{"ex2", Ex2ApproxF32, math.Exp2, -149, 128, false, 0, 0, 2},
	{"ex2.ftz", Ex2ApproxFtzF32, math.Exp2, -125, 128, false, 0, 0, 2},
	{"ex2.tiny", Ex2ApproxF32, math.Exp2, 0x1p-149, 1, true, 0, 0, 2},
	{"tanh", TanhApproxF32, math.Tanh, -10, 10, false, 0, 0x1p-11, 0},
	{"tanh.tiny", TanhApproxF32, math.Tanh, 0x1p-120, 0.5, true, 0, 0x1p-11, 0},
}

// pick returns an operand of the range.
func (w *bound) pick(r *rand.Rand) uint32 {
	if w.logX {
		l, h := math.Log2(w.lo), math.Log2(w.hi)
		return math.Float32bits(float32(math.Exp2(l + r.Float64()*(h-l))))
	}
	return math.Float32bits(float32(w.lo + r.Float64()*(w.hi-w.lo)))
}

// ulpF32 is the spacing of f32 values at x.
func ulpF32(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

// check returns the error of the function at a, in units of what is allowed.
func (w *bound) check(a uint32) float64 {
	got, want := f32(w.fast(a)), w.exact(f32(a))
	if w.ulps > 0 {
		want = float64(float32(want))
	}
	if got == want || math.IsInf(want, 0) {
		return 0
	}
	return math.Abs(got-want) / (w.abs + w.rel*math.Abs(want) + w.ulps*ulpF32(want))
}

func TestApproxBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range bounds {
		w, worst, at := &bounds[i], 0.0, uint32(0)
		for range scale(40000) {
			a := w.pick(r)
			if f := f32(a); !(f >= w.lo && f < w.hi) {
				continue
			}
			if e := w.check(a); e > worst || e != e {
				worst, at = e, a
			}
		}
		if !(worst <= 1) {
			t.Errorf("%s: error %.4f of what is allowed, at %x", w.name, worst, at)
		}
		if worst == 0 {
			t.Errorf("%s: every sample exact: the test sees nothing", w.name)
		}
	}
}

func TestDivBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range scale(40000) {
		a, b := r.Uint32()&0x80ffffff|0x3f000000, r.Uint32()
		if e := b >> 23 & 0xff; e == 255 || e == 0 && b&magF32 == 0 {
			continue
		}
		want := float64(float32(f32(a) / f32(b)))
		limit := 2 * ulpF32(want)
		if got := f32(DivFullF32(a, b)); math.Abs(got-want) > limit && !math.IsInf(want, 0) {
			t.Errorf("div.full %x %x = %g, want %g", a, b, got, want)
		}
		if m := math.Abs(f32(b)); m >= 0x1p-126 && m <= 0x1p126 && !math.IsInf(want, 0) {
			if got := f32(DivApproxF32(a, b)); math.Abs(got-want) > limit {
				t.Errorf("div.approx %x %x = %g, want %g", a, b, got, want)
			}
		}
	}
}

// TestApproxHalf runs every operand of the 16-bit forms against the manual's bounds (9.7.4.9,
// 9.7.4.10).
func TestApproxHalf(t *testing.T) {
	for _, w := range []struct {
		name     string
		typ      Type
		fast     func(uint32) uint32
		exact    func(float64) float64
		ftz      bool
		abs, rel float64
	}{
		{"tanh.f16", F16, TanhApproxF16, math.Tanh, false, 0x1.025p-11, 0},    // 2^-10.987
		{"tanh.bf16", BF16, TanhApproxBF16, math.Tanh, false, 0x1.0005p-8, 0}, // the hardware exceeds 2^-8 at 3f3f
		{"ex2.f16", F16, Ex2ApproxF16, math.Exp2, false, 0x1p-24, 0x1.12p-10}, // 2^-9.9, and subnormals
		{"ex2.bf16", BF16, Ex2ApproxFtzBF16, math.Exp2, true, 0x1p-126, 0x1p-7},
	} {
		f := w.typ.Format()
		for a := range uint32(1 << 16) {
			u, got := f.operand(uint64(a), w.ftz), w.fast(a)
			if u.class == nan {
				if got != nanHalf {
					t.Fatalf("%s of NaN %x = %x", w.name, a, got)
				}
				continue
			}
			have, want := operandValue(f.operand(uint64(got), false)), w.exact(operandValue(u))
			if largest := math.Ldexp(2, int(f.Bias)); math.Abs(want) >= largest {
				want = math.Inf(1)
			}
			if have != want && !(math.Abs(have-want) <= w.abs+w.rel*math.Abs(want)) {
				t.Errorf("%s of %x = %x, %v, want %v", w.name, a, got, have, want)
			}
		}
	}
}

// operandValue is a number that is no NaN.
func operandValue(u unpacked) float64 {
	x := math.Ldexp(float64(u.sig), int(u.exp)-63)
	switch u.class {
	case inf:
		x = math.Inf(1)
	case zero:
		x = 0
	}
	return math.Copysign(x, boolSign(u.neg))
}

func boolSign(neg bool) float64 {
	if neg {
		return -1
	}
	return 1
}

func TestApproxF64(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	o := newOracle(fmtF64)
	for range scale(20000) {
		a := o.sample(r) &^ signF64
		x := f64(a)
		if x != x || math.IsInf(x, 0) || x == 0 {
			continue
		}
		if d := f64(RsqrtApproxF64(a)); math.Abs(d*math.Sqrt(x)-1) > 0x1p-51 {
			t.Errorf("rsqrt.approx.f64 of %x = %g", a, d)
		}
		if x < 0x1p-1022 { // counts as zero
			if d, e := RcpApproxFtzF64(a|signF64), RsqrtApproxFtzF64(a); d != infF64|signF64 || e != infF64 {
				t.Errorf("rcp, rsqrt.approx.ftz.f64 of %x = %x, %x", a, d, e)
			}
			continue
		}
		if d := RcpApproxFtzF64(a); uint32(d) != 0 || x < 0x1p1021 && math.Abs(f64(d)*x-1) > 0x1p-19 {
			t.Errorf("rcp.approx.ftz.f64 of %x = %x", a, d)
		}
		if d := RsqrtApproxFtzF64(a); uint32(d) != 0 || math.Abs(f64(d)*math.Sqrt(x)-1) > 0x1p-19 {
			t.Errorf("rsqrt.approx.ftz.f64 of %x = %x", a, d)
		}
	}
}

// TestSfuTables checks that the data file filled every segment, and the shape
// of the square.
func TestSfuTables(t *testing.T) {
	for name, table := range map[string][]coeff{
		"rcp": sfuRcp[:], "rsqrt": sfuRsqrt[:], "sin": sfuSin[:], "ex2": sfuEx2[:], "lg2": sfuLg2[:],
		"sqrt": sfuSqrt[:], "tanh": sfuTanh[:],
	} {
		for i, c := range table {
			if c == (coeff{}) {
				t.Errorf("%s: segment %d is empty", name, i)
			}
		}
	}
	for x := range uint32(1 << 17) {
		var sum uint32
		for i := range 17 {
			if x>>i&1 != 0 {
				sum += x >> (18 - i)
			}
		}
		if got := truncSquare(x); got != int64(sum>>1) {
			t.Fatalf("truncSquare(%x) = %x, want %x", x, got, sum>>1)
		}
	}
}
