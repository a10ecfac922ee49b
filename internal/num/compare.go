// Integer comparison and selection (9.7.6). The 32-bit unsigned functions also
// serve u16, because rows hold it zero-extended.

package num

func Eq32(a, b uint32) bool { return a == b }
func Ne32(a, b uint32) bool { return a != b }
func Eq64(a, b uint64) bool { return a == b }
func Ne64(a, b uint64) bool { return a != b }

func LtU32(a, b uint32) bool { return a < b }
func LeU32(a, b uint32) bool { return a <= b }
func GtU32(a, b uint32) bool { return a > b }
func GeU32(a, b uint32) bool { return a >= b }

func LtS32(a, b uint32) bool { return int32(a) < int32(b) }
func LeS32(a, b uint32) bool { return int32(a) <= int32(b) }
func GtS32(a, b uint32) bool { return int32(a) > int32(b) }
func GeS32(a, b uint32) bool { return int32(a) >= int32(b) }

func LtS16(a, b uint32) bool { return int16(a) < int16(b) }
func LeS16(a, b uint32) bool { return int16(a) <= int16(b) }
func GtS16(a, b uint32) bool { return int16(a) > int16(b) }
func GeS16(a, b uint32) bool { return int16(a) >= int16(b) }

func LtU64(a, b uint64) bool { return a < b }
func LeU64(a, b uint64) bool { return a <= b }
func GtU64(a, b uint64) bool { return a > b }
func GeU64(a, b uint64) bool { return a >= b }

func LtS64(a, b uint64) bool { return int64(a) < int64(b) }
func LeS64(a, b uint64) bool { return int64(a) <= int64(b) }
func GtS64(a, b uint64) bool { return int64(a) > int64(b) }
func GeS64(a, b uint64) bool { return int64(a) >= int64(b) }

// The results of set, by destination type: all ones or 1.0 when the
// comparison holds, else 0 (9.7.6.1).
const (
	SetTrue32   = 0xffffffff
	SetTrue16   = 0xffff
	SetTrueF32  = 0x3f800000
	SetTrueF16  = 0x3c00
	SetTrueBF16 = 0x3f80
)

// Set returns the set result word yes when cond holds, else 0.
func Set(cond bool, yes uint32) uint32 {
	if cond {
		return yes
	}
	return 0
}

// Slct picks a if c >= 0, else b, by a signed selector (9.7.6.4).
func Slct32S32(a, b, c uint32) uint32 {
	if int32(c) >= 0 {
		return a
	}
	return b
}
func Slct64S32(a, b uint64, c uint32) uint64 {
	if int32(c) >= 0 {
		return a
	}
	return b
}

// Slct by a float selector: -0 counts as >= 0 and NaN does not. With .ftz
// apply FtzF32 to the selector first.
func Slct32F32(a, b, c uint32) uint32 {
	if GeF32(c, 0) {
		return a
	}
	return b
}
func Slct64F32(a, b uint64, c uint32) uint64 {
	if GeF32(c, 0) {
		return a
	}
	return b
}
