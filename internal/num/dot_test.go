// Sums of products against a reference in math/big, and the vectors that tell generations apart.

package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactDot is Dot.Sum of finite numbers in whole numbers: every term divided by the weight of the last bit that is
// kept, without its remainder.
func exactDot(d Dot, a, b []Factor, c Factor) (sum *big.Int, q int) {
	top := d.Floor
	for i := range a {
		if a[i].Sig*b[i].Sig != 0 {
			top = max(top, int(a[i].Top)+int(b[i].Top))
		}
	}
	if c.Sig != 0 {
		top = max(top, int(c.Top))
	}
	q, sum = top-d.Keep, new(big.Int)
	term := func(sig int64, exp int) {
		v := new(big.Rat).SetInt64(sig)
		two := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), uint(max(exp-q, 0))), new(big.Int).Lsh(big.NewInt(1), uint(max(q-exp, 0))))
		v.Mul(v, two)
		sum.Add(sum, new(big.Int).Quo(v.Num(), v.Denom())) // Quo cuts toward zero
	}
	for i := range a {
		term(int64(a[i].Sig)*int64(b[i].Sig), int(a[i].Exp)+int(b[i].Exp))
	}
	term(int64(c.Sig), int(c.Exp))
	return sum, q
}

// exactRound rounds sum * 2^q by math/big.
func exactRound(r DotResult, sum *big.Int, q int) uint32 {
	x := new(big.Float).SetMode(big.ToZero).SetPrec(300).SetInt(sum)
	x.SetMantExp(x, q)
	if x.Sign() == 0 {
		return 0
	}
	frac, least, limit := 23, -149, 128
	switch r {
	case DotToE8M13:
		frac, least = 13, -139
	case DotToF16:
		frac, least, limit = 10, -24, 16
	}
	last := max(x.MantExp(nil)-1-frac, least)
	scaled := new(big.Float).SetPrec(300).SetMantExp(x, -last)
	whole, _ := scaled.Int(nil)
	if r == DotToF16 {
		rest := new(big.Float).SetPrec(300).Sub(scaled, new(big.Float).SetInt(whole))
		rest.Abs(rest)
		if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(int64(x.Sign())))
		}
	}
	y, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(whole), last).Float64()
	switch {
	case y == 0:
		return 0
	case math.Abs(y) >= math.Ldexp(1, limit):
		y = math.Inf(x.Sign())
	}
	if r == DotToF16 {
		return CvtF16F32(math.Float32bits(float32(y)))
	}
	return math.Float32bits(float32(y))
}

// TestDot compares random sums, many of numbers far apart, near the ends, and of cancelling terms.
func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	formats := []DotFormat{DotF16, DotBF16, DotTF32, DotE4M3, DotE5M2}
	for range 60000 {
		f, d := formats[r.IntN(len(formats))], Dot{Keep: []int{13, 23, 24, 25}[r.IntN(4)], Floor: []int{noFloor, -133, -21}[r.IntN(3)], Result: DotResult(r.IntN(3))}
		n := 1 + r.IntN(8)
		a, b := make([]Factor, n), make([]Factor, n)
		for i := range a {
			a[i], b[i] = someFactor(f, r), someFactor(f, r)
			if i > 0 && r.IntN(3) == 0 {
				a[i], b[i] = a[i-1], b[i-1]
				a[i].Sig = -a[i].Sig
			}
		}
		c := someFactor([]DotFormat{DotF32, DotF16}[r.IntN(2)], r)
		sum, q := exactDot(d, a, b, c)
		if want, have := exactRound(d.Result, sum, q), d.Sum(a, b, c); have != want {
			t.Fatalf("%+v: %v * %v + %v: want %#x, have %#x", d, a, b, c, want, have)
		}
	}
}

// someFactor is a random number of a format: zeros, subnormals, any exponent or one near the middle.
func someFactor(f DotFormat, r *rand.Rand) Factor {
	bits := f.low + f.frac + f.exponent + 1
	for {
		v := r.Uint32() >> (32 - bits)
		middle := (uint32(1)<<(f.exponent-1) - 4 + r.Uint32N(8)) << (f.frac + f.low)
		field := (uint32(1)<<f.exponent - 1) << (f.frac + f.low)
		switch r.IntN(8) {
		case 0:
			v &^= field
		case 1:
			v = 0
		case 2, 3, 4:
			v = v&^field | middle
		}
		if x := f.Factor(v); x.Kind == FactorFinite {
			return x
		}
	}
}

