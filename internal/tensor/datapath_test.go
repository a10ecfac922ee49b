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
