// The other positions of the assumptions about hardware: each is the default but for the point in
// question.

package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOobFactors: the addend counts as any NaN.
func TestOobFactors(t *testing.T) {
	type fma = func(a, b, c uint32) uint32
	for _, f := range []struct {
		name           string
		every, factors fma
		one, nan       uint32
	}{
		{"f16", FmaOobF16, FmaOobFactorsF16, 0x3c00, 0x7fff},
		{"f16.sat", FmaOobSatF16, FmaOobFactorsSatF16, 0x3c00, 0},
		{"f16.relu", FmaOobReluF16, FmaOobFactorsReluF16, 0x3c00, 0x7fff},
		{"bf16", FmaOobBF16, FmaOobFactorsBF16, 0x3f80, 0x7fff},
		{"bf16.relu", FmaOobReluBF16, FmaOobFactorsReluBF16, 0x3f80, 0x7fff},
	} {
		for _, oob := range []uint32{0x7ff7, 0xfff7} {
			if d := f.factors(oob, f.one, f.one) | f.factors(f.one, oob, f.one); d != 0 {
				t.Errorf("%s: a factor out of bounds gives %#x", f.name, d)
			}
			if d := f.factors(f.one, f.one, oob); d != f.nan {
				t.Errorf("%s: an addend out of bounds gives %#x, want %#x", f.name, d, f.nan)
			}
		}
		r := rand.New(rand.NewPCG(20, 4))
		for range 1000 {
			a, b, c := r.Uint32()&0xffff, r.Uint32()&0xffff, r.Uint32()&0xffff
			if have, want := f.factors(a, b, c), f.every(a, b, c); !isOOB(c) && have != want {
				t.Fatalf("%s(%#x, %#x, %#x) = %#x, want %#x", f.name, a, b, c, have, want)
			}
		}
	}
}

// TestQuietF64: a signalling NaN is quieted, everything else is a sign edit.
func TestQuietF64(t *testing.T) {
	const signalling = infF64 | 1
	if a, n := AbsQuietF64(signalling|signF64), NegQuietF64(signalling); a != 0xfff8000000000001 || n != 0x7ff8000000000001 {
		t.Errorf("abs %#x, neg %#x", a, n)
	}
	for _, x := range []uint64{0, signF64, 1, oneF64, infF64, infF64 | signF64} {
		if AbsQuietF64(x) != AbsF64(x) || NegQuietF64(x) != NegF64(x) {
			t.Errorf("%#x: abs %#x, neg %#x", x, AbsQuietF64(x), NegQuietF64(x))
		}
	}
}

// TestNearestF64: the exact quotient's upper word, rounded; special values as by default.
func TestNearestF64(t *testing.T) {
	for _, x := range []uint64{0, signF64, 1, infF64, signF64 | infF64, infF64 | 1, infF64 | 1<<32, 0x7fe0000000000000, 0xffe8000000000000} {
		if RcpNearestFtzF64(x) != RcpApproxFtzF64(x) || RsqrtNearestFtzF64(x&magF64) != RsqrtApproxFtzF64(x&magF64) || RsqrtNearestF64(x) != RsqrtApproxF64(x) {
			t.Errorf("%#x: another special value", x)
		}
	}
	r := rand.New(rand.NewPCG(18, 1))
	differ := 0
	for range 1000 {
		x := math.Float64frombits(math.Float64bits(1+r.Float64()) &^ (1<<32 - 1))
		nearest := func(d float64) uint64 { return uint64(math.RoundToEven(math.Ldexp(d, 21))) } // of 21 bits, below 1
		word := func(u uint64) uint64 { return uint64(math.Ldexp(f64(u), 21)) }
		a := math.Float64bits(x)
		if have, want := RcpNearestFtzF64(a), nearest(1/x); word(have) != want || uint32(have) != 0 {
			t.Fatalf("1/%v = %#x, want %#x", x, have, want)
		}
		if have, want := RsqrtNearestFtzF64(a), nearest(1/math.Sqrt(x)); word(have) != want || uint32(have) != 0 {
			t.Fatalf("1/sqrt(%v) = %#x, want %#x", x, have, want)
		}
		if y := f64(RsqrtNearestF64(a)); math.Abs(y*y*x-1) > 0x1p-50 {
			t.Fatalf("1/sqrt(%v) = %v", x, y)
		}
		if RcpNearestFtzF64(a) != RcpApproxFtzF64(a) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("both positions are the same")
	}
}

