package sem

// The fast way of products of dense matrices of floats and bytes: elements stay packed as registers and memory have them, and go to a
// num.Dense. What it computes is what matrices.floats and productOp.floats do one by one.

import (
	"encoding/binary"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// densePool has products that are used again.
var densePool = sync.Pool{New: func() any { return new(num.Dense) }}

// denseShape is the shape of a product of A, B, C and D.
func denseShape(rows, columns, k, bits int, elems *[4]matrixElement, rule num.DotRule) num.DenseShape {
	return num.DenseShape{
		Rows: rows, Columns: columns, K: k, Bits: bits, Format: [2]num.DotFormat{elems[0].format, elems[1].format}, Rule: rule,
		Integers: elems[3].signed, Signed: [2]bool{elems[0].signed, elems[1].signed},
	}
}

// denseSource is a matrix in units of 16 bytes of shared memory: line after line of K elements, or, by columns, for each
// element of K those of all lines.
type denseSource struct {
	units   []uint32
	columns bool
	data    func(unit uint32) []byte
}

// fill moves n lines from one on to those of A (0) or B (1) of a product from line `to` on.
func (s *denseSource) fill(d *num.Dense, operand, from, n, to int) {
	if s.columns {
		s.fillColumns(d, operand, from, n, to)
		return
	}
	out, words, step := denseOperand(d, operand)
	perLine := words / 4
	for line := range n {
		at := denseWord(operand, to+line, words)
		for _, unit := range s.units[(from+line)*perLine : (from+line+1)*perLine] {
			b := (*[16]byte)(s.data(unit))
			out[at] = binary.LittleEndian.Uint32(b[0:])
			out[at+step] = binary.LittleEndian.Uint32(b[4:])
			out[at+2*step] = binary.LittleEndian.Uint32(b[8:])
			out[at+3*step] = binary.LittleEndian.Uint32(b[12:])
			at += 4 * step
		}
	}
}

// fillColumns is fill by columns.
func (s *denseSource) fillColumns(d *num.Dense, operand, from, n, to int) {
	out, words, step := denseOperand(d, operand)
	per, across := 128/d.Bits, len(s.units)/d.K
	for i, unit := range s.units {
		k, b, first := i/across, s.data(unit), i%across*per-from
		at, shift := step*(k*d.Bits/32), k*d.Bits%32
		mask := uint32(1<<d.Bits-1) << shift
		for j := max(0, -first); j < min(per, n-first); j++ {
			word := &out[denseWord(operand, to+first+j, words)+at]
			*word = *word&^mask | unpack(b, d.Bits, j)<<shift
		}
	}
}

// denseOperand is A (0) or B (1) of a product, with the words of a line and how far they are apart.
func denseOperand(d *num.Dense, operand int) (list []uint32, words, step int) {
	if operand == 0 {
		return d.Left, d.K * d.Bits / 32, 1
	}
	return d.Right, d.K * d.Bits / 32, num.DenseLanes
}

// denseWord is where the words of a line begin in Left (0) or Right (1).
func denseWord(operand, line, words int) int {
	if operand == 0 {
		return line * words
	}
	return line/num.DenseLanes*words*num.DenseLanes + line%num.DenseLanes
}

// negateDense changes the signs of all elements of a list of packed ones.
func negateDense(list []uint32, bits int) {
	mask := map[int]uint32{8: 0x80808080, 16: 0x80008000, 32: 1 << 31}[bits]
	for i := range list {
		list[i] ^= mask
	}
}

// denseFragments says where the words of fragments go in a num.Dense: for each register, one place a lane, of C and D one for
// each element.
type denseFragments struct {
	turned     bool // Left is B, and Right A: the columns of Sum are rows of D
	a, b, c, d []uint16
}

// denseFragments returns the places; nil if the product is none of dense matrices of floats or bytes, or of an odd shape.
func (o *productOp) denseFragments() *denseFragments {
	fits := o.elems[0].float() && o.Bits >= 8 || o.elems[2].signed && o.Bits == 8
	if !fits || o.Sparse || o.Quads || o.elems[2].format != o.elems[3].format {
		return nil
	}
	f := &denseFragments{turned: o.M%num.DenseLanes == 0}
	if !f.turned && o.N%num.DenseLanes != 0 {
		return nil
	}
	words, turn := o.K*o.Bits/32, 0
	if f.turned {
		turn = 1
	}
	for lane := range 32 * len(o.a) {
		row, k := o.A(lane%32, lane/32, 0)
		f.a = append(f.a, uint16(o.densePlace(turn, row, k, words)))
	}
	for lane := range 32 * len(o.b) {
		k, column := o.Product.B(lane%32, lane/32, 0)
		f.b = append(f.b, uint16(o.densePlace(1-turn, column, k, words)))
	}
	f.c, f.d = o.denseSums(2, f.turned), o.denseSums(3, f.turned)
	for _, list := range [][]uint16{f.a, f.b, f.c, f.d} {
		if slices.Max(list) >= denseMost {
			return nil
		}
	}
	return f
}

// denseMost is the most words that a fragment's places are in, a power of two, for which a num.Dense has room.
const denseMost = num.DenseRoomy

// densePlace is where the word with an element of a line is.
func (o *productOp) densePlace(operand, line, k, words int) int {
	step := 1
	if operand == 1 {
		step = num.DenseLanes
	}
	return denseWord(operand, line, words) + step*(k*o.Bits/32)
}

// denseSums is where the elements of C (2) or D (3) are in Sum: for each register the first of all lanes, then the second of f16.
func (o *productOp) denseSums(operand int, turned bool) (list []uint16) {
	per := 32 / o.elems[operand].bits
	for i := range 32 * per * len([2][]uint32{o.c, o.d}[operand-2]) {
		row, column := o.C(i%32, i/32)
		if turned {
			list = append(list, uint16(column*o.M+row))
		} else {
			list = append(list, uint16(row*o.N+column))
		}
	}
	return list
}

// placesOf are the places of a register.
func placesOf(places []uint16, register int) *[32]uint16 { return (*[32]uint16)(places[32*register:]) }

// dense multiplies by a num.Dense.
func (o *productOp) dense(w *machine.Warp, rule num.DotRule) {
	d, f := densePool.Get().(*num.Dense), o.fragments
	shape, a, b := denseShape(o.M, o.N, o.K, o.Bits, &o.elems, rule), &d.Left, &d.Right
	if shape.Saturate = o.saturate; f.turned {
		shape.Rows, shape.Columns = o.N, o.M
		shape.Format[0], shape.Format[1] = shape.Format[1], shape.Format[0]
		shape.Signed[0], shape.Signed[1] = shape.Signed[1], shape.Signed[0]
		a, b = b, a
	}
	d.Set(shape)
	scatterWords(w, o.a, f.a, *a)
	scatterWords(w, o.b, f.b, *b)
	sum := (*[denseMost]uint32)(d.Sum[:denseMost])
	if o.elems[2].bits == 32 {
		scatterWords(w, o.c, f.c, d.Sum)
	} else {
		for r, off := range o.c {
			row := w.R32(off)
			low, high := placesOf(f.c, 2*r), placesOf(f.c, 2*r+1)
			for lane, v := range row {
				sum[low[lane]%denseMost], sum[high[lane]%denseMost] = v&0xffff, v>>16
			}
		}
	}
	d.MultiplyBy(w.Launch().Products)
	w.CountSums(o.M*o.N, d.Slow)
	for r, off := range o.d {
		row := w.R32(off)
		if o.elems[3].bits == 32 {
			for lane, at := range placesOf(f.d, r) {
				row[lane] = sum[at%denseMost]
			}
			continue
		}
		low, high := placesOf(f.d, 2*r), placesOf(f.d, 2*r+1)
		for lane := range row {
			row[lane] = sum[low[lane]%denseMost] | sum[high[lane]%denseMost]<<16
		}
	}
	densePool.Put(d)
}

// scatterWords moves the words of registers to their places.
func scatterWords(w *machine.Warp, registers []uint32, places []uint16, list []uint32) {
	to := (*[denseMost]uint32)(list[:denseMost])
	for r, off := range registers {
		row := w.R32(off)
		for lane, at := range placesOf(places, r) {
			to[at%denseMost] = row[lane]
		}
	}
}
