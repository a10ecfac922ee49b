// Integer multiplication and multiply-add: full, 24-bit, sum of absolute
// differences, dot products and the carry-less form (9.7.1.3 to 9.7.1.7,
// 9.7.1.23, 9.7.1.24; clmad: 9.3).

package num

import "math/bits"

// Low halves of products; signedness does not matter.
func MulLo16(a, b uint32) uint32 { return (a * b) & 0xffff }
func MulLo32(a, b uint32) uint32 { return a * b }
func MulLo64(a, b uint64) uint64 { return a * b }

// High halves of products.
func MulHiU16(a, b uint32) uint32 { return a * b >> 16 }
func MulHiS16(a, b uint32) uint32 { return uint32(s16(a)*s16(b)) >> 16 }
func MulHiU32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
func MulHiS32(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }

// MulHiU64 returns bits 127:64 of the unsigned product.
func MulHiU64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

// MulHiS64 returns bits 127:64 of the signed product: the unsigned high half,
// less the other factor for each negative one.
func MulHiS64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi - b&uint64(int64(a)>>63) - a&uint64(int64(b)>>63)
}

// Products of twice the operand width.
func MulWideU16(a, b uint32) uint32 { return a * b }
func MulWideS16(a, b uint32) uint32 { return uint32(s16(a) * s16(b)) }
func MulWideU32(a, b uint32) uint64 { return uint64(a) * uint64(b) }
func MulWideS32(a, b uint32) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) }

// Multiply-add; the addition wraps.
func MadLo16(a, b, c uint32) uint32           { return (a*b + c) & 0xffff }
func MadLo32(a, b, c uint32) uint32           { return a*b + c }
func MadLo64(a, b, c uint64) uint64           { return a*b + c }
func MadHiU16(a, b, c uint32) uint32          { return (MulHiU16(a, b) + c) & 0xffff }
func MadHiS16(a, b, c uint32) uint32          { return (MulHiS16(a, b) + c) & 0xffff }
func MadHiU32(a, b, c uint32) uint32          { return MulHiU32(a, b) + c }
func MadHiS32(a, b, c uint32) uint32          { return MulHiS32(a, b) + c }
func MadHiU64(a, b, c uint64) uint64          { return MulHiU64(a, b) + c }
func MadHiS64(a, b, c uint64) uint64          { return MulHiS64(a, b) + c }
func MadWideU16(a, b, c uint32) uint32        { return MulWideU16(a, b) + c }
func MadWideS16(a, b, c uint32) uint32        { return MulWideS16(a, b) + c }
func MadWideU32(a, b uint32, c uint64) uint64 { return MulWideU32(a, b) + c }
func MadWideS32(a, b uint32, c uint64) uint64 { return MulWideS32(a, b) + c }

// MadHiSatS32 saturates the final signed addition.
func MadHiSatS32(a, b, c uint32) uint32 { return AddSatS32(MulHiS32(a, b), c) }

// s24 sign-extends the low 24 bits; the high byte is ignored.
func s24(a uint32) int64 { return int64(int32(a<<8) >> 8) }

// u24 zero-extends the low 24 bits.
func u24(a uint32) uint64 { return uint64(a & 0xffffff) }

// 24-bit products: .lo is bits 31:0 and .hi bits 47:16 of the 48-bit product.
func Mul24LoU32(a, b uint32) uint32 { return uint32(u24(a) * u24(b)) }
func Mul24LoS32(a, b uint32) uint32 { return uint32(s24(a) * s24(b)) }
func Mul24HiU32(a, b uint32) uint32 { return uint32(u24(a) * u24(b) >> 16) }
func Mul24HiS32(a, b uint32) uint32 { return uint32(s24(a) * s24(b) >> 16) }

// 24-bit multiply-add.
func Mad24LoU32(a, b, c uint32) uint32    { return Mul24LoU32(a, b) + c }
func Mad24LoS32(a, b, c uint32) uint32    { return Mul24LoS32(a, b) + c }
func Mad24HiU32(a, b, c uint32) uint32    { return Mul24HiU32(a, b) + c }
func Mad24HiS32(a, b, c uint32) uint32    { return Mul24HiS32(a, b) + c }
func Mad24HiSatS32(a, b, c uint32) uint32 { return AddSatS32(Mul24HiS32(a, b), c) }

