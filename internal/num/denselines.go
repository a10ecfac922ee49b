package num

// Elements of a Dense as portable code multiplies them: each is decoded once, to a float64 and its exponent.

import (
	"math"
	"math/bits"
	"slices"
)

// denseGroup is how many neighbouring columns portable code computes at once.
const denseGroup = 4

// denseLines are decoded rows of Left or columns of Right, elements in the order of the steps.
type denseLines struct {
	rows    []float64             // of Left, row after row
	columns [][denseGroup]float64 // of Right: for each group of columns, for each place in K those of all
	tops    []uint64              // the exponents by which products are aligned, in lanes: of Left the same in all, of Right those of a group
	spans   []denseSpan           // of each row or column
	groups  []denseSpan           // of Right's groups
}

// denseSpan is what lines have in common.
type denseSpan struct {
	high int32 // the largest exponent, noTop if all are zero
	low  int32 // the exponent of the last bit that any element has, lowOfZeros if all are zero
	odd  bool  // an element or a factor is not finite
}

// Spans of lines whose elements are all zero: the sum of two is below every exponent, and above.
const (
	noTop      = -1 << 14
	lowOfZeros = 1 << 14
)

// Exponents of one step are compared in four lanes of 16 bits, whose highest bits are free: elements count topBias more, zeros 0, so that
// no product with a zero has the largest.
const (
	topLanes = 0x0001000100010001
	topFree  = topLanes << 15
	topBias  = 1 << 13
)

// elementDecoder decodes numbers of a format.
type elementDecoder struct {
	DotFormat
	bits            int    // of an element
	magnitude       uint32 // the bits of exponent and fraction
	least, largest  uint32 // normal numbers
	toSign, toValue uint64 // what moves a sign and a magnitude to their places in a float64
	exponents       uint64 // is added to the exponent
	bias            int32
}

// decoder returns the one of elements of so many bits.
func (f DotFormat) decoder(bits int) elementDecoder {
	exponent, frac, low, largest := f.Layout()
	bias := uint64(1)<<(exponent-1) - 1
	return elementDecoder{
		DotFormat: f, bits: bits, magnitude: (1<<(exponent+frac) - 1) << low, least: 1 << (frac + low), largest: largest << low,
		toSign: 1 << (63 - (exponent + frac + low)), toValue: 1 << (52 - frac - low), exponents: (1023 - bias) << 52, bias: int32(bias),
	}
}

// line decodes a line, whose words are so far apart: values and exponents as lanes have them.
func (f *elementDecoder) line(from []uint32, step int, values []float64, tops []uint64) denseSpan {
	s := denseSpan{high: noTop, low: lowOfZeros}
	largest, least, all, word, at := uint32(0), f.largest, uint32(0), uint32(0), 0
	mask, normal, tops := 32/f.bits-1, f.largest-f.least, tops[:len(values)]
	for i := range values {
		switch {
		case i&mask == 0:
			word = from[at]
			at += step
		case f.bits == 16:
			word >>= 16
		default:
			word >>= 8
		}
		m := word & f.magnitude
		if m-f.least > normal {
			values[i], tops[i] = f.rare(word, &s)
			continue
		}
		x := uint64(m)*f.toValue + f.exponents
		values[i], tops[i] = math.Float64frombits(x|uint64(word)*f.toSign&(1<<63)), x>>52+topBias-1023
		largest, least, all = max(largest, m), min(least, m), all|m
	}
	if all != 0 {
		frac := int32(f.frac)
		low := int32(bits.TrailingZeros32(all|f.least)) - int32(f.low) - frac // of the fractions: the last bit that any has
		s.add(int32(largest>>(f.frac+f.low))-f.bias, int32(least>>(f.frac+f.low))-f.bias+low)
	}
	return s
}

// rare decodes zero, subnormal numbers, and what is not finite, which counts as zero.
func (f *elementDecoder) rare(word uint32, s *denseSpan) (x float64, top uint64) {
	v := f.Factor(word & uint32(1<<f.bits-1))
	switch {
	case v.Kind != FactorFinite:
		s.odd = true
		return 0, 0
	case v.Sig == 0:
		return 0, 0
	}
	s.add(int32(v.Top), int32(v.Exp)+int32(bits.TrailingZeros32(uint32(v.Sig))))
	return float64(v.Sig) * power(int(v.Exp)), uint64(int(v.Top) + topBias)
}

