package matrix

// Products of whole matrices whose elements have been collected: of wgmma and tcgen05.mma.

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// matrices is a product D = A*B + D of rows×k and k×columns elements.
type matrices struct {
	rows, columns int
	k, stored     int // of a row of A: stored of k if it is sparse
	elems         [4]matrixElement
	negative      [2]bool             // A and B
	places        func(row int) []int // where in K the stored elements of a row belong; nil: dense
	left          []uint32            // elements of A, row after row
	right         []uint32            // of B, column after column
	sum           []uint32            // D, row after row
	rule          num.DotRule         // of floats
	down          int                 // of floats: D counts times 2^-down
	exact         bool                // of down: whatever the format of D has no place for counts as well
	saturate      bool                // of integers
	and           bool                // of words of bits
	blocks        *blockFactors       // nil: no scale factors
}

// multiply adds A*B to sum.
func (p *matrices) multiply() {
	switch {
	case p.and:
		p.each(func(a, b []uint32, c uint32) uint32 {
			for k := range a {
				c += uint32(bits.OnesCount32(a[k] & b[k]))
			}
			return c
		})
	case p.elems[3].signed:
		p.each(func(a, b []uint32, c uint32) uint32 {
			sum := int64(int32(c))
			for k := range a {
				sum += int64(p.elems[0].integer(a[k])) * int64(p.elems[1].integer(b[k]))
			}
			return narrowed(sum, p.saturate)
		})
	case p.blocks != nil:
		p.scaled()
	default:
		p.floats()
	}
}

// each computes the elements of D from the stored elements of A and those of B that belong to them.
func (p *matrices) each(sum func(a, b []uint32, c uint32) uint32) {
	eachPair(p, p.left, p.right, func(_ int, a, b []uint32, at int) { p.sum[at] = sum(a, b, p.sum[at]) })
}

// floats multiplies floats: A and B are decoded once.
func (p *matrices) floats() {
	left, right := p.factors(p.left, 0), p.factors(p.right, 1)
	eachPair(p, left, right, func(_ int, a, b []num.Factor, at int) {
		if p.down != 0 {
			p.sum[at] = p.rule.SumScaled(a, b, p.sum[at], p.down, p.exact)
			return
		}
		p.sum[at] = p.rule.Sum(a, b, p.sum[at])
	})
}

// eachPair visits the elements of D with the row's stored elements of A and the column's elements of B that they are multiplied with.
func eachPair[T uint32 | num.Factor](p *matrices, left, right []T, visit func(row int, a, b []T, at int)) {
	picked := make([]T, p.stored)
	for row := range p.rows {
		a := left[row*p.stored : (row+1)*p.stored]
		var places []int
		if p.places != nil {
			places = p.places(row)
		}
		for column := range p.columns {
			b := right[column*p.k : (column+1)*p.k]
			if places != nil {
				for i, k := range places {
					picked[i] = b[k]
				}
				b = picked
			}
			visit(row, a, b, row*p.columns+column)
		}
	}
}

// factors decodes the elements of A (0) or B (1).
func (p *matrices) factors(list []uint32, operand int) []num.Factor {
	out := make([]num.Factor, len(list))
	for i, v := range list {
		if out[i] = p.elems[operand].format.Factor(v); p.negative[operand] {
			out[i].Sig = -out[i].Sig
		}
	}
	return out
}

// matrixUnits appends the units of 16 bytes of lines first to first+n of a matrix whose lines have so many bytes; by columns
// those of each of k elements along K, with so many bytes of them from byte first on.
func matrixUnits(list []uint32, d *tensor.Descriptor, first, n, size int, columns bool) []uint32 {
	list = slices.Grow(list, n*((size+15)/16))
	if !columns {
		return d.KMajorUnits(list, first, n, size)
	}
	for line := range n {
		for b := 0; b < size; b += 16 {
			list = append(list, d.MNMajor(uint32(first+b), uint32(line)))
		}
	}
	return list
}

// unpack returns element j of a unit of elements of up to 32 bits.
func unpack(unit []byte, bits, j int) uint32 {
	return binary.LittleEndian.Uint32(unit[j*bits/32*4:]) >> (j * bits % 32) & uint32(1<<bits-1)
}

// blockFactors are scale factors of blocks of A's rows and B's columns.
type blockFactors struct {
	rows, columns [][]num.Scale // as many of each line as it has blocks
	terms         bool          // the products of num.BlockTerm elements make one term: mxf4, mxf4nvf4
	zeros         bool          // of terms: see num.SumBlocks
}

// scaled multiplies narrow floats with their scale factors. Metadata keep a stored element in its block, so the n-th part of
// the stored elements has the n-th factor.
func (p *matrices) scaled() {
	x, y := make([]num.Factor, p.stored), make([]num.Factor, p.stored)
	eachPair(p, p.factors(p.left, 0), p.factors(p.right, 1), func(row int, a, b []num.Factor, at int) {
		rows, columns := p.blocks.rows[row], p.blocks.columns[at-row*p.columns]
		if p.blocks.terms {
			n := p.stored / num.BlockTerm
			sa, sb := make([]num.Scale, n), make([]num.Scale, n)
			for i := range n {
				sa[i], sb[i] = rows[i*len(rows)/n], columns[i*len(columns)/n]
			}
			p.sum[at] = num.SumBlocks(a, b, sa, sb, p.sum[at], p.blocks.zeros)
			return
		}
		for k := range a {
			x[k], y[k] = a[k].Scaled(rows[k*len(rows)/p.stored]), b[k].Scaled(columns[k*len(columns)/p.stored])
		}
		p.sum[at] = p.rule.Sum(x, y, p.sum[at])
	})
}
