package tensor

import "testing"

// TestDataPaths has the organisations of the manual's table (9.7.16.10.5): parts, half, and lanes of some rows.
func TestDataPaths(t *testing.T) {
	for _, c := range []struct {
		m, group   int
		sparse, ws bool
		want       DataPath
		lanes      [3][2]int // row, lane in the last part
	}{
		{32, 1, false, true, DataPath{32, 4, false}, [3][2]int{{0, 96}, {31, 127}, {5, 101}}},
		{32, 1, true, true, DataPath{32, 4, false}, [3][2]int{{0, 96}, {31, 127}, {5, 101}}},
		{64, 1, false, true, DataPath{64, 2, false}, [3][2]int{{0, 64}, {63, 127}, {33, 97}}},
		{64, 1, true, true, DataPath{64, 2, false}, [3][2]int{{0, 64}, {63, 127}, {33, 97}}},
		{64, 1, false, false, DataPath{64, 1, true}, [3][2]int{{15, 15}, {16, 32}, {63, 111}}},
		{64, 1, true, false, DataPath{64, 1, true}, [3][2]int{{15, 15}, {16, 32}, {63, 111}}},
		{128, 1, false, false, DataPath{128, 1, false}, [3][2]int{{0, 0}, {64, 64}, {127, 127}}},
		{128, 1, false, true, DataPath{128, 1, false}, [3][2]int{{0, 0}, {64, 64}, {127, 127}}},
		{128, 2, false, false, DataPath{64, 2, false}, [3][2]int{{0, 64}, {63, 127}, {33, 97}}},
		{128, 2, true, false, DataPath{64, 1, true}, [3][2]int{{15, 15}, {16, 32}, {63, 111}}},
		{256, 2, false, false, DataPath{128, 1, false}, [3][2]int{{0, 0}, {64, 64}, {127, 127}}},
		{256, 2, true, false, DataPath{128, 1, false}, [3][2]int{{0, 0}, {64, 64}, {127, 127}}},
	} {
		in := Instruction{Statement: Statement{Group: c.group, Sparse: c.sparse, WS: c.ws}, M: c.m}
		have := in.DataPath()
		if have != c.want {
			t.Errorf("%+v: %+v", c, have)
		}
		for _, l := range c.lanes {
			if lane := have.Lane(l[0], have.Parts-1); lane != l[1] {
				t.Errorf("%+v: row %d is in lane %d", c, l[0], lane)
			}
		}
	}
}

// TestInstructionMetadata has the place of the metadata of each chunk of each row (9.7.16.10.8.4): of elements of 8 and 4 bits eight chunks a
// column, of wider ones a column a selector, of which lanes r and r+8 of sixteen have the chunks of rows r and r+8.
func TestInstructionMetadata(t *testing.T) {
	for kind, chunks := range map[Kind]int{KindF16: 8, KindTF32: 8, KindF8F6F4: 16, KindI8: 16, KindMXF8F6F4: 16, KindMXF4: 16} {
		in := Instruction{Statement: Statement{Kind: kind, Group: 1, Sparse: true}, M: 128, K: 2 * kinds[kind].k, Selector: 3}
		p := in.DataPath()
		wide := kind == KindF16 || kind == KindTF32
		if wide {
			if have := in.MetadataColumns(); have != 4 {
				t.Errorf("%v: %d columns with selector 3", kind, have)
			}
		} else if have := in.MetadataColumns(); have != chunks/8 {
			t.Errorf("%v: %d columns", kind, have)
		}
		for row := range 128 {
			for c := range chunks {
				want := [3]int{row, c / 8, c % 8 * 4}
				if wide {
					want = [3]int{row%8 + c/4*8 + row/16*16, 3, row/8%2*16 + c%4*4}
				}
				if lane, column, low := in.Metadata(p, row, 0, c); want != [3]int{lane, column, low} {
					t.Fatalf("%v, row %d, chunk %d: lane %d, column %d, bit %d, want %v", kind, row, c, lane, column, low, want)
				}
			}
		}
	}
	// m64 without .ws has 16 rows in 32 lanes; .ws has each part's in lanes of its own
	for _, c := range []struct {
		in                     Instruction
		row, part, chunk, lane int
	}{
		{Instruction{Statement: Statement{Kind: KindF16, Group: 1, Sparse: true}, M: 64, K: 32}, 21, 0, 5, 5 + 8 + 32},
		{Instruction{Statement: Statement{Kind: KindI8, Group: 1, Sparse: true}, M: 64, K: 64}, 21, 0, 5, 5 + 32},
		{Instruction{Statement: Statement{Kind: KindF16, Group: 1, Sparse: true, WS: true}, M: 64, K: 32}, 21, 1, 5, 5 + 8 + 16 + 64},
		{Instruction{Statement: Statement{Kind: KindI8, Group: 1, Sparse: true, WS: true}, M: 32, K: 64}, 21, 3, 5, 21 + 96},
	} {
		if lane, _, _ := c.in.Metadata(c.in.DataPath(), c.row, c.part, c.chunk); lane != c.lane {
			t.Errorf("%+v: lane %d", c, lane)
		}
	}
}

// TestScalePlaces has the places of scale factors (9.7.16.10.7): 32 lines a column, four factors a column, of more than 128 lines twice as far
// apart; each quarter of the lanes has all.
func TestScalePlaces(t *testing.T) {
	for _, c := range []struct {
		ids                           [2]int
		operand, lines, line, factor  int
		quarter, lane, column, lowest int
	}{
		{[2]int{2, 0}, 0, 128, 70, 1, 1, 38, 2, 24}, {[2]int{2, 0}, 0, 128, 70, 1, 3, 102, 2, 24}, {[2]int{0, 3}, 1, 64, 33, 0, 0, 1, 1, 24},
		{[2]int{0, 2}, 1, 128, 127, 2, 0, 31, 3 + 4, 0}, {[2]int{0, 2}, 1, 256, 200, 2, 2, 72, 6 + 8, 0}, {[2]int{0, 0}, 1, 256, 255, 5, 0, 31, 7 + 8, 8},
		{[2]int{0, 0}, 1, 129, 128, 4, 0, 0, 4 + 8, 0}, {[2]int{0, 0}, 0, 128, 0, 4, 0, 0, 4, 0},
	} {
		in := Instruction{Scales: c.ids}
		if lane, column, low := in.Scale(c.operand, c.lines, c.line, c.factor, c.quarter); lane != c.lane || column != c.column || low != c.lowest {
			t.Errorf("%+v: lane %d, column %d, bit %d", c, lane, column, low)
		}
	}
	for _, c := range []struct{ vector, k, lines, want int }{{1, 32, 128, 4}, {4, 64, 256, 8}, {2, 96, 128, 4}, {4, 96, 128, 8}, {4, 96, 256, 16}, {1, 32, 32, 1}} {
		in := Instruction{Statement: Statement{Kind: KindMXF4NVF4, Vector: c.vector}, K: c.k}
		if have := in.ScaleColumns(1, c.lines); have != c.want {
			t.Errorf("%+v: %d columns", c, have)
		}
	}
}
