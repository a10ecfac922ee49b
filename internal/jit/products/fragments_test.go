package products

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/testkit/dense"
)

// warpRegisters are registers of a warp that have the matrices of a product.
type warpRegisters struct {
	list     [][32]uint32
	offsets  []uint32
	product  tensor.Product
	selector int
	counts   [4]int // registers of A, B, C, and of metadata
	perC     int    // elements of C in a register
	meta     []num.FragmentMeta
}

// newWarpRegisters puts the matrices of a product into registers: D has its own, those of C in another order, or those of A and B.
func newWarpRegisters(r *rand.Rand, d *num.Dense, half bool) *warpRegisters {
	bits := d.ElementBits(0)
	w := &warpRegisters{product: tensor.Product{M: d.Rows, N: 8, K: d.K, Bits: bits, Sparse: d.Packing[0].Sparse}, perC: 1}
	if half {
		w.perC = 2
	}
	w.counts = [4]int{d.Rows * d.Stored() * bits / 1024, 8 * d.K * bits / 1024, d.Rows * 8 / 32 / w.perC}
	if w.product.Sparse {
		w.counts[3], w.product.RowMetadata = 1, r.IntN(2) == 0
	}
	a, b, c := w.counts[0], w.counts[1], w.counts[2]
	w.list = make([][32]uint32, a+b+2*c+w.counts[3])
	for _, i := range r.Perm(len(w.list)) {
		w.offsets = append(w.offsets, uint32(128*i))
	}
	switch r.IntN(3) {
	case 0:
		for i, from := range r.Perm(c) {
			w.offsets[a+b+c+i] = w.offsets[a+b+from]
		}
	case 1:
		copy(w.offsets[a+b+c:a+b+2*c], w.offsets[:min(c, a+b)])
	}
	left, words, _ := d.Operand(0)
	right, _, _ := d.Operand(1)
	for i := range 32 * a {
		row, k := w.product.A(i%32, i/32, 0)
		w.register(i / 32)[i%32] = left[row*words+k*bits/32]
	}
	for i := range 32 * b {
		k, column := w.product.B(i%32, i/32, 0)
		w.register(a + i/32)[i%32] = right[k*bits/32*num.DenseLanes+column]
	}
	for i := range 32 * c * w.perC {
		row, column := w.product.C(i%32, i/32)
		v := d.Sum[row*d.Columns+column]
		if half {
			v &= 0xffff
		}
		w.register(a + b + i/32/w.perC)[i%32] |= v << (16 * (i / 32 % w.perC))
	}
	if w.product.Sparse {
		w.setMeta(r, d, words)
	}
	return w
}

// setMeta puts the metadata into their register, and says where those of A's registers are.
func (w *warpRegisters) setMeta(r *rand.Rand, d *num.Dense, words int) {
	switch chunks := d.K / w.product.Chunk(); {
	case chunks <= 4:
		w.selector = r.IntN(4)
	case chunks <= 8:
		w.selector = r.IntN(2)
	}
	per := 1 // chunks of a word
	if w.product.Bits == 8 {
		per = 2
	}
	w.meta = make([]num.FragmentMeta, w.counts[0])
	for i := range 32 * w.counts[0] {
		row, k := w.product.A(i%32, i/32, 0)
		for chunk := range per {
			lane, bit := w.product.Metadata(w.selector, row, w.product.ChunkOf(k)+chunk)
			w.register(len(w.offsets) - 1)[lane] |= uint32(d.Meta[row*words+k*w.product.Bits/32]>>(4*chunk)&15) << bit
			w.meta[i/32][chunk].Lane[i%4], w.meta[i/32][chunk].Bit[i%4] = uint32(lane%4), uint32(bit)
		}
	}
}

// fragments is the product of these registers by m.
func (w *warpRegisters) fragments(shape num.DenseShape, m num.Multiplier) *num.Fragments {
	shape.Columns = 8
	a := w.counts[0]
	last := len(w.offsets) - w.counts[3]
	offsets := slices.Concat(w.offsets[:a], w.offsets[last:], w.offsets[a:last])
	return num.NewFragments(num.Fragments{DenseShape: shape, Tiles: 1, Offsets: offsets, Meta: w.meta}, m)
}