// nearForms are the forms on the correctly rounded unit, with their functions and operands
// between which results are normal numbers.
var nearForms = []struct {
	name         string
	f            func(uint32) uint32
	exact        func(float64) float64
	from, to     float64
	ulps, around float64 // allowed error in last places, or absolute
}{
	{"rcp", RcpNearestF32, func(x float64) float64 { return 1 / x }, 0x1p-120, 0x1p120, 0.5000001, 0},
	{"rcp.ftz", RcpNearestFtzF32, func(x float64) float64 { return 1 / x }, 0x1p-120, 0x1p120, 0.5000001, 0},
	{"rsqrt", RsqrtNearestF32, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0x1p-148, 0x1p127, 0.5000001, 0},
	{"rsqrt.ftz", RsqrtNearestFtzF32, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0x1p-125, 0x1p127, 0.5000001, 0},
	{"ex2", Ex2NearestF32, math.Exp2, 0x1p-100, 127, 0.5000001, 0},
	{"ex2.ftz", Ex2NearestFtzF32, math.Exp2, 0x1p-100, 127, 0.5000001, 0},
	{"lg2", Lg2NearestF32, math.Log2, 0x1p-120, 0x1p127, 0.5000001, 0},
	{"lg2.ftz", Lg2NearestFtzF32, math.Log2, 0x1p-120, 0x1p127, 0.5000001, 0},
	{"sin", SinNearestF32, math.Sin, 0x1p-60, 6, 0, 0x1p-20},
	{"sin.ftz", SinNearestFtzF32, math.Sin, 0x1p-60, 6, 0, 0x1p-20},
	{"cos", CosNearestF32, math.Cos, 0x1p-60, 6, 0, 0x1p-20},
	{"cos.ftz", CosNearestFtzF32, math.Cos, 0x1p-60, 6, 0, 0x1p-20},
}

// TestNearest compares the forms on the correctly rounded unit with the functions, and their
// special values with those of the tables.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for _, f := range nearForms {
		lo, hi := math.Log2(f.from), math.Log2(f.to)
		for range 2000 {
			a := putF32(float32(math.Exp2(lo + r.Float64()*(hi-lo))))
			have, want := f32(f.f(a)), f.exact(f32(a))
			limit := f.around
			if f.ulps > 0 {
				limit = f.ulps * math.Ldexp(1, math.Ilogb(want)-23)
			}
			if math.Abs(have-want) > limit {
				t.Fatalf("%s(%v) = %v, want %v", f.name, f32(a), have, want)
			}
		}
	}
	for _, pair := range [][2]func(uint32) uint32{
		{RcpNearestF32, RcpApproxF32}, {RcpNearestFtzF32, RcpApproxFtzF32}, {RsqrtNearestF32, RsqrtApproxF32}, {RsqrtNearestFtzF32, RsqrtApproxFtzF32},
		{Ex2NearestF32, Ex2ApproxF32}, {Ex2NearestFtzF32, Ex2ApproxFtzF32}, {Lg2NearestF32, Lg2ApproxF32}, {Lg2NearestFtzF32, Lg2ApproxFtzF32},
		{SinNearestF32, SinApproxF32}, {SinNearestFtzF32, SinApproxFtzF32}, {CosNearestF32, CosApproxF32}, {CosNearestFtzF32, CosApproxFtzF32},
	} {
		for _, a := range []uint32{0, signF32, infF32, infF32 | signF32, nanF32} {
			if have, want := pair[0](a), pair[1](a); have != want {
				t.Errorf("%#x: %#x, the tables give %#x", a, have, want)
			}
		}
	}
}

// TestNearestDiv: the quotient is within two last places in the range that the manual bounds.
func TestNearestDiv(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for _, div := range []func(a, b uint32) uint32{DivNearestF32, DivNearestFtzF32, DivFullNearestF32, DivFullNearestFtzF32} {
		for range 1000 {
			a, b := putF32(float32(1+r.Float64())), putF32(float32(math.Exp2(r.Float64()*200-100)))
			if have, want := f32(div(a, b)), f32(a)/f32(b); math.Abs(have/want-1) > 0x1p-22 {
				t.Fatalf("%v / %v = %v", f32(a), f32(b), have)
			}
		}
	}
}

