// The .approx instructions as the compiler builds them around the special
// function unit (4.2 of the fact sheet, confirmed by the machine code that
// ptxas 13.5 emits for sm_90 and sm_100).

package num

const (
	minNormF32 = 0x00800000 // 2^-126
	big126F32  = 0x7e800000 // 2^126
	two24F32   = 0x4b800000 // 2^24
	quarterF32 = 0x3e800000 // 0.25
	invTwoPi   = 0x3e22f983 // 1/(2π)
)

// belowNormal reports whether |a| < 2^-126 (false for NaN).
func belowNormal(a uint32) bool { return a&magF32 < minNormF32 }

// aboveBig reports whether |a| > 2^126; false for NaN.
func aboveBig(a uint32) bool { return a&magF32 > big126F32 && !isNaNF32(a) }

// Forms that scale are functions of the unit (sfu.go), because other generations may have other
// tables (sfu-tables; nearest.go has the other position).

// RcpApproxFtzF32 is rcp.approx.ftz.f32, RcpApproxF32 rcp.approx.f32.
func RcpApproxFtzF32(a uint32) uint32 { return mufuRcp(a) }
func RcpApproxF32(a uint32) uint32    { return rcpApprox(a, mufuRcp) }

// rcpApprox scales the operand into the range where neither it nor the result is subnormal.
func rcpApprox(a uint32, unit func(uint32) uint32) uint32 {
	k := uint32(oneF32)
	switch {
	case belowNormal(a):
		k = two24F32
	case aboveBig(a):
		k = quarterF32
	}
	return MulF32(k, unit(MulF32(a, k)))
}

// RsqrtApproxFtzF32 is rsqrt.approx.ftz.f32, RsqrtApproxF32 rsqrt.approx.f32.
func RsqrtApproxFtzF32(a uint32) uint32 { return mufuRsq(a) }
func RsqrtApproxF32(a uint32) uint32    { return rsqrtApprox(a, mufuRsq) }

func rsqrtApprox(a uint32, unit func(uint32) uint32) uint32 {
	if belowNormal(a) {
		const two12 = 0x45800000
		return MulF32(unit(MulF32(a, two24F32)), two12)
	}
	return unit(a)
}

// SqrtApproxFtzF32 is sqrt.approx.ftz.f32, SqrtApproxF32 sqrt.approx.f32.
func SqrtApproxFtzF32(a uint32) uint32 { return mufuSqrt(a) }

func SqrtApproxF32(a uint32) uint32 {
	if belowNormal(a) {
		const twoTo12 = 0x39800000 // 2^-12
		return MulF32(mufuSqrt(MulF32(a, two24F32)), twoTo12)
	}
	return mufuSqrt(a)
}

// Ex2ApproxFtzF32 is ex2.approx.ftz.f32, Ex2ApproxF32 ex2.approx.f32.
func Ex2ApproxFtzF32(a uint32) uint32 { return mufuEx2(a) }
func Ex2ApproxF32(a uint32) uint32    { return ex2Approx(a, mufuEx2) }

// ex2Approx gives the square of 2^(a/2) below -126.
func ex2Approx(a uint32, unit func(uint32) uint32) uint32 {
	const half, minus126 = 0x3f000000, 0xc2fc0000
	if LtF32(a, minus126) {
		r := unit(MulF32(a, half))
		return MulF32(r, r)
	}
	return unit(a)
}

// Lg2ApproxFtzF32 is lg2.approx.ftz.f32, Lg2ApproxF32 lg2.approx.f32.
func Lg2ApproxFtzF32(a uint32) uint32 { return mufuLg2(a) }
func Lg2ApproxF32(a uint32) uint32    { return lg2Approx(a, mufuLg2) }

func lg2Approx(a uint32, unit func(uint32) uint32) uint32 {
	if belowNormal(a) {
		const minus24 = 0xc1c00000
		return AddF32(unit(MulF32(a, two24F32)), minus24)
	}
	return unit(a)
}

// turns is the product with 1/(2π), rounded toward zero: what the unit takes.
func turns(a uint32) uint32    { return MulModeF32(a, invTwoPi, RZ, false) }
func turnsFtz(a uint32) uint32 { return MulModeF32(a, invTwoPi, RZ, true) }

