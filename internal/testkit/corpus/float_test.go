// This file tests the float operations of the references against math/big.

package corpus

import (
	"math"
	"math/big"
	"testing"
)

// fused returns a*b+c with so many bits, rounded once.
func fused(a, b, c float64, bits uint) float64 {
	exact := new(big.Float).SetPrec(600).Mul(big.NewFloat(a), big.NewFloat(b))
	exact.Add(exact, big.NewFloat(c))
	v, _ := exact.SetMode(big.ToNearestEven).SetPrec(bits).Float64()
	return v
}

// scaled makes an f32 with an exponent in a window of 80.
func scaled(r *random) float32 {
	return float32(math.Ldexp(float64(r.unit()), r.below(80)-40))
}

func TestFMA32(t *testing.T) {
	r := random(1)
	for range 20000 {
		a, b := scaled(&r), scaled(&r)
		c := scaled(&r)
		if r.below(2) == 0 { // near cancellation
			c = -a * b * (1 + r.unit()/(1<<20))
		}
		want := float32(fused(float64(a), float64(b), float64(c), 24))
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma32(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
}

func TestHalfRoundTrip(t *testing.T) {
	for h := range 0x7c00 {
		for _, h := range []half{half(h), half(h) | 0x8000} {
			if got := roundHalf(halfValue(h)); got != h {
				t.Fatalf("%#x came back as %#x", h, got)
			}
		}
	}
	for h := half(0); h < 0x7bff; h++ { // ties go to the even neighbour
		tie := (halfValue(h) + halfValue(h+1)) / 2
		if got := roundHalf(tie); got != h+h&1 {
			t.Fatalf("tie above %#x rounds to %#x", h, got)
		}
	}
	if roundHalf(65519.99) != 0x7bff || roundHalf(65520) != 0x7c00 || halfValue(0x3c00) != 1 {
		t.Error("edges of the half range")
	}
}

func TestNarrowFMA(t *testing.T) {
	r := random(2)
	for range 20000 {
		a, b, c := roundHalf(float64(r.unit())), roundHalf(float64(r.unit())*300), roundHalf(float64(r.unit()))
		if got, want := fmaHalf(a, b, c), roundHalf(fused(halfValue(a), halfValue(b), halfValue(c), 11)); got != want && math.Abs(halfValue(want)) > 1e-4 {
			t.Fatalf("fmaHalf(%#x, %#x, %#x) = %#x, want %#x", a, b, c, got, want)
		}
		x, y, z := roundBfloat(scaled(&r)), roundBfloat(scaled(&r)), roundBfloat(scaled(&r))
		exact := fused(float64(bfloatValue(x)), float64(bfloatValue(y)), float64(bfloatValue(z)), 8)
		if got := fmaBfloat(x, y, z); float64(bfloatValue(got)) != exact {
			t.Fatalf("fmaBfloat(%#x, %#x, %#x) = %#x, want %v", x, y, z, got, exact)
		}
	}
}
