// The approximate f64 forms (9.7.3.14, 9.7.3.17): the special function unit on
// the upper word, and the sequence that rsqrt.approx.f64 adds to it.

package num

import "math"

// nanRcp64 is the NaN of the .approx.ftz.f64 forms.
const nanRcp64 = 0x7fffffff00000000

// upper is what the unit takes of an operand: the upper word, which alone says what is a NaN,
// with zero below it; zero for a subnormal number.
func upper(a uint64) uint64 {
	if a&infF64 == 0 {
		return a & signF64
	}
	return a &^ (1<<32 - 1)
}

// rcpSpecial is the reciprocal of a NaN, zero or infinity.
func rcpSpecial(x uint64) (d uint64, ok bool) {
	switch mag := x & magF64; {
	case mag > infF64:
		return nanRcp64, true
	case mag == infF64:
		return x & signF64, true
	}
	return x | infF64, x&magF64 == 0
}

// rsqrtSpecial is the result for those and for what is below zero.
func rsqrtSpecial(x uint64) (d uint64, ok bool) {
	switch {
	case x&magF64 == 0:
		return x | infF64, true
	case x > infF64:
		return nanRcp64, true
	}
	return 0, x == infF64
}

// RcpApproxFtzF64 is rcp.approx.ftz.f64, MUFU.RCP64H: the table of f32 on the 20 fraction bits
// of the upper word, cut to 20 bits.
func RcpApproxFtzF64(a uint64) uint64 {
	x := upper(a)
	if d, ok := rcpSpecial(x); ok {
		return d
	}
	e, m := int32(x>>52&0x7ff), mufuRcp(oneF32|uint32(x>>32)<<3&0x7fffff)
	return upperF64(x&signF64, 2046-e, m)
}

// RsqrtApproxFtzF64 is rsqrt.approx.ftz.f64, MUFU.RSQ64H, likewise.
func RsqrtApproxFtzF64(a uint64) uint64 {
	x := upper(a)
	if d, ok := rsqrtSpecial(x); ok {
		return d
	}
	e := int32(x>>52) - 1023
	m := mufuRsq(oneF32 + uint32(e&1)<<23 | uint32(x>>32)<<3&0x7fffff)
	return upperF64(0, 1023-e>>1, m)
}

// upperF64 is an f32 between 1/2 and 1, cut to 20 fraction bits, as an f64 of which 1 has the
// exponent e; too small is zero.
func upperF64(sign uint64, e int32, m uint32) uint64 {
	e += int32(m>>23) - 127
	if e <= 0 {
		return sign
	}
	return sign | uint64(e)<<52 | uint64(m>>3&0xfffff)<<32
}

// RsqrtApproxF64 is rsqrt.approx.f64: one cubic step from the unit's result,
// with subnormals scaled by 2^54, in the order of the machine code.
func RsqrtApproxF64(a uint64) uint64 { return rsqrtF64(a, RsqrtApproxFtzF64) }

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