// TestNearestHalf runs every operand of the 16-bit forms that are correctly rounded, up to the
// error of the float64 reference.
func TestNearestHalf(t *testing.T) {
	for _, w := range []struct {
		name   string
		typ    Type
		fast   func(uint32) uint32
		packed func(uint32) uint32
		exact  func(float64) float64
		ftz    bool
	}{
		{"tanh.f16", F16, TanhNearestF16, TanhNearestF16x2, math.Tanh, false},
		{"tanh.bf16", BF16, TanhNearestBF16, TanhNearestBF16x2, math.Tanh, false},
		{"ex2.f16", F16, Ex2NearestF16, Ex2NearestF16x2, math.Exp2, false},
		{"ex2.bf16", BF16, Ex2NearestFtzBF16, Ex2NearestFtzBF16x2, math.Exp2, true},
	} {
		f := w.typ.Format()
		for a := range uint32(1 << 16) {
			want := uint32(nanHalf)
			if u := f.operand(uint64(a), w.ftz); u.class != nan {
				want = uint32(Convert(f, fmtF64, math.Float64bits(w.exact(operandValue(u))), RN, w.ftz))
			}
			if got := w.fast(a); got != want {
				t.Errorf("%s of %x = %x, want %x", w.name, a, got, want)
			}
			if got := w.packed(a | (a^0x1357)<<16); got != want|w.fast(a^0x1357)<<16 {
				t.Errorf("%s of %x and %x = %x", w.name, a, a^0x1357, got)
			}
		}
	}
}

// TestNearestTanh: the nearest value; NaN, zeros and subnormals as by default.
func TestNearestTanh(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for range 2000 {
		a := putF32(float32(r.NormFloat64()))
		if have, want := f32(TanhNearestF32(a)), math.Tanh(f32(a)); math.Abs(have/want-1) > 0x1.001p-24 {
			t.Fatalf("tanh(%v) = %v", f32(a), have)
		}
	}
	for _, a := range []uint32{0, signF32, 1, nanF32} {
		if have, want := TanhNearestF32(a), TanhApproxF32(a); have != want {
			t.Errorf("tanh(%#x) = %#x, want %#x", a, have, want)
		}
	}
}

// TestFirstNaN: the first NaN wins, quieted; without a NaN operand nothing changes.
func TestFirstNaN(t *testing.T) {
	const n1, n2, n3 = infF64 | 1, infF64 | 1<<51 | 2, infF64 | signF64 | 1<<51 | 3
	values := []uint64{0, signF64, oneF64, infF64, 1}
	for i, f := range []func(a, b uint64) uint64{AddFirstF64, AddRZFirstF64, AddRMFirstF64, AddRPFirstF64, SubFirstF64, SubRZFirstF64, SubRMFirstF64, SubRPFirstF64,
		MulFirstF64, MulRZFirstF64, MulRMFirstF64, MulRPFirstF64, DivFirstF64, DivRZFirstF64, DivRMFirstF64, DivRPFirstF64} {
		last := []func(a, b uint64) uint64{AddF64, AddRZF64, AddRMF64, AddRPF64, SubF64, SubRZF64, SubRMF64, SubRPF64,
			MulF64, MulRZF64, MulRMF64, MulRPF64, DivF64, DivRZF64, DivRMF64, DivRPF64}[i]
		if a, b, c := f(n1, n2), f(oneF64, n3), f(n3, n1); a != n1|1<<51 || b != n3 || c != n3 {
			t.Errorf("function %d: %#x, %#x, %#x", i, a, b, c)
		}
		for _, a := range values {
			for _, b := range values {
				if f(a, b) != last(a, b) {
					t.Errorf("function %d(%#x, %#x) = %#x", i, a, b, f(a, b))
				}
			}
		}
	}
	for i, f := range []func(a, b, c uint64) uint64{FmaFirstF64, FmaRZFirstF64, FmaRMFirstF64, FmaRPFirstF64} {
		if a, b, c := f(n1, n2, n3), f(oneF64, n3, n2), f(oneF64, oneF64, n3); a != n1|1<<51 || b != n3 || c != n3 {
			t.Errorf("fma %d: %#x, %#x, %#x", i, a, b, c)
		}
		if d, want := f(oneF64, oneF64, 1), []func(a, b, c uint64) uint64{FmaF64, FmaRZF64, FmaRMF64, FmaRPF64}[i](oneF64, oneF64, 1); d != want {
			t.Errorf("fma %d: %#x, want %#x", i, d, want)
		}
	}
}
