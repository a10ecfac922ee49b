// The shortest way from f32 to the nearest f16 and bf16, for whole rows.

package num

import "math"

// rounder rounds an f32 magnitude. Adding 2^n, n so that the last place of the sum is that
// of the code, leaves the rounded code in the low bits, subnormal or not. Where the exponents
// are those of f32 (bf16), such an n may not exist; then the bits are rounded.
type rounder struct {
	cap    uint32 // the f32 with the largest code, or with the one that follows it
	least  uint32 // the exponent field of the smallest normal value
	up     uint32 // the distance from there to the 2^n that is added
	drop   uint8  // fraction bits of f32 that the format lacks
	sign   uint32
	lose   uint32 // .relu: the bits that negative codes lose
	nan    uint32
	direct bool // the bits are rounded
}

// nearest prepares c; nil if this is no way for it.
func (c *Cvt) nearest() *rounder {
	f := types[c.Dst].format
	if c.Src != F32 || c.Dst != F16 && c.Dst != BF16 || c.Round != RN || c.Ftz || c.Sat || c.Pzo || c.Scaled {
		return nil
	}
	limit := f.Max
	if !c.Satfinite {
		limit++
	}
	n := &rounder{drop: 23 - f.Man, sign: uint32(f.signBit())}
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
	if n.direct {
		n.directRow(d, a)
		return
	}
	if n.lose == 0 && n.cap == endF16<<23 {
		rowF16(d, a)
		return
	}
	for i, v := range a {
		d[i] = n.signed(n.magnitude(v), v)
	}
	n.nans(d, a)
}

// rowF16 is CvtF16F32 for rows.
func rowF16(d, a *[32]uint32) {
	for i, v := range a {
		m := v & magF32
		if m-leastF16<<23 >= (endF16-leastF16)<<23 {
			d[i] = putRareF16(f32(v))
			continue
		}
		d[i] = v>>16&signHalf | (m-(leastF16-1)<<23+0xfff+m>>13&1)>>13
	}
}

// rowF16F64 is cvt.rn.f16.f64, rounded once.
func rowF16F64(d *[32]uint32, a *[32]uint64) {
	for i, v := range a {
		m := v & magF64
		if m-minBitsF16 >= endBitsF16-minBitsF16 {
			d[i] = rareF16F64(v)
			continue
		}
		d[i] = uint32(v>>48)&signHalf | uint32((m-rebiasF16<<dropF16+(1<<(dropF16-1)-1)+m>>dropF16&1)>>dropF16)
	}
}

// nans gives NaN operands their code.
func (n *rounder) nans(d, a *[32]uint32) {
	for i, v := range a {
		if v&magF32 > infF32 {
			d[i] = n.nan
		}
	}
}

// directRow rounds the bits of an f32 to its upper half. The top bit of nan says that there
// is one.
func (n *rounder) directRow(d, a *[32]uint32) {
	top, lose, nan := n.cap>>16, n.lose, uint32(0)
	for i, v := range a {
		m := v & magF32
		nan |= infF32 - m
		d[i] = (min((m+0x7fff+m>>16&1)>>16, top) | v>>16&signHalf) &^ (-(v >> 31) & lose)
	}
	if nan&signF32 != 0 {
		n.nans(d, a)
	}
}

// pair converts two rows of scalars to one of packed codes, a in the upper half.
func (n *rounder) pair(d, a, b *[32]uint32) {
	switch {
	case n.direct && n.cap == infF32:
		n.pairBF16(d, a, b)
		return
	case n.drop == dropF16-29 && n.cap == endF16<<23:
		n.pairF16(d, a, b)
		return
	}
	for i, v := range a {
		d[i] = n.single(v)<<16 | n.single(b[i])
	}
}

// single is the code of an f32.
func (n *rounder) single(a uint32) uint32 {
	m := a & magF32
	switch {
	case m > infF32:
		return n.nan
	case n.direct:
		return n.signed(min((m+0x7fff+m>>16&1)>>16, n.cap>>16), a)
	}
	return n.signed(n.magnitude(a), a)
}

