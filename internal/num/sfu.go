// The special function unit: rcp, rsqrt, sqrt, ex2, lg2, sin, cos and tanh of f32
// as the hardware interpolates them, from a table of quadratics with a truncated
// square (Oberman and Siu, ARITH-17, 2005). The tables of all but sqrt and tanh are
// those of the G80 unit. An H100 (sm_90) gives these bits for every operand
// (testdata/hw).
//
// These are the bare unit: subnormal operands count as zero and results below
// 2^-126 become zero. The PTX forms around it are in approx.go.

package num

import "math/bits"

// truncSquare is the unit's square of an x of up to 17 bits: the partial
// products are cut before they are summed. Written out, because the branches
// of a loop over the set bits cost more than all the terms.
func truncSquare(x uint32) int64 {
	sum := x>>16&-(x>>2&1) + x>>15&-(x>>3&1) + x>>14&-(x>>4&1) +
		x>>13&-(x>>5&1) + x>>12&-(x>>6&1) + x>>11&-(x>>7&1) +
		x>>10&-(x>>8&1) + x>>9&-(x>>9&1) + x>>8&-(x>>10&1) +
		x>>7&-(x>>11&1) + x>>6&-(x>>12&1) + x>>5&-(x>>13&1) +
		x>>4&-(x>>14&1) + x>>3&-(x>>15&1) + x>>2&-(x>>16&1)
	return int64(sum >> 1)
}

// at evaluates the segment at remainder r: c0 scaled up by s0, c2 by s2, with
// the square of rq.
func (c *coeff) at(s0, s2 uint, r, rq uint32) int64 {
	return c.c0<<s0 + c.c1*int64(r) + c.c2*truncSquare(rq)<<s2
}

// sfuPack builds sign, biased exponent e and 24-bit significand m (hidden one
// included, 2^24 allowed): too small is zero, too large infinity.
func sfuPack(sign uint32, e int32, m uint32) uint32 {
	if m == 1<<24 {
		m, e = 1<<23, e+1
	}
	switch {
	case e <= 0:
		return sign
	case e >= 255:
		return sign | infF32
	}
	return sign | uint32(e)<<23 | m&0x7fffff
}

// mufuRcp is MUFU.RCP.
func mufuRcp(a uint32) uint32 {
	sign, e, f := a&signF32, int32(a>>23&0xff), a&0x7fffff
	switch {
	case isNaNF32(a):
		return nanF32
	case e == 0:
		return sign | infF32
	case e == 255:
		return sign
	}
	r := f & 0xffff
	m := (sfuRcp[f>>16].at(13, 0, r, 2*r) + 0x47e7) >> 15
	return sfuPack(sign, 253-e, uint32(m))
}

// mufuRsq is MUFU.RSQ.
func mufuRsq(a uint32) uint32 {
	e, f := int32(a>>23&0xff), a&0x7fffff
	switch {
	case isNaNF32(a):
		return nanF32
	case e == 0:
		return a&signF32 | infF32
	case a&signF32 != 0:
		return nanF32
	case e == 255:
		return 0
	}
	e -= 127
	fx, h := f|uint32(e&1)<<23, e>>1
	if fx == 0 {
		return sfuPack(0, 127-h, 1<<23)
	}
	r := fx & 0x1ffff
	m := (sfuRsqrt[fx>>17].at(14, 2, r, r) + 0x7fff) >> 16
	return sfuPack(0, 126-h, uint32(m))
}

// mufuSqrt is MUFU.SQRT.
func mufuSqrt(a uint32) uint32 {
	e, f := int32(a>>23&0xff), a&0x7fffff
	switch {
	case isNaNF32(a):
		return nanF32
	case e == 0:
		return a & signF32
	case a&signF32 != 0:
		return nanF32
	case e == 255:
		return infF32
	}
	e -= 127
	fx := f | uint32(e&1)<<23
	r := fx & 0x1ffff
	m := (sfuSqrt[fx>>17].at(15, 1, r, r) + 0xffff) >> 17
	return sfuPack(0, 127+e>>1, uint32(m))
}

