package ssa

import "math"

// This file has evaluators of conversions of floats. A NaN is quieted and keeps the bits of its payload that have a place.

const quietDouble = 1 << 51

// whole rounds to an integral value.
func whole(how Rounding, v float64) float64 {
	switch how {
	case Nearest:
		return math.RoundToEven(v)
	case Down:
		return math.Floor(v)
	case Up:
		return math.Ceil(v)
	}
	return math.Trunc(v)
}

func roundFloat(t Type, how, a, _, _ uint64) uint64 {
	switch v := whole(how, float(t, a)); {
	case t == W:
		return uint64(math.Float32bits(float32(v)))
	case NaN(X, a):
		return a | quietDouble
	default:
		return math.Float64bits(v)
	}
}

// truncated is an integer of 32 bits; one that has none of its own is the least.
func truncated(t Type, _, a, _, _ uint64) uint64 {
	if v := math.Trunc(float(t, a)); v >= -1<<31 && v < 1<<31 {
		return uint64(int32(v))
	}
	return 1 << 31
}

func widenFloat(_ Type, _, a, _, _ uint64) uint64 {
	if v := float(W, a); !math.IsNaN(v) {
		return math.Float64bits(v)
	}
	return a>>31<<63 | 0x7ff<<52 | quietDouble | a&(1<<23-1)<<29
}

func narrowDouble(_ Type, _, a, _, _ uint64) uint64 {
	if NaN(X, a) {
		return a>>63<<31 | 0x7fc00000 | a>>29&(1<<22-1)
	}
	return uint64(math.Float32bits(float32(float(X, a))))
}

func widenHalf(_ Type, _, a, _, _ uint64) uint64 {
	sign, exp, man := a>>15&1<<31, a>>10&31, a&(1<<10-1)
	switch {
	case exp == 31 && man != 0:
		return sign | 0x7fc00000 | man<<13
	case exp == 31:
		return sign | 0x7f800000
	case exp == 0:
		return sign | uint64(math.Float32bits(float32(math.Ldexp(float64(man), -24))))
	}
	return sign | (exp+127-15)<<23 | man<<13
}

// narrowToHalf rounds to a multiple of the last place that f16 has there.
func narrowToHalf(_ Type, how, a, _, _ uint64) uint64 {
	const most = 65504
	sign, v := a>>31<<15, float(W, a)
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00 | a>>13&(1<<10-1)
	case math.IsInf(v, 0):
		return sign | 0x7c00
	case v == 0:
		return sign
	}
	_, exp := math.Frexp(v)
	last := max(exp-11, -24) // of 2^(exp-1) and above
	v = whole(how, math.Ldexp(v, -last))
	n, size := uint64(math.Abs(v)), math.Ldexp(math.Abs(v), last)
	switch toward := how == Zero || how == Down && sign == 0 || how == Up && sign != 0; {
	case size > most && toward:
		return sign | 0x7bff
	case size > most:
		return sign | 0x7c00
	}
	return sign | n + uint64(last+24)<<10 // whose highest bit adds one to the exponent
}
