package num

// Elements of 16 bits are decoded four at a time: their bits without signs are in lanes of 16 bits, in which they are compared. What
// elementDecoder.line does with one after the other is the same.

import (
	"math"
	"math/bits"
)

// lowHalves are the lower halves of the words of a uint64.
const lowHalves = 0x0000ffff0000ffff

// inHalves reports whether lines are decoded so: steps have elements in their order, and no line has factors of its own.
func (d *Dense) inHalves() bool { return d.Bits == 16 && d.K%4 == 0 && d.PerLine == 0 && !d.plan.Last }

// halfSpan is what has been seen of four lines, each in a lane.
type halfSpan struct {
	least, largest, all uint64
	normal, most        uint64 // the least and the most that normal numbers have in all lanes, the latter with topFree
}

func (f *elementDecoder) halfSpan() halfSpan {
	return halfSpan{least: topFree - topLanes, normal: uint64(f.least) * topLanes, most: uint64(f.largest)*topLanes | topFree}
}

// see takes in numbers, which have no signs; false, and nothing is seen: one is not normal.
func (s *halfSpan) see(m uint64) bool {
	if ((m|topFree)-s.normal)&(s.most-m)&topFree != topFree {
		return false
	}
	larger := ((m | topFree) - s.largest) & topFree
	larger -= larger >> 15
	s.largest ^= (s.largest ^ m) & larger
	less := ((s.least | topFree) - m) & topFree
	less -= less >> 15
	s.least ^= (s.least ^ m) & less
	s.all |= m
	return true
}

// addTo adds all that has been seen to a span.
func (s *halfSpan) addTo(f *elementDecoder, to *denseSpan) {
	if s.all == 0 {
		return
	}
	least, largest, all := s.least, s.largest, s.all|s.all>>32
	least = min(least&0xffff, least>>16&0xffff, least>>32&0xffff, least>>48)
	largest, all = max(largest&0xffff, largest>>16&0xffff, largest>>32&0xffff, largest>>48), (all|all>>16)&0xffff
	frac := int32(f.frac)
	to.add(int32(largest>>frac)-f.bias, int32(least>>frac)-f.bias+int32(bits.TrailingZeros64(all|uint64(f.least)))-frac)
}

// halfDecoder has what normal numbers are made with.
type halfDecoder struct {
	toValue, keep, exponents uint64 // of value
	frac                     uint
	inTops, toTops           uint64 // exponents in lanes, and what is added to them
}

func (f *elementDecoder) halfDecoder() halfDecoder {
	return halfDecoder{
		toValue: f.toValue, keep: uint64(f.magnitude)*f.toValue | 1<<63, exponents: f.exponents,
		frac: f.frac & 15, inTops: 0x7fff >> (f.frac & 15) * topLanes, toTops: uint64(topBias-f.bias) * topLanes,
	}
}

// value is a normal number, in the lowest 16 bits.
func (h *halfDecoder) value(x uint64) float64 {
	return math.Float64frombits(uint64(int64(int16(x)))*h.toValue&h.keep + h.exponents)
}

// tops are the exponents of four normal numbers.
func (h *halfDecoder) tops(m uint64) uint64 { return m>>h.frac&h.inTops + h.toTops }

// one decodes a number of any kind.
func (f *elementDecoder) one(half uint32, s *denseSpan) (x float64, top uint64) {
	if m := half & f.magnitude; m-f.least > f.largest-f.least {
		return f.rare(half, s)
	}
	e := int32(half & f.magnitude >> f.frac)
	s.add(e-f.bias, e-f.bias-int32(f.frac)+int32(bits.TrailingZeros32(half|f.least)))
	h := f.halfDecoder()
	return h.value(uint64(half)), uint64(e - f.bias + topBias)
}

// halves decodes a row.
func (f *elementDecoder) halves(from []uint32, values []float64, tops []uint64) (span denseSpan) {
	span = denseSpan{high: noTop, low: lowOfZeros}
	s, h := f.halfSpan(), f.halfDecoder()
	for len(from) >= 2 && len(values) >= 4 && len(tops) >= 4 {
		x := uint64(from[0]) | uint64(from[1])<<32
		m, v, t := x&^topFree, values[:4], tops[:4]
		if s.see(m) {
			m = h.tops(m)
			v[0], v[1], v[2], v[3] = h.value(x), h.value(x>>16), h.value(x>>32), h.value(x>>48)
			t[0], t[1], t[2], t[3] = m&0xffff*topLanes, m>>16&0xffff*topLanes, m>>32&0xffff*topLanes, m>>48*topLanes
		} else {
			for j := range v {
				v[j], t[j] = f.one(uint32(x>>(16*j&63)&0xffff), &span)
				t[j] *= topLanes
			}
		}
		from, values, tops = from[2:], values[4:], tops[4:]
	}
	s.addTo(f, &span)
	return span
}

// fourHalves decodes a group of columns, whose words stand side by side. The span of the first one has the normal numbers of all: spans of
// single columns are not asked for.
func (f *elementDecoder) fourHalves(from []uint32, columns [][denseGroup]float64, tops []uint64, spans *[denseGroup]denseSpan) {
	for j := range spans {
		spans[j] = denseSpan{high: noTop, low: lowOfZeros}
	}
	s, h := f.halfSpan(), f.halfDecoder()
	for len(columns) >= 2 && len(tops) >= 2 {
		w := (*[denseGroup]uint32)(from)
		even, odd := uint64(w[0])|uint64(w[2])<<32, uint64(w[1])|uint64(w[3])<<32
		for i := range columns[:2] {
			c, four := &columns[i], even&lowHalves|odd&lowHalves<<16
			even, odd = even>>16, odd>>16
			if m := four &^ topFree; s.see(m) {
				tops[i] = h.tops(m)
				c[0], c[1], c[2], c[3] = h.value(four), h.value(four>>16), h.value(four>>32), h.value(four>>48)
				continue
			}
			tops[i] = 0
			for j := range c {
				v, top := f.one(uint32(four>>(16*j&63)&0xffff), &spans[j])
				c[j] = v
				tops[i] |= top << (16 * j & 63)
			}
		}
		from, columns, tops = from[min(DenseLanes, len(from)):], columns[2:], tops[2:]
	}
	s.addTo(f, &spans[0])
}