// Both elements of a pair in the halves of a uint64. No sum carries into the upper one.
const both = 1<<32 | 1

const (
	endF16   = 127 + 16 // the exponent field of the first f32 beyond f16
	leastF16 = 127 - 14
	spanF16  = (endF16 - leastF16) << 23 // magnitudes of normal f16, from the least one on
)

// nearF16 is the nearest f16 in the upper half of a word, without sign: of a magnitude above
// the least normal f16, below spanF16.
func nearF16(m uint32) uint32 { return (m + m>>13&1 + 0xfff + 1<<23) << 3 }

// pairF16 is for f16, as long as results are normal. Nothing in the loop is called, which keeps
// its values in machine registers.
func (n *rounder) pairF16(d, a, b *[32]uint32) {
	if n.lose != 0 {
		n.reluPairF16(d, a, b)
		return
	}
	for i, v := range a {
		w := b[i]
		x, y := v&magF32-leastF16<<23, w&magF32-leastF16<<23
		if max(x, y) >= spanF16 {
			n.rarePairs(d, a, b, i)
			return
		}
		d[i] = (v&signF32|nearF16(x))&^0xffff | w>>16&signHalf | nearF16(y)>>16
	}
}

// reluPairF16 is pairF16 with .relu.
func (n *rounder) reluPairF16(d, a, b *[32]uint32) {
	for i, v := range a {
		w := b[i]
		x, y := v&magF32-leastF16<<23, w&magF32-leastF16<<23
		if max(x, y) >= spanF16 {
			n.rarePairs(d, a, b, i)
			return
		}
		d[i] = nearF16(x)&^uint32(int32(v)>>31)&^0xffff | nearF16(y)&^uint32(int32(w)>>31)>>16
	}
}

// rarePairs is pairF16 from lane i on: pairs with results that are not normal are rounded one by one.
func (n *rounder) rarePairs(d, a, b *[32]uint32, i int) {
	for ; i < len(d); i++ {
		d[i] = n.singleF16(a[i])<<16 | n.singleF16(b[i])
	}
}

// singleF16 is single for f16.
func (n *rounder) singleF16(v uint32) uint32 {
	if m := v&magF32 - leastF16<<23; m < spanF16 {
		return n.signed(nearF16(m)>>16, v)
	}
	return n.single(v)
}

// relu is what loseNegative takes.
func (n *rounder) relu() uint32 {
	if n.lose == 0 {
		return 0
	}
	return 0xffff
}

// loseNegative makes negative halves 0 if relu is 0xffff and leaves them if it is 0; a NaN is positive.
func loseNegative(pair, relu uint32) uint32 { return pair &^ (pair >> 15 & (1<<16 | 1) * relu) }

// pairBF16 is for bf16. The top bit of each half of nan says that there is one; then, because d
// may be a or b, nothing is written before all is known.
func (n *rounder) pairBF16(d, a, b *[32]uint32) {
	nan, sum, relu := uint64(0), [32]uint32{}, n.relu()
	for i, v := range a {
		x := uint64(v)<<32 | uint64(b[i])
		nan |= x&(magF32*both) + (1<<31-infF32-1)*both
		x += 0x7fff*both + x>>16&both
		sum[i] = loseNegative(uint32(x>>32)&^0xffff|uint32(x)>>16, relu)
	}
	if nan&(signF32*both) != 0 {
		n.nanPairs(&sum, a, b)
	}
	*d = sum
}

// nanPairs gives pairs with NaN operands their codes.
func (n *rounder) nanPairs(d, a, b *[32]uint32) {
	for i, v := range a {
		if max(v&magF32, b[i]&magF32) > infF32 {
			d[i] = n.single(v)<<16 | n.single(b[i])
		}
	}
}
