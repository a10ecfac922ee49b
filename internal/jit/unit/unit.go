// Package unit says how compiled code evaluates the quadratics of the special function unit (num/sfu.go) by sums of 32 bits:
// which words of a segment it looks up, and how they are added.
//
// A quadratic c0·2^s0 + c1·r + c2·square has up to 39 bits, but what is wanted is what is above 2^s0, and c0 is a whole number of those. So
// the rest is a sum of products of 16-bit numbers, which has 32 bits:
//
//	c1·r = c1'·r' + k·r + (what the segment knows)   c1' = c1 - k, r' = r - 2^15, both with 16 bits
//
// k makes k·r a shift of the operand; parts that follow from the segment are in its base. The remainder's 17th bit, where there is one, adds
// a multiple of c1' to the base.
package unit

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Rule is how one function's sum becomes its result.
type Rule struct {
	Fraction uint8 // bits of the remainder: 16 or 17
	Twice    bool  // the square is of twice the remainder
	Shift    uint8 // of c0: s0
	Point    uint8 // if not 0: the result is the float sum·2^-Point, truncated
	s2       uint8 // the shift of c2
	k        int64
	bias     int64
	fold     func(segment int64) int64 // added to a segment's base
}

// Low is what is added below 2^Shift.
func (r *Rule) Low() uint32 { return uint32(r.bias & (1<<r.Shift - 1)) }

var rules = [num.NumUnits]Rule{
	num.UnitRcp:   {Fraction: 16, Twice: true, Shift: 13, k: -1 << 15, bias: 0x47e7, fold: func(i int64) int64 { return 4*(i<<16) - (1<<27 - 4) }},
	num.UnitRsqrt: {Fraction: 17, Shift: 14, s2: 2, k: -1 << 15, bias: 0x7fff, fold: rsqrtFold},
	num.UnitEx2:   {Fraction: 17, Shift: 13, k: 1 << 15, bias: 0x77e2, fold: func(i int64) int64 { return -4 * (i << 17) }},
	num.UnitLg2:   {Fraction: 17, Shift: 12, s2: 1, k: 1 << 15, bias: 0x3345, fold: func(i int64) int64 { return -8 * (i << 17) }, Point: 36},
	num.UnitSin:   {Fraction: 17, Shift: 11, fold: func(int64) int64 { return 0 }, Point: 37},
	num.UnitSqrt:  {Fraction: 17, Shift: 15, s2: 1, k: 1 << 16, bias: 0xffff, fold: sqrtFold},
}

// Of is the rule of a function.
func Of(u num.Unit) *Rule { return &rules[u] }

// rsqrtFold: twice the operand's bits are taken off; of an exponent's halves they take 2^24 too little or
// too much by its lowest bit, which is the segment's highest; 62·2^25 keep the sum below 2^32.
func rsqrtFold(i int64) int64 {
	return 2*(i&63<<17) + (378-i>>6)<<24 - 62<<25
}

// sqrtFold: twice the operand's bits are added; of an exponent's halves they give 2^25 for the hidden bit
// and 2^24 by its lowest bit too much or too little; 63·2^25 keep the sum below 2^32.
func sqrtFold(i int64) int64 {
	return i>>6<<24 - 1<<25 - 2*(i&63<<17)
}

// Table is a table of words, of which there are 32, 64 or 128.
type Table uint8

// The tables of tanh, whose coefficients have more than 16 bits: the first segment and below it the bits that do not count, by octave, and by
// segment the coefficients, those of the square without their sign.
const (
	TanhOctaves = 2*Table(num.NumUnits) + iota
	TanhC0
	TanhC1
	TanhC2
	NumTables
)

// Bases and Coefficients are the tables of a function by the bits of the operand above its remainder: what a segment has above 2^Shift, and
// c2' below c1'.
func Bases(u num.Unit) Table        { return Table(2 * u) }
func Coefficients(u num.Unit) Table { return Table(2*u + 1) }

// Words are the words of a table.
func (t Table) Words() []uint32 { return tables()[t] }

// tables are computed once.
var tables = sync.OnceValue(func() (all [NumTables][]uint32) {
	for u := range num.NumUnits {
		all[Bases(u)], all[Coefficients(u)] = rules[u].computed(u)
	}
	list, octaves := num.TanhSegments()
	all[TanhOctaves] = make([]uint32, 32)
	for i, o := range octaves {
		all[TanhOctaves][i] = uint32(o.First)<<8 | uint32(o.Drop)
	}
	for t := TanhC0; t <= TanhC2; t++ {
		all[t] = make([]uint32, 64)
	}
	for i, s := range list {
		all[TanhC0][i], all[TanhC1][i], all[TanhC2][i] = uint32(s.C0), uint32(s.C1), uint32(-s.C2)
	}
	return all
})

func (r *Rule) computed(u num.Unit) (bases, coefficients []uint32) {
	list := u.Segments()
	for i := range list {
		s := list[i]
		if u == num.UnitRsqrt || u == num.UnitSqrt { // the lowest bit of the exponent is that of e-127 there
			s = list[i^64]
		}
		c1, c2 := s.C1-r.k, s.C2<<r.s2
		if c1 != int64(int16(c1)) || c2 != int64(int16(c2)) {
			panic("BUG: a coefficient has more than 16 bits")
		}
		bases = append(bases, uint32(s.C0+c1<<(15-r.Shift)+r.bias>>r.Shift+r.fold(int64(i))))
		coefficients = append(coefficients, uint32(c1)<<16|uint32(uint16(c2)))
	}
	return bases, coefficients
}