// times is the product so many times side by side, each D in rows of its own.
func (w *warpRegisters) times(tiles int, shape num.DenseShape, m num.Multiplier) (f *num.Fragments, rows [][32]uint32) {
	shape.Columns = 8
	a, c := w.counts[0], w.counts[2]
	last := len(w.offsets) - w.counts[3]
	offsets := slices.Concat(w.offsets[:a], w.offsets[last:])
	for tile := range tiles {
		offsets = append(offsets, w.offsets[a:last-c]...)
		for i := range c {
			offsets = append(offsets, uint32(128*(tile*c+i)))
		}
	}
	return num.NewFragments(num.Fragments{DenseShape: shape, Tiles: tiles, Offsets: offsets, Meta: w.meta}, m), make([][32]uint32, tiles*c)
}

// at are operands in registers that are all in one list.
func at(registers *[32]uint32, scales *num.FragmentScales) *num.FragmentsAt {
	return &num.FragmentsAt{Registers: [5]*[32]uint32{registers, registers, registers, registers, registers}, Scales: scales}
}

// scalesOf are the scale factors of a product; nil: it has none, false: one is NaN.
func scalesOf(d *num.Dense) (s *num.FragmentScales, ok bool) {
	if d.PerLine == 0 {
		return nil, true
	}
	s, ok = new(num.FragmentScales), true
	set := func(lines *num.FragmentLines, g int, list []num.Scale) {
		for i := range list {
			lines.Set(g, i, &list[i])
			ok = ok && !list[i].NaN
		}
	}
	for row := range d.Rows {
		set(&s.Rows[row/8], row%8, d.Scales[0][row*d.PerLine:(row+1)*d.PerLine])
	}
	for column := range 8 {
		set(&s.Columns, column, d.Scales[1][column*d.PerLine:(column+1)*d.PerLine])
	}
	return s, ok
}

func (w *warpRegisters) register(i int) *[32]uint32 { return &w.list[w.offsets[i]/128] }

// d is an element of D.
func (w *warpRegisters) d(i int) (row, column int, v uint32) {
	row, column = w.product.C(i%32, i/32)
	v = w.register(w.counts[0] + w.counts[1] + w.counts[2] + i/32/w.perC)[i%32]
	if w.perC == 2 {
		v = v >> (16 * (i / 32 % 2)) & 0xffff
	}
	return row, column, v
}

// TestFragments compares code for products in the order of registers with portable code: all formats, rules and shapes, edge values,
// and D in registers of the other matrices.
func TestFragments(t *testing.T) {
	for name, m := range multipliers(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 9))
			done, plain := map[string]int{}, map[string]int{}
			compare := func(name string, d *num.Dense, half bool, wild int) {
				w := newWarpRegisters(r, d, half)
				f := w.fragments(d.DenseShape, m)
				if f == nil {
					t.Fatalf("%s: no code", name)
				}
				before := slices.Clone(w.list)
				what := fmt.Sprint("format ", d.Format[0], ", integers ", d.Integers, ", sparse ", d.Packing[0].Sparse, ", factors ", d.PerLine)
				if wild == 0 {
					plain[what]++
				}
				factors, ok := scalesOf(d)
				if !ok {
					return
				}
				two, rows := w.times(2, d.DenseShape, m)
				apart := at(&w.list[0], factors)
				apart.Registers[3] = &rows[0]
				tiled := m.MultiplyFragments(two, apart)
				if done := m.MultiplyFragments(f, at(&w.list[0], factors)); done != tiled {
					t.Fatalf("%s: done %v, two tiles %v", name, done, tiled)
				} else if !done {
					if !slices.Equal(before, w.list) {
						t.Fatalf("%s: not done, but registers have changed", name)
					}
					return
				}
				if wild == 0 {
					done[what]++
				}
				for i, row := range rows {
					if row != *w.register(w.counts[0] + w.counts[1] + w.counts[2] + i%w.counts[2]) {
						t.Fatalf("%s: register %d of two tiles differs", name, i)
					}
				}
				c := slices.Clone(d.Sum)
				d.Multiply()
				for i := range 8 * d.Rows {
					row, column, have := w.d(i)
					if want := d.Sum[row*d.Columns+column]; have != want {
						t.Fatalf("%s: %#x, want %#x; C was %#x (row %d, column %d)", name, have, want, c[row*d.Columns+column], row, column)
					}
				}
			}
			dense.Warps(r, compare)
			dense.PackedWarps(r, compare)
			for what, n := range plain {
				t.Logf("%s: %d of %d products without edge values are done", what, done[what], n)
				if done[what] < n*9/10 {
					t.Errorf("%s: only %d of %d products without edge values are done", what, done[what], n)
				}
			}
		})
	}
}

