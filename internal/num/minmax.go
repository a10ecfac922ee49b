// Integer minimum, maximum, absolute value and negation, scalar and packed
// (9.7.1.10 to 9.7.1.13).

package num

func MinU16(a, b uint32) uint32 { return min(a, b) }
func MaxU16(a, b uint32) uint32 { return max(a, b) }
func MinS16(a, b uint32) uint32 { return uint32(uint16(min(int16(a), int16(b)))) }
func MaxS16(a, b uint32) uint32 { return uint32(uint16(max(int16(a), int16(b)))) }
func MinU32(a, b uint32) uint32 { return min(a, b) }
func MaxU32(a, b uint32) uint32 { return max(a, b) }
func MinS32(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
func MaxS32(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }
func MinU64(a, b uint64) uint64 { return min(a, b) }
func MaxU64(a, b uint64) uint64 { return max(a, b) }
func MinS64(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) }
func MaxS64(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) }

func MinU16x2(a, b uint32) uint32 { return min(a&0xffff, b&0xffff) | min(a>>16, b>>16)<<16 }
func MaxU16x2(a, b uint32) uint32 { return max(a&0xffff, b&0xffff) | max(a>>16, b>>16)<<16 }
func MinS16x2(a, b uint32) uint32 { return MinS16(a, b) | MinS16(a>>16, b>>16)<<16 }
func MaxS16x2(a, b uint32) uint32 { return MaxS16(a, b) | MaxS16(a>>16, b>>16)<<16 }

// The .relu forms clamp a negative result to 0.
func MinReluS32(a, b uint32) uint32   { return MaxS32(MinS32(a, b), 0) }
func MaxReluS32(a, b uint32) uint32   { return MaxS32(MaxS32(a, b), 0) }
func MinReluS16x2(a, b uint32) uint32 { return MaxS16x2(MinS16x2(a, b), 0) }
func MaxReluS16x2(a, b uint32) uint32 { return MaxS16x2(MaxS16x2(a, b), 0) }

// minMax8x4 picks per byte of a or b; keyFlip 0x80 orders the bytes as signed.
func minMax8x4(a, b, keyFlip uint32, wantMax bool) (d uint32) {
	for i := uint(0); i < 32; i += 8 {
		x, y := a>>i&0xff, b>>i&0xff
		if (x^keyFlip < y^keyFlip) == wantMax {
			x = y
		}
		d |= x << i
	}
	return d
}

func MinU8x4(a, b uint32) uint32 { return minMax8x4(a, b, 0, false) }
func MaxU8x4(a, b uint32) uint32 { return minMax8x4(a, b, 0, true) }
func MinS8x4(a, b uint32) uint32 { return minMax8x4(a, b, 0x80, false) }
func MaxS8x4(a, b uint32) uint32 { return minMax8x4(a, b, 0x80, true) }

// MinReluS8x4 and MaxReluS8x4 clamp negative elements of the result to 0.
func MinReluS8x4(a, b uint32) uint32 { return MaxS8x4(MinS8x4(a, b), 0) }
func MaxReluS8x4(a, b uint32) uint32 { return MaxS8x4(MaxS8x4(a, b), 0) }

// Negation wraps: the most negative value is its own negation.
func Neg16(a uint32) uint32 { return -a & 0xffff }
func Neg32(a uint32) uint32 { return -a }
func Neg64(a uint64) uint64 { return -a }

// Absolute value; the most negative value stays as it is.
func AbsS16(a uint32) uint32 { return MaxS16(a, Neg16(a)) }
func AbsS32(a uint32) uint32 { return MaxS32(a, -a) }
func AbsS64(a uint64) uint64 { return MaxS64(a, -a) }

// Neg8x4 negates four 8-bit elements.
func Neg8x4(a uint32) uint32 { return Sub8x4(0, a) }
