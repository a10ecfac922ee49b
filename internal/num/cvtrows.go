// Conversions of a warp's 32 lanes, in stages that are loops of their own: a call for
// each element, as Quick.ConvertWith is, takes several times as long.

package num

import "math"

// Rows is a conversion prepared for whole rows. Its reference implementation is Quick.ConvertWith.
type Rows struct {
	Quick
	steps *steps     // to floats of at most 32 bits
	code  *coder     // to floats of at most 16 bits from f32 values
	near  *rounder   // the shortest way to some of them
	half  *halfTable // to floats of at most 8 bits
}

// Lanes are the elements of a row: of 32 or of 64 bits, one of the two.
type Lanes struct {
	W32 *[32]uint32
	W64 *[32]uint64
}

// rowIn is one operand of each lane with what belongs to it.
type rowIn struct {
	a             *[32]uint64
	scale, random *[32]uint32 // factors in the low byte; random bits in the low ones
}

// Rows prepares the conversion for rows.
func (c *Cvt) Rows() *Rows {
	r := c.stages()
	r.half = c.halves()
	return r
}

// stages prepares the conversion without its table of halves.
func (c *Cvt) stages() *Rows {
	r := &Rows{Quick: *c.Quick()}
	if r.widen == nil || r.table != nil {
		return r
	}
	r.code = r.Quick.coder()
	if f := types[c.Dst].format; f != nil && c.Dst != F64 && c.Dst != UE8M0 && c.Dst != S2F6 {
		r.near = c.nearest()
		if r.code == nil {
			r.steps = r.Quick.newSteps(f)
		}
	}
	return r
}

// Convert converts a row, which may be d's: some ways look at NaN operands again when all are converted. Signed
// integers are extended to regBits, the width of d's registers.
func (r *Rows) Convert(d, a Lanes, regBits uint) {
	if a.W32 != nil && a.W32 == d.W32 {
		from := *a.W32
		a.W32 = &from
	}
	if r.near != nil && a.W32 != nil && d.W32 != nil {
		r.near.row(d.W32, a.W32)
		return
	}
	if r.Cvt == (Cvt{Dst: F16, Src: F64}) && d.W32 != nil {
		rowF16F64(d.W32, a.W64)
		return
	}
	if r.code != nil && r.half == nil && a.W32 != nil && d.W32 != nil && r.Src != U32 && r.Src != S32 {
		r.code.codes(d.W32, r.code.f32s(new([32]uint32), a.W32, 0), nil)
		return
	}
	var out [32]uint64
	r.codes(&out, &rowIn{a: a.wide(new([32]uint64))})
	if n := types[r.Dst].width; types[r.Dst].format == nil && types[r.Dst].signed && regBits > uint(n) {
		keep := ^uint64(0) >> (64 - regBits)
		for i, v := range out {
			out[i] = uint64(int64(v<<(64-n))>>(64-n)) & keep
		}
	}
	d.put(&out)
}

// wide returns the elements as 64 bits each, in space where they are not.
func (l Lanes) wide(space *[32]uint64) *[32]uint64 {
	if l.W64 != nil {
		return l.W64
	}
	for i, v := range l.W32 {
		space[i] = uint64(v)
	}
	return space
}

func (l Lanes) put(v *[32]uint64) {
	if l.W64 != nil {
		*l.W64 = *v
		return
	}
	for i := range v {
		l.W32[i] = uint32(v[i])
	}
}

// slow converts one lane in the general way.
func (r *Rows) slow(in *rowIn, i int) uint64 {
	scale, random := uint8(unity), uint32(0)
	if r.Scaled {
		scale = uint8(in.scale[i])
	}
	if r.Random != 0 {
		random = in.random[i]
	}
	return r.ApplyWith(in.a[i], scale, random)
}

// codes converts a row to codes of r.Dst.
func (r *Rows) codes(out *[32]uint64, in *rowIn) {
	src, dst := &types[r.Src], &types[r.Dst]
	switch {
	case r.table != nil:
		for i, v := range in.a {
			out[i] = uint64(r.table[v&0xff])
		}
		return
	case r.half != nil:
		r.half.row(out, in.a, r.Src)
		return
	case src.format == nil && dst.format == nil && r.Else == 0:
		r.clampRow(out, in, src, dst)
		return
	case r.widen == nil:
		for i := range out {
			out[i] = r.slow(in, i)
		}
		return
	case r.code != nil:
		r.coded(out, in)
		return
	case src.format == nil && src.width == 64 && r.Dst == F64:
		r.wholeRow(out, in)
		return
	}
	var x [32]float64
	r.widenRow(&x, in.a)
	if r.round != nil {
		roundRow(&x, r.Round)
	}
	switch {
	case r.toInt:
		r.integerRow(out, &x, in)
	case r.Dst == F64:
		r.wideRow(out, &x, in)
	case r.Dst == UE8M0:
		for i, x := range x {
			out[i] = r.power(math.Float64bits(x) & magF64)
		}
	default:
		r.encodeRow(out, &x, in)
	}
}

