// The special function unit against a reference implementation: the formulas of 4.3 of the fact sheet on
// exact values, with fixed-point operands made by scaling instead of shifting.

package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// sfuSquare is the truncated square, bit by bit.
func sfuSquare(x uint64) (sum int64) {
	for i := range 17 {
		if x>>i&1 != 0 {
			sum += int64(x >> (18 - i))
		}
	}
	return sum >> 1
}

// sfuQuad is c0·2^s0 + c1·r + c2·sq·2^s2.
func sfuQuad(c coeff, s0, s2 int, r uint64, sq int64) int64 {
	return c.c0*(1<<s0) + c.c1*int64(r) + c.c2*sq*(1<<s2)
}

// sfuResult is m·2^e as an f32: too small gives zero, too large infinity.
func sfuResult(neg bool, m int64, e int) uint32 {
	d := math.Ldexp(float64(m), e)
	if d < 0x1p-126 {
		d = 0
	}
	if neg {
		d = math.Copysign(d, -1)
	}
	if math.Abs(d) >= 0x1p128 {
		d = math.Inf(int(d))
	}
	return math.Float32bits(float32(d))
}

// sfuTruncate is t·2^-frac, cut to 24 bits.
func sfuTruncate(neg bool, t int64, frac int) uint32 {
	if t == 0 {
		return sfuResult(neg, 0, 0)
	}
	cut := big.NewInt(t).BitLen() - 24
	return sfuResult(neg, int64(math.Floor(math.Ldexp(float64(t), -cut))), cut-frac)
}

// sfuParts splits a normal operand: its exponent and 23 fraction bits.
func sfuParts(x float64) (e int, f uint64) {
	fr, exp := math.Frexp(math.Abs(x))
	return exp - 1, uint64(math.Ldexp(fr, 24)) - 1<<23
}

func slowRcp(x float64) uint32 {
	if x == 0 || math.IsInf(x, 0) {
		return math.Float32bits(float32(1 / x))
	}
	e, f := sfuParts(x)
	r := f % (1 << 16)
	m := (sfuQuad(sfuRcp[f>>16], 13, 0, r, sfuSquare(2*r)) + 0x47e7) >> 15
	return sfuResult(x < 0, m, -1-e-23)
}

func slowRsq(x float64) uint32 {
	switch {
	case x == 0:
		return math.Float32bits(float32(1 / x))
	case x < 0:
		return nanF32
	case math.IsInf(x, 0):
		return 0
	}
	e, f := sfuParts(x)
	h := int(math.Floor(float64(e) / 2))
	if e != 2*h {
		f += 1 << 23
	}
	if f == 0 {
		return sfuResult(false, 1, -h)
	}
	r := f % (1 << 17)
	m := (sfuQuad(sfuRsqrt[f>>17], 14, 2, r, sfuSquare(r)) + 0x7fff) >> 16
	return sfuResult(false, m, -1-h-23)
}

func slowSqrt(x float64) uint32 {
	switch {
	case x == 0 || math.IsInf(x, 1):
		return math.Float32bits(float32(x))
	case x < 0:
		return nanF32
	}
	e, f := sfuParts(x)
	h := int(math.Floor(float64(e) / 2))
	if e != 2*h {
		f += 1 << 23
	}
	r := f % (1 << 17)
	m := (sfuQuad(sfuSqrt[f>>17], 15, 1, r, sfuSquare(r)) + 0xffff) >> 17
	return sfuResult(false, m, h-23)
}

// slowTanh finds the segment by walking: octaves from 2^-8 on have so many of equal width.
func slowTanh(x float64) uint32 {
	mag := math.Abs(x)
	if mag < 0x1p-8 {
		return math.Float32bits(float32(x))
	}
	low, segment := 0x1p-8, 0
	for _, n := range []int{1, 1, 1, 2, 2, 4, 4, 4, 8, 16, 8} {
		width := low / float64(n)
		for range n {
			if mag < low+width {
				r := uint64(math.Floor((mag - low) / width * (1 << 17)))
				return sfuTruncate(x < 0, sfuQuad(sfuTanh[segment], 16, 0, r, sfuSquare(r)), 40)
			}
			low, segment = low+width, segment+1
		}
	}
	return math.Float32bits(float32(math.Copysign(1, x)))
}