// TestFragmentRange multiplies at the ends of what is computed in registers, and beyond: bf16 and tf32 of 2^-63 and below 2^63, sums that are
// small or large, C that is not finite. What does not fit leaves registers as they are (TestFragments).
func TestFragmentRange(t *testing.T) {
	list := func(c ...uint32) []uint32 { return c }
	some, zeros := list(0, 0x7f7fffff, 0xff000001, 0x3f800000), list(0)
	wide, halves := dense.Formats[1:3], dense.Formats[:1]
	cases := []struct {
		formats []dense.Format
		a, b    uint32 // of f16, else as f32
		c       []uint32
		done    bool
	}{
		{wide, 0x20000000, 0x5eff0000, some, true}, {wide, 0x5eff0000, 0x5eff0000, some, true}, {wide, 0, 0x5eff0000, some, true},
		{wide, 0xa0000000, 0x3f800000, some, true}, {wide, 0x1fff0000, 0x3f800000, some, false}, {wide, 0x3f800000, 0x5f000000, some, false},
		{wide, 0x00010000, 0x3f800000, some, false}, {wide, 0x7f800000, 0, some, false},
		// sums whose largest exponent is below 2^-100, and the next ones
		{wide, 0x20000000, 0x20010000, zeros, false}, {wide, 0x0, 0x20000000, list(0x0d7fffff), false}, {wide, 0x0, 0x20000000, list(0x8d800000), true},
		{wide, 0x20000000, 0x2cff0000, zeros, false}, {wide, 0x20000000, 0x2d800000, zeros, true}, {halves, 0, 0x3c00, list(0x0d7fffff), false},
		// C that is not finite in one lane
		{halves, 0x3c00, 0x3c00, list(0, 0, 0, 0xff800000), false}, {wide, 0x3f800000, 0x3f800000, list(0, 0x7fc00000, 0), false},
		// sixteen products just below 4, of one sign, and C: with 25 bits they need more than 32
		{halves, 0x3fff, 0x3fff, list(0x3fc00000), false}, {halves, 0x3fff, 0xbfff, list(0xbfc00000), false}, {halves, 0x3fff, 0xbfff, list(0x3fc00000), true},
	}
	for name, m := range multipliers(t) {
		r := rand.New(rand.NewPCG(6, 9))
		for _, c := range cases {
			for _, f := range c.formats {
				var d num.Dense
				d.Set(&num.DenseShape{Rows: 16, Columns: 8, K: 256 / f.Bits, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.Rule(90, num.DotF32, num.DotF32)})
				fill := func(list []uint32, v uint32) {
					if f.Bits == 16 {
						v = v&0xffff | v>>16
						v |= v << 16
					}
					for i := range list {
						list[i] = v
					}
				}
				fill(d.Left, c.a)
				fill(d.Right, c.b)
				for i := range d.Sum {
					d.Sum[i] = c.c[i%len(c.c)]
				}
				w := newWarpRegisters(r, &d, false)
				done := m.MultiplyFragments(w.fragments(d.DenseShape, m), at(&w.list[0], nil))
				if want := c.done || f.F == num.DotF16 && name == "AVX2" && c.a == 0x3fff; done != want {
					t.Errorf("%s: %s of %#x and %#x, C %#x: done %v, want %v", name, f.Name, c.a, c.b, c.c, done, want)
				}
				d.Multiply()
				for i := 0; i < 128 && done; i++ {
					if row, column, have := w.d(i); have != d.Sum[row*d.Columns+column] {
						t.Errorf("%s: %s of %#x and %#x: %#x, want %#x", name, f.Name, c.a, c.b, have, d.Sum[row*d.Columns+column])
					}
				}
			}
		}
	}
}

