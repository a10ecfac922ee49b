// This file has the exact float operations that the references need beyond Go's own: fused multiply-add
// in f32, f16 and bf16, and the conversions. Each computes exactly and rounds once.

package corpus

import "math"

// oddSum returns a+b rounded to odd: a further rounding to 50 bits or fewer is then as of the exact sum.
func oddSum(a, b float64) float64 {
	s := a + b
	t := s - a
	rest := (a - (s - t)) + (b - t) // exact error of s (Knuth)
	bits := math.Float64bits(s)
	if rest == 0 || math.IsNaN(rest) || bits&1 == 1 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// fma32 is fma.rn.f32: the product of two f32 is exact in f64.
func fma32(a, b, c float32) float32 {
	return float32(oddSum(float64(float64(a)*float64(b)), float64(c)))
}

// fma32 is a*b+c in f32 as the compiler writes it for the target.
func (t Target) fma32(a, b, c float32) float32 {
	if t.Debug {
		return float32(a*b) + c
	}
	return fma32(a, b, c)
}

// fma64 is a*b+c in f64 as the compiler writes it for the target.
func (t Target) fma64(a, b, c float64) float64 {
	if t.Debug {
		return float64(a*b) + c
	}
	return math.FMA(a, b, c)
}

// sqrt32 is sqrt.rn.f32: 53 bits are enough to round twice.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// halfValue widens a half.
func halfValue(h half) float64 {
	mag := int(h & 0x7fff)
	v := math.Ldexp(float64(mag&0x3ff|0x400), max(mag>>10, 1)-25)
	switch {
	case mag == 0x7c00:
		v = math.Inf(1)
	case mag > 0x7c00:
		v = math.NaN()
	case mag < 0x400:
		v = math.Ldexp(float64(mag), -24)
	}
	if h&0x8000 != 0 {
		return -v
	}
	return v
}

// roundHalf is cvt.rn.f16 of a number.
func roundHalf(v float64) half {
	sign := half(math.Float64bits(v) >> 48 & 0x8000)
	v = math.Abs(v)
	if v >= 65520 { // half way beyond the largest half
		return sign | 0x7c00
	}
	_, exp := math.Frexp(v) // v in [2^(exp-1), 2^exp)
	exp = max(exp-1, -14)
	mant := int(math.RoundToEven(math.Ldexp(v, 10-exp)))
	if mant < 0x400 {
		return sign | half(mant)
	}
	return sign | half((exp+14)<<10+mant) // a mantissa of 2^11 carries into the exponent
}

// fmaHalf is fma.rn.f16 of numbers.
func fmaHalf(a, b, c half) half {
	return roundHalf(oddSum(float64(halfValue(a)*halfValue(b)), halfValue(c)))
}

// bfloatValue widens a bfloat16.
func bfloatValue(b bfloat) float32 { return math.Float32frombits(uint32(b) << 16) }

// roundBfloat is cvt.rn.bf16.f32 of a number.
func roundBfloat(v float32) bfloat {
	bits := math.Float32bits(v)
	return bfloat((bits + 0x7fff + bits>>16&1) >> 16)
}

// fmaBfloat is fma.rn.bf16 of numbers: rounded to odd in f64 and again in f32, then once to bf16.
func fmaBfloat(a, b, c bfloat) bfloat {
	exact := oddSum(float64(float64(bfloatValue(a))*float64(bfloatValue(b))), float64(bfloatValue(c)))
	return roundBfloat(oddFloat32(exact))
}

// oddFloat32 rounds to f32, to odd where it is inexact.
func oddFloat32(v float64) float32 {
	f := float32(v)
	if float64(f) == v || math.Float32bits(f)&1 == 1 {
		return f
	}
	if math.Abs(float64(f)) > math.Abs(v) {
		return math.Float32frombits(math.Float32bits(f) - 1)
	}
	return math.Float32frombits(math.Float32bits(f) + 1)
}
