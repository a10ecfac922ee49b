// Rows of floats that are f32 values to floats of at most 16 bits, in any mode: rounding in
// the bits of the f32, by what its sign and exponent say.

package num

import (
	"math/bits"
	"sync"
)

// coder converts rows of f32 to one format. Its slow twin is Cvt.ApplyWith.
type coder struct {
	Cvt
	// by the sign and exponent field of an f32; if scaled, by the sign and the exponent
	// field plus the code of the factor, or its complement if that is a divisor
	list      []piece
	flip      uint32      // what makes a code its complement, or 0
	widened   [256]uint32 // the f32 of each operand of at most 8 bits
	nan       uint32
	zero, inf [2]uint32 // by sign
	minus     uint32    // .pzo: the code that becomes zero
}

// piece is where the f32 of one sign and exponent lie among the codes:
// (fraction*scale + base) >> unit, rounded to nearest or, as base has it, otherwise; at most cap.
type piece struct{ scale, base, cap uint64 }

// unit is the place of a code's last bit. What lies so far below it that scale would be less
// than 1 is rounded as what has scale 1: to the same code in every mode.
const unit = 40

// coders are made once for each conversion.
var coders sync.Map // Cvt: *coder

// coder is the coder for q; nil where none serves.
func (q *Quick) coder() *coder {
	src, dst := &types[q.Src], &types[q.Dst]
	switch {
	case q.Integral || src.format == nil || dst.format == nil || dst.width > 16 || src.width > 32:
		return nil
	case q.Src == TF32 || q.Round == RNA || q.Src == UE8M0 || q.Dst == UE8M0:
		return nil
	case dst.format.Inf == 0 && dst.format.NaN != 0 && !dst.format.Unsigned && !q.Satfinite:
		return nil // an overflow loses its sign
	}
	if k, ok := coders.Load(q.Cvt); ok {
		return k.(*coder)
	}
	k := q.newCoder(src.format, dst.format)
	coders.Store(q.Cvt, k)
	return k
}

func (q *Quick) newCoder(src, dst *Format) *coder {
	k := &coder{Cvt: q.Cvt, nan: uint32(q.ApplyWith(src.NaN, 255, 0))}
	for neg := range uint64(2) {
		sign := neg * src.signBit()
		k.zero[neg], k.inf[neg] = uint32(q.Apply(sign)), uint32(q.Apply(sign|src.Inf))
	}
	if q.Pzo {
		k.minus = uint32(dst.signBit())
	}
	if types[q.Src].width <= 8 {
		w := Cvt{Dst: F32, Src: q.Src}
		for v := range k.widened {
			k.widened[v] = uint32(w.Apply(uint64(v)))
		}
	}
	if q.Scaled {
		at := int32(2 * unity)
		if q.Dst != BF16 {
			k.flip, at = 255, at+1
		}
		for neg := range 2 {
			for i := range int32(512) {
				k.list = append(k.list, q.piece(dst, neg, i-at))
			}
		}
		return k
	}
	for neg := range 2 {
		k.list = append(k.list, q.leastPiece(dst, neg))
		for e := int32(1); e < 255; e++ {
			k.list = append(k.list, q.piece(dst, neg, e-127))
		}
		k.list = append(k.list, piece{base: uint64(k.inf[neg]) << unit, cap: uint64(k.inf[neg])})
	}
	return k
}

// piece is that of exponent e.
func (q *Quick) piece(f *Format, neg int, e int32) piece {
	least, top := f.emin(), int32(f.Max>>f.Man)-f.Bias
	sign, limit := q.sign[neg], uint64(q.ceiling(f, neg))
	if q.Dst == S2F6 { // a magnitude in 1/64
		least, top, sign, limit = 0, 0, 0, f.Max+uint64(neg)
	}
	p := piece{cap: sign | limit, base: (sign | limit) << unit}
	switch {
	case q.keep[neg] == 0: // .relu, .sat
		return piece{}
	case e > top:
		return p
	}
	p.scale = 1 << max(unit-23+int32(f.Man)-max(least-e, 0), 0)
	p.base = sign<<unit + p.scale<<23
	if e > least {
		p.base += uint64(e-least) << f.Man << unit
	}
	if q.Round == RM || q.Round == RP {
		p.base += q.add[neg] >> (q.drop - unit) // all places below the code's, or none
	}
	return p
}

// leastPiece is that of zero and subnormal f32.
func (q *Quick) leastPiece(f *Format, neg int) piece {
	p := q.piece(f, neg, -126)
	if q.Ftz {
		return piece{base: q.zero[neg] << unit, cap: q.zero[neg]}
	}
	p.base -= p.scale << 23
	return p
}

// f32s is element k of each lane as an f32, in space where it is not one already. shift is
// how far up the element lies.
func (k *coder) f32s(space, a *[32]uint32, shift uint) *[32]uint32 {
	shift &= 31
	switch k.Src {
	case F32:
		return a
	case BF16:
		for i, v := range a {
			space[i] = v >> shift << 16
		}
	case F16:
		for i, v := range a {
			v >>= shift
			space[i] = v&signHalf<<16 | (v&magHalf<<13 + (127-15)<<23)
			if (v+1<<10)&(infF16&^(1<<10)) == 0 { // not normal
				space[i] = k.rareF16(v & 0xffff)
			}
		}
	default:
		for i, v := range a {
			space[i] = k.widened[uint8(v>>shift)]
		}
	}
	return space
}