// TestDoubleFragments compares code for f64 in the order of registers with portable code.
func TestDoubleFragments(t *testing.T) {
	for name, m := range multipliers(t) {
		r, done := rand.New(rand.NewPCG(4, 9)), 0
		for range 2000 {
			d := &num.Doubles{Rows: 8 + 8*r.IntN(2), K: 4 << r.IntN(3)}
			wild := []int{0, 0, 1, 3}[r.IntN(4)]
			drawDoubles(r, d, wild)
			p := tensor.Product{M: d.Rows, N: 8, K: d.K, Bits: 64}
			a, b, c := d.Rows*d.K/32, d.K/4, d.Rows/4
			list := make([][64]uint32, a+b+2*c)
			var offsets []uint32
			for _, i := range r.Perm(len(list)) {
				offsets = append(offsets, uint32(256*i))
			}
			if r.IntN(2) == 0 {
				copy(offsets[a+b+c:], offsets[r.IntN(a+b):])
			}
			words := func(register, lane int) []uint32 { return list[offsets[register]/256][2*lane:] }
			set := func(register, lane int, v uint64) {
				w := words(register, lane)
				w[0], w[1] = uint32(v), uint32(v>>32)
			}
			for i := range 32 * a {
				row, k := p.A(i%32, i/32, 0)
				set(i/32, i%32, d.Left[row*d.K+k])
			}
			for i := range 32 * b {
				k, column := p.B(i%32, i/32, 0)
				set(a+i/32, i%32, d.Right[k][column])
			}
			for i := range 32 * c {
				row, column := p.C(i%32, i/32)
				set(a+b+i/32, i%32, d.Sum[row][column])
			}
			f := num.NewFragments(num.Fragments{DenseShape: num.DenseShape{Rows: d.Rows, Columns: 8, K: d.K, Bits: 64}, Tiles: 1, Offsets: offsets}, m)
			if f == nil {
				t.Fatalf("%s: no code", name)
			}
			before := slices.Clone(list)
			if !m.MultiplyFragments(f, at((*[32]uint32)(list[0][:]), nil)) {
				if wild == 0 || !slices.Equal(list, before) {
					t.Fatalf("%s: %d rows, K %d: not done, or registers have changed", name, d.Rows, d.K)
				}
				continue
			}
			done++
			d.MultiplyBy(nil)
			for i := range 32 * c {
				row, column := p.C(i%32, i/32)
				w := words(a+b+c+i/32, i%32)
				if have := uint64(w[1])<<32 | uint64(w[0]); have != d.Sum[row][column] {
					t.Fatalf("%s: %d rows, K %d: %#x, want %#x (row %d, column %d)", name, d.Rows, d.K, have, d.Sum[row][column], row, column)
				}
			}
		}
		t.Logf("%s: %d of 2000 done", name, done)
	}
}

// BenchmarkFragments has products of 16×8, and of 16×128 as sixteen tiles.
func BenchmarkFragments(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, m := range multipliers(b) {
		run := func(what string, tiles int, shape num.DenseShape) {
			b.Run(fmt.Sprint(name, "/", what, "/", tiles), func(b *testing.B) {
				var d num.Dense
				d.Set(&shape)
				dense.Draw(r, &d, num.DotF32, 0)
				w := newWarpRegisters(r, &d, false)
				f, rows := w.times(tiles, shape, m)
				operands := at(&w.list[0], nil)
				operands.Registers[3] = &rows[0]
				for b.Loop() {
					if !m.MultiplyFragments(f, operands) {
						b.Fatal("not done")
					}
				}
				b.ReportMetric(float64(b.N*tiles)*2*16*8*float64(shape.K)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
		for _, tiles := range []int{1, 16} {
			for _, f := range dense.Formats[:4] {
				run(f.Name, tiles, num.DenseShape{Rows: 16, Columns: 8, K: 256 / f.Bits, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.Rule(90, num.DotF32, num.DotF32)})
			}
			run("s8", tiles, num.DenseShape{Rows: 16, Columns: 8, K: 32, Bits: 8, Integers: true, Signed: [2]bool{true, true}})
		}
	}
}
