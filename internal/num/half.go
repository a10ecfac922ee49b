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

// The float64 magnitudes between which a value rounds to a normal code (or,
// by the carry, to infinity), and their distance from the codes.
const (
	minBitsF16  = (1023 - 14) << 52
	endBitsF16  = (1023 + 16) << 52
	rebiasF16   = (1023 - 15) << 10
	minBitsBF16 = (1023 - 126) << 52
	endBitsBF16 = (1023 + 128) << 52
	rebiasBF16  = (1023 - 127) << 7
	dropF16     = 52 - 10 // fraction bits that the format lacks
	dropBF16    = 52 - 7
	magicF16    = 0x1p28  // its last place is the smallest subnormal f16
	magicBF16   = 0x1p-81 // its last place is the smallest subnormal bf16
)

// putF16 rounds s, exact or rounded to odd, to the nearest f16. With ftz a
// magnitude below the smallest normal becomes a zero of its sign.
func putF16(s float64, ftz bool) uint32 {
	u := math.Float64bits(s)
	mag := u & magF64
	if mag-minBitsF16 >= endBitsF16-minBitsF16 {
		return putRareHalf(s, ftz, minBitsF16, magicF16, infF16)
	}
	mag += 1<<(dropF16-1) - 1 + mag>>dropF16&1
	return uint32(u>>48)&signHalf | uint32(mag>>dropF16-rebiasF16)
}

// putBF16 rounds s, exact or rounded to odd, to the nearest bf16.
func putBF16(s float64, ftz bool) uint32 {
	u := math.Float64bits(s)
	mag := u & magF64
	if mag-minBitsBF16 >= endBitsBF16-minBitsBF16 {
		return putRareHalf(s, ftz, minBitsBF16, magicBF16, infBF16)
	}
	mag += 1<<(dropBF16-1) - 1 + mag>>dropBF16&1
	return uint32(u>>48)&signHalf | uint32(mag>>dropBF16-rebiasBF16)
}

// putRareHalf rounds what is not normal: adding magic leaves a subnormal's
// code in the low bits.
func putRareHalf(s float64, ftz bool, minBits uint64, magic float64, inf uint32) uint32 {
	u := math.Float64bits(s)
	sign, mag := uint32(u>>48)&signHalf, u&magF64
	switch {
	case mag > infF64:
		return nanHalf
	case mag >= minBits:
		return sign | inf
	case ftz:
		return sign
	}
	return sign | uint32(math.Float64bits(math.Abs(s)+magic))&0xfff
}

// FtzF16 flushes a subnormal to a zero of its sign.
func FtzF16(a uint32) uint32 {
	if a&infF16 == 0 {
		return a & signHalf
	}
	return a
}

// ftzF16If flushes a if ftz, and returns its value.
func ftzF16If(a uint32, ftz bool) float32 {
	if ftz {
		a = FtzF16(a)
	}
	return fF16(a)
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

// Products of two f16 values are exact in float32 and sums in float64; the
// float64 sum of an fma is inexact only when the smaller part cannot reach a
// tie of f16.
func addF16(a, b uint32, ftz bool) uint32 {
	return putF16(float64(ftzF16If(a, ftz))+float64(ftzF16If(b, ftz)), ftz)
}
func subF16(a, b uint32, ftz bool) uint32 {
	return putF16(float64(ftzF16If(a, ftz))-float64(ftzF16If(b, ftz)), ftz)
}
func mulF16(a, b uint32, ftz bool) uint32 {
	return putF16(float64(ftzF16If(a, ftz)*ftzF16If(b, ftz)), ftz)
}
func fmaF16(a, b, c uint32, ftz bool) uint32 {
	return putF16(float64(ftzF16If(a, ftz)*ftzF16If(b, ftz))+float64(ftzF16If(c, ftz)), ftz)
}

// AddF16 is add.rn.f16.
func AddF16(a, b uint32) uint32 { return addF16(a, b, false) }

// SubF16 is sub.rn.f16.
func SubF16(a, b uint32) uint32 { return subF16(a, b, false) }

// MulF16 is mul.rn.f16.
func MulF16(a, b uint32) uint32 { return mulF16(a, b, false) }

// FmaF16 is fma.rn.f16.
func FmaF16(a, b, c uint32) uint32 {
	return putF16(float64(fF16(a)*fF16(b))+float64(fF16(c)), false)
}

// AddBF16 is add.rn.bf16. A float64 sum is inexact only when the smaller part
// is too far down to matter to 8 bits, ties included.
func AddBF16(a, b uint32) uint32 { return putBF16(float64(fBF16(a))+float64(fBF16(b)), false) }

// SubBF16 is sub.rn.bf16.
func SubBF16(a, b uint32) uint32 { return AddBF16(a, b^signHalf) }

// MulBF16 is mul.rn.bf16.
func MulBF16(a, b uint32) uint32 { return putBF16(float64(fBF16(a))*float64(fBF16(b)), false) }

// FmaBF16 is fma.rn.bf16. Only a float64 sum on a tie of bf16 needs the exact
// one: its low 28 bits are then zero, as in FmaF32.
func FmaBF16(a, b, c uint32) uint32 {
	p, z := float64(fBF16(a))*float64(fBF16(b)), float64(fBF16(c))
	s := p + z
	if math.Float64bits(s)<<36 == 0 {
		s = oddSum(p, z)
	}
	return putBF16(s, false)
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
