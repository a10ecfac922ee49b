// The last stage of a row's conversion to a float of at most 32 bits: rounding in the bits
// of a float64, in any mode, by what its sign and exponent say.

package num

import "math"

// step is how the fraction of a float64 with one sign and exponent becomes a code:
// (fraction + hidden + add) >> shift + base, at most cap.
type step struct {
	hidden, add uint64
	odd         uint64 // 1: the last bit that stays is added too (nearest even)
	base, cap   uint32
	sign, zero  uint32 // of a result that is not zero; the result zero
	shift       uint8
	slow        bool // left to Cvt.ApplyWith
}

// steps are those of one conversion, for positive values, then for negative ones. The first
// of each is for all smaller exponents, the last for all larger ones.
type steps struct {
	list  []step
	first uint64 // the biased exponent of the first
	span  uint64 // the index of the last
	left  uint8  // tf32: where the code lies in the f32
}

// newSteps prepares the conversion of a q whose fields for format f are set; nil where an
// overflow loses its sign.
func (q *Quick) newSteps(f *Format) *steps {
	if f.Inf == 0 && f.NaN != 0 && !f.Unsigned && !q.Satfinite {
		return nil
	}
	below := int32(f.Man) + 2
	top := int32(f.Max>>f.Man) - f.Bias
	low := f.emin() - below
	s := &steps{first: uint64(1023 + low), span: uint64(top + 1 - low), left: q.left}
	for neg := range 2 {
		for e := low; e <= top+1; e++ {
			s.list = append(s.list, q.step(f, neg, e, e == low, e > top))
		}
	}
	return s
}

func (q *Quick) step(f *Format, neg int, e int32, least, over bool) step {
	s := step{cap: q.ceiling(f, neg), sign: uint32(q.sign[neg]), zero: uint32(q.zero[neg]), odd: q.nearest}
	tiny, away := e < f.emin(), q.add[neg] != 0 && q.nearest == 0 && q.Round != RNA
	switch {
	case q.keep[neg] == 0: // .relu, .sat
		s.cap, s.shift, s.odd = 0, 63, 0
	case over:
		s.base, s.shift, s.odd = s.cap, 63, 0
	case tiny && q.flush:
		s.cap, s.shift, s.odd, s.slow = 0, 63, 0, q.Src == F64 && e == f.emin()-1
	case least:
		s.hidden, s.shift, s.odd = 1<<52, 63, 0
		if away {
			s.add = 1<<63 - 1
		}
	default:
		s.shift, s.add = q.drop, q.add[neg]
		s.base = uint32(e-f.emin()+1) << f.Man
		if tiny {
			s.base, s.hidden = 0, 1<<52
			s.shift += uint8(f.emin() - e)
			s.add = q.rounding(s.shift, away)
		}
	}
	return s
}

// rounding is what is added before shift bits are cut off.
func (q *Quick) rounding(shift uint8, away bool) uint64 {
	switch {
	case q.nearest != 0:
		return 1<<(shift-1) - 1
	case q.Round == RNA:
		return 1 << (shift - 1)
	case away:
		return 1<<shift - 1
	}
	return 0
}

// ceiling is the largest code of a sign: the largest finite value, or what follows it.
func (q *Quick) ceiling(f *Format, neg int) uint32 {
	over := f.overflow(neg == 1 && !f.Unsigned, q.Round)
	switch {
	case q.Sat:
		return uint32(q.cap)
	case q.Satfinite:
		over = f.Max
	}
	return uint32(over &^ f.signBit())
}

// of finds the step of a float64 that is neither zero nor infinite nor NaN.
func (s *steps) of(b uint64) *step {
	k := min(max(b<<1>>53, s.first)-s.first, s.span)
	return &s.list[k+(s.span+1)&-(b>>63)]
}

func (r *Rows) encodeRow(out *[32]uint64, x *[32]float64, in *rowIn) {
	if r.steps == nil {
		for i := range out {
			out[i] = r.slow(in, i)
		}
		return
	}
	left := r.steps.left & 31
	for i, v := range x {
		b := math.Float64bits(v)
		if b&magF64-1 >= infF64-1 {
			out[i] = r.special(b, in, i)
			continue
		}
		s := r.steps.of(b)
		if s.slow {
			out[i] = r.slow(in, i)
			continue
		}
		sig := b&(1<<52-1) | s.hidden
		sig += s.add + sig>>(s.shift&63)&s.odd
		code := min(uint32(sig>>(s.shift&63))+s.base, s.cap)
		if code != 0 {
			code |= s.sign
		} else {
			code = s.zero
		}
		out[i] = uint64(code << left)
	}
}

// special is for zeros, infinities and NaN.
func (r *Rows) special(b uint64, in *rowIn, i int) uint64 {
	if b<<1 == 0 {
		return r.zero[b>>63] << r.left
	}
	return r.slow(in, i)
}
