package tensor

import "testing"

// products are one of each kind of fragment: registers of A, B and elements of C a lane.
var products = []struct {
	Product
	a, b, c int
}{
	{Product{M: 16, N: 8, K: 8, Bits: 16}, 2, 1, 4}, {Product{M: 16, N: 8, K: 16, Bits: 16}, 4, 2, 4}, {Product{M: 16, N: 8, K: 4, Bits: 32}, 2, 1, 4},
	{Product{M: 16, N: 8, K: 32, Bits: 8}, 4, 2, 4}, {Product{M: 8, N: 8, K: 16, Bits: 8}, 1, 1, 2}, {Product{M: 16, N: 8, K: 64, Bits: 4}, 4, 2, 4},
	{Product{M: 8, N: 8, K: 128, Bits: 1}, 1, 1, 2}, {Product{M: 16, N: 8, K: 256, Bits: 1}, 4, 2, 4}, {Product{M: 8, N: 8, K: 4, Bits: 64}, 1, 1, 2},
	{Product{M: 16, N: 8, K: 16, Bits: 64}, 8, 4, 4}, {Product{M: 16, N: 8, K: 32, Bits: 16, Sparse: true}, 4, 4, 4},
	{Product{M: 8, N: 8, K: 4, Bits: 16, Quads: true, WideC: true}, 2, 2, 8}, {Product{M: 8, N: 8, K: 4, Bits: 16, Quads: true, AColumn: true, BRow: true}, 2, 2, 8},
}

// TestProductFragments wants each element of a matrix in one place of one lane.
func TestProductFragments(t *testing.T) {
	for _, p := range products {
		per := p.PerRegister()
		once(t, p, "A", p.M*p.Products(), p.Stored(), p.a, per, p.A)
		once(t, p, "B", p.K, p.N*p.Products(), p.b, per, p.B)
		once(t, p, "C", p.M*p.Products(), p.N, p.c, 1, func(lane, r, _ int) (int, int) { return p.C(lane, r) })
	}
}

func once(t *testing.T, p any, name string, rows, columns, regs, per int, at func(lane, r, j int) (int, int)) {
	t.Helper()
	seen := map[[2]int]bool{}
	for lane := range 32 {
		for r := range regs {
			for j := range per {
				row, column := at(lane, r, j)
				if row < 0 || row >= rows || column < 0 || column >= columns || seen[[2]int{row, column}] {
					t.Fatalf("%+v: %s: lane %d, register %d, element %d is (%d, %d)", p, name, lane, r, j, row, column)
				}
				seen[[2]int{row, column}] = true
			}
		}
	}
	if len(seen) != rows*columns {
		t.Errorf("%+v: %s: %d elements of %d", p, name, len(seen), rows*columns)
	}
}

// TestProductExamples are cells worked out by hand from the manual's formulas.
func TestProductExamples(t *testing.T) {
	check := func(what string, row, column, wantRow, wantColumn int) {
		if row != wantRow || column != wantColumn {
			t.Errorf("%s: want (%d, %d), have (%d, %d)", what, wantRow, wantColumn, row, column)
		}
	}
	p := Product{M: 16, N: 8, K: 16, Bits: 16}
	row, k := p.A(9, 3, 1)
	check("A of f16, lane 9, register 3, upper half", row, k, 10, 11)
	p = Product{M: 16, N: 8, K: 32, Bits: 8}
	k, column := p.B(9, 1, 2)
	check("B of s8, lane 9, register 1, byte 2", k, column, 22, 2)
	p = Product{M: 8, N: 8, K: 4, Bits: 16, Quads: true, WideC: true}
	row, column = p.C(18, 5)
	check("C of four products, lane 18, register 5", row, column, 4, 7)
	row, column = p.C(7, 0)
	check("C of the second of four products, lane 7", row, column, 9, 2)
	row, k = p.A(22, 1, 1)
	check("A of the second of four products, lane 22, element 3", row, k, 8+4+2, 3)
	p.AColumn, p.BRow = true, true
	row, k = p.A(22, 1, 1)
	check("the same, by columns", row, k, 8+4+3, 2)
	k, column = p.B(22, 1, 1)
	check("B of the second of four products, by rows", k, column, 2, 8+4+3)
}

// TestMetadata has places of metadata: by example, and each nibble of a lane for one row and chunk.
func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		p                         Product
		selector, row, chunk      int
		lane, bit, stored, k, two int
	}{
		{Product{K: 16, Bits: 16}, 2, 11, 1, 14, 20, 3, 7, 0xd},                     // elements 5 and 7
		{Product{K: 64, Bits: 8}, 0, 3, 10, 14, 8, 20, 41, 0xd},                     // element 1 of the chunk from 40 on
		{Product{K: 32, Bits: 16}, 1, 2, 5, 4*2 + 3, 4, 10, 20, 0x8},                // half of two rows
		{Product{K: 32, Bits: 8, RowMetadata: true}, 1, 10, 5, 11, 20, 11, 23, 0xe}, // all of one row
		{Product{K: 64, Bits: 4, RowMetadata: true}, 0, 1, 3, 4, 12, 15, 31, 0xe},
		{Product{K: 8, Bits: 32}, 3, 0, 2, 3, 8, 2, 5, 0xe}, {Product{K: 8, Bits: 32}, 3, 0, 2, 3, 8, 2, 4, 0x4},
		{Product{K: 128, Bits: 4}, 0, 9, 8, 7, 0, 33, 8*8 + 2*1 + 1, 0x9},
	} {
		lane, bit := c.p.Metadata(c.selector, c.row, c.chunk)
		if lane != c.lane || bit != c.bit {
			t.Errorf("%+v: want lane %d bit %d, have %d and %d", c, c.lane, c.bit, lane, bit)
		}
		if chunk, k := c.p.ChunkOf(c.stored), c.p.Selected(c.stored, uint32(c.two)); chunk != c.chunk || k != c.k {
			t.Errorf("%+v: stored element %d is in chunk %d at %d", c, c.stored, chunk, k)
		}
	}
}