// power is 2^e of a normal float64.
func power(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// add takes in elements with this largest exponent and this last bit.
func (s *denseSpan) add(high, low int32) { s.high, s.low = max(s.high, high), min(s.low, low) }

// decode makes lines of both operands, unless they are there: products one behind the other often share a matrix, as tiles of one row do,
// and warps of a warpgroup.
func (d *Dense) decode() {
	if !d.decoded(0, d.Left) {
		d.decodeLeft()
	}
	if d.decoded(1, d.Right) {
		return
	}
	d.decodeRight()
	if d.PerLine != 0 {
		d.oddScales()
		if !d.Terms {
			d.scaleLeft()
			d.scaleRight()
		}
	}
	l := &d.lines[1]
	l.groups = Grown(l.groups, len(l.spans)/denseGroup)
	for i := range l.groups {
		g := &l.groups[i]
		*g = l.spans[denseGroup*i]
		for _, s := range l.spans[denseGroup*i+1:][:denseGroup-1] {
			g.add(s.high, s.low)
			g.odd = g.odd || s.odd
		}
	}
}

// decoded reports whether an operand's lines were made of these words, of the same shape; else it notes the words. Factors change lines.
func (d *Dense) decoded(operand int, words []uint32) bool {
	if d.PerLine != 0 {
		return false
	}
	same := d.known[operand] && sameWords(d.seen[operand], words)
	if !same {
		d.seen[operand], d.known[operand] = append(d.seen[operand][:0], words...), true
	}
	return same
}

// sameWords reports whether two lists of one length are equal.
func sameWords(a, b []uint32) bool {
	const at = 16 // arrays are compared as a whole
	for len(a) >= at && len(b) >= at {
		if *(*[at]uint32)(a) != *(*[at]uint32)(b) {
			return false
		}
		a, b = a[at:], b[at:]
	}
	return slices.Equal(a, b)
}

// decodeLeft makes rows.
func (d *Dense) decodeLeft() {
	l, f, words := &d.lines[0], d.Format[0].decoder(d.Bits), d.K*d.Bits/32
	l.rows, l.tops, l.spans = Grown(l.rows, d.Rows*d.K), Grown(l.tops, d.Rows*d.K), Grown(l.spans, d.Rows)
	d.values, d.exponents = Grown(d.values, denseGroup*d.K), Grown(d.exponents, denseGroup*d.K)
	values, exponents := d.values[:d.K], d.exponents[:d.K]
	for row := range l.spans {
		if d.inHalves() {
			l.spans[row] = f.halves(d.Left[row*words:][:words], l.rows[row*d.K:][:d.K], l.tops[row*d.K:][:d.K])
			continue
		}
		l.spans[row] = f.line(d.Left[row*words:], 1, values, exponents)
		to, tops := l.rows[row*d.K:][:d.K], l.tops[row*d.K:][:d.K]
		for i, k := range d.order {
			to[k], tops[k] = values[i], exponents[i]*topLanes
		}
	}
}

// decodeRight makes groups of columns.
func (d *Dense) decodeRight() {
	l, f, words := &d.lines[1], d.Format[1].decoder(d.Bits), d.K*d.Bits/32
	n := d.Columns / denseGroup * d.K
	l.columns, l.tops, l.spans = Grown(l.columns, n), Grown(l.tops, n), Grown(l.spans, d.Columns)
	for first := 0; first < d.Columns; first += denseGroup {
		if at := first / denseGroup * d.K; d.inHalves() {
			from := d.Right[DenseOperand(1).Word(first, words):]
			f.fourHalves(from, l.columns[at:][:d.K], l.tops[at:][:d.K], (*[denseGroup]denseSpan)(l.spans[first:]))
			continue
		}
		for j := range denseGroup {
			at := DenseOperand(1).Word(first+j, words)
			l.spans[first+j] = f.line(d.Right[at:], DenseLanes, d.values[j*d.K:][:d.K], d.exponents[j*d.K:][:d.K])
		}
		at := first / denseGroup * d.K
		d.interleave(l.columns[at:][:d.K], l.tops[at:][:d.K])
	}
}

// interleave puts the columns of a group side by side, in the order of the steps.
func (d *Dense) interleave(columns [][denseGroup]float64, tops []uint64) {
	n := len(d.order)
	v0, v1, v2, v3 := d.values[:n], d.values[n:][:n], d.values[2*n:][:n], d.values[3*n:][:n]
	t0, t1, t2, t3 := d.exponents[:n], d.exponents[n:][:n], d.exponents[2*n:][:n], d.exponents[3*n:][:n]
	for i, k := range d.order {
		c := &columns[k]
		c[0], c[1], c[2], c[3] = v0[i], v1[i], v2[i], v3[i]
		tops[k] = t0[i] | t1[i]<<16 | t2[i]<<32 | t3[i]<<48
	}
}

// scaled moves exponents of a line that has some.
func (s *denseSpan) scaled(by Scale) {
	if s.high != noTop {
		s.high, s.low = s.high+int32(by.Exp), s.low+int32(by.Exp)
	}
	s.odd = s.odd || by.NaN
}

// scaleLeft multiplies rows by their factors, which are powers of two.
func (d *Dense) scaleLeft() {
	l := &d.lines[0]
	for row := range l.spans {
		by := d.Scales[0][row]
		l.spans[row].scaled(by)
		for k := row * d.K; k < (row+1)*d.K; k++ {
			if l.rows[k] *= power(int(by.Exp)); l.tops[k] != 0 {
				l.tops[k] += topLanes * uint64(by.Exp)
			}
		}
	}
}

// scaleRight multiplies columns by theirs.
func (d *Dense) scaleRight() {
	l := &d.lines[1]
	for column := range l.spans {
		by, j, first := d.Scales[1][column], column%denseGroup, column/denseGroup*d.K
		l.spans[column].scaled(by)
		for k := first; k < first+d.K; k++ {
			if l.columns[k][j] *= power(int(by.Exp)); l.tops[k]>>(16*j)&0xffff != 0 {
				l.tops[k] += uint64(by.Exp) << (16 * j)
			}
		}
	}
}
