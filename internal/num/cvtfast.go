// The conversions that programs use most, as plain functions on host floats.
// Names follow PTX: cvt, rounding, .ftz, destination, source. Each is compared
// with Cvt.Apply.

package num

import "math"

// Extension of the low bits of a row value. The narrowing conversions are
// Zext8, Zext16 and Go's uint32().
func Zext8(a uint32) uint32       { return a & 0xff }
func Zext16(a uint32) uint32      { return a & 0xffff }
func Sext8(a uint32) uint32       { return uint32(int8(a)) }
func Sext16(a uint32) uint32      { return uint32(int16(a)) }
func Zext32To64(a uint32) uint64  { return uint64(a) }
func Sext8To64(a uint32) uint64   { return uint64(int8(a)) }
func Sext16To64(a uint32) uint64  { return uint64(int16(a)) }
func Sext32To64(a uint32) uint64  { return uint64(int32(a)) }
func Trunc64To32(a uint64) uint32 { return uint32(a) }

// Integers to floats, nearest even. The 32-bit unsigned source also serves u8
// and u16. Go rounds each of these once, u64 too.
func CvtF32S32(a uint32) uint32 { return math.Float32bits(float32(int32(a))) }
func CvtF32U32(a uint32) uint32 { return math.Float32bits(float32(a)) }
func CvtF32S64(a uint64) uint32 { return math.Float32bits(float32(int64(a))) }
func CvtF32U64(a uint64) uint32 { return math.Float32bits(float32(a)) }
func CvtF64S32(a uint32) uint64 { return math.Float64bits(float64(int32(a))) }
func CvtF64U32(a uint32) uint64 { return math.Float64bits(float64(a)) }
func CvtF64S64(a uint64) uint64 { return math.Float64bits(float64(int64(a))) }
func CvtF64U64(a uint64) uint64 { return math.Float64bits(float64(a)) }

// toS32 and the like cut off the fraction and clamp; NaN gives nan. What is far from zero is
// left to a function of its own, so that these are inlined.
func toS32(x float64, nan uint32) uint32 {
	if x > -1<<31 && x < 1<<31 {
		return uint32(int32(x))
	}
	return farS32(x, nan)
}

func farS32(x float64, nan uint32) uint32 {
	switch {
	case x != x:
		return nan
	case x < 0:
		return 1 << 31
	}
	return 1<<31 - 1
}

func toU32(x float64, nan uint32) uint32 {
	if x > -1<<62 && x < 1<<62 {
		return uint32(min(max(int64(x), 0), 1<<32-1))
	}
	return farU32(x, nan)
}

func farU32(x float64, nan uint32) uint32 {
	switch {
	case x != x:
		return nan
	case x < 0:
		return 0
	}
	return 1<<32 - 1
}

func toS64(x float64) uint64 {
	if x > -1<<63 && x < 1<<63 {
		return uint64(int64(x))
	}
	return farS64(x)
}

func farS64(x float64) uint64 {
	if x > 0 {
		return 1<<63 - 1
	}
	return 1 << 63 // below, and NaN
}

func toU64(x float64) uint64 {
	if x > -1<<63 && x < 1<<63 {
		return uint64(max(int64(x), 0))
	}
	return farU64(x)
}

func farU64(x float64) uint64 {
	switch {
	case x >= 1<<63 && x < 1<<64:
		return uint64(int64(x-1<<63)) | 1<<63
	case x < 0:
		return 0
	case x != x:
		return 1 << 63
	}
	return 1<<64 - 1
}

// widenNaN widens a NaN to f64, quieted, with its payload.
func widenNaN(a uint32) uint64 {
	return uint64(a&signF32)<<32 | 0x7ff8000000000000 | uint64(a&0x7fffff)<<29
}

// CvtF64F32 is cvt.f64.f32.
func CvtF64F32(a uint32) uint64 {
	if isNaNF32(a) {
		return widenNaN(a)
	}
	return math.Float64bits(f32(a))
}

// CvtF32F64 is cvt.rn.f32.f64; a NaN keeps its sign and upper payload.
func CvtF32F64(a uint64) uint32 {
	if isNaNF64(a) {
		return uint32(a>>32)&signF32 | 0x7fc00000 | uint32(a>>29)&0x3fffff
	}
	return math.Float32bits(float32(f64(a)))
}

// CvtF32F16 is cvt.f32.f16.
func CvtF32F16(a uint32) uint32 { return putF32(fF16(a)) }

// CvtF32BF16 is cvt.f32.bf16: the bits of an f32, NaN included.
func CvtF32BF16(a uint32) uint32 { return a << 16 }

// CvtF16F32 is cvt.rn.f16.f32, CvtBF16F32 cvt.rn.bf16.f32.
func CvtF16F32(a uint32) uint32  { return putF16(f32(a), false) }
func CvtBF16F32(a uint32) uint32 { return putBF16(f32(a), false) }

// putRareF16 is putF16 of what is not normal.
func putRareF16(s float64) uint32 { return putRareHalf(s, false, minBitsF16, magicF16, infF16) }

// rareF16F64 is cvt.rn.f16.f64 of what is not normal; a NaN keeps its sign and upper payload.
func rareF16F64(a uint64) uint32 {
	if isNaNF64(a) {
		return uint32(a>>48)&signHalf | 0x7e00 | uint32(a>>42)&0x1ff
	}
	return putRareF16(f64(a))
}

// CvtPackU and CvtPackS are cvt.pack.sat (9.7.9.22): a and b, both s32, clamped
// to width bits unsigned or signed; b in the lowest field and a above it, the
// low bits of c shifted up over both. Width 16 leaves no room for c.
func CvtPackU(a, b, c uint32, width uint) uint32 {
	hi := int32(1)<<width - 1
	clamp := func(v uint32) uint32 { return uint32(min(max(int32(v), 0), hi)) }
	return c<<(2*width) | clamp(a)<<width | clamp(b)
}
func CvtPackS(a, b, c uint32, width uint) uint32 {
	hi := int32(1)<<(width-1) - 1
	clamp := func(v uint32) uint32 {
		return uint32(min(max(int32(v), -hi-1), hi)) & (1<<width - 1)
	}
	return c<<(2*width) | clamp(a)<<width | clamp(b)
}
