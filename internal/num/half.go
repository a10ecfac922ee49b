// f16 and bf16 arithmetic (9.7.4): exact or odd-rounded in float64, rounded
// once, nearest even. Every function here is compared with soft.go.

package num

import "math"

const (
	nanHalf  = 0x7fff // the NaN of every f16 and bf16 operation
	signHalf = 0x8000
	magHalf  = 0x7fff
	infF16   = 0x7c00
	infBF16  = 0x7f80
	oneF16   = 0x3c00
	oneBF16  = 0x3f80
)

// fF16 returns the value of an f16, exactly. The bits moved under an f32
// exponent are 2^112 too small; that product is exact.
func fF16(a uint32) float32 {
	if a&infF16 == infF16 {
		return math.Float32frombits(a&signHalf<<16 | infF32 | a&0x3ff<<13)
	}
	return math.Float32frombits(a&signHalf<<16|a&magHalf<<13) * 0x1p112
}

// fBF16 returns the value of a bf16, exactly.
func fBF16(a uint32) float32 { return math.Float32frombits(a << 16) }

// halfPacking holds what rounding a float64 to a 16-bit format needs.
type halfPacking struct {
	drop    uint8   // fraction bits that the format lacks
	rebias  uint64  // difference of the biases, as a code
	minBits uint64  // bits of the smallest normal value
	magic   float64 // its last place is the format's smallest subnormal
	inf     uint64
}

var (
	packingF16  = halfPacking{42, (1023 - 15) << 10, (1023 - 14) << 52, 0x1p28, infF16}
	packingBF16 = halfPacking{45, (1023 - 127) << 7, (1023 - 126) << 52, 0x1p-81, infBF16}
)

// round returns s, exact or rounded to odd, as the nearest 16-bit code. With
// ftz a magnitude below the smallest normal becomes a zero of its sign.
func (p *halfPacking) round(s float64, ftz bool) uint32 {
	u := math.Float64bits(s)
	sign, mag := uint32(u>>48)&signHalf, u&magF64
	switch {
	case mag > infF64:
		return nanHalf
	case mag >= p.minBits:
		mag += 1<<(p.drop-1) - 1 + mag>>p.drop&1
		return sign | uint32(min(mag>>p.drop-p.rebias, p.inf))
	case ftz:
		return sign
	}
	return sign | uint32(math.Float64bits(math.Abs(s)+p.magic))&0xfff
}

// putF16 and putBF16 round s to the format.
func putF16(s float64, ftz bool) uint32 { return packingF16.round(s, ftz) }
func putBF16(s float64) uint32          { return packingBF16.round(s, false) }

// FtzF16 flushes a subnormal to a zero of its sign.
func FtzF16(a uint32) uint32 {
	if a&infF16 == 0 {
		return a & signHalf
	}
	return a
}

// ftzF16If flushes a if ftz, and returns its value.
func ftzF16If(a uint32, ftz bool) float64 {
	if ftz {
		a = FtzF16(a)
	}
	return float64(fF16(a))
}

// SatF16 clamps to [0, 1]; NaN and -0 become +0.
func SatF16(a uint32) uint32 {
	if a > infF16 { // negative or NaN
		return 0
	}
	return min(a, oneF16)
}

// ReluF16 and ReluBF16 make negative values and -0 +0; a NaN becomes the
// canonical one.
func ReluF16(a uint32) uint32 {
	if a&magHalf > infF16 {
		return nanHalf
	}
	return a & (a>>15 - 1)
}
func ReluBF16(a uint32) uint32 {
	if a&magHalf > infBF16 {
		return nanHalf
	}
	return a & (a>>15 - 1)
}

// Sums and products of two f16 values are exact in float64; a float64 fma is
// inexact only when the smaller part cannot reach a tie of f16.
func addF16(a, b uint32, ftz bool) uint32 { return putF16(ftzF16If(a, ftz)+ftzF16If(b, ftz), ftz) }
func subF16(a, b uint32, ftz bool) uint32 { return putF16(ftzF16If(a, ftz)-ftzF16If(b, ftz), ftz) }
func mulF16(a, b uint32, ftz bool) uint32 { return putF16(ftzF16If(a, ftz)*ftzF16If(b, ftz), ftz) }
func fmaF16(a, b, c uint32, ftz bool) uint32 {
	return putF16(float64(ftzF16If(a, ftz)*ftzF16If(b, ftz))+ftzF16If(c, ftz), ftz)
}

// AddF16 is add.rn.f16.
func AddF16(a, b uint32) uint32 { return addF16(a, b, false) }

// SubF16 is sub.rn.f16.
func SubF16(a, b uint32) uint32 { return subF16(a, b, false) }

// MulF16 is mul.rn.f16.
func MulF16(a, b uint32) uint32 { return mulF16(a, b, false) }

// FmaF16 is fma.rn.f16.
func FmaF16(a, b, c uint32) uint32 { return fmaF16(a, b, c, false) }

// AddBF16 is add.rn.bf16.
func AddBF16(a, b uint32) uint32 { return putBF16(oddSum(float64(fBF16(a)), float64(fBF16(b)))) }

// SubBF16 is sub.rn.bf16.
func SubBF16(a, b uint32) uint32 { return AddBF16(a, b^signHalf) }

// MulBF16 is mul.rn.bf16.
func MulBF16(a, b uint32) uint32 { return putBF16(float64(fBF16(a)) * float64(fBF16(b))) }

