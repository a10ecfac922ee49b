package ssa

import (
	"math"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
)

// TestFma32 holds products with sums that are rounded once to a model in integers: of random bits, and of products that are half of the last
// bit of what they are added to and a little more or less, which rounding twice takes for a tie.
func TestFma32(t *testing.T) {
	g := rand.New(rand.NewPCG(32, 1))
	for i := range 300_000 {
		a, b, c := g.Uint32(), g.Uint32(), g.Uint32()
		if i%2 == 0 {
			little := math.Ldexp(float64(1-2*g.IntN(2)), -13-g.IntN(10))
			a, b = math.Float32bits(float32(1+little)), math.Float32bits(float32(math.Ldexp(1-little, -26+g.IntN(5))))
			b, c = b^g.Uint32()&0x80000000, 0x3f800000|c&0x807fffff
		}
		want, got := num.FmaF32(a, b, c), math.Float32bits(fma32(math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(c)))
		if got != want && !(NaN(W, uint64(got)) && NaN(W, uint64(want))) {
			t.Fatalf("%#x × %#x + %#x = %#x, want %#x", a, b, c, got, want)
		}
	}
}
