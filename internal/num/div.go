// Integer division and remainder (9.7.1.8, 9.7.1.9): quotient toward zero,
// remainder with the sign of the dividend.
//
// Division by zero has no defined result; the machine code of every width
// forces both quotient and remainder to all ones. The most negative value divided by -1
// gives itself, remainder 0: Go's division does the same.

package num

func DivU16(a, b uint32) uint32 { return DivU32(a, b) & 0xffff }
func RemU16(a, b uint32) uint32 { return RemU32(a, b) & 0xffff }
func DivS16(a, b uint32) uint32 { return DivS32(uint32(s16(a)), uint32(s16(b))) & 0xffff }
func RemS16(a, b uint32) uint32 { return RemS32(uint32(s16(a)), uint32(s16(b))) & 0xffff }

func DivU32(a, b uint32) uint32 {
	if b == 0 {
		return ^b
	}
	return a / b
}

func RemU32(a, b uint32) uint32 {
	if b == 0 {
		return ^b
	}
	return a % b
}

func DivS32(a, b uint32) uint32 {
	if b == 0 {
		return ^b
	}
	return uint32(int32(a) / int32(b))
}

func RemS32(a, b uint32) uint32 {
	if b == 0 {
		return ^b
	}
	return uint32(int32(a) % int32(b))
}

func DivU64(a, b uint64) uint64 {
	if b == 0 {
		return ^b
	}
	return a / b
}

func RemU64(a, b uint64) uint64 {
	if b == 0 {
		return ^b
	}
	return a % b
}

func DivS64(a, b uint64) uint64 {
	if b == 0 {
		return ^b
	}
	return uint64(int64(a) / int64(b))
}

func RemS64(a, b uint64) uint64 {
	if b == 0 {
		return ^b
	}
	return uint64(int64(a) % int64(b))
}