// mufuEx2 is MUFU.EX2. A negative operand complements its fraction instead of
// negating it.
func mufuEx2(a uint32) uint32 {
	e, sig := int32(a>>23&0xff), a&0x7fffff|1<<23
	switch {
	case isNaNF32(a):
		return nanF32
	case e >= 127+7:
		return ^uint32(int32(a)>>31) & infF32
	case e == 0:
		return oneF32
	}
	fix := uint64(sig) << 7 >> uint32(min(134-e, 63)) // 23 fraction bits
	n, f := int32(fix>>23), uint32(fix&0x7fffff)
	if a&signF32 != 0 {
		n = -n
		if f != 0 {
			n, f = n-1, ^f&0x7fffff
		}
	}
	r := f & 0x1ffff
	m := (sfuEx2[f>>17].at(13, 0, r, r) + 0x77e2) >> 15
	return sfuPack(0, 127+n, uint32(m))
}

// mufuLg2 is MUFU.LG2.
func mufuLg2(a uint32) uint32 {
	e, f := int32(a>>23&0xff), a&0x7fffff
	switch {
	case isNaNF32(a):
		return nanF32
	case e == 0:
		return signF32 | infF32
	case a&signF32 != 0:
		return nanF32
	case e == 255:
		return infF32
	case a == oneF32:
		return 0
	}
	r := f & 0x1ffff
	t := (sfuLg2[f>>17].at(12, 1, r, r)+0x3345)>>2 + int64(e-127)<<36
	sign := uint32(0)
	if t < 0 {
		sign, t = signF32, ^t
	}
	return sfuFloat(sign, t, 36)
}

// sfuFloat returns t * 2^-frac, truncated to 24 bits; 0 gives a signed zero.
func sfuFloat(sign uint32, t int64, frac int32) uint32 {
	if t == 0 {
		return sign
	}
	n := int32(bits.Len64(uint64(t))) - 1
	m := uint64(t) << (63 - n) >> 40
	return sfuPack(sign, 127+n-frac, uint32(m))
}

// mufuSin and mufuCos are MUFU.SIN and MUFU.COS of an operand in turns: the
// fraction of a turn to 25 bits, truncated, is a quadrant and a 23-bit part.
func mufuSin(a uint32) uint32 { return mufuTurn(a, 0) }
func mufuCos(a uint32) uint32 { return mufuTurn(a&magF32, 1) }

func mufuTurn(a, quadrant uint32) uint32 {
	e, sig := int32(a>>23&0xff), uint64(a&0x7fffff|1<<23)
	if e == 255 {
		return nanF32
	}
	var fix uint64
	switch shift := e - 150 + 25; {
	case e == 0:
	case shift >= 25:
	case shift >= 0:
		fix = sig << shift
	default:
		fix = sig >> min(-shift, 63)
	}
	q, f := uint32(fix>>23)+quadrant, uint32(fix&0x7fffff)
	sign := a & signF32
	if q&1 != 0 {
		f = ^f & 0x7fffff
	}
	sign ^= q & 2 << 30
	r := f & 0x1ffff
	return sfuFloat(sign, sfuSin[f>>17].at(11, 0, r, r), 37)
}

// Octave is an octave of tanh: its first segment, and how many bits at the end of the fraction
// do not count.
type Octave struct{ First, Drop uint8 }

// tanhOctaves are those from 2^-8 on; what the segments leave of the fraction are 17 bits.
var tanhOctaves = [11]Octave{
	{0, 6}, {1, 6}, {2, 6}, {3, 5}, {5, 5}, {7, 4}, {11, 4}, {15, 4}, {19, 3}, {27, 2}, {43, 3},
}

// mufuTanh is MUFU.TANH: the operand itself below 2^-8, subnormal or not.
func mufuTanh(a uint32) uint32 {
	const least, one = 0x3b800000, 0x41000000 // 2^-8, 8
	mag := a & magF32
	switch {
	case isNaNF32(a):
		return nanF32
	case mag < least:
		return a
	case mag >= one:
		return a&signF32 | oneF32
	}
	o := tanhOctaves[(mag-least)>>23]
	segment, r := mag>>(17+o.Drop)&(63>>o.Drop), mag>>o.Drop&0x1ffff
	return sfuFloat(a&signF32, sfuTanh[uint32(o.First)+segment].at(16, 0, r, r), 40)
}