func slowEx2(x float64) uint32 {
	switch {
	case x >= 128:
		return infF32
	case x <= -128:
		return 0
	}
	n, part := math.Modf(math.Floor(math.Abs(x)*0x1p23) / 0x1p23)
	f := uint64(part * 0x1p23)
	if x < 0 {
		n = -n
		if f != 0 { // the ones' complement, not the two's
			n, f = n-1, 1<<23-1-f
		}
	}
	r := f % (1 << 17)
	m := (sfuQuad(sfuEx2[f>>17], 13, 0, r, sfuSquare(r)) + 0x77e2) >> 15
	return sfuResult(false, m, int(n)-23)
}

func slowLg2(x float64) uint32 {
	switch {
	case x == 0:
		return infF32 | signF32
	case x < 0:
		return nanF32
	case x == 1:
		return 0
	case math.IsInf(x, 0):
		return infF32
	}
	e, f := sfuParts(x)
	r := f % (1 << 17)
	t := (sfuQuad(sfuLg2[f>>17], 12, 1, r, sfuSquare(r))+0x3345)>>2 + int64(e)*(1<<36)
	if t < 0 {
		return sfuTruncate(true, ^t, 36)
	}
	return sfuTruncate(false, t, 36)
}

// slowTurn is sin or cos of x turns.
func slowTurn(x float64, cos bool) uint32 {
	if math.IsInf(x, 0) {
		return nanF32
	}
	fix := uint64(math.Mod(math.Floor(math.Abs(x)*0x1p25), 0x1p25))
	q, f, neg := fix>>23, fix%(1<<23), math.Signbit(x)
	if cos {
		q, neg = q+1, false
	}
	if q%2 == 1 {
		f = 1<<23 - 1 - f
	}
	r := f % (1 << 17)
	t := sfuQuad(sfuSin[f>>17], 11, 0, r, sfuSquare(r))
	return sfuTruncate(neg != (q/2%2 == 1), t, 37)
}

func TestSfuReferences(t *testing.T) {
	o, r := newOracle(fmtF32), rand.New(rand.NewPCG(24, 24))
	operands := o.edges()
	for range scale(12000) {
		v := o.sample(r)
		if r.IntN(2) == 0 { // where ex2, sin and cos are not trivial
			v = v&^o.inf() | o.one() + r.Uint64N(12)<<23 - r.Uint64N(30)<<23
		}
		operands = append(operands, v)
	}
	for name, w := range map[string]struct {
		fast func(uint32) uint32
		slow func(float64) uint32
	}{
		"rcp": {mufuRcp, slowRcp}, "rsq": {mufuRsq, slowRsq}, "sqrt": {mufuSqrt, slowSqrt}, "ex2": {mufuEx2, slowEx2}, "lg2": {mufuLg2, slowLg2},
		"sin": {mufuSin, func(x float64) uint32 { return slowTurn(x, false) }},
		"cos": {mufuCos, func(x float64) uint32 { return slowTurn(x, true) }}, "tanh": {mufuTanh, slowTanh},
	} {
		for _, v := range operands {
			want := uint32(nanF32)
			if !o.isNaN(v) {
				want = w.slow(f32(uint32(o.flush(v))))
			}
			if name == "tanh" && !o.isNaN(v) { // flushes nothing
				want = slowTanh(f32(uint32(v)))
			}
			if got := w.fast(uint32(v)); got != want {
				t.Errorf("%s of %x = %x, want %x", name, v, got, want)
				break
			}
		}
	}
}
