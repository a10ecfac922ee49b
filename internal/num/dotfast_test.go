package num

import (
	"math/rand/v2"
	"testing"
)

var packedFormats = map[string]DotFormat{"f16": DotF16, "bf16": DotBF16, "tf32": DotTF32, "e4m3": DotE4M3, "e5m2": DotE5M2, "e3m2": DotE3M2, "e2m3": DotE2M3, "e2m1": DotE2M1}

// edgeOf draws an element of a format: any pattern, zeros, subnormals, the extremes, or one near the middle.
func edgeOf(r *rand.Rand, f DotFormat) Factor {
	width := f.exponent + f.frac
	for {
		v := r.Uint32() & (1<<(width+1) - 1)
		switch r.IntN(6) {
		case 0:
			v &= 1 << width
		case 1:
			v &= 1<<width | (1<<f.frac - 1)
		case 2:
			v |= (1<<f.exponent - 2) << f.frac
		case 3:
			v = v&^((1<<f.exponent-1)<<f.frac) | (1<<(f.exponent-1))<<f.frac
		}
		if x := f.Factor(v << f.low); x.Kind == FactorFinite {
			return x
		}
	}
}

// TestPackedSums compares the fast sums with their reference implementation on edge values, for every generation, format and result.
func TestPackedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	quick := 0
	for name, f := range packedFormats {
		for _, arch := range []int{70, 75, 80, 89, 90, 100} {
			for _, d := range []DotFormat{DotF32, DotF16} {
				rules := []DotRule{f.Rule(arch, d, d), f.WarpgroupRule(arch, d), WholeRule(d, d)}
				for i := range 300 {
					n, rule := []int{4, 8, 16, 32}[r.IntN(4)], rules[i%3]
					a, b := make([]Factor, n), make([]Factor, n)
					for k := range a {
						a[k], b[k] = edgeOf(r, f), edgeOf(r, f)
					}
					c := r.Uint32()
					if d == DotF16 {
						c &= 0xffff
					}
					if r.IntN(3) == 0 {
						c = 0
					}
					x, fine := Pack(a)
					y, too := Pack(b)
					if !fine || !too {
						t.Fatalf("%s: finite factors are not packed", name)
					}
					if !rule.Quick(x, y) {
						continue
					}
					quick++
					if have, want := rule.SumPacked(x, y, c), rule.Sum(a, b, c); have != want {
						t.Fatalf("%s, sm_%d: %#x, want %#x: %v %v + %#x", name, arch, have, want, a, b, c)
					}
				}
			}
		}
	}
	if quick < 20000 {
		t.Errorf("%d sums were fast", quick)
	}
	for _, v := range []uint32{0x7c00, 0xfc00, 0x7e00} {
		if _, ok := Pack([]Factor{DotF16.Factor(0), DotF16.Factor(v)}); ok {
			t.Errorf("%#x is packed", v)
		}
	}
}

// BenchmarkSums has products of 16 halves, slow and fast: 32 operations each.
func BenchmarkSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]Factor, 16), make([]Factor, 16)
	for i := range x {
		x[i], y[i] = edgeOf(r, DotF16), edgeOf(r, DotF16)
	}
	p, _ := Pack(x)
	q, _ := Pack(y)
	rule := DotF16.Rule(90, DotF32, DotF32)
	b.Run("slow", func(b *testing.B) {
		for b.Loop() {
			rule.Sum(x, y, 0x3f800000)
		}
	})
	b.Run("fast", func(b *testing.B) {
		for b.Loop() {
			rule.SumPacked(p, q, 0x3f800000)
		}
	})
}