// Sum of absolute differences: c + |a - b|, wrapping; the comparison has the
// signedness of the type.
func SadU16(a, b, c uint32) uint32 { return (c + max(a, b) - min(a, b)) & 0xffff }
func SadS16(a, b, c uint32) uint32 {
	return (c + uint32(max(s16(a), s16(b))-min(s16(a), s16(b)))) & 0xffff
}
func SadU32(a, b, c uint32) uint32 { return c + max(a, b) - min(a, b) }
func SadS32(a, b, c uint32) uint32 { return c + MaxS32(a, b) - MinS32(a, b) }
func SadU64(a, b, c uint64) uint64 { return c + max(a, b) - min(a, b) }
func SadS64(a, b, c uint64) uint64 { return c + MaxS64(a, b) - MinS64(a, b) }

// Four-way dot products, named by the types of a and b. The sum wraps.
func Dp4aUU(a, b, c uint32) uint32 {
	return c + a&0xff*(b&0xff) + a>>8&0xff*(b>>8&0xff) + a>>16&0xff*(b>>16&0xff) + a>>24*(b>>24)
}
func Dp4aUS(a, b, c uint32) uint32 {
	return c + a&0xff*uint32(s8(b)) + a>>8&0xff*uint32(s8(b>>8)) + a>>16&0xff*uint32(s8(b>>16)) + a>>24*uint32(s8(b>>24))
}
func Dp4aSU(a, b, c uint32) uint32 { return Dp4aUS(b, a, c) }
func Dp4aSS(a, b, c uint32) uint32 {
	return c + uint32(s8(a)*s8(b)+s8(a>>8)*s8(b>>8)+s8(a>>16)*s8(b>>16)+s8(a>>24)*s8(b>>24))
}

// Two-way dot products: the 16-bit halves of a times bytes 0 and 1 (Lo) or 2
// and 3 (Hi) of b. Named by the types of a and b.
func Dp2aLoUU(a, b, c uint32) uint32 { return c + a&0xffff*(b&0xff) + a>>16*(b>>8&0xff) }
func Dp2aLoUS(a, b, c uint32) uint32 { return c + a&0xffff*uint32(s8(b)) + a>>16*uint32(s8(b>>8)) }
func Dp2aLoSU(a, b, c uint32) uint32 {
	return c + uint32(s16(a))*(b&0xff) + uint32(s16(a>>16))*(b>>8&0xff)
}
func Dp2aLoSS(a, b, c uint32) uint32 { return c + uint32(s16(a)*s8(b)+s16(a>>16)*s8(b>>8)) }
func Dp2aHiUU(a, b, c uint32) uint32 { return Dp2aLoUU(a, b>>16, c) }
func Dp2aHiUS(a, b, c uint32) uint32 { return Dp2aLoUS(a, b>>16, c) }
func Dp2aHiSU(a, b, c uint32) uint32 { return Dp2aLoSU(a, b>>16, c) }
func Dp2aHiSS(a, b, c uint32) uint32 { return Dp2aLoSS(a, b>>16, c) }

// clmul64 returns the 128-bit product of a and b over GF(2).
func clmul64(a, b uint64) (hi, lo uint64) {
	for i := uint(0); i < 64; i++ {
		m := -(b >> i & 1)
		lo ^= a << i & m
		hi ^= a >> (64 - i) & m
	}
	return hi, lo
}

// ClmadLo64 and ClmadHi64 return one half of the GF(2) product of a and b,
// added over GF(2) to c.
func ClmadLo64(a, b, c uint64) uint64 {
	_, lo := clmul64(a, b)
	return lo ^ c
}
func ClmadHi64(a, b, c uint64) uint64 {
	hi, _ := clmul64(a, b)
	return hi ^ c
}
