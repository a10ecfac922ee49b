// Logic, shifts and byte permutation (9.7.8, 9.7.9.7).

package num

import "math/bits"

func And32(a, b uint32) uint32 { return a & b }
func And64(a, b uint64) uint64 { return a & b }
func Or32(a, b uint32) uint32  { return a | b }
func Or64(a, b uint64) uint64  { return a | b }
func Xor32(a, b uint32) uint32 { return a ^ b }
func Xor64(a, b uint64) uint64 { return a ^ b }
func Not16(a uint32) uint32    { return ^a & 0xffff }
func Not32(a uint32) uint32    { return ^a }
func Not64(a uint64) uint64    { return ^a }

// Cnot is 1 for a zero operand and 0 for any other.
func Cnot32(a uint32) uint32 {
	if a == 0 {
		return 1
	}
	return 0
}
func Cnot64(a uint64) uint64 {
	if a == 0 {
		return 1
	}
	return 0
}

// Lop3 evaluates the three-input truth table lut: bit (a<<2 | b<<1 | c) of lut
// is the result for that combination (9.7.8.6). Each step halves the table by
// one input.
func Lop3(a, b, c, lut uint32) uint32 {
	c0 := lopPick(c, lut>>1, lut)
	c1 := lopPick(c, lut>>3, lut>>2)
	c2 := lopPick(c, lut>>5, lut>>4)
	c3 := lopPick(c, lut>>7, lut>>6)
	b0, b1 := c0^b&(c0^c1), c2^b&(c2^c3)
	return b0 ^ a&(b0^b1)
}

// lopPick spreads the low bits of yes and no over the bits of c.
func lopPick(c, yes, no uint32) uint32 {
	y, n := -(yes & 1), -(no & 1)
	return n ^ c&(n^y)
}

// The truth tables that compilers use most, as plain functions.
func Lop3And3(a, b, c uint32) uint32   { return a & b & c }     // 0x80
func Lop3Or3(a, b, c uint32) uint32    { return a | b | c }     // 0xfe
func Lop3Xor3(a, b, c uint32) uint32   { return a ^ b ^ c }     // 0x96
func Lop3Maj(a, b, c uint32) uint32    { return a&b | c&(a|b) } // 0xe8
func Lop3Sel(a, b, c uint32) uint32    { return c ^ a&(b^c) }   // 0xca
func Lop3AndOr(a, b, c uint32) uint32  { return a&b | c }       // 0xea
func Lop3OrAnd(a, b, c uint32) uint32  { return (a | b) & c }   // 0xa8
func Lop3AndXor(a, b, c uint32) uint32 { return a&b ^ c }       // 0x6a
func Lop3XorAnd(a, b, c uint32) uint32 { return (a ^ b) & c }   // 0x28

// Shifts clamp the count: a count of the width or more shifts everything out
// (9.7.8.8, 9.7.8.9). Go's shifts do the same.
func Shl16(a, n uint32) uint32         { return a << n & 0xffff }
func Shl32(a, n uint32) uint32         { return a << n }
func Shl64(a uint64, n uint32) uint64  { return a << n }
func ShrU16(a, n uint32) uint32        { return a >> n }
func ShrS16(a, n uint32) uint32        { return uint32(s16(a)>>n) & 0xffff }
func ShrU32(a, n uint32) uint32        { return a >> n }
func ShrS32(a, n uint32) uint32        { return uint32(int32(a) >> n) }
func ShrU64(a uint64, n uint32) uint64 { return a >> n }
func ShrS64(a uint64, n uint32) uint64 { return uint64(int64(a) >> n) }

// Funnel shifts of the 64-bit value b:a (9.7.8.7): left returns its upper and
// right its lower word after the shift.
func ShfLWrap32(a, b, c uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) << (c & 31) >> 32) }
func ShfRWrap32(a, b, c uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> (c & 31)) }
func ShfLClamp32(a, b, c uint32) uint32 {
	return uint32((uint64(b)<<32 | uint64(a)) << min(c, 32) >> 32)
}
func ShfRClamp32(a, b, c uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> min(c, 32)) }

// Prmt picks four bytes from b:a by the nibbles of c; bit 3 of a nibble
// replicates the byte's sign instead (9.7.9.7).
func Prmt(a, b, c uint32) (d uint32) {
	v := uint64(b)<<32 | uint64(a)
	for i := uint32(0); i < 4; i++ {
		sel := c >> (4 * i)
		x := uint32(v>>(8*(sel&7))) & 0xff
		if sel&8 != 0 {
			x = x >> 7 * 0xff
		}
		d |= x << (8 * i)
	}
	return d
}

// The named modes of prmt use only the low two bits of c.
func PrmtF4e(a, b, c uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> (8 * (c & 3))) }
func PrmtB4e(a, b, c uint32) uint32 {
	v := bits.RotateLeft64(uint64(b)<<32|uint64(a), int(24-8*(c&3)))
	return bits.ReverseBytes32(uint32(v))
}
func PrmtRc8(a, _, c uint32) uint32  { return a >> (8 * (c & 3)) & 0xff * 0x01010101 }
func PrmtEcl(a, _, c uint32) uint32  { return clampBytes(a, c&3, 3) }
func PrmtEcr(a, _, c uint32) uint32  { return clampBytes(a, 0, c&3) }
func PrmtRc16(a, _, c uint32) uint32 { return a >> (16 * (c & 1)) & 0xffff * 0x00010001 }

// clampBytes returns the bytes of a at indices 0..3 clamped to [lo, hi].
func clampBytes(a, lo, hi uint32) (d uint32) {
	for i := uint32(0); i < 4; i++ {
		d |= a >> (8 * min(max(i, lo), hi)) & 0xff << (8 * i)
	}
	return d
}