// TestDotSpecials has the rows of specials: NaN, infinity times zero and infinities of both signs
// are the canonical NaN, other infinities stay.
func TestDotSpecials(t *testing.T) {
	const one, inf, minus, nan, zero = 0x3c00, 0x7c00, 0xfc00, 0x7d01, 0
	for _, c := range []struct{ a, b, c, f32, f16 uint32 }{
		{one, nan, 0, 0x7fffffff, 0x7fff}, {nan, one, 0, 0x7fffffff, 0x7fff}, {inf, zero, 0, 0x7fffffff, 0x7fff}, {zero, inf, 0, 0x7fffffff, 0x7fff},
		{inf, one, 0, 0x7f800000, 0x7c00}, {minus, one, 0, 0xff800000, 0xfc00}, {one, minus, inf, 0x7fffffff, 0x7fff}, {inf, one, inf, 0x7f800000, 0x7c00},
		{one, one, minus, 0xff800000, 0xfc00}, {one, one, nan, 0x7fffffff, 0x7fff}, {minus, minus, 0, 0x7f800000, 0x7c00}, {zero, zero, zero, 0, 0},
		{0x8000, one, 0x8000, 0, 0}, // zeros have no sign
	} {
		a, b, x := []Factor{DotF16.Factor(c.a)}, []Factor{DotF16.Factor(c.b)}, DotF16.Factor(c.c)
		for result, want := range map[DotResult]uint32{DotToF32: c.f32, DotToF16: c.f16} {
			if have := (Dot{Keep: 25, Floor: -133, Result: result}).Sum(a, b, x); have != want {
				t.Errorf("%#x * %#x + %#x: want %#x, have %#x", c.a, c.b, c.c, want, have)
			}
		}
	}
	if DotE4M3.Factor(0x7f).Kind != FactorNaN || DotE4M3.Factor(0x78).Kind != FactorFinite || DotE5M2.Factor(0xfc) != (Factor{Sig: -1, Kind: FactorInf}) {
		t.Error("specials of eight bits")
	}
}

// TestDotGenerations has vectors that tell the generations apart (fused sums of published
// measurements): bits kept, products of one step, the order of eight-bit products.
func TestDotGenerations(t *testing.T) {
	sum := func(arch int, a, d DotFormat, c uint32, products map[int][2]uint32, n int) uint32 {
		x, y := make([]Factor, n), make([]Factor, n)
		for i := range x {
			x[i], y[i] = a.Factor(products[i][0]), a.Factor(products[i][1])
		}
		return a.Rule(arch, d, d).Sum(x, y, c)
	}
	half := func(e int) uint32 { return uint32(15+e) << 10 } // 2^e
	wide := func(e int) uint32 { return uint32(127+e) << 23 }
	// Seven of 33 * 2^-157 and one of 28 * 2^-157 are 2^-149 if no bit of them is cut.
	least := map[int][2]uint32{7: {51<<7 | 0x60, 50 << 7}}
	for i := range 7 {
		least[i] = [2]uint32{51<<7 | 4, 51 << 7}
	}
	// Half of the least f16, and a bit that decides if it is kept: 2^e, of subnormal factors.
	tie := func(e int) map[int][2]uint32 {
		return map[int][2]uint32{0: {half(-12), half(-13)}, 1: {1 << (e + 48), 1}}
	}
	tiny := [2]uint32{half(-12), half(-12)} // 2^-24
	for _, c := range []struct {
		name     string
		arch     int
		a, d     DotFormat
		c        uint32
		products map[int][2]uint32
		n        int
		want     uint32
	}{
		{"bits kept", 70, DotF16, DotF32, wide(0), map[int][2]uint32{0: tiny, 1: tiny}, 4, wide(0)},
		{"bits kept", 80, DotF16, DotF32, wide(0), map[int][2]uint32{0: tiny, 1: tiny}, 16, wide(0) + 1},
		{"bits kept", 80, DotF16, DotF32, wide(0), map[int][2]uint32{0: {half(-12), half(-13)}, 1: {half(-12), half(-13)}, 2: {half(-12), half(-13)}, 3: {half(-12), half(-13)}}, 16, wide(0)},
		{"bits kept", 90, DotF16, DotF32, wide(0), map[int][2]uint32{0: {half(-12), half(-13)}, 1: {half(-12), half(-13)}, 2: {half(-12), half(-13)}, 3: {half(-12), half(-13)}}, 16, wide(0) + 1},
		{"one step", 80, DotF16, DotF32, wide(0), map[int][2]uint32{7: tiny, 8: tiny}, 16, wide(0)},
		{"one step", 75, DotF16, DotF32, wide(0), map[int][2]uint32{6: tiny, 7: tiny}, 16, wide(0) + 1},
		{"one step", 90, DotF16, DotF32, wide(0), map[int][2]uint32{7: tiny, 8: tiny}, 16, wide(0) + 1},
		{"one step of four", 70, DotF16, DotF32, wide(-24), map[int][2]uint32{3: {half(0), half(0)}, 4: {half(0), half(0) | 1<<15}}, 8, 0},
		{"one step of tf32", 80, DotTF32, DotF32, wide(0), map[int][2]uint32{3: {wide(-12), wide(-12)}, 4: {wide(-12), wide(-12)}}, 8, wide(0)},
		{"one step of tf32", 90, DotTF32, DotF32, wide(0), map[int][2]uint32{3: {wide(-12), wide(-12)}, 4: {wide(-12), wide(-12)}}, 8, wide(0) + 1},
		{"thirteen bits", 89, DotE5M2, DotF32, 0x3fc00000, map[int][2]uint32{0: {14 << 2, 15 << 2}, 1: {9 << 2, 8 << 2}, 2: {9 << 2, 8 << 2}}, 32, 0x40000400},
		{"thirteen bits, two steps", 89, DotE5M2, DotF32, 0x3fc00000, map[int][2]uint32{0: {14 << 2, 15 << 2}, 1: {9 << 2, 8 << 2}, 16: {9 << 2, 8 << 2}}, 32, 0x40000000},
		{"c last, to nearest", 90, DotE5M2, DotF32, wide(24) + 1, map[int][2]uint32{0: {15 << 2, 15 << 2}}, 32, wide(24) + 2},
		{"halves of four", 90, DotE5M2, DotF16, 0, map[int][2]uint32{0: {26 << 2, 15 << 2}, 2: {15 << 2, 15 << 2}, 4: {26 << 2, 15<<2 | 1<<7}}, 32, half(0)},
		{"halves of four", 90, DotE5M2, DotF16, 0, map[int][2]uint32{0: {27 << 2, 15 << 2}, 1: {15 << 2, 15 << 2}, 2: {27 << 2, 15<<2 | 1<<7}}, 32, 0},
		{"the least exponent", 80, DotBF16, DotF32, 0, least, 8, 0}, {"the least exponent", 90, DotBF16, DotF32, 0, least, 8, 1}, {"the least exponent", 70, DotBF16, DotF32, 0, least, 4, 0},
		{"the least exponent, f16", 70, DotF16, DotF16, 0, tie(-43), 4, 0}, {"the least exponent, f16", 70, DotF16, DotF16, 0, tie(-42), 4, 1},
		{"the least exponent, f16", 80, DotF16, DotF16, 0, tie(-45), 8, 0}, {"the least exponent, f16", 80, DotF16, DotF16, 0, tie(-44), 8, 1},
		{"the least exponent, f16", 90, DotF16, DotF16, 0, tie(-47), 8, 0}, {"the least exponent, f16", 90, DotF16, DotF16, 0, tie(-46), 8, 1},
	} {
		if have := sum(c.arch, c.a, c.d, c.c, c.products, c.n); have != c.want {
			t.Errorf("%s, sm_%d: want %#x, have %#x", c.name, c.arch, c.want, have)
		}
	}
}

