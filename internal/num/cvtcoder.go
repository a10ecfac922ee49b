// Rows of floats that are f32 values, and of integers, to floats of at most 16 bits, in any
// mode: rounding in the bits of an f32, by what its sign and exponent say.

package num

import (
	"math"
	"sync"
)

// coder converts rows of f32 to one format. Its reference implementation is Cvt.ApplyWith.
type coder struct {
	Cvt
	list    [512]piece  // by the sign and exponent field of an f32
	scaled  *halfTable  // .scaled: the codes of at most 8 bits, if there is a table
	widened [256]uint32 // the f32 of each operand of at most 8 bits
	nan     uint32
	inf     [2]uint64 // by sign
	minus   uint32    // .pzo: the code that becomes zero
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
	dst := &types[q.Dst]
	switch {
	case q.Integral || dst.format == nil || dst.width > 16 || q.Src == F64:
		return nil
	case q.Src == TF32 || q.Round == RNA || q.Src == UE8M0 || q.Dst == UE8M0:
		return nil
	case dst.format.Inf == 0 && dst.format.NaN != 0 && !dst.format.Unsigned && !q.Satfinite:
		return nil // an overflow loses its sign
	}
	if k, ok := coders.Load(q.Cvt); ok {
		return k.(*coder)
	}
	k := q.newCoder(dst.format)
	coders.Store(q.Cvt, k)
	return k
}

func (q *Quick) newCoder(dst *Format) *coder {
	k := &coder{Cvt: q.Cvt}
	k.constants()
	if q.Pzo {
		k.minus = uint32(dst.signBit())
	}
	for neg := range 2 {
		part := k.list[neg<<8:]
		part[0] = q.leastPiece(dst, neg)
		for e := range int32(254) {
			part[e+1] = q.piece(dst, neg, e-126)
		}
		part[255] = piece{base: k.inf[neg] << unit, cap: k.inf[neg]}
	}
	if q.Scaled && (q.Dst != S2F6 || q.Src == BF16) {
		k.scaled = (&Cvt{Dst: q.Dst, Src: BF16, Round: q.Round, Satfinite: q.Satfinite, Relu: q.Relu, Pzo: q.Pzo}).halves()
	}
	return k
}

// constants are the codes of NaN and infinities, and all operands of few bits as f32.
func (k *coder) constants() {
	wide := k.Cvt
	wide.Src, wide.Scaled = F32, false
	k.nan = uint32(wide.Apply(fmtF32.NaN))
	k.inf = [2]uint64{wide.Apply(infF32), wide.Apply(signF32 | infF32)}
	if f := types[k.Src].format; f != nil && types[k.Src].width <= 8 {
		w := Cvt{Dst: F32, Src: k.Src}
		for v := range k.widened {
			k.widened[v] = uint32(w.Apply(uint64(v)))
		}
	}
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
	case U8, S8, U16, S16:
		shortF32s(space, a, k.Src)
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

// shortF32s are integers of at most 16 bits as f32.
func shortF32s(x, a *[32]uint32, t Type) {
	switch t {
	case U8:
		for i, v := range a {
			x[i] = math.Float32bits(float32(uint8(v)))
		}
	case S8:
		for i, v := range a {
			x[i] = math.Float32bits(float32(int8(v)))
		}
	case U16:
		for i, v := range a {
			x[i] = math.Float32bits(float32(uint16(v)))
		}
	case S16:
		for i, v := range a {
			x[i] = math.Float32bits(float32(int16(v)))
		}
	}
}

// oddF32s rounds f64 that are integers to odd f32: what is rounded later has fewer bits.
func oddF32s(d *[32]uint32, x *[32]float64) {
	for i, v := range x {
		b := math.Float64bits(v)
		m := max(b&magF64, (1023-127)<<52) - (1023-127)<<52 // 0 stays 0
		d[i] = uint32(b>>32)&signF32 | uint32(m>>29) | uint32((m&(1<<29-1)+(1<<29-1))>>29)
	}
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
	list, nan := &k.list, uint32(0)
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
	list, nan := &k.list, uint32(0)
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
	list, nan := &k.list, uint32(0)
	mask := ^uint32(0) << ((32 - k.Random) & 31)
	for i, v := range a {
		p := &list[v>>23]
		y := uint64(v&(1<<23-1))*p.scale + p.base + uint64(random[i]<<(above&31)&mask)<<(unit-32)
		d[i] = uint32(min(y>>unit, p.cap))
		nan |= infF32 - v&magF32
	}
	k.finish(d, a, nan)
}

// scaledRow converts f32 with the factors in the low bytes of n.
func (k *coder) scaledRow(d, a, n *[32]uint32) {
	x := new([32]uint32)
	k.times(x, a, n)
	switch {
	case k.scaled != nil:
		for i, v := range x {
			d[i] = uint32(k.scaled[oddBF16(v)])
		}
	case k.Dst != BF16 || !k.upper(d, x):
		k.plainRow(d, x)
	}
}

// factors are the values of ue8m0 codes as they multiply, and inverses as they divide.
var factors, inverses = func() (f, inv [256]float32) {
	for n := range 255 {
		f[n] = float32(math.Ldexp(1, n-unity))
		inv[254-n] = f[n]
	}
	f[255], inv[255] = float32(math.NaN()), float32(math.NaN())
	return
}()

// times multiplies f32 by their factors, or divides by them where the result is narrow. What
// is too large or small for an f32 is far from the codes of 8 bits; bf16 has operands of at
// most 8 bits, no place of which is lost.
func (k *coder) times(x, a, n *[32]uint32) {
	by := &inverses
	if k.Dst == BF16 {
		by = &factors
	}
	for i, v := range a {
		if v&infF32 == 0 && v<<1 != 0 && k.Flush {
			v = 0
		}
		x[i] = math.Float32bits(math.Float32frombits(v) * by[uint8(n[i])])
	}
	if k.Round == RZ && !k.Satfinite {
		for i, v := range x { // an overflow is no infinity
			if v&magF32 == infF32 && a[i]&magF32 != infF32 {
				x[i]--
			}
		}
	}
}

// upper takes the upper halves of f32 that are bf16; false if one is none, or no number.
func (k *coder) upper(d, x *[32]uint32) bool {
	lose, most, lost := uint32(0), uint32(0), uint32(0)
	if k.Relu {
		lose = ^lose
	}
	for i, v := range x {
		d[i] = v >> 16 &^ (-(v >> 31) & lose)
		most = max(most, v&magF32)
		lost |= v
	}
	return most < infF32 && lost&0xffff == 0
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
	if k.Scaled {
		k.scaledRow(d, a, scale)
		return
	}
	k.plainRow(d, a)
}

// plainRow converts f32 without factors.
func (k *coder) plainRow(d, a *[32]uint32) {
	if k.Round == RN {
		k.row(d, a)
		return
	}
	k.directedRow(d, a)
}
