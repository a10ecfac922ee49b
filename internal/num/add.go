// Integer addition and subtraction, wrapping and saturating, scalar and packed
// (9.7.1.1, 9.7.1.2; the packed 8-bit and unsigned saturating forms: 9.2).

package num

// signBits8 and signBits16 hold the top bit of every packed element.
const (
	signBits8  = 0x80808080
	signBits16 = 0x80008000
)

// s16 reads the low 16 bits of a row value as signed.
func s16(a uint32) int32 { return int32(int16(a)) }

// s8 reads the low 8 bits of a row value as signed.
func s8(a uint32) int32 { return int32(int8(a)) }

// clampS16 clamps v to the range of s16 and returns it zero-extended.
func clampS16(v int32) uint32 { return uint32(uint16(min(max(v, -1<<15), 1<<15-1))) }

// clampS8 clamps v to the range of s8 and returns it zero-extended.
func clampS8(v int32) uint32 { return uint32(uint8(min(max(v, -1<<7), 1<<7-1))) }

// clampU8 clamps v to the range of u8.
func clampU8(v int32) uint32 { return uint32(min(max(v, 0), 1<<8-1)) }

// clampS32 clamps v to the range of s32.
func clampS32(v int64) uint32 { return uint32(int32(min(max(v, -1<<31), 1<<31-1))) }

// Wrapping addition.
func Add16(a, b uint32) uint32 { return (a + b) & 0xffff }
func Add32(a, b uint32) uint32 { return a + b }
func Add64(a, b uint64) uint64 { return a + b }

// Add16x2 adds two 16-bit elements without a carry between them.
func Add16x2(a, b uint32) uint32 {
	return ((a &^ signBits16) + (b &^ signBits16)) ^ ((a ^ b) & signBits16)
}

// Add8x4 adds four 8-bit elements without carries between them.
func Add8x4(a, b uint32) uint32 {
	return ((a &^ signBits8) + (b &^ signBits8)) ^ ((a ^ b) & signBits8)
}

// Wrapping subtraction.
func Sub16(a, b uint32) uint32 { return (a - b) & 0xffff }
func Sub32(a, b uint32) uint32 { return a - b }
func Sub64(a, b uint64) uint64 { return a - b }

// Sub8x4 subtracts four 8-bit elements without borrows between them.
func Sub8x4(a, b uint32) uint32 {
	return ((a | signBits8) - (b &^ signBits8)) ^ ((a ^ ^b) & signBits8)
}

// AddSatS32 clamps the exact sum to the range of s32.
func AddSatS32(a, b uint32) uint32 { return clampS32(int64(int32(a)) + int64(int32(b))) }

// SubSatS32 clamps the exact difference to the range of s32.
func SubSatS32(a, b uint32) uint32 { return clampS32(int64(int32(a)) - int64(int32(b))) }

// AddSatU32 clamps the exact sum to the range of u32.
func AddSatU32(a, b uint32) uint32 {
	if s := a + b; s >= a {
		return s
	}
	return 1<<32 - 1
}

// AddSatU16x2 adds two u16 elements, each clamped.
func AddSatU16x2(a, b uint32) uint32 {
	return min(a&0xffff+b&0xffff, 0xffff) | min(a>>16+b>>16, 0xffff)<<16
}

// AddSatS16x2 adds two s16 elements, each clamped.
func AddSatS16x2(a, b uint32) uint32 {
	return clampS16(s16(a)+s16(b)) | clampS16(s16(a>>16)+s16(b>>16))<<16
}

// AddSatU8x4 adds four u8 elements, each clamped.
func AddSatU8x4(a, b uint32) (d uint32) {
	for i := uint(0); i < 32; i += 8 {
		d |= clampU8(int32(a>>i&0xff)+int32(b>>i&0xff)) << i
	}
	return d
}

// AddSatS8x4 adds four s8 elements, each clamped.
func AddSatS8x4(a, b uint32) (d uint32) {
	for i := uint(0); i < 32; i += 8 {
		d |= clampS8(s8(a>>i)+s8(b>>i)) << i
	}
	return d
}

// SubSatU8x4 subtracts four u8 elements, each clamped.
func SubSatU8x4(a, b uint32) (d uint32) {
	for i := uint(0); i < 32; i += 8 {
		d |= clampU8(int32(a>>i&0xff)-int32(b>>i&0xff)) << i
	}
	return d
}

// SubSatS8x4 subtracts four s8 elements, each clamped.
func SubSatS8x4(a, b uint32) (d uint32) {
	for i := uint(0); i < 32; i += 8 {
		d |= clampS8(s8(a>>i)-s8(b>>i)) << i
	}
	return d
}