// FmaBF16 is fma.rn.bf16.
func FmaBF16(a, b, c uint32) uint32 {
	p := float64(fBF16(a)) * float64(fBF16(b))
	return putBF16(oddSum(p, float64(fBF16(c))))
}

// isOOB reports whether a 16-bit element is the out-of-bounds NaN, which a
// tensor load with NaN fill writes; the sign does not matter.
func isOOB(a uint32) bool { return a&magHalf == 0x7ff7 }

// FmaOobF16 is fma.rn.oob.f16: +0 if an operand is the out-of-bounds NaN.
func FmaOobF16(a, b, c uint32) uint32 {
	if isOOB(a) || isOOB(b) || isOOB(c) {
		return 0
	}
	return FmaF16(a, b, c)
}

// FmaOobBF16 is fma.rn.oob.bf16.
func FmaOobBF16(a, b, c uint32) uint32 {
	if isOOB(a) || isOOB(b) || isOOB(c) {
		return 0
	}
	return FmaBF16(a, b, c)
}

// Sign edits; a NaN becomes the canonical one, as for f32.
func AbsF16(a uint32) uint32  { return absHalf(a, infF16) }
func NegF16(a uint32) uint32  { return negHalf(a, infF16) }
func AbsBF16(a uint32) uint32 { return absHalf(a, infBF16) }
func NegBF16(a uint32) uint32 { return negHalf(a, infBF16) }

func absHalf(a, inf uint32) uint32 { return a&magHalf | halfNaN(a, inf) }
func negHalf(a, inf uint32) uint32 {
	if n := halfNaN(a, inf); n != 0 {
		return n
	}
	return a ^ signHalf
}

// halfNaN returns the canonical NaN if a is one, else 0.
func halfNaN(a, inf uint32) uint32 {
	if a&magHalf > inf {
		return nanHalf
	}
	return 0
}

// The min and max families take the infinity of the format, above which
// magnitudes are NaN.

// keyHalf maps a 16-bit float to integers in float order, -0 below +0.
func keyHalf(a uint32) int32 {
	k := s16(a)
	return k ^ (k >> 31 & magHalf)
}

// minMaxHalf picks the smaller or larger operand, the other one of a NaN, and
// the canonical NaN if both are (or, with nanWins, if any is).
func minMaxHalf(a, b, inf uint32, wantMax, nanWins bool) uint32 {
	aNaN, bNaN := a&magHalf > inf, b&magHalf > inf
	switch {
	case aNaN && bNaN || nanWins && (aNaN || bNaN):
		return nanHalf
	case aNaN:
		return b
	case bNaN:
		return a
	case (keyHalf(a) > keyHalf(b)) == wantMax:
		return a
	}
	return b
}

// xorsignHalf gives magnitude m the XOR of the signs of a and b unless it is
// NaN.
func xorsignHalf(m, inf, a, b uint32) uint32 {
	if m&magHalf > inf {
		return nanHalf
	}
	return m | (a^b)&signHalf
}

func MinF16(a, b uint32) uint32     { return minMaxHalf(a, b, infF16, false, false) }
func MaxF16(a, b uint32) uint32     { return minMaxHalf(a, b, infF16, true, false) }
func MinNaNF16(a, b uint32) uint32  { return minMaxHalf(a, b, infF16, false, true) }
func MaxNaNF16(a, b uint32) uint32  { return minMaxHalf(a, b, infF16, true, true) }
func MinBF16(a, b uint32) uint32    { return minMaxHalf(a, b, infBF16, false, false) }
func MaxBF16(a, b uint32) uint32    { return minMaxHalf(a, b, infBF16, true, false) }
func MinNaNBF16(a, b uint32) uint32 { return minMaxHalf(a, b, infBF16, false, true) }
func MaxNaNBF16(a, b uint32) uint32 { return minMaxHalf(a, b, infBF16, true, true) }

// The .xorsign.abs forms compare magnitudes.
func MinXorsignAbsF16(a, b uint32) uint32 {
	return xorsignHalf(MinF16(a&magHalf, b&magHalf), infF16, a, b)
}
func MaxXorsignAbsF16(a, b uint32) uint32 {
	return xorsignHalf(MaxF16(a&magHalf, b&magHalf), infF16, a, b)
}
func MinNaNXorsignAbsF16(a, b uint32) uint32 {
	return xorsignHalf(MinNaNF16(a&magHalf, b&magHalf), infF16, a, b)
}
func MaxNaNXorsignAbsF16(a, b uint32) uint32 {
	return xorsignHalf(MaxNaNF16(a&magHalf, b&magHalf), infF16, a, b)
}
func MinXorsignAbsBF16(a, b uint32) uint32 {
	return xorsignHalf(MinBF16(a&magHalf, b&magHalf), infBF16, a, b)
}
func MaxXorsignAbsBF16(a, b uint32) uint32 {
	return xorsignHalf(MaxBF16(a&magHalf, b&magHalf), infBF16, a, b)
}
func MinNaNXorsignAbsBF16(a, b uint32) uint32 {
	return xorsignHalf(MinNaNBF16(a&magHalf, b&magHalf), infBF16, a, b)
}
func MaxNaNXorsignAbsBF16(a, b uint32) uint32 {
	return xorsignHalf(MaxNaNBF16(a&magHalf, b&magHalf), infBF16, a, b)
}

// Widening is exact; a half compares as its f32 value does.
func widenF16(a uint32) uint32  { return math.Float32bits(fF16(a)) }
func widenBF16(a uint32) uint32 { return a << 16 }
