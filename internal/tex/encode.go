package tex

// This file converts components to channels, as sust.p does (9.7.11.2).

import (
	"encoding/binary"

	"ptxvm/internal/num"
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
		return num.CvtF16F32(v)
	case Unorm8, Unorm16:
		return scaled(v, 1<<(8*c.Bytes())-1, 0)
	case Snorm8, Snorm16:
		most := uint32(1)<<(8*c.Bytes()-1) - 1
		return scaled(v, most, most)
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

// scaled is v, an f32 clamped to [-1, 1], times most, rounded to the nearest whole number; down
// to -least. NaN is 0. Ties happen at one half alone, where even and away agree.
func scaled(v, most, least uint32) uint32 {
	exp, man := int(v>>23&0xff), uint64(v&0x7fffff)
	negative := v>>31 != 0
	switch {
	case exp == 0xff && man != 0:
		return 0
	case negative && least == 0:
		return 0
	case exp >= 127:
		man, exp = 0, 127
	case exp < 100: // far below one half
		return 0
	}
	k := 150 - exp
	n := uint32(((man|1<<23)*uint64(most) + 1<<(k-1)) >> k)
	if negative {
		return -n
	}
	return n
}