// rareF16 widens what is not normal. .scaled::n1 makes a subnormal number +0.
func (k *coder) rareF16(v uint32) uint32 {
	if k.Flush && v&infF16 == 0 && v&magHalf != 0 {
		return 0
	}
	return CvtF32F16(v)
}

// row converts f32 without a factor, to nearest.
func (k *coder) row(d, a *[32]uint32) {
	list, nan := (*[512]piece)(k.list), uint32(0)
	for i, v := range a {
		p := &list[v>>23]
		y := uint64(v&(1<<23-1))*p.scale + p.base
		y += 1<<(unit-1) - 1 + y>>unit&1
		d[i] = uint32(min(y>>unit, p.cap))
		nan |= infF32 - v&magF32
	}
	k.finish(d, a, nan)
}

// directedRow is row for .rz, .rm and .rp.
func (k *coder) directedRow(d, a *[32]uint32) {
	list, nan := (*[512]piece)(k.list), uint32(0)
	for i, v := range a {
		p := &list[v>>23]
		y := uint64(v&(1<<23-1))*p.scale + p.base
		d[i] = uint32(min(y>>unit, p.cap))
		nan |= infF32 - v&magF32
	}
	k.finish(d, a, nan)
}

// randomRow is row for .rs: the random bits, above which so many others lie in their word, are
// the highest ones below the code.
func (k *coder) randomRow(d, a, random *[32]uint32, above uint) {
	list, nan := (*[512]piece)(k.list), uint32(0)
	mask := ^uint32(0) << ((32 - k.Random) & 31)
	for i, v := range a {
		p := &list[v>>23]
		y := uint64(v&(1<<23-1))*p.scale + p.base + uint64(random[i]<<(above&31)&mask)<<(unit-32)
		d[i] = uint32(min(y>>unit, p.cap))
		nan |= infF32 - v&magF32
	}
	k.finish(d, a, nan)
}

// scaledRow converts f32 with the factors in the low bytes of n, to nearest.
func (k *coder) scaledRow(d, a, n *[32]uint32) {
	list, flip, rare := (*[1024]piece)(k.list), k.flip, uint32(0)
	for i, v := range a {
		e, by := v>>23&0xff, n[i]&0xff
		if e-1 >= 254 || by == 255 {
			rare |= 1 << (i & 31)
		}
		p := &list[(v>>31<<9+e+(by^flip))&1023]
		y := uint64(v&(1<<23-1))*p.scale + p.base
		y += 1<<(unit-1) - 1 + y>>unit&1
		d[i] = uint32(min(y>>unit, p.cap))
	}
	k.finish(d, a, 0)
	k.specials(d, a, n, rare)
}

// directedScaledRow is scaledRow for .rz, .rm and .rp.
func (k *coder) directedScaledRow(d, a, n *[32]uint32) {
	list, flip, rare := (*[1024]piece)(k.list), k.flip, uint32(0)
	for i, v := range a {
		e, by := v>>23&0xff, n[i]&0xff
		if e-1 >= 254 || by == 255 {
			rare |= 1 << (i & 31)
		}
		p := &list[(v>>31<<9+e+(by^flip))&1023]
		y := uint64(v&(1<<23-1))*p.scale + p.base
		d[i] = uint32(min(y>>unit, p.cap))
	}
	k.finish(d, a, 0)
	k.specials(d, a, n, rare)
}

// specials converts the lanes that have no piece.
func (k *coder) specials(d, a, n *[32]uint32, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros32(lanes) & 31
		d[i] = k.special(a[i], n[i]&0xff)
	}
}

// special is for zeros, subnormal numbers, infinities and NaN, and for factors that are NaN.
func (k *coder) special(v, n uint32) uint32 {
	switch {
	case n == 255 || isNaNF32(v):
		return k.nan
	case v&magF32 == infF32:
		return k.inf[v>>31]
	case v<<1 == 0:
		return k.zero[v>>31]
	case k.Flush:
		return k.zero[0]
	}
	c := k.Cvt
	c.Src = F32
	return uint32(c.ApplyWith(uint64(v), uint8(n), 0))
}

// finish makes -0 zero with .pzo, and two's complements of s2f6; the top bit of nan says that
// there are NaN operands, which get their code.
func (k *coder) finish(d, a *[32]uint32, nan uint32) {
	switch {
	case k.Dst == S2F6:
		for i, v := range a {
			neg := -(v >> 31)
			d[i] = ((d[i] ^ neg) - neg) & 0xff
		}
	case k.minus != 0:
		for i, v := range d {
			if v == k.minus {
				d[i] = 0
			}
		}
	}
	if nan&signF32 == 0 {
		return
	}
	for i, v := range a {
		if isNaNF32(v) {
			d[i] = k.nan
		}
	}
}

// codes converts f32 as the conversion says, with factors where it has them, without random bits.
func (k *coder) codes(d, a, scale *[32]uint32) {
	switch {
	case k.Scaled && k.Round == RN:
		k.scaledRow(d, a, scale)
	case k.Scaled:
		k.directedScaledRow(d, a, scale)
	case k.Round == RN:
		k.row(d, a)
	default:
		k.directedRow(d, a)
	}
}