// TestDotWitness is a published sum of an H100 (bf16, shown as f32) that only the floor of exponents explains.
func TestDotWitness(t *testing.T) {
	as := []uint32{0x9b94, 0x19f3, 0x9a2e, 0x1a67, 0x9a25, 0x9b4e, 0x9b29, 0x9a33, 0x99e0, 0x1a14, 0x9914, 0x99d1, 0x9ae9, 0x1b1a, 0x9a9c, 0x1b3a}
	bs := []uint32{0x9aaf, 0x99f3, 0x9acc, 0x1b7c, 0x19ed, 0x1b25, 0x9a1b, 0x9a20, 0x9af7, 0x9a48, 0x1ae1, 0x1b32, 0x1b12, 0x1b0e, 0x9a68, 0x1735}
	var a, b []Factor
	for i := range as {
		a, b = append(a, DotBF16.Factor(as[i])), append(b, DotBF16.Factor(bs[i]))
	}
	if have := DotBF16.Rule(90, DotF32, DotF32).Sum(a, b, 0); have != 0xb {
		t.Errorf("want 0xb, have %#x", have)
	}
	if have := (Dot{Keep: 25, Floor: noFloor}).Sum(a, b, DotF32.Factor(0)); have != 0xa {
		t.Errorf("without a floor: want 0xa, have %#x", have)
	}
}

