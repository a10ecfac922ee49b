// f64 arithmetic: host floats for nearest, the integers of soft.go for the
// directed modes. f64 has no .ftz and keeps NaN payloads (1.3 of the IEEE
// notes in 9.7.3): which operand wins is an assumption
// (nan-order-f64).

package num

import "math"

const (
	signF64 = 1 << 63
	magF64  = signF64 - 1
	infF64  = 0x7ff0000000000000
	oneF64  = 0x3ff0000000000000
)

// f64 reads bits as a float64.
func f64(a uint64) float64 { return math.Float64frombits(a) }

// isNaNF64 reports whether a is a NaN.
func isNaNF64(a uint64) bool { return a&magF64 > infF64 }

// SatF64 clamps to [0, 1]; NaN and -0 become +0 (cvt.sat).
func SatF64(a uint64) uint64 {
	if !(f64(a) > 0) {
		return 0
	}
	return min(a, oneF64)
}

// AddF64 is add.rn.f64.
func AddF64(a, b uint64) uint64 {
	d := f64(a) + f64(b)
	if d != d {
		return fmtF64.Add(a, b, RN, false)
	}
	return math.Float64bits(d)
}

// SubF64 is sub.rn.f64.
func SubF64(a, b uint64) uint64 {
	d := f64(a) - f64(b)
	if d != d {
		return fmtF64.Sub(a, b, RN, false)
	}
	return math.Float64bits(d)
}

// MulF64 is mul.rn.f64.
func MulF64(a, b uint64) uint64 {
	d := f64(a) * f64(b)
	if d != d {
		return fmtF64.Mul(a, b, RN, false)
	}
	return math.Float64bits(d)
}

// FmaF64 is fma.rn.f64.
func FmaF64(a, b, c uint64) uint64 {
	d := math.FMA(f64(a), f64(b), f64(c))
	if d != d {
		return fmtF64.Fma(a, b, c, RN, false)
	}
	return math.Float64bits(d)
}

// DivF64 is div.rn.f64.
func DivF64(a, b uint64) uint64 {
	d := f64(a) / f64(b)
	if d != d {
		return fmtF64.Div(a, b, RN, false)
	}
	return math.Float64bits(d)
}

// RcpF64 is rcp.rn.f64.
func RcpF64(a uint64) uint64 {
	d := 1 / f64(a)
	if d != d {
		return fmtF64.Div(oneF64, a, RN, false)
	}
	return math.Float64bits(d)
}

// SqrtF64 is sqrt.rn.f64.
func SqrtF64(a uint64) uint64 {
	d := math.Sqrt(f64(a))
	if d != d {
		return fmtF64.Sqrt(a, RN, false)
	}
	return math.Float64bits(d)
}

// The general forms, in any mode.
func AddModeF64(a, b uint64, m Mode) uint64    { return fmtF64.Add(a, b, m, false) }
func SubModeF64(a, b uint64, m Mode) uint64    { return fmtF64.Sub(a, b, m, false) }
func MulModeF64(a, b uint64, m Mode) uint64    { return fmtF64.Mul(a, b, m, false) }
func FmaModeF64(a, b, c uint64, m Mode) uint64 { return fmtF64.Fma(a, b, c, m, false) }
func DivModeF64(a, b uint64, m Mode) uint64    { return fmtF64.Div(a, b, m, false) }
func RcpModeF64(a uint64, m Mode) uint64       { return fmtF64.Div(oneF64, a, m, false) }
func SqrtModeF64(a uint64, m Mode) uint64      { return fmtF64.Sqrt(a, m, false) }

// Comparisons, as for f32.
func EqF64(a, b uint64) bool  { return f64(a) == f64(b) }
func LtF64(a, b uint64) bool  { return f64(a) < f64(b) }
func LeF64(a, b uint64) bool  { return f64(a) <= f64(b) }
func GtF64(a, b uint64) bool  { return f64(a) > f64(b) }
func GeF64(a, b uint64) bool  { return f64(a) >= f64(b) }
func NeF64(a, b uint64) bool  { return LtF64(a, b) || GtF64(a, b) }
func EquF64(a, b uint64) bool { return !NeF64(a, b) }
func NeuF64(a, b uint64) bool { return !EqF64(a, b) }
func LtuF64(a, b uint64) bool { return !GeF64(a, b) }
func LeuF64(a, b uint64) bool { return !GtF64(a, b) }
func GtuF64(a, b uint64) bool { return !LeF64(a, b) }
func GeuF64(a, b uint64) bool { return !LtF64(a, b) }
func NumF64(a, b uint64) bool { return !isNaNF64(a) && !isNaNF64(b) }
func NanF64(a, b uint64) bool { return isNaNF64(a) || isNaNF64(b) }

// AbsF64 and NegF64 edit the sign bit alone; NaN bits pass (9.7.3.9; assumption absneg-f64).
func AbsF64(a uint64) uint64 { return a & magF64 }
func NegF64(a uint64) uint64 { return a ^ signF64 }

// AbsQuietF64 and NegQuietF64 leave a NaN its sign and quiet it, as the addition does that they are
// in machine code (an H100).
func AbsQuietF64(a uint64) uint64 { return orQuietF64(a, AbsF64(a)) }
func NegQuietF64(a uint64) uint64 { return orQuietF64(a, NegF64(a)) }

// orQuietF64 is d, or a NaN a with its quiet bit set.
func orQuietF64(a, d uint64) uint64 {
	if isNaNF64(a) {
		return a | 1<<51
	}
	return d
}

// CopysignF64 returns the magnitude of b with the sign of a.
func CopysignF64(a, b uint64) uint64 { return a&signF64 | b&magF64 }

// MinF64 is min.f64: the other operand of a NaN, b quieted if both are NaN.
func MinF64(a, b uint64) uint64 {
	if f64(a) < f64(b) {
		return a
	}
	if f64(a) > f64(b) {
		return b
	}
	return sameF64(a, b, a|b)
}

// MaxF64 is max.f64.
func MaxF64(a, b uint64) uint64 {
	if f64(a) > f64(b) {
		return a
	}
	if f64(a) < f64(b) {
		return b
	}
	return sameF64(a, b, a&b)
}

// sameF64 finishes min and max where no operand is smaller.
func sameF64(a, b, eq uint64) uint64 {
	switch {
	case isNaNF64(a) && isNaNF64(b):
		return b | 1<<51
	case isNaNF64(a):
		return b
	case isNaNF64(b):
		return a
	}
	return eq
}

// testp, as for f32.
func FiniteF64(a uint64) bool     { return a&infF64 != infF64 }
func InfiniteF64(a uint64) bool   { return a&magF64 == infF64 }
func NumberF64(a uint64) bool     { return !isNaNF64(a) }
func NotANumberF64(a uint64) bool { return isNaNF64(a) }
func SubnormalF64(a uint64) bool  { return a&infF64 == 0 && a&magF64 != 0 }
func NormalF64(a uint64) bool     { return FiniteF64(a) && !SubnormalF64(a) }