// SinApproxF32 is sin.approx.f32, CosApproxF32 cos.approx.f32; .ftz flushes subnormal
// operands, and the unit does so in any case.
func SinApproxF32(a uint32) uint32    { return mufuSin(turns(a)) }
func CosApproxF32(a uint32) uint32    { return mufuCos(turns(a)) }
func SinApproxFtzF32(a uint32) uint32 { return mufuSin(turnsFtz(a)) }
func CosApproxFtzF32(a uint32) uint32 { return mufuCos(turnsFtz(a)) }

// DivApproxF32 is div.approx.f32, DivApproxFtzF32 div.approx.ftz.f32.
func DivApproxF32(a, b uint32) uint32    { return divApprox(a, b, mufuRcp) }
func DivApproxFtzF32(a, b uint32) uint32 { return MulFtzF32(a, mufuRcp(b)) }

// divApprox is a times the reciprocal of b. Beyond 2^126 the reciprocal is zero.
func divApprox(a, b uint32, unit func(uint32) uint32) uint32 {
	if belowNormal(b) {
		a, b = MulF32(a, two24F32), MulF32(b, two24F32)
	}
	return MulF32(unit(b), a)
}

// DivFullF32 is div.full.f32, DivFullFtzF32 div.full.ftz.f32: as div.approx, scaled at both
// ends of the range.
func DivFullF32(a, b uint32) uint32    { return divFull(a, b, mufuRcp) }
func DivFullFtzF32(a, b uint32) uint32 { return divFullFtz(a, b, mufuRcp) }

func divFull(a, b uint32, unit func(uint32) uint32) uint32 {
	switch {
	case aboveBig(b):
		a, b = MulF32(a, quarterF32), MulF32(b, quarterF32)
	case belowNormal(b):
		a, b = MulF32(a, two24F32), MulF32(b, two24F32)
	}
	return MulF32(unit(b), a)
}

func divFullFtz(a, b uint32, unit func(uint32) uint32) uint32 {
	if aboveBig(b) {
		a, b = MulFtzF32(a, quarterF32), MulFtzF32(b, quarterF32)
	}
	return MulFtzF32(unit(b), a)
}

// TanhApproxF32 is tanh.approx.f32.
func TanhApproxF32(a uint32) uint32 { return mufuTanh(a) }

// The 16-bit forms are the unit's f32 result, cut. The unit flushes what ex2.approx.ftz.bf16
// flushes; f16 has no ftz.
func TanhApproxF16(a uint32) uint32    { return cutF16(mufuTanh(putF32(fF16(a)))) }
func TanhApproxBF16(a uint32) uint32   { return mufuTanh(a<<16) >> 16 }
func Ex2ApproxF16(a uint32) uint32     { return cutF16(mufuEx2(putF32(fF16(a)))) }
func Ex2ApproxFtzBF16(a uint32) uint32 { return mufuEx2(a<<16) >> 16 }

// cutF16 cuts an f32 to f16, subnormal numbers too; what is too large is infinity.
func cutF16(u uint32) uint32 {
	sign, e, m := u>>16&signHalf, int32(u>>23&0xff)-112, u&0x7fffff|1<<23
	switch {
	case isNaNF32(u):
		return nanHalf
	case e >= 31:
		return sign | infF16
	case e <= 0:
		return sign | m>>min(14-e, 31)
	}
	return sign | uint32(e)<<10 | m>>13&0x3ff
}

// The packed forms.
func TanhApproxF16x2(a uint32) uint32 { return TanhApproxF16(a&0xffff) | TanhApproxF16(a>>16)<<16 }
func TanhApproxBF16x2(a uint32) uint32 {
	return TanhApproxBF16(a&0xffff) | TanhApproxBF16(a>>16)<<16
}
func Ex2ApproxF16x2(a uint32) uint32 { return Ex2ApproxF16(a&0xffff) | Ex2ApproxF16(a>>16)<<16 }
func Ex2ApproxFtzBF16x2(a uint32) uint32 {
	return Ex2ApproxFtzBF16(a&0xffff) | Ex2ApproxFtzBF16(a>>16)<<16
}