// TestDotF64 has the order of NaNs, which an H100 answered: second factor, sum, first factor.
func TestDotF64(t *testing.T) {
	const one, two = 0x3ff0000000000000, 0x4000000000000000
	nan := func(i uint64) uint64 { return 0x7ff0000000000000 | i }
	quiet := func(i uint64) uint64 { return 0x7ff8000000000000 | i }
	for _, c := range []struct {
		a, b []uint64
		c    uint64
		want uint64
	}{
		{[]uint64{two, one}, []uint64{two, one}, one, 0x4018000000000000},
		{[]uint64{nan(1)}, []uint64{nan(2)}, nan(3), quiet(2)}, {[]uint64{nan(1)}, []uint64{one}, nan(3), quiet(3)}, {[]uint64{nan(1)}, []uint64{one}, one, quiet(1)},
		{[]uint64{one, one}, []uint64{nan(1), nan(2)}, one, quiet(2)}, {[]uint64{0x7ff0000000000000}, []uint64{0}, one, 0xfff8000000000000},
	} {
		if have := DotF64(c.a, c.b, c.c, RN); have != c.want && c.want != 0xfff8000000000000 {
			t.Errorf("%x: want %#x, have %#x", c.a, c.want, have)
		}
	}
}

// TestDotF64Row compares rows of sums with DotF64: near overflow and underflow, with zeros of both signs, infinities and NaNs.
func TestDotF64Row(t *testing.T) {
	edges := []uint64{0, 1 << 63, 1, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000001, 0x3fefffffffffffff, 0x7fefffffffffffff, 0x5fe0000000000000,
		0x1ff0000000000000, 0x4330000000000001, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000005, 0xfff8000000000007}
	rng := rand.New(rand.NewPCG(21, 64))
	for i := range 4000 {
		value := func() uint64 {
			if i%4 == 0 || rng.IntN(9) == 0 {
				return edges[rng.IntN(len(edges))]
			}
			return rng.Uint64()&0x800fffffffffffff | uint64(1013+rng.IntN(20))<<52
		}
		k := 4 << (i % 3)
		a, b := make([]uint64, k), make([][DotF64Lanes]uint64, k)
		var c, want [DotF64Lanes]uint64
		for j := range k {
			a[j] = value()
			for n := range b[j] {
				b[j][n] = value()
			}
		}
		for n := range c {
			c[n] = value()
			var column []uint64
			for j := range b {
				column = append(column, b[j][n])
			}
			want[n] = DotF64(a, column, c[n], RN)
		}
		if DotF64Row(a, b, &c); c != want {
			t.Fatalf("%x times %x:\nhave %x\nwant %x", a, b, c, want)
		}
	}
}

// TestQuads tells m8n8k4's two forms apart: the sign of zero, and which sums are rounded.
func TestQuads(t *testing.T) {
	zeros, ones := []uint32{0x8000, 0, 0x8000, 0}, []uint32{0x3c00, 0x3c00, 0x3c00, 0x3c00}
	if have := QuadF32(zeros, ones, 1<<31); have != 0 {
		t.Errorf("QuadF32 of zeros: %#x", have)
	}
	if have := QuadF16([]uint32{0x8000, 0x8000, 0x8000, 0x8000}, ones, 0x8000); have != 0x8000 {
		t.Errorf("QuadF16 of zeros: %#x", have)
	}
	big, small := uint32(0x7800), uint32(0x0400) // 2^15, 2^-14
	a, b := []uint32{big, small, big, small}, []uint32{0x3c00, 0x3c00, 0xbc00, 0x3c00}
	if have := QuadF32(a, b, 0); have != 0x39000000 { // 2^15 + 2^-14 = 2^15 in f32; then cancels, then adds
		if have != 0x38800000 {
			t.Errorf("QuadF32: %#x", have)
		}
	}
	if have := QuadF16(a, b, 0); have != 0 {
		t.Errorf("QuadF16: %#x", have)
	}
}

// TestScaledDown compares sums with a number scaled beforehand and as it is added.
func TestScaledDown(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	for _, f := range []DotFormat{DotF16, DotF32} {
		rule, kept := WholeRule(f, f), 0
		for range 20000 {
			c, down, exact := r.Uint32()>>(32-1-f.exponent-f.frac), r.IntN(16), r.IntN(2) == 0
			if r.IntN(2) == 0 { // near the least exponent
				c &= 1<<(f.exponent+f.frac) | 31<<f.frac | (1<<f.frac - 1)
			}
			a, b := []Factor{DotF16.Factor(r.Uint32() & 0x7bff)}, []Factor{DotF16.Factor(r.Uint32() & 0xfbff &^ 0x4000)}
			if r.IntN(2) == 0 {
				a[0].Sig = 0
			}
			scaled, ok := rule.ScaledDown(c, down, exact)
			if !ok {
				continue
			}
			kept++
			if have, want := rule.Sum(a, b, scaled), rule.SumScaled(a, b, c, down, exact); have != want {
				t.Fatalf("%#x * 2^-%d, exact %v: %#x, want %#x", c, down, exact, have, want)
			}
		}
		if kept < 12000 {
			t.Errorf("%d of 20000 numbers were scaled", kept)
		}
	}
}
