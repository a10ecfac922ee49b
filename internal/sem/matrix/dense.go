package matrix

// The fast way of products of floats and integers: elements stay packed as registers and memory have them, and go to a
// num.Dense. What it computes is what matrices and productOp.floats, integers and scaled do one by one.

import (
	"encoding/binary"
	"slices"
	"sync"
	stdatomic "sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// densePool has products that are used again.
var densePool = sync.Pool{New: func() any { return new(num.Dense) }}

// denseShape is the shape of a product of A, B, C and D.
func denseShape(rows, columns int, p *tensor.Product, elems *[4]matrixElement, rule num.DotRule) num.DenseShape {
	s := num.DenseShape{
		Rows: rows, Columns: columns, K: p.K, Bits: p.Bits, Format: [2]num.DotFormat{elems[0].format, elems[1].format}, Rule: rule,
		Integers: elems[3].signed, Signed: [2]bool{elems[0].signed, elems[1].signed},
	}
	if s.Packing[0].Sparse = p.Sparse; p.Bits == 4 {
		s.Bits, s.Packing[0].Four, s.Packing[1].Four = 8, true, true
		if !s.Integers {
			s.Format = [2]num.DotFormat{num.DotE2M1Byte, num.DotE2M1Byte}
		}
	}
	return s
}

// denseChoices are what metadata say, by the bits of an element.
var denseChoices = func() (all [33]*num.DenseChoices) {
	for _, bits := range []int{4, 8, 16, 32} {
		p := tensor.Product{Bits: bits}
		all[bits] = num.NewDenseChoices(bits, p.Selected)
	}
	return all
}()

// denseScales gives the rows of Left (0) or the columns of Right (1) a factor for each of their terms, or one.
func denseScales(d *num.Dense, operand, line int, list []num.Scale) {
	to := d.Scales[operand][line*d.PerLine : (line+1)*d.PerLine]
	for i := range to {
		to[i] = list[i*len(list)/len(to)]
	}
}

// denseSource is a matrix in units of 16 bytes of shared memory: line after line of its elements along K, or, by columns, for each
// element along K those of all lines.
type denseSource struct {
	units   []uint32
	columns bool
	format  tensor.Format // of units by lines
	memory  []byte        // the shared memory of a CTA, from an offset on
	start   uint32
}

// data is a unit.
func (s *denseSource) data(unit uint32) *[16]byte { return (*[16]byte)(s.memory[unit-s.start:]) }

// fill moves n lines from one on to those of A (0) or B (1) of a product from line `to` on.
func (s *denseSource) fill(d *num.Dense, operand, from, n, to int) {
	if s.columns {
		s.fillColumns(d, operand, from, n, to)
		return
	}
	out, words, step := d.Operand(operand)
	perLine := words / 4
	for line := range n {
		at := num.DenseOperand(operand).Word(to+line, words)
		for _, unit := range s.units[(from+line)*perLine : (from+line+1)*perLine] {
			b := s.data(unit)
			if s.format != tensor.Plain {
				e := s.format.Expand(b, 2)
				b = &e
			}
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
	out, words, step := d.Operand(operand)
	bits := d.ElementBits(operand)
	per, across := 128/bits, len(s.units)/(words*32/bits)
	for i, unit := range s.units {
		k, b, first := i/across, s.data(unit), i%across*per-from
		at, shift := step*(k*bits/32), k*bits%32
		mask := uint32(1<<bits-1) << shift
		for j := max(0, -first); j < min(per, n-first); j++ {
			word := &out[num.DenseOperand(operand).Word(to+first+j, words)+at]
			*word = *word&^mask | unpack(b[:], bits, j)<<shift
		}
	}
}

// negateDense changes the signs of A (0) or B (1), before it is unpacked.
func negateDense(d *num.Dense, operand int) {
	exponent, frac, low, _ := d.Format[operand].Layout()
	bits, sign, mask := d.ElementBits(operand), exponent+frac+low, uint32(0)
	if d.Packing[operand].Four {
		sign = 3
	}
	for at := 0; at < 32; at += bits {
		mask |= 1 << (at + int(sign))
	}
	list, _, _ := d.Operand(operand)
	for i := range list {
		list[i] ^= mask
	}
}

// denseFragments says where the words of fragments go in a num.Dense: for each register, one place a lane, of C and D one for
// each element.
type denseFragments struct {
	turned     bool // Left is B, and Right A: the columns of Sum are rows of D
	a, b, c, d []rowMove
	meta       []denseMeta // of each word of a sparse A
	shape      stdatomic.Pointer[archShape]
}

// archShape is the shape of a product on an architecture.
type archShape struct {
	arch  int
	shape num.DenseShape
}

// denseMeta is where the metadata of a word of A are: of each of its chunks.
type denseMeta [2]struct{ lane, bit uint8 }

// denseFragments returns the places; nil if the product is not one of floats or integers, or has four small ones side by side.
func (o *productOp) denseFragments() *denseFragments {
	fits := o.elems[0].float() && o.Bits <= 32 || o.elems[2].signed && (o.Bits == 8 || o.Bits == 4)
	if !fits || o.Quads || o.elems[2].format != o.elems[3].format {
		return nil
	}
	f := &denseFragments{turned: o.M%num.DenseLanes == 0}
	turn, words := 0, o.Stored()*o.Bits/32
	if f.turned {
		turn = 1
	}
	var a, b []uint16
	for lane := range 32 * len(o.a) {
		row, k := o.A(lane%32, lane/32, 0)
		a = append(a, uint16(o.densePlace(turn, row, k, words)))
	}
	for lane := range 32 * len(o.b) {
		k, column := o.Product.B(lane%32, lane/32, 0)
		b = append(b, uint16(o.densePlace(1-turn, column, k, o.K*o.Bits/32)))
	}
	c, d := o.denseSums(2, f.turned), o.denseSums(3, f.turned)
	if slices.Max(slices.Concat(a, b, c, d)) >= denseMost {
		return nil
	}
	f.a, f.b, f.c, f.d = newRowMoves(a), newRowMoves(b), newRowMoves(c), newRowMoves(d)
	if o.Sparse {
		f.meta = make([]denseMeta, o.M*words)
		for row := range o.M {
			for k := 0; k < o.Stored(); k += o.PerRegister() {
				f.meta[o.densePlace(turn, row, k, words)] = o.denseMeta(row, k)
			}
		}
	}
	return f
}

// denseMeta is where the metadata of the word with stored element k of a row are.
func (o *productOp) denseMeta(row, k int) (m denseMeta) {
	for i := range m {
		lane, bit := o.Metadata(o.selector, row, min(o.ChunkOf(k)+i, o.ChunkOf(o.Stored()-1)))
		m[i].lane, m[i].bit = uint8(lane), uint8(bit)
	}
	return m
}

// denseMost is the most words that a fragment's places are in, a power of two, for which a num.Dense has room.
const denseMost = num.DenseRoomy

// densePlace is where the word with an element of a line is.
func (o *productOp) densePlace(operand, line, k, words int) int {
	step := 1
	if operand == 1 {
		step = num.DenseLanes
	}
	return num.DenseOperand(operand).Word(line, words) + step*(k*o.Bits/32)
}

// denseSums is where the elements of C (2) or D (3) are in Sum: for each register the first of all lanes, then the second of f16.
func (o *productOp) denseSums(operand int, turned bool) (list []uint16) {
	per, pitch := 32/o.elems[operand].bits, max(o.N, num.DenseLanes)
	for i := range 32 * per * len([2][]uint32{o.c, o.d}[operand-2]) {
		row, column := o.C(i%32, i/32)
		if turned {
			list = append(list, uint16(column*o.M+row))
		} else {
			list = append(list, uint16(row*pitch+column))
		}
	}
	return list
}

// shapeOf is the shape of the product.
func (o *productOp) shapeOf(rule num.DotRule) num.DenseShape {
	s := denseShape(o.M, o.N, &o.Product, &o.elems, rule)
	s.Saturate = o.saturate
	if b := o.blocks; b != nil {
		if s.PerLine = 1; b.terms {
			s.Terms, s.Zeros, s.PerLine = true, b.zeros, o.Stored()/num.BlockTerm
		}
	}
	return s
}

// denseShape is the shape of the product, turned if its fragments are.
func (o *productOp) denseShape(rule num.DotRule) num.DenseShape {
	s := o.shapeOf(rule)
	if o.fragments.turned {
		s.Rows, s.Columns = o.N, o.M
		s.Format[0], s.Format[1] = s.Format[1], s.Format[0]
		s.Signed[0], s.Signed[1] = s.Signed[1], s.Signed[0]
		s.Packing[0], s.Packing[1] = s.Packing[1], s.Packing[0]
	}
	return s
}

// shapeOn is the shape on an architecture, of which a device has one.
func (o *productOp) shapeOn(arch int) *num.DenseShape {
	s := o.fragments.shape.Load()
	if s == nil || s.arch != arch {
		s = &archShape{arch, o.denseShape(o.rule(arch))}
		o.fragments.shape.Store(s)
	}
	return &s.shape
}

// dense multiplies by a num.Dense, with the scale factors that there are.
func (o *productOp) dense(w *machine.Warp, factors *scales) {
	d, f := densePool.Get().(*num.Dense), o.fragments
	d.Set(o.shapeOn(w.Launch().Target.Arch))
	a, b := 0, 1
	if f.turned {
		a, b = 1, 0
	}
	left, _, _ := d.Operand(a)
	right, _, _ := d.Operand(b)
	scatterWords(w, o.a, f.a, left)
	scatterWords(w, o.b, f.b, right)
	if o.Sparse {
		lanes := w.R32(o.meta)
		for i, m := range f.meta {
			m.gather(lanes, &d.Meta[i])
		}
	}
	d.Unpack(denseChoices[o.Bits])
	if factors != nil {
		for i := range o.M {
			denseScales(d, a, i, factors.a[i][:o.blocks.perRow])
		}
		for i := range o.N {
			denseScales(d, b, i, factors.b[i][:o.blocks.perRow])
		}
	}
	o.denseC(w, d)
	d.MultiplyBy(w.Launch().Products)
	w.CountSums(o.M*o.N, d.Slow)
	o.denseD(w, d)
	densePool.Put(d)
}

// gather reads the metadata of a word from those of all lanes.
func (m denseMeta) gather(lanes *[32]uint32, to *uint8) {
	*to = uint8(lanes[m[0].lane&31]>>(m[0].bit&31)&15 | lanes[m[1].lane&31]>>(m[1].bit&31)&15<<4)
}

// denseC moves C to Sum.
func (o *productOp) denseC(w *machine.Warp, d *num.Dense) {
	if o.elems[2].bits == 32 {
		scatterWords(w, o.c, o.fragments.c, d.Sum)
		return
	}
	sum, moves := (*[denseMost]uint32)(d.Sum[:denseMost]), o.fragments.c
	for r, off := range o.c {
		var low, high [32]uint32
		for lane, v := range w.R32(off) {
			low[lane], high[lane] = v&0xffff, v>>16
		}
		moves[2*r].scatter(&low, sum)
		moves[2*r+1].scatter(&high, sum)
	}
}

// denseD gives out D.
func (o *productOp) denseD(w *machine.Warp, d *num.Dense) {
	sum, moves := (*[denseMost]uint32)(d.Sum[:denseMost]), o.fragments.d
	for r, off := range o.d {
		row := w.R32(off)
		if o.elems[3].bits == 32 {
			moves[r].gather(row, sum)
			continue
		}
		var low, high [32]uint32
		moves[2*r].gather(&low, sum)
		moves[2*r+1].gather(&high, sum)
		for lane := range row {
			row[lane] = low[lane] | high[lane]<<16
		}
	}
}

// scatterWords moves the words of registers to their places.
func scatterWords(w *machine.Warp, registers []uint32, moves []rowMove, list []uint32) {
	to := (*[denseMost]uint32)(list[:denseMost])
	for r, off := range registers {
		moves[r].scatter(w.R32(off), to)
	}
}
