package num

// Sums of decoded elements, of four columns at a time. Products of two are exact as float64. Where no term has a bit below those that its
// step keeps, their sum is exact, too. Else each is cut where DotRule.Sum does it: by a power of two and the conversion to an integer.

import (
	"math"
	"math/bits"
)

// fourSums are what sums of four neighbouring columns are made of.
type fourSums struct {
	values [denseGroup]float64 // what products are added to
	tops   [denseGroup]int32   // its exponents; noTop of zero
	span   denseSpan           // of all four
	dots   [denseGroup]float64
	cuts   [denseGroup]int64   // sums in units of what is kept last
	last   [denseGroup]int32   // its exponents
	up     [denseGroup]float64 // powers of two that make cuts
}

// set takes numbers, f16 or f32; odd has a bit for each that is not finite, which counts as zero.
func (s *fourSums) set(half bool, list *[denseGroup]uint32) (odd uint) {
	s.span = denseSpan{high: noTop, low: lowOfZeros}
	for j := range list {
		v := list[j]
		if half {
			v = widenF16(v)
		}
		field, top, x := v>>23&0xff, int32(noTop), float64(0)
		switch {
		case field == 0xff:
			odd |= 1 << j
		case v<<1 != 0:
			x, top = float64(math.Float32frombits(v)), s.number(half, v)
		}
		s.values[j], s.tops[j] = x, top
	}
	return odd
}

// number takes in a number that is not zero, in the bits of f32, and returns its exponent.
func (s *fourSums) number(half bool, v uint32) (top int32) {
	top = max(int32(v>>23&0xff)-127, -126)
	low := top - 23 + int32(bits.TrailingZeros32(v|1<<23))
	if half {
		top = max(top, -14)
	}
	s.span.add(top, low)
	return top
}

// fourRule is how a step adds to four sums.
type fourRule struct {
	Dot
	keep, floor int32
	below       uint64 // bits of a float64 that are not those of a result
}

// fours returns the rule of four sums.
func (d Dot) fours() fourRule {
	r := fourRule{Dot: d, keep: int32(d.Keep), floor: int32(d.Floor), below: 1<<(52-23) - 1}
	if d.Result == DotToE8M13 {
		r.below = 1<<(52-13) - 1
	}
	return r
}

// four adds the products of a row and a group of columns to a group of sums; odd has a bit for each column that is not as the reference
// implementation has it, as a number that is added to is not finite.
func (d *Dense) four(row, group int, to *[denseGroup]uint32) (odd uint) {
	half := d.plan.Half()
	odd = d.sums.set(half, to)
	switch {
	case d.Terms:
		d.terms(row, group, to)
	case d.plan.Last:
		c := *to
		*to = [denseGroup]uint32{}
		d.sums.set(half, to)
		odd |= d.fourSteps(row, group, to)
		for j, v := range c {
			to[j] = nearestSum(half, to[j], v)
		}
	default:
		odd |= d.fourSteps(row, group, to)
	}
	return odd
}

// nearestSum is a sum of f16 or f32 to the nearest.
func nearestSum(half bool, a, b uint32) uint32 {
	if half {
		return AddF16(a, b)
	}
	return AddF32(a, b)
}

// fourSteps adds the products step by step, the first to what has been set.
func (d *Dense) fourSteps(row, group int, to *[denseGroup]uint32) (odd uint) {
	a, b := row*d.K, group*d.K
	for i := range d.plan.Steps {
		if i > 0 {
			odd |= d.sums.set(d.plan.Half(), to)
		}
		n := len(d.plan.Steps[i])
		d.fourStep(row, group, a, b, n, to)
		a, b = a+n, b+n
	}
	return odd
}

// fourStep adds n products, those of a row and a group from a and b on.
func (d *Dense) fourStep(row, group, a, b, n int, to *[denseGroup]uint32) {
	left, right, s, r := &d.lines[0], &d.lines[1], &d.sums, &d.rule
	high := left.spans[row].high + right.groups[group].high
	low := left.spans[row].low + right.groups[group].low
	rows, columns := left.rows[a:][:n], right.columns[b:][:n]
	if min(low, s.span.low) >= max(high, s.span.high, r.floor)-r.keep { // no term is cut
		s.dots = dotFours(rows, columns)
		for j := range s.dots {
			s.dots[j] += s.values[j]
		}
		if r.round4(s, to) == 0 {
			return
		}
	}
	tops := uint64(0)
	if min(s.tops[0], s.tops[1], s.tops[2], s.tops[3]) < high {
		tops = topFours(left.tops[a:][:n], right.tops[b:][:n])
	}
	if most := r.align(s, tops); low >= most {
		s.dots = dotFours(rows, columns)
		for j := range s.cuts {
			s.cuts[j] = int64(s.dots[j] * s.up[j])
		}
	} else {
		cutFours(rows, columns, s)
	}
	for j := range s.cuts {
		s.cuts[j] += int64(s.values[j] * s.up[j])
		s.dots[j] = float64(s.cuts[j]) * power(int(s.last[j]))
	}
	for j, small := 0, r.round4(s, to); small != 0; j, small = j+1, small>>1 {
		if small&1 != 0 {
			to[j] = r.round(s.cuts[j], int(s.last[j]))
		}
	}
}

