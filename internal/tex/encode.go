package tex

// This file converts components to channels, as sust.p does (9.7.11.2).

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Sample is the bytes of one sample, at most 16.
type Sample [16]byte

// Encode makes a sample of the components c, red first; n of them are given, the others are 0.
// cut keeps the low bits of integers that do not fit a channel; else they saturate.
func (f Format) Encode(c [4]uint32, n int, cut bool) (s Sample) {
	size := f.Channel.Bytes()
	for i, part := range orders[f.Order].parts {
		v := uint32(0)
		if part < n {
			v = f.Channel.encode(c[part], cut)
		}
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], v)
		copy(s[i*size:], b[:size])
	}
	return s
}

// encode converts one component; the result's bits above the channel do not matter.
func (c Channel) encode(v uint32, cut bool) uint32 {
	switch c {
	case F32, U32, S32:
		return v
	case F16:
		return half(v)
	case Unorm8, Unorm16:
		if v>>31 != 0 {
			return 0
		}
		return scaled(v, 8*c.Bytes())
	case Snorm8, Snorm16:
		return scaled(v, 8*c.Bytes()-1)
	}
	switch n := 8 * c.Bytes(); {
	case cut:
		return v
	case c.Reads() == AsSigned:
		return uint32(min(max(int32(v), -1<<(n-1)), 1<<(n-1)-1))
	default:
		return min(v, 1<<n-1)
	}
}

// half is an f32 cut to f16, as an H100 does: nothing finite becomes an infinity, and a NaN keeps its
// sign and the upper bits of its payload.
func half(v uint32) uint32 {
	sign, mag := v&(1<<31), v&(1<<31-1)
	switch {
	case mag > 0x7f800000:
		return sign>>16 | 0x7c00 | max(v>>13&0x3ff, 1)
	case mag < 0x7f800000:
		mag = min(mag, 0x477fe000) // 65504
	}
	lost := 13 + max(113-int(mag>>23), 0) // bits of the fraction that f16 has no room for
	return num.CvtF16F32(sign | mag>>lost<<lost)
}

// scaled is v, an f32 clamped to [-1, 1], times 2^bits-1, as an H100 computes it: |v| is cut to
// bits+4 fraction bits; then the product is rounded to the nearest, a tie (of one half alone)
// towards zero. NaN is 0.
func scaled(v uint32, bits int) uint32 {
	exp, man := int(v>>23&0xff), v&0x7fffff|1<<23
	digits := bits + 4
	var cut uint64
	switch {
	case v&0x7fffffff > 0x7f800000:
		return 0
	case exp >= 127:
		cut = 1 << digits
	default:
		cut = uint64(man) >> (150 - exp - digits) // subnormals, too, are far below the last digit
	}
	n := uint32((cut*(1<<bits-1) + 1<<(digits-1) - 1) >> digits)
	if v>>31 != 0 {
		return -n
	}
	return n
}
