package main

// What is multiplied: for each case of each way, numbers that follow from the statement and the
// case alone, so that a later computation of the products makes the same ones.

import (
	"encoding/binary"
	"hash/fnv"
)

// elem is an element type: a float of exponent and fraction bits, or an integer.
type elem struct {
	name           string
	bits           int
	exponent, frac int // 0 and 0: an integer
}

func (e elem) float() bool { return e.exponent != 0 }

// elems are the element types. A tf32 has a word; the low 13 bits of its fraction do not count.
var elems = map[string]elem{
	".f16": {".f16", 16, 5, 10}, ".bf16": {".bf16", 16, 8, 7}, ".tf32": {".tf32", 32, 8, 23}, ".f32": {".f32", 32, 8, 23}, ".f64": {".f64", 64, 11, 52},
	".e4m3": {".e4m3", 8, 4, 3}, ".e5m2": {".e5m2", 8, 5, 2},
	".u8": {".u8", 8, 0, 0}, ".s8": {".s8", 8, 0, 0}, ".u4": {".u4", 4, 0, 0}, ".s4": {".s4", 4, 0, 0}, ".b1": {".b1", 1, 0, 0}, ".s32": {".s32", 32, 0, 0},
}

// way is a way to choose numbers.
type way uint8

const (
	wayRaw     way = iota // any bits
	wayNear               // floats near 1; integers: any
	waySpread             // floats from 2^-12 to 2^12; integers: any
	wayTiny               // floats whose products are near the least of the result; integers: any
	waySpecial            // as near, one of 64 is infinite, NaN, zero or the largest; integers: the least and the largest
	wayZeros              // three of four are zero of either sign
	wayPowers             // powers of two, C of any size
	wayWhole              // whole numbers from -3 to 3, C to 100: every order of additions gives the same
	ways
)

// numbersOf is a sequence of 64 random bits each (splitmix64).
type numbersOf uint64

func (s *numbersOf) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// input is what the lanes of one case read: [register][lane], little-endian, the registers of A,
// B and C and the metadata in turn.
func (p *product) input(w way, number int) (data []byte) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.op)) // it never fails
	s := numbersOf(h.Sum64() + uint64(w)<<32 + uint64(number))
	for operand, n := range []int{p.a, p.b, p.c} {
		for range n * p.lanes {
			data = p.register(data, w, operand, &s)
		}
	}
	if p.e {
		for range p.lanes {
			data = binary.LittleEndian.AppendUint32(data, p.metadata(&s))
		}
	}
	return data
}

// register appends one register's elements.
func (p *product) register(data []byte, w way, operand int, s *numbersOf) []byte {
	e := p.elems[operand]
	var word uint64
	for at := 0; at < p.width; at += e.bits {
		word |= e.number(w, operand == 2, s.next()) & (1<<e.bits - 1) << at
	}
	if p.width == 64 {
		return binary.LittleEndian.AppendUint64(data, word)
	}
	return binary.LittleEndian.AppendUint32(data, uint32(word))
}

// number is one element.
func (e elem) number(w way, c bool, r uint64) uint64 {
	switch {
	case !e.float():
		return e.integer(w, c, r)
	case w == wayRaw:
		return r
	}
	sign, frac, rest := r>>63, r>>8&(1<<e.frac-1), r&0xff
	bias := uint64(1)<<(e.exponent-1) - 1
	reach := min(bias-1, 12)
	switch w {
	case wayNear:
	case waySpecial:
		if r>>32&63 == 0 {
			return e.special(sign, rest)
		}
	case waySpread:
		return e.join(sign, bias-reach+rest%(2*reach+1), frac)
	case wayTiny:
		return e.join(sign, e.tiny(c, bias)+rest%5, frac)
	case wayZeros:
		if rest&3 != 0 {
			return e.join(sign, 0, 0)
		}
		return e.join(sign, bias-reach+rest>>2%(2*reach+1), frac)
	case wayPowers:
		if c {
			return e.join(sign, max(1, bias+rest%41-20)&(1<<e.exponent-1), frac)
		}
		return e.join(sign, bias-min(reach, 3)+rest%(2*min(reach, 3)+1), 0)
	case wayWhole:
		if c {
			return e.whole(sign, rest%101)
		}
		return e.whole(sign, rest%4)
	}
	return e.join(sign, bias-2+rest&3, frac)
}

// join makes a float of its fields; an exponent beyond the finite ones is brought back.
func (e elem) join(sign, exponent, frac uint64) uint64 {
	return sign<<(e.exponent+e.frac) | min(exponent, 1<<e.exponent-2)<<e.frac | frac
}

// tiny is the exponent field of small numbers: products of two 8-bit ones near 2^-145, others subnormal.
func (e elem) tiny(c bool, bias uint64) uint64 {
	if e.exponent == 8 && !c {
		return bias - 75
	}
	return 0
}

// whole is a small whole number.
func (e elem) whole(sign, v uint64) uint64 {
	if v == 0 {
		return e.join(sign, 0, 0)
	}
	top := 0
	for v>>top > 1 {
		top++
	}
	return e.join(sign, 1<<(e.exponent-1)-1+uint64(top), (v<<e.frac>>top)&(1<<e.frac-1))
}

// special is an infinity, a NaN, a zero or the largest number; e4m3 has no infinity.
func (e elem) special(sign, rest uint64) uint64 {
	ones := uint64(1)<<e.exponent - 1
	switch rest & 3 {
	case 0:
		return sign<<(e.exponent+e.frac) | ones<<e.frac
	case 1:
		return sign<<(e.exponent+e.frac) | ones<<e.frac | (1<<e.frac - 1 - rest>>6)
	case 2:
		return e.join(sign, 0, 0)
	}
	return sign<<(e.exponent+e.frac) | (ones-1)<<e.frac | (1<<e.frac - 1)
}

// integer is an element that is no float, of its low bits.
func (e elem) integer(w way, c bool, r uint64) uint64 {
	switch {
	case w == waySpecial && c:
		return 0x7fffff80 + r>>63<<31 + r&0xff // where sums wrap or saturate
	case w == waySpecial && e.bits > 1:
		return []uint64{1<<(e.bits-1) - 1, 1 << (e.bits - 1), 1<<e.bits - 1, 0}[r>>20&3]
	case w == wayZeros && r>>20&3 != 0:
		return 0
	case w == wayWhole && c:
		return r>>20%201 - 100
	case w == wayWhole && e.name[1] == 's':
		return r>>20%7 - 3
	case w == wayWhole:
		return r >> 20 & 3
	}
	return r >> 7
}

// metadata are eight places of pairs, ascending in each group of four; of tf32, one of two elements.
func (p *product) metadata(s *numbersOf) (word uint32) {
	places := []uint32{0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110}
	if p.elems[0].name == ".tf32" {
		places = []uint32{0b0100, 0b1110}
	}
	for i := range 8 {
		word |= places[s.next()>>20%uint64(len(places))] << (4 * i)
	}
	return word
}
