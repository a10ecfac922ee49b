// Counting, finding, extracting and inserting bits (9.7.1.14 to 9.7.1.22).

package num

import "math/bits"

// notFound is the answer of bfind and fns when there is no such bit.
const notFound = 1<<32 - 1

func Popc32(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }
func Popc64(a uint64) uint32 { return uint32(bits.OnesCount64(a)) }
func Clz32(a uint32) uint32  { return uint32(bits.LeadingZeros32(a)) }
func Clz64(a uint64) uint32  { return uint32(bits.LeadingZeros64(a)) }
func Brev32(a uint32) uint32 { return bits.Reverse32(a) }
func Brev64(a uint64) uint64 { return bits.Reverse64(a) }

// Bfind: position of the highest 1 (unsigned) or of the highest bit that
// differs from the sign (signed); all ones if there is none.
func BfindU32(a uint32) uint32 { return uint32(bits.Len32(a)) - 1 }
func BfindS32(a uint32) uint32 { return BfindU32(a ^ uint32(int32(a)>>31)) }
func BfindU64(a uint64) uint32 { return uint32(bits.Len64(a)) - 1 }
func BfindS64(a uint64) uint32 { return BfindU64(a ^ uint64(int64(a)>>63)) }

// Bfind .shiftamt: the left shift that would move that bit to the top; still
// all ones if there is none.
func BfindShiftU32(a uint32) uint32 {
	if a == 0 {
		return notFound
	}
	return Clz32(a)
}
func BfindShiftS32(a uint32) uint32 { return BfindShiftU32(a ^ uint32(int32(a)>>31)) }
func BfindShiftU64(a uint64) uint32 {
	if a == 0 {
		return notFound
	}
	return Clz64(a)
}
func BfindShiftS64(a uint64) uint32 { return BfindShiftU64(a ^ uint64(int64(a)>>63)) }

// Fns32 returns the position of the |offset|-th set bit of mask, counted from
// base inclusive, upward for a positive offset and downward for a negative one.
// Offset 0 asks for base itself. A base above 31 is undefined: nothing is found.
func Fns32(mask, base, offset uint32) uint32 {
	n, step := int32(offset), int32(1)
	switch {
	case base > 31:
		return notFound
	case n == 0:
		n, mask = 1, mask&(1<<base)
	case n < 0:
		n, step = -n, -1
	}
	if n < 0 || n > 32 {
		return notFound
	}
	for i := int32(base); i >= 0 && i < 32; i += step {
		n -= int32(mask >> uint(i) & 1)
		if n == 0 {
			return uint32(i)
		}
	}
	return notFound
}

// Bfe extracts length bits of a at pos, both taken modulo 256. The field is
// extended by zeros, or by its own top bit (at most a's top bit) if signed.
func BfeU32(a, pos, length uint32) uint32 {
	return a >> (pos & 0xff) & (1<<(length&0xff) - 1)
}
func BfeS32(a, pos, length uint32) uint32 {
	return uint32(BfeS64(uint64(int64(int32(a))), pos, length))
}
func BfeU64(a uint64, pos, length uint32) uint64 {
	return a >> (pos & 0xff) & (1<<(length&0xff) - 1)
}
func BfeS64(a uint64, pos, length uint32) uint64 {
	length &= 0xff
	if length == 0 {
		return 0
	}
	spare := uint32(64) - min(length, 64)
	return uint64(int64(a) >> (pos & 0xff) << spare >> spare)
}

// Bfi inserts the low length bits of a into b at pos, both modulo 256,
// truncated at the top bit of b.
func Bfi32(a, b, pos, length uint32) uint32 {
	m := uint32(1<<(length&0xff)-1) << (pos & 0xff)
	return b&^m | a<<(pos&0xff)&m
}
func Bfi64(a, b uint64, pos, length uint32) uint64 {
	m := uint64(1<<(length&0xff)-1) << (pos & 0xff)
	return b&^m | a<<(pos&0xff)&m
}

// Szext keeps the low n bits of a, sign- or zero-extended. Wrap takes n as the
// low five bits of b; clamp returns a whole for b of 32 and above.
func SzextWrapU32(a, b uint32) uint32 { return a & (1<<(b&31) - 1) }
func SzextWrapS32(a, b uint32) uint32 {
	spare := 32 - b&31
	return uint32(int32(a) << spare >> spare)
}
func SzextClampU32(a, b uint32) uint32 {
	if b >= 32 {
		return a
	}
	return SzextWrapU32(a, b)
}
func SzextClampS32(a, b uint32) uint32 {
	if b >= 32 {
		return a
	}
	return SzextWrapS32(a, b)
}

// Bmsk makes a mask of b ones from bit a up, cut at bit 31.
func BmskClamp32(a, b uint32) uint32 { return uint32(1<<b-1) << a }
func BmskWrap32(a, b uint32) uint32  { return BmskClamp32(a&31, b&31) }
