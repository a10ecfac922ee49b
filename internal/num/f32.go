// f32 arithmetic on host floats: exact sums and products in float64, rounded
// once. Every function here is compared with the integer arithmetic of soft.go.
//
// The products of two f32 values are exact in float64, so writing
// float64(x*y) + z leaves nothing for a fused multiply-add to change.

package num

import "math"

const (
	nanF32  = 0x7fffffff // the NaN of every f32 operation (1.3)
	signF32 = 1 << 31
	magF32  = signF32 - 1
	infF32  = 0x7f800000
	oneF32  = 0x3f800000

	// minF32 is the smallest normal f32, 2^-126.
	minF32 = 0x1p-126
)

// f32 reads bits as float64, exactly.
func f32(a uint32) float64 { return float64(math.Float32frombits(a)) }

// isNaNF32 reports whether a is a NaN.
func isNaNF32(a uint32) bool { return a&magF32 > infF32 }

// putF32 returns the bits of f, with any NaN replaced by the canonical one.
func putF32(f float32) uint32 {
	if f != f {
		return nanF32
	}
	return math.Float32bits(f)
}

// FtzF32 flushes a subnormal to a zero of its sign (.ftz operands).
func FtzF32(a uint32) uint32 {
	if a&infF32 == 0 {
		return a & signF32
	}
	return a
}

// SatF32 clamps to [0, 1]; NaN and -0 become +0 (.sat).
func SatF32(a uint32) uint32 {
	f := math.Float32frombits(a)
	if !(f > 0) {
		return 0
	}
	return min(a, oneF32) // positive floats order as their bits
}

// AddF32 is add.rn.f32.
func AddF32(a, b uint32) uint32 {
	return putF32(math.Float32frombits(a) + math.Float32frombits(b))
}

// SubF32 is sub.rn.f32.
func SubF32(a, b uint32) uint32 {
	return putF32(math.Float32frombits(a) - math.Float32frombits(b))
}

// MulF32 is mul.rn.f32.
func MulF32(a, b uint32) uint32 {
	return putF32(math.Float32frombits(a) * math.Float32frombits(b))
}

// FmaF32 is fma.rn.f32. Rounding the float64 sum s to float32 is wrong only
// where s was itself rounded onto a midpoint of two f32 values. Midpoints,
// those of subnormals too, have 28 low zero bits; there the error of the sum
// (two-sum, as in oddSum) says to which side the exact value lies.
func FmaF32(a, b, c uint32) uint32 {
	p, z := f32(a)*f32(b), f32(c)
	s := float64(p) + z
	if u := math.Float64bits(s); u<<36 == 0 {
		t := s - p
		if e := (p - (s - t)) + (z - t); e < 0 || e > 0 {
			s = math.Float64frombits(u + uint64(int64(math.Float64bits(e)^u)>>63|1))
		}
	}
	return putF32(float32(s))
}