// clampRow is intToInt.
func (r *Rows) clampRow(out *[32]uint64, in *rowIn, src, dst *typeInfo) {
	spare, mask := 64-src.width, uint64(1)<<dst.width-1
	hi, lo := int64(mask>>1), int64(0)
	switch {
	case !r.Sat:
		hi, lo = math.MaxInt64, math.MinInt64
	case dst.signed:
		lo = -hi - 1
	case dst.width < 64:
		hi = int64(mask)
	}
	switch {
	case src.signed:
		for i, v := range in.a {
			out[i] = uint64(min(max(int64(v<<spare)>>spare, lo), hi)) & mask
		}
	case r.Sat:
		limit := mask
		if dst.signed {
			limit >>= 1
		}
		for i, v := range in.a {
			out[i] = min(v<<spare>>spare, limit)
		}
	default:
		for i, v := range in.a {
			out[i] = v << spare >> spare & mask
		}
	}
}

// coded converts by the coder.
func (r *Rows) coded(out *[32]uint64, in *rowIn) {
	var x, d [32]uint32
	if f32s := r.f32s(&x, in.a); r.Round == RS {
		r.code.randomRow(&d, f32s, in.random, 32-uint(r.Random))
	} else {
		r.code.codes(&d, f32s, in.scale)
	}
	for i, v := range d {
		out[i] = uint64(v)
	}
}

// f32s are operands of the coder, in space.
func (r *Rows) f32s(space *[32]uint32, a *[32]uint64) *[32]uint32 {
	if types[r.Src].format == nil && types[r.Src].width > 16 {
		var x [32]float64
		r.widenRow(&x, a)
		oddF32s(space, &x)
		return space
	}
	for i, v := range a {
		space[i] = uint32(v)
	}
	return r.code.f32s(space, space, 0)
}

// roundRow rounds to integral values.
func roundRow(x *[32]float64, m Mode) {
	switch m {
	case RN:
		for i, v := range x {
			x[i] = math.RoundToEven(v)
		}
	case RZ:
		for i, v := range x {
			x[i] = math.Trunc(v)
		}
	case RM:
		for i, v := range x {
			x[i] = math.Floor(v)
		}
	case RP:
		for i, v := range x {
			x[i] = math.Ceil(v)
		}
	}
}

// integerRow clamps integral values to an integer type.
func (r *Rows) integerRow(out *[32]uint64, x *[32]float64, in *rowIn) {
	dst := &types[r.Dst]
	mask, lo, hi := uint64(1)<<dst.width-1, r.lo, r.hi
	below, above := uint64(0), mask
	if dst.signed {
		below, above = 1<<(dst.width-1), mask>>1
	}
	for i, v := range x {
		switch {
		case v >= lo && v < hi && v < 1<<63:
			out[i] = uint64(int64(v)) & mask
		case v >= hi:
			out[i] = above
		case v < lo:
			out[i] = below
		case v >= 1<<63:
			out[i] = uint64(int64(v-1<<63)) + 1<<63
		default:
			out[i] = r.slow(in, i)
		}
	}
}

// wideRow is to f64, which holds every operand.
func (r *Rows) wideRow(out *[32]uint64, x *[32]float64, in *rowIn) {
	for i, v := range x {
		switch {
		case v != v:
			out[i] = r.slow(in, i)
		case !r.Sat:
			out[i] = math.Float64bits(v)
		case v > 0:
			out[i] = math.Float64bits(min(v, 1))
		default:
			out[i] = 0
		}
	}
}

// wholeRow rounds 64-bit integers to f64.
func (r *Rows) wholeRow(out *[32]uint64, in *rowIn) {
	const drop = 11
	signed := types[r.Src].signed
	add, odd, one := [2]uint64{}, uint64(0), uint64(oneF64)
	switch r.Round {
	case RN:
		add, odd = [2]uint64{1<<(drop-1) - 1, 1<<(drop-1) - 1}, 1
	case RM:
		add[1] = 1<<drop - 1
	case RP:
		add[0] = 1<<drop - 1
	}
	for i, v := range in.a {
		neg := uint64(0)
		if signed {
			neg = v >> 63
		}
		mag := v
		if neg != 0 {
			mag = -v
		}
		switch {
		case mag == 0 || neg != 0 && r.Sat:
			out[i] = 0
			continue
		case r.Sat:
			out[i] = one
			continue
		}
		n := uint64(leading(mag))
		sig := mag << (n & 63)
		keep := sig >> drop
		keep += (sig&(1<<drop-1) + add[neg] + keep&odd) >> drop
		out[i] = neg<<63 | ((1023+62-n)<<52 + keep)
	}
}
