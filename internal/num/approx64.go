// The approximate f64 forms (9.7.3.14, 9.7.3.17): the special function unit on
// the upper word, and the sequence that rsqrt.approx.f64 adds to it.

package num

import "math"

// nanRcp64 is the NaN of the .approx.ftz.f64 forms.
const nanRcp64 = 0x7fffffff00000000

// upper returns the upper word of a as an f64 with the lower one zero,
// subnormals flushed.
func upper(a uint64) uint64 {
	if a&infF64 == 0 {
		return a & signF64
	}
	return a &^ (1<<32 - 1)
}

// roundUpper rounds to 20 fraction bits, ties to even; what has a lower word of zero stays.
func roundUpper(u uint64) uint64 { return cutUpper(u + 1<<31 - 1 + u>>32&1) }

// cutUpper cuts to 20 fraction bits.
func cutUpper(u uint64) uint64 { return u &^ (1<<32 - 1) }

// RcpApproxFtzF64 is rcp.approx.ftz.f64. How the unit rounds is a guess (sfu-f64): to
// nearest, or down.
func RcpApproxFtzF64(a uint64) uint64  { return roundUpper(rcpUpper(a)) }
func RcpApproxDownF64(a uint64) uint64 { return cutUpper(rcpUpper(a)) }

// rcpUpper is the reciprocal before it is cut to the upper word.
func rcpUpper(a uint64) uint64 {
	x, sign := upper(a), a&signF64
	switch {
	case isNaNF64(a):
		return nanRcp64
	case x&magF64 == 0:
		return sign | infF64
	case x&magF64 == infF64:
		return sign
	}
	d := 1 / f64(x&magF64)
	if d < 0x1p-1022 {
		return sign
	}
	return sign | math.Float64bits(d)
}

// RsqrtApproxFtzF64 is rsqrt.approx.ftz.f64, rounded as RcpApproxFtzF64.
func RsqrtApproxFtzF64(a uint64) uint64     { return roundUpper(rsqrtUpper(a)) }
func RsqrtApproxFtzDownF64(a uint64) uint64 { return cutUpper(rsqrtUpper(a)) }

// rsqrtUpper is the result before it is cut to the upper word.
func rsqrtUpper(a uint64) uint64 {
	x := upper(a)
	switch {
	case isNaNF64(a):
		return nanRcp64
	case x&magF64 == 0:
		return a&signF64 | infF64
	case a&signF64 != 0:
		return nanRcp64
	case x == infF64:
		return 0
	}
	return math.Float64bits(1 / math.Sqrt(f64(x)))
}

// RsqrtApproxF64 is rsqrt.approx.f64: one cubic step from the unit's result,
// with subnormals scaled by 2^54, in the order of the machine code.
func RsqrtApproxF64(a uint64) uint64     { return rsqrtF64(a, RsqrtApproxFtzF64) }
func RsqrtApproxDownF64(a uint64) uint64 { return rsqrtF64(a, RsqrtApproxFtzDownF64) }

func rsqrtF64(a uint64, unit func(uint64) uint64) uint64 {
	switch {
	case isNaNF64(a):
		return a | 1<<51
	case a&magF64 == 0:
		return a | infF64
	case a&signF64 != 0:
		return signF64 | infF64 | 1<<51
	case a == infF64:
		return 0
	case a&infF64 == 0:
		return math.Float64bits(rsqrtStep(f64(a)*0x1p54, unit) * 0x1p27)
	}
	return math.Float64bits(rsqrtStep(f64(a), unit))
}

// rsqrtStep refines the unit's result y by y + (0.5 + 0.375 e)(y e), e = 1 - x y².
func rsqrtStep(x float64, unit func(uint64) uint64) float64 {
	y := f64(unit(math.Float64bits(x)))
	e := math.FMA(x, -float64(y*y), 1)
	return math.FMA(math.FMA(e, 0.375, 0.5), float64(y*e), y)
}