// align finds the last bit that is kept of each sum, of products with these exponents in lanes, and the largest of the four.
func (r *fourRule) align(s *fourSums, tops uint64) (most int32) {
	most = noTop
	for j := range s.last {
		top := max(int32(tops>>(16*j&63)&0xffff)-2*topBias, s.tops[j], r.floor)
		if top <= noFloor { // all are zero
			top = 0
		}
		last := top - r.keep
		s.last[j], s.up[j] = last, power(int(-last))
		most = max(most, last)
	}
	return most
}

// round4 rounds exact sums; small has a bit for each that is less than a normal number and not zero.
func (r *fourRule) round4(s *fourSums, to *[denseGroup]uint32) (small uint) {
	if r.Result == DotToF16 {
		return s.roundHalf(to)
	}
	for j := range to {
		u := math.Float64bits(s.dots[j])
		if u<<1 < (1023-126)<<53 {
			if to[j] = 0; u<<1 != 0 {
				small |= 1 << j
			}
			continue
		}
		to[j] = math.Float32bits(float32(math.Float64frombits(u &^ r.below)))
	}
	return small
}

// roundHalf does it to f16, to the nearest.
func (s *fourSums) roundHalf(to *[denseGroup]uint32) (small uint) {
	for j := range to {
		u := math.Float64bits(s.dots[j])
		m := u &^ (1 << 63)
		if m < (1023-14)<<52 {
			if to[j] = 0; m != 0 {
				small |= 1 << j
			}
			continue
		}
		m += 1<<41 - 1 + m>>42&1
		to[j] = uint32(min(m>>42-(1023-15)<<10, 0x7c00) | u>>63<<15)
	}
	return small
}

// dotFours are sums of products of numbers and those of four columns, or pairs of columns.
func dotFours[T float64 | int64](a []T, b [][denseGroup]T) [denseGroup]T {
	var s0, s1, s2, s3 T
	b = b[:len(a)]
	for k, x := range a {
		y := &b[k]
		s0 += x * y[0]
		s1 += x * y[1]
		s2 += x * y[2]
		s3 += x * y[3]
	}
	return [denseGroup]T{s0, s1, s2, s3}
}

// cutFours makes sums of products times powers of two, each cut to an integer.
func cutFours(a []float64, b [][denseGroup]float64, s *fourSums) {
	if u := s.up[0]; s.up == [denseGroup]float64{u, u, u, u} {
		cutAlike(a, b, s)
		return
	}
	u0, u1, u2, u3 := s.up[0], s.up[1], s.up[2], s.up[3]
	var s0, s1, s2, s3 int64
	b = b[:len(a)]
	for k, x := range a {
		y := &b[k]
		s0 += int64(x * y[0] * u0)
		s1 += int64(x * y[1] * u1)
		s2 += int64(x * y[2] * u2)
		s3 += int64(x * y[3] * u3)
	}
	s.cuts[0], s.cuts[1], s.cuts[2], s.cuts[3] = s0, s1, s2, s3
}

// cutAlike is cutFours where the powers are one.
func cutAlike(a []float64, b [][denseGroup]float64, s *fourSums) {
	u := s.up[0]
	var s0, s1, s2, s3 int64
	b = b[:len(a)]
	for k, x := range a {
		x *= u
		y := &b[k]
		s0 += int64(x * y[0])
		s1 += int64(x * y[1])
		s2 += int64(x * y[2])
		s3 += int64(x * y[3])
	}
	s.cuts[0], s.cuts[1], s.cuts[2], s.cuts[3] = s0, s1, s2, s3
}

// topFours are the largest sums of exponents, lane by lane.
func topFours(a, b []uint64) (top uint64) {
	b = b[:len(a)]
	for k, x := range a {
		x += b[k]
		larger := ((x | topFree) - top) & topFree // free bits of lanes in which x is at least as large
		larger -= larger >> 15
		top ^= (top ^ x) & larger
	}
	return top
}