// oddSum returns p + c rounded to odd: when the sum is inexact its last bit is
// set, so rounding it again to at most 51 bits is as good as rounding the
// exact sum once. The error term is Knuth's two-sum.
func oddSum(p, c float64) float64 {
	s := p + c
	t := s - p
	e := (p - (s - t)) + (c - t)
	u := math.Float64bits(s)
	if e == 0 || u&1 != 0 || e != e {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// roundF32 rounds s, exact or rounded to odd, to f32. With ftz a magnitude
// below 2^-126 becomes a zero of its sign.
func roundF32(s float64, m Mode, ftz bool) uint32 {
	if s != s {
		return nanF32
	}
	if ftz && math.Abs(s) < minF32 {
		return uint32(math.Float64bits(s)>>32) & signF32
	}
	f := float32(s)
	u := math.Float32bits(f)
	if m == RN {
		return u
	}
	got, want := math.Abs(float64(f)), math.Abs(s)
	switch away := m.away(math.Signbit(s)); {
	case got < want && away:
		u++ // MAX becomes infinity
	case got > want && !away:
		u-- // infinity becomes MAX
	}
	return u
}

// sumF32 rounds p + c once, with the sign of an exact zero by IEEE 754.
func sumF32(p, c float64, m Mode, ftz bool) uint32 {
	s := oddSum(p, c)
	if s == 0 && m == RM && math.Signbit(p) != math.Signbit(c) {
		return signF32
	}
	return roundF32(s, m, ftz)
}

// ftzIf flushes a if ftz.
func ftzIf(a uint32, ftz bool) uint32 {
	if ftz {
		return FtzF32(a)
	}
	return a
}

// AddModeF32 is add.f32 in any mode.
func AddModeF32(a, b uint32, m Mode, ftz bool) uint32 {
	return sumF32(f32(ftzIf(a, ftz)), f32(ftzIf(b, ftz)), m, ftz)
}

// SubModeF32 is sub.f32 in any mode.
func SubModeF32(a, b uint32, m Mode, ftz bool) uint32 {
	return AddModeF32(a, b^signF32, m, ftz)
}

// MulModeF32 is mul.f32 in any mode; the product is exact in float64.
func MulModeF32(a, b uint32, m Mode, ftz bool) uint32 {
	return roundF32(f32(ftzIf(a, ftz))*f32(ftzIf(b, ftz)), m, ftz)
}

// FmaModeF32 is fma.f32 in any mode.
func FmaModeF32(a, b, c uint32, m Mode, ftz bool) uint32 {
	p := f32(ftzIf(a, ftz)) * f32(ftzIf(b, ftz))
	return sumF32(p, f32(ftzIf(c, ftz)), m, ftz)
}

// DivModeF32 is div.rnd.f32. A quotient of two 24-bit numbers that is not an
// f32 value or midpoint stays 2^-50 away from all of them, so rounding the
// float64 quotient again is exact.
func DivModeF32(a, b uint32, m Mode, ftz bool) uint32 {
	return roundF32(f32(ftzIf(a, ftz))/f32(ftzIf(b, ftz)), m, ftz)
}

// RcpModeF32 is rcp.rnd.f32.
func RcpModeF32(a uint32, m Mode, ftz bool) uint32 { return DivModeF32(oneF32, a, m, ftz) }

// SqrtModeF32 is sqrt.rnd.f32; the argument of DivModeF32 holds for roots.
func SqrtModeF32(a uint32, m Mode, ftz bool) uint32 {
	return roundF32(math.Sqrt(f32(ftzIf(a, ftz))), m, ftz)
}

// AddFtzF32 is add.rn.ftz.f32. Sums below 2^-126 are exact, so the result may
// be flushed after rounding.
func AddFtzF32(a, b uint32) uint32 { return FtzF32(AddF32(FtzF32(a), FtzF32(b))) }

// SubFtzF32 is sub.rn.ftz.f32.
func SubFtzF32(a, b uint32) uint32 { return FtzF32(SubF32(FtzF32(a), FtzF32(b))) }

// MulFtzF32 is mul.rn.ftz.f32: the exact product decides about flushing.
func MulFtzF32(a, b uint32) uint32 {
	p := f32(FtzF32(a)) * f32(FtzF32(b))
	if math.Abs(p) < minF32 {
		return (a ^ b) & signF32
	}
	return putF32(float32(p))
}

// FmaFtzF32 is fma.rn.ftz.f32.
func FmaFtzF32(a, b, c uint32) uint32 {
	a, b, c = FtzF32(a), FtzF32(b), FtzF32(c)
	d := FmaF32(a, b, c)
	if d&magF32 > 0x00800000 {
		return d
	}
	return FmaModeF32(a, b, c, RN, true) // at most 2^-126: the exact value decides
}

// DivF32 is div.rn.f32.
func DivF32(a, b uint32) uint32 {
	return putF32(math.Float32frombits(a) / math.Float32frombits(b))
}

// RcpF32 is rcp.rn.f32.
func RcpF32(a uint32) uint32 { return putF32(1 / math.Float32frombits(a)) }

// SqrtF32 is sqrt.rn.f32.
func SqrtF32(a uint32) uint32 { return putF32(float32(math.Sqrt(f32(a)))) }

// Comparisons. The ordered ones are false with a NaN, .ne included; the
// unordered ones are true. -0 equals +0.
func EqF32(a, b uint32) bool  { return math.Float32frombits(a) == math.Float32frombits(b) }
func LtF32(a, b uint32) bool  { return math.Float32frombits(a) < math.Float32frombits(b) }
func LeF32(a, b uint32) bool  { return math.Float32frombits(a) <= math.Float32frombits(b) }
func GtF32(a, b uint32) bool  { return math.Float32frombits(a) > math.Float32frombits(b) }
func GeF32(a, b uint32) bool  { return math.Float32frombits(a) >= math.Float32frombits(b) }
func NeF32(a, b uint32) bool  { return LtF32(a, b) || GtF32(a, b) }
func EquF32(a, b uint32) bool { return !NeF32(a, b) }
func NeuF32(a, b uint32) bool { return !EqF32(a, b) }
func LtuF32(a, b uint32) bool { return !GeF32(a, b) }
func LeuF32(a, b uint32) bool { return !GtF32(a, b) }
func GtuF32(a, b uint32) bool { return !LeF32(a, b) }
func GeuF32(a, b uint32) bool { return !LtF32(a, b) }
func NumF32(a, b uint32) bool { return !isNaNF32(a) && !isNaNF32(b) }
func NanF32(a, b uint32) bool { return isNaNF32(a) || isNaNF32(b) }

// AbsF32 and NegF32 edit the sign; a NaN becomes the canonical one, because the
// machine code is an addition of zero. (The manual promises any NaN.)
func AbsF32(a uint32) uint32 {
	if isNaNF32(a) {
		return nanF32
	}
	return a & magF32
}
func NegF32(a uint32) uint32 {
	if isNaNF32(a) {
		return nanF32
	}
	return a ^ signF32
}

// CopysignF32 returns the magnitude of b with the sign of a (the reverse of C).
func CopysignF32(a, b uint32) uint32 { return a&signF32 | b&magF32 }

// MinF32 is min.f32: the other operand of a NaN, canonical if both are.
func MinF32(a, b uint32) uint32 {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	switch {
	case x < y:
		return a
	case x > y:
		return b
	case x == y:
		return a | b // -0 is below +0
	case x == x:
		return a
	case y == y:
		return b
	}
	return nanF32
}

// MaxF32 is max.f32.
func MaxF32(a, b uint32) uint32 {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	switch {
	case x > y:
		return a
	case x < y:
		return b
	case x == y:
		return a & b // +0 is above -0
	case x == x:
		return a
	case y == y:
		return b
	}
	return nanF32
}

// MinNaNF32 and MaxNaNF32 return the canonical NaN if any operand is NaN.
func MinNaNF32(a, b uint32) uint32 {
	if NanF32(a, b) {
		return nanF32
	}
	return MinF32(a, b)
}
func MaxNaNF32(a, b uint32) uint32 {
	if NanF32(a, b) {
		return nanF32
	}
	return MaxF32(a, b)
}

// xorsignF32 gives magnitude m the XOR of the signs of a and b; a NaN stays
// the canonical one.
func xorsignF32(m, a, b uint32) uint32 {
	if isNaNF32(m) {
		return nanF32
	}
	return m | (a^b)&signF32
}

// The .xorsign.abs forms compare magnitudes.
func MinXorsignAbsF32(a, b uint32) uint32 {
	return xorsignF32(MinF32(a&magF32, b&magF32), a, b)
}
func MaxXorsignAbsF32(a, b uint32) uint32 {
	return xorsignF32(MaxF32(a&magF32, b&magF32), a, b)
}
func MinNaNXorsignAbsF32(a, b uint32) uint32 {
	return xorsignF32(MinNaNF32(a&magF32, b&magF32), a, b)
}
func MaxNaNXorsignAbsF32(a, b uint32) uint32 {
	return xorsignF32(MaxNaNF32(a&magF32, b&magF32), a, b)
}

// The three-operand forms fold from the left; .abs takes magnitudes first.
func Min3F32(a, b, c uint32) uint32       { return MinF32(MinF32(a, b), c) }
func Max3F32(a, b, c uint32) uint32       { return MaxF32(MaxF32(a, b), c) }
func Min3NaNF32(a, b, c uint32) uint32    { return MinNaNF32(MinNaNF32(a, b), c) }
func Max3NaNF32(a, b, c uint32) uint32    { return MaxNaNF32(MaxNaNF32(a, b), c) }
func Min3AbsF32(a, b, c uint32) uint32    { return Min3F32(a&magF32, b&magF32, c&magF32) }
func Max3AbsF32(a, b, c uint32) uint32    { return Max3F32(a&magF32, b&magF32, c&magF32) }
func Min3NaNAbsF32(a, b, c uint32) uint32 { return Min3NaNF32(a&magF32, b&magF32, c&magF32) }
func Max3NaNAbsF32(a, b, c uint32) uint32 { return Max3NaNF32(a&magF32, b&magF32, c&magF32) }

// testp (9.7.3.1): zeros are normal.
func FiniteF32(a uint32) bool     { return a&infF32 != infF32 }
func InfiniteF32(a uint32) bool   { return a&magF32 == infF32 }
func NumberF32(a uint32) bool     { return !isNaNF32(a) }
func NotANumberF32(a uint32) bool { return isNaNF32(a) }
func SubnormalF32(a uint32) bool  { return a&infF32 == 0 && a&magF32 != 0 }
func NormalF32(a uint32) bool     { return FiniteF32(a) && !SubnormalF32(a) }
