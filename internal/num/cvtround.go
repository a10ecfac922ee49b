// Rounding to integers and to integral floats: every mode, destination and
// source of the common conversions, one line each.

package num

import "math"

// f32 to integers; NaN gives 0, or the top bit of a 64-bit result.
func CvtRniS32F32(a uint32) uint32 { return toS32(math.RoundToEven(f32(a)), 0) }
func CvtRniU32F32(a uint32) uint32 { return toU32(math.RoundToEven(f32(a)), 0) }
func CvtRniS64F32(a uint32) uint64 { return toS64(math.RoundToEven(f32(a))) }
func CvtRniU64F32(a uint32) uint64 { return toU64(math.RoundToEven(f32(a))) }
func CvtRziS32F32(a uint32) uint32 { return toS32(f32(a), 0) }
func CvtRziU32F32(a uint32) uint32 { return toU32(f32(a), 0) }
func CvtRziS64F32(a uint32) uint64 { return toS64(f32(a)) }
func CvtRziU64F32(a uint32) uint64 { return toU64(f32(a)) }
func CvtRmiS32F32(a uint32) uint32 { return toS32(math.Floor(f32(a)), 0) }
func CvtRmiU32F32(a uint32) uint32 { return toU32(math.Floor(f32(a)), 0) }
func CvtRmiS64F32(a uint32) uint64 { return toS64(math.Floor(f32(a))) }
func CvtRmiU64F32(a uint32) uint64 { return toU64(math.Floor(f32(a))) }
func CvtRpiS32F32(a uint32) uint32 { return toS32(math.Ceil(f32(a)), 0) }
func CvtRpiU32F32(a uint32) uint32 { return toU32(math.Ceil(f32(a)), 0) }
func CvtRpiS64F32(a uint32) uint64 { return toS64(math.Ceil(f32(a))) }
func CvtRpiU64F32(a uint32) uint64 { return toU64(math.Ceil(f32(a))) }

// f64 to integers; NaN gives the top bit.
func CvtRniS32F64(a uint64) uint32 { return toS32(math.RoundToEven(f64(a)), 1<<31) }
func CvtRniU32F64(a uint64) uint32 { return toU32(math.RoundToEven(f64(a)), 1<<31) }
func CvtRniS64F64(a uint64) uint64 { return toS64(math.RoundToEven(f64(a))) }
func CvtRniU64F64(a uint64) uint64 { return toU64(math.RoundToEven(f64(a))) }
func CvtRziS32F64(a uint64) uint32 { return toS32(f64(a), 1<<31) }
func CvtRziU32F64(a uint64) uint32 { return toU32(f64(a), 1<<31) }
func CvtRziS64F64(a uint64) uint64 { return toS64(f64(a)) }
func CvtRziU64F64(a uint64) uint64 { return toU64(f64(a)) }
func CvtRmiS32F64(a uint64) uint32 { return toS32(math.Floor(f64(a)), 1<<31) }
func CvtRmiU32F64(a uint64) uint32 { return toU32(math.Floor(f64(a)), 1<<31) }
func CvtRmiS64F64(a uint64) uint64 { return toS64(math.Floor(f64(a))) }
func CvtRmiU64F64(a uint64) uint64 { return toU64(math.Floor(f64(a))) }
func CvtRpiS32F64(a uint64) uint32 { return toS32(math.Ceil(f64(a)), 1<<31) }
func CvtRpiU32F64(a uint64) uint32 { return toU32(math.Ceil(f64(a)), 1<<31) }
func CvtRpiS64F64(a uint64) uint64 { return toS64(math.Ceil(f64(a))) }
func CvtRpiU64F64(a uint64) uint64 { return toU64(math.Ceil(f64(a))) }

// .ftz: a subnormal operand counts as zero.
func CvtRniFtzS32F32(a uint32) uint32 { return CvtRniS32F32(FtzF32(a)) }
func CvtRniFtzU32F32(a uint32) uint32 { return CvtRniU32F32(FtzF32(a)) }
func CvtRniFtzS64F32(a uint32) uint64 { return CvtRniS64F32(FtzF32(a)) }
func CvtRniFtzU64F32(a uint32) uint64 { return CvtRniU64F32(FtzF32(a)) }
func CvtRziFtzS32F32(a uint32) uint32 { return CvtRziS32F32(FtzF32(a)) }
func CvtRziFtzU32F32(a uint32) uint32 { return CvtRziU32F32(FtzF32(a)) }
func CvtRziFtzS64F32(a uint32) uint64 { return CvtRziS64F32(FtzF32(a)) }
func CvtRziFtzU64F32(a uint32) uint64 { return CvtRziU64F32(FtzF32(a)) }
func CvtRmiFtzS32F32(a uint32) uint32 { return CvtRmiS32F32(FtzF32(a)) }
func CvtRmiFtzU32F32(a uint32) uint32 { return CvtRmiU32F32(FtzF32(a)) }
func CvtRmiFtzS64F32(a uint32) uint64 { return CvtRmiS64F32(FtzF32(a)) }
func CvtRmiFtzU64F32(a uint32) uint64 { return CvtRmiU64F32(FtzF32(a)) }
func CvtRpiFtzS32F32(a uint32) uint32 { return CvtRpiS32F32(FtzF32(a)) }
func CvtRpiFtzU32F32(a uint32) uint32 { return CvtRpiU32F32(FtzF32(a)) }
func CvtRpiFtzS64F32(a uint32) uint64 { return CvtRpiS64F32(FtzF32(a)) }
func CvtRpiFtzU64F32(a uint32) uint64 { return CvtRpiU64F32(FtzF32(a)) }

// Rounding to integral values; zero results keep the sign.
func CvtRniF32F32(a uint32) uint32    { return putF32(float32(math.RoundToEven(f32(a)))) }
func CvtRziF32F32(a uint32) uint32    { return putF32(float32(math.Trunc(f32(a)))) }
func CvtRmiF32F32(a uint32) uint32    { return putF32(float32(math.Floor(f32(a)))) }
func CvtRpiF32F32(a uint32) uint32    { return putF32(float32(math.Ceil(f32(a)))) }
func CvtRniFtzF32F32(a uint32) uint32 { return CvtRniF32F32(FtzF32(a)) }
func CvtRziFtzF32F32(a uint32) uint32 { return CvtRziF32F32(FtzF32(a)) }
func CvtRmiFtzF32F32(a uint32) uint32 { return CvtRmiF32F32(FtzF32(a)) }
func CvtRpiFtzF32F32(a uint32) uint32 { return CvtRpiF32F32(FtzF32(a)) }
func CvtRniF64F64(a uint64) uint64    { return quietF64(a, math.RoundToEven(f64(a))) }
func CvtRziF64F64(a uint64) uint64    { return quietF64(a, math.Trunc(f64(a))) }
func CvtRmiF64F64(a uint64) uint64    { return quietF64(a, math.Floor(f64(a))) }
func CvtRpiF64F64(a uint64) uint64    { return quietF64(a, math.Ceil(f64(a))) }

// quietF64 returns the bits of d, or of a quieted if a is NaN.
func quietF64(a uint64, d float64) uint64 {
	if isNaNF64(a) {
		return a | 1<<51
	}
	return math.Float64bits(d)
}
