// The other positions of the guesses about hardware: each is the default but for the point in
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
	if a, n := AbsQuietF64(signalling|signF64), NegQuietF64(signalling); a != 0x7ff8000000000001 || n != 0xfff8000000000001 {
		t.Errorf("abs %#x, neg %#x", a, n)
	}
	for _, x := range []uint64{0, signF64, 1, oneF64, infF64, infF64 | signF64} {
		if AbsQuietF64(x) != AbsF64(x) || NegQuietF64(x) != NegF64(x) {
			t.Errorf("%#x: abs %#x, neg %#x", x, AbsQuietF64(x), NegQuietF64(x))
		}
	}
}

// TestDownF64: the exact quotient's upper word, never above it; special values as by default.
func TestDownF64(t *testing.T) {
	for _, x := range []uint64{0, signF64, 1, infF64, signF64 | infF64, infF64 | 1} {
		if RcpApproxDownF64(x) != RcpApproxFtzF64(x) || RsqrtApproxFtzDownF64(x) != RsqrtApproxFtzF64(x) || RsqrtApproxDownF64(x) != RsqrtApproxF64(x) {
			t.Errorf("%#x: another special value", x)
		}
	}
	r := rand.New(rand.NewPCG(18, 1))
	for range 1000 {
		x := math.Float64frombits(cutUpper(math.Float64bits(1 + r.Float64())))
		if have, want := RcpApproxDownF64(math.Float64bits(x)), cutUpper(math.Float64bits(1/x)); have != want {
			t.Fatalf("1/%v = %#x, want %#x", x, have, want)
		}
		if have, want := RsqrtApproxFtzDownF64(math.Float64bits(x)), cutUpper(math.Float64bits(1/math.Sqrt(x))); have != want {
			t.Fatalf("1/sqrt(%v) = %#x, want %#x", x, have, want)
		}
		if y := f64(RsqrtApproxDownF64(math.Float64bits(x))); math.Abs(y*y*x-1) > 0x1p-50 {
			t.Fatalf("1/sqrt(%v) = %v", x, y)
		}
	}
}
