// The shortest way from f32, f16 and bf16 to the nearest code of a shorter float, for
// whole rows: the additions of a float32 do the rounding.

package num

import "math"

// rounder rounds an f32 magnitude. Adding 2^n, n so that the last place of the sum is that
// of the code, leaves the rounded code in the low bits, subnormal or not. Where the exponents
// are those of f32 (bf16), such an n may not exist; then the bits are rounded.
type rounder struct {
	src    Type
	cap    uint32 // the f32 with the largest code, or with the one that follows it
	least  uint32 // the exponent field of the smallest normal value
	up     uint32 // the distance from there to the 2^n that is added
	drop   uint8  // fraction bits of f32 that the format lacks
	place  uint8  // the distance between elements
	sign   uint32
	lose   uint32 // .relu: the bits that negative codes lose
	nan    uint32
	direct bool // the bits are rounded
}

// nearest prepares c; nil if this is no way for it.
func (c *Cvt) nearest() *rounder {
	f := types[c.Dst].format
	if c.Round != RN || c.Ftz || c.Sat || c.Pzo || c.Scaled || c.Integral || c.Dst == TF32 || c.Dst == F32 || c.Src == c.Dst ||
		c.Src != F32 && (c.Src != F16 && c.Src != BF16 || f.Man > 3) ||
		f.Inf == 0 && f.NaN != 0 && !f.Unsigned && !c.Satfinite {
		return nil
	}
	limit := f.Max
	if !c.Satfinite && (f.Inf != 0 || f.NaN != 0) {
		limit++
	}
	n := &rounder{src: c.Src, drop: 23 - f.Man, place: uint8(place(c.Dst)), sign: uint32(f.signBit())}
	n.least = uint32(127+f.emin()) << 23
	n.up = uint32(n.drop) << 23
	n.cap = n.least - 1<<23 + uint32(limit)<<n.drop
	n.nan = uint32(c.narrowNaN(f))
	n.direct = f.Exp == 8
	if c.Relu {
		n.lose = ^uint32(0)
	}
	return n
}

// magnitude is the code of |a|, which is no NaN.
func (n *rounder) magnitude(a uint32) uint32 {
	m := min(a&magF32, n.cap)
	e := max(m&infF32, n.least)
	up := e + n.up
	sum := math.Float32bits(math.Float32frombits(m) + math.Float32frombits(up))
	return sum - up + (e-n.least)>>(n.drop&31)
}

// signed gives a code the sign of a.
func (n *rounder) signed(code, a uint32) uint32 {
	neg := -(a >> 31)
	return (code | neg&n.sign) &^ (neg & n.lose)
}

// row converts scalars.
func (n *rounder) row(d, a *[32]uint32) {
	var x [32]uint32
	a = n.widen(&x, a, 0)
	if n.direct {
		n.directRow(d, a)
		return
	}
	for i, v := range a {
		if v&magF32 > infF32 {
			d[i] = n.nan
			continue
		}
		d[i] = n.signed(n.magnitude(v), v)
	}
}

// directRow rounds the bits of an f32 to its upper half.
func (n *rounder) directRow(d, a *[32]uint32) {
	nan, top, lose := n.nan, n.cap>>16, n.lose
	for i, v := range a {
		m := v & magF32
		if m > infF32 {
			d[i] = nan
			continue
		}
		d[i] = (min((m+0x7fff+m>>16&1)>>16, top) | v>>16&signHalf) &^ (-(v >> 31) & lose)
	}
}

// pair converts two rows of scalars to one of packed codes, a in the upper half.
func (n *rounder) pair(d, a, b *[32]uint32) {
	if n.direct {
		var hi [32]uint32
		n.directRow(&hi, a)
		n.directRow(d, b)
		for i, v := range hi {
			d[i] |= v << 16
		}
		return
	}
	place := n.place & 31
	for i, v := range a {
		u := b[i]
		if v&magF32 > infF32 || u&magF32 > infF32 {
			d[i] = n.single(v)<<place | n.single(u)
			continue
		}
		d[i] = n.signed(n.magnitude(v), v)<<place | n.signed(n.magnitude(u), u)
	}
}

func (n *rounder) single(a uint32) uint32 {
	if a&magF32 > infF32 {
		return n.nan
	}
	return n.signed(n.magnitude(a), a)
}

// widen returns the operands as f32, in x where they are halves; shift is 16 for upper ones.
func (n *rounder) widen(x, a *[32]uint32, shift uint8) *[32]uint32 {
	switch n.src {
	case F16:
		widenHalves(x, a, shift)
	case BF16:
		for i, v := range a {
			x[i] = v >> (shift & 31) << 16
		}
	default:
		return a
	}
	return x
}

// widenHalves widens f16 to f32.
func widenHalves(x, a *[32]uint32, shift uint8) {
	for i, v := range a {
		v >>= shift & 31
		if v&infF16 == infF16 {
			x[i] = CvtF32F16(v & 0xffff)
			continue
		}
		x[i] = math.Float32bits(math.Float32frombits(v&signHalf<<16|v&magHalf<<13) * 0x1p112)
	}
}

// packed converts packed halves to packed codes.
func (n *rounder) packed(d, a *[32]uint32) {
	var hi, lo [32]uint32
	n.pair(d, n.widen(&hi, a, 16), n.widen(&lo, a, 0))
}
