// Package dense draws products of dense matrices for tests of those who compute them.
package dense

import (
	"fmt"
	"math/rand/v2"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Format is a format of elements and the bits that one takes.
type Format struct {
	Name string
	F    num.DotFormat
	Bits int
}

// Formats are those of matrix elements.
var Formats = []Format{
	{"f16", num.DotF16, 16}, {"bf16", num.DotBF16, 16}, {"tf32", num.DotTF32, 32}, {"e4m3", num.DotE4M3, 8}, {"e5m2", num.DotE5M2, 8},
	{"e3m2", num.DotE3M2, 8}, {"e2m3", num.DotE2M3, 8}, {"e2m1", num.DotE2M1Byte, 8},
}

// element draws an element: wild of a hundred are any pattern, zeros, subnormals, the extremes or specials, others are near the middle.
func element(r *rand.Rand, f num.DotFormat, wild int) uint32 {
	exponent, frac, low, _ := f.Layout()
	v := r.Uint32() & (1<<(exponent+frac+1) - 1)
	if r.IntN(100) >= wild {
		return (v&^((1<<exponent-1)<<frac) | (uint32(1)<<(exponent-1)-1+r.Uint32()%2)<<frac) << low
	}
	switch r.IntN(5) {
	case 0:
		v &= 1 << (exponent + frac)
	case 1:
		v &= 1<<(exponent+frac) | (1<<frac - 1)
	case 2:
		v |= (1<<exponent - 2) << frac
	case 3:
		v |= (1<<exponent - 1) << frac
	}
	return v << low
}

// Draw fills a product that has been set, C being of a format.
func Draw(r *rand.Rand, d *num.Dense, c num.DotFormat, wild int) {
	for i, list := range [][]uint32{d.Left, d.Right} {
		for at := range list {
			list[at] = 0
			for j := 0; j < 32; j += d.Bits {
				v := element(r, d.Format[i], wild)
				if d.Format[i] == num.DotE2M1Byte {
					v |= uint32(r.IntN(256)) & 0xc3 // bits that do not count
				}
				list[at] |= v & uint32(1<<d.Bits-1) << j
			}
		}
	}
	for i := range d.Sum {
		switch r.IntN(4) {
		case 0:
			d.Sum[i] = 0
		case 1:
			d.Sum[i] = element(r, c, wild)
		default:
			d.Sum[i] = element(r, c, 0)
		}
	}
}

// Rules are those of all generations and instructions for elements of a format and C and D of another.
func Rules(f, d num.DotFormat) (rules []num.DotRule) {
	for _, arch := range []int{70, 75, 80, 89, 90, 100} {
		rules = append(rules, f.Rule(arch, d, d))
	}
	return append(rules, f.WarpgroupRule(90, d), num.WholeRule(d, d), f.Rule(75, d, d).InSteps(4), f.Rule(90, d, num.DotF32))
}

// Integers draws products of bytes, and calls visit with each and a name.
func Integers(r *rand.Rand, visit func(name string, d *num.Dense)) {
	var d num.Dense
	for i := range 64 {
		shape := num.DenseShape{Rows: 1 + r.IntN(5), Columns: 1 + r.IntN(40), K: []int{16, 32, 64}[r.IntN(3)], Bits: 8, Integers: true}
		shape.Signed, shape.Saturate = [2]bool{i&1 != 0, i&2 != 0}, i&4 != 0
		d.Set(&shape)
		drawIntegers(r, &d, i>>3&1 != 0)
		visit(fmt.Sprintf("integers, %+v", shape), &d)
	}
}

// drawIntegers fills a product of bytes, their highest bits set or drawn, too.
func drawIntegers(r *rand.Rand, d *num.Dense, high bool) {
	for _, list := range [][]uint32{d.Left, d.Right} {
		for at := range list {
			if list[at] = r.Uint32(); high {
				list[at] |= 0x80808080
			}
		}
	}
	for at := range d.Sum {
		d.Sum[at] = []uint32{0, r.Uint32(), 1<<31 - r.Uint32()>>12, 1<<31 + r.Uint32()>>12}[r.IntN(4)]
	}
}

// Each draws products of all formats, rules and shapes, and calls visit with each and a name.
func Each(r *rand.Rand, visit func(name string, d *num.Dense)) {
	var d num.Dense
	for _, f := range Formats {
		for _, c := range []num.DotFormat{num.DotF32, num.DotF16} {
			for i, rule := range Rules(f.F, c) {
				for _, k := range []int{4, 8, 16, 32} {
					for _, wild := range []int{0, 1, 40} {
						other := f.F
						if f.Bits == 8 && r.IntN(2) == 0 {
							other = Formats[3+r.IntN(5)].F
						}
						d.Set(&num.DenseShape{Rows: 1 + r.IntN(5), Columns: 1 + r.IntN(40), K: k, Bits: f.Bits, Format: [2]num.DotFormat{f.F, other}, Rule: rule})
						Draw(r, &d, c, wild)
						visit(fmt.Sprintf("%s, rule %d, K %d, %d edge values in 100", f.Name, i, k, wild), &d)
					}
				}
			}
		}
	}
}

// Warps draws products of the shapes that mma has, and calls visit with each and a name; half tells whether C is f16, and wild how many
// of a hundred elements are edge values.
func Warps(r *rand.Rand, visit func(name string, d *num.Dense, half bool, wild int)) {
	var d num.Dense
	for i := range 96 {
		shape := num.DenseShape{Rows: 8 + 8*r.IntN(2), Columns: 8, K: []int{16, 32}[r.IntN(2)], Bits: 8, Integers: true}
		shape.Signed, shape.Saturate = [2]bool{i&1 != 0, i&2 != 0}, i&4 != 0
		d.Set(&shape)
		drawIntegers(r, &d, i>>3&1 != 0)
		visit(fmt.Sprintf("integers, %+v", shape), &d, false, 0)
	}
	for _, f := range Formats {
		for _, c := range []num.DotFormat{num.DotF32, num.DotF16} {
			for i, rule := range Rules(f.F, c) {
				if p, same := rule.Plan(f.Bits); !same || p.Half() != (c == num.DotF16) {
					continue
				}
				for _, words := range []int{1, 2} {
					for _, wild := range []int{0, 0, 1, 40} {
						other := f.F
						if f.Bits == 8 && r.IntN(2) == 0 {
							other = Formats[3+r.IntN(5)].F
						}
						d.Set(&num.DenseShape{Rows: 16, Columns: 8, K: 128 / f.Bits * words, Bits: f.Bits, Format: [2]num.DotFormat{f.F, other}, Rule: rule})
						Draw(r, &d, c, wild)
						visit(fmt.Sprintf("%s, rule %d, K %d, %d edge values in 100", f.Name, i, d.K, wild), &d, c == num.DotF16, wild)
					}
				}
			}
		}
	}
}

// Spread fills a product with numbers whose exponents lie within so many powers of two around 1, half of the times with few bits of
// fraction; those of C, which is of a format, lie within three times as many. One
// column of sixteen has zeros alone.
func Spread(r *rand.Rand, d *num.Dense, c num.DotFormat, spread int) {
	short := r.IntN(2) == 0
	for i, list := range [][]uint32{d.Left, d.Right} {
		for at := range list {
			list[at] = 0
			for j := 0; j < 32; j += d.Bits {
				list[at] |= near(r, d.Format[i], spread, short) << j
			}
		}
	}
	for i := range d.Sum {
		d.Sum[i] = near(r, c, 3*spread, short && i&1 == 0)
	}
	column := r.IntN(num.DenseLanes) // of zeros
	for at := column; at < len(d.Right); at += num.DenseLanes {
		d.Right[at] = 0
	}
	for at := column; at < len(d.Sum); at += num.DenseLanes {
		d.Sum[at] = 0
	}
}

// near draws a number whose exponent is near 1's, by half of the powers of two of the spread.
func near(r *rand.Rand, f num.DotFormat, spread int, short bool) uint32 {
	exponent, frac, low, _ := f.Layout()
	middle := 1<<(exponent-1) - 1
	field := max(1, min(middle-spread/2+r.IntN(spread+1), 2*middle-1))
	v := r.Uint32() & (1<<frac - 1)
	if short {
		v &^= 1<<(frac-min(frac, 2)) - 1
	}
	return (r.Uint32()&1<<(exponent+frac) | uint32(field)<<frac | v) << low
}