// TestSelected has the place of each stored element by metadata that name them: of tf32 one of two, of four bits pairs of four.
func TestSelected(t *testing.T) {
	for k := range 8 {
		for i := range 4 {
			if have := (Product{Bits: 32}).Selected(k, []uint32{0b0100, 0b1110}[i%2]); have != 2*k+i%2 {
				t.Errorf("tf32, element %d, the %d. of two: %d", k, i%2, have)
			}
			if have := (Product{Bits: 16}).Selected(k, uint32(i)<<(2*(k%2))); have != k/2*4+i {
				t.Errorf("f16, element %d, the %d. of four: %d", k, i, have)
			}
			if have := (Product{Bits: 4}).Selected(k, uint32(i)<<(k%4/2*2)); have != k/4*8+2*i+k%2 {
				t.Errorf("four bits, element %d, the %d. pair: %d", k, i, have)
			}
		}
	}
}

// TestMetadataHolders has the lane and the bit of each chunk of each row by the tables of 9.7.14.6.1: with four chunks the lane of four that the
// selector names, with eight two of them, with sixteen all.
func TestMetadataHolders(t *testing.T) {
	for row := range 16 {
		g, down := row%8, row/8
		for selector := range 4 {
			for chunk := range 4 {
				lane, bit := Product{K: 16, Bits: 16, Sparse: true}.Metadata(selector, row, chunk)
				if lane != 4*g+selector || bit != 16*down+4*chunk {
					t.Errorf("four chunks, selector %d, row %d, chunk %d: lane %d, bit %d", selector, row, chunk, lane, bit)
				}
			}
		}
		for selector := range 2 {
			for chunk := range 8 {
				lane, bit := Product{K: 32, Bits: 16, Sparse: true}.Metadata(selector, row, chunk)
				if lane != 4*g+2*selector+chunk/4 || bit != 16*down+4*(chunk%4) {
					t.Errorf("eight chunks, selector %d, row %d, chunk %d: lane %d, bit %d", selector, row, chunk, lane, bit)
				}
				lane, bit = Product{K: 32, Bits: 8, Sparse: true, RowMetadata: true}.Metadata(selector, row, chunk)
				if lane != 4*g+2*selector+down || bit != 4*chunk {
					t.Errorf("eight chunks of a row, selector %d, row %d, chunk %d: lane %d, bit %d", selector, row, chunk, lane, bit)
				}
			}
		}
		for chunk := range 16 {
			lane, bit := Product{K: 64, Bits: 8, Sparse: true}.Metadata(0, row, chunk)
			if want := []int{0, 1, 2, 3}[down+chunk/8*2]; lane != 4*g+want || bit != 4*(chunk%8) {
				t.Errorf("sixteen chunks, row %d, chunk %d: lane %d, bit %d", row, chunk, lane, bit)
			}
		}
	}
}

// TestRows wants each byte of each line in one place, and cells worked out by hand.
func TestRows(t *testing.T) {
	for s, regs := range map[Rows]int{Rows8: 4, Rows8Trans: 4, Rows16Trans: 4, Rows8x16: 4} {
		once(t, s, "lines", regs*s.Lanes()/s.Registers(), 16, regs, 4, s.Byte)
	}
	for _, c := range []struct {
		s                   Rows
		lane, r, b, row, at int
	}{
		{Rows8, 13, 2, 1, 19, 5},      // bytes 4 to 7 of line 19
		{Rows8Trans, 13, 2, 1, 18, 7}, // the upper byte of half 3 of line 18
		{Rows8Trans, 13, 2, 2, 19, 6},
		{Rows16Trans, 9, 3, 2, 22, 10},
		{Rows8x16, 9, 0, 3, 3, 10},
	} {
		if row, at := c.s.Byte(c.lane, c.r, c.b); row != c.row || at != c.at {
			t.Errorf("%+v: byte %d of line %d", c, at, row)
		}
	}
}

// TestWmma wants each element of a matrix in one register, if copies are left aside, and some where compilers have them.
func TestWmma(t *testing.T) {
	for _, f := range []Wmma{
		{16, 16, 16, 16}, {8, 32, 16, 16}, {32, 8, 16, 16}, {16, 16, 16, 8}, {8, 32, 16, 8}, {32, 8, 16, 8},
		{16, 16, 8, 32}, {8, 8, 4, 64}, {8, 8, 32, 4}, {8, 8, 128, 1},
	} {
		once(t, f, "A", f.M, f.K, f.RegistersA(), f.perRegister(), f.A)
		once(t, f, "B", f.K, f.N, f.RegistersB(), f.perRegister(), f.B)
		once(t, f, "C", f.M, f.N, f.M*f.N/32, 1, func(lane, r, _ int) (int, int) { return f.C(lane, r) })
	}
	f := Wmma{32, 8, 16, 16}
	if row, k := f.A(9, 7, 1); row != 2+8+16 || k != 2+1+8 {
		t.Errorf("A of m32n8k16, lane 9, register 7, upper half: (%d, %d)", row, k)
	}
	f = Wmma{16, 16, 16, 16}
	if k, column := f.B(9, 6, 0); k != 2 || column != 2+8 {
		t.Errorf("B of m16n16k16, lane 9, the copy of register 2: (%d, %d)", k, column)
	}
	if row, column := f.C(9, 6); row != 10 || column != 10 {
		t.Errorf("C of m16n16k16, lane 9, element 6: (%d, %d)", row, column)
	}
}
