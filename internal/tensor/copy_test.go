package tensor

import (
	"fmt"
	"testing"
)

var copies = map[string]*Copy{
	"128x256b": &Copy128x256b, "128x128b": &Copy128x128b, "4x256b": &Copy4x256b,
	"64x128b.02_13": &Copy64x128b02_13, "64x128b.01_23": &Copy64x128b01_23, "32x128b": &Copy32x128b,
}

// origin is the reference implementation: the row of the source that a lane gets, −1 if none. It starts from
// the warps that the multicast names: the lanes of warp w are 32w to 32w+31.
func origin(name string, lane int) int {
	warp, in := lane/32, lane%32
	switch name {
	case "4x256b":
		if in != 0 {
			return -1
		}
		return warp
	case "64x128b.02_13": // warps 0 and 2 get the first half, 1 and 3 the second
		return warp%2*32 + in
	case "64x128b.01_23": // warps 0 and 1 get the first half, 2 and 3 the second
		return warp/2*32 + in
	case "32x128b":
		return in
	}
	return lane
}

// TestCopyOnce: every lane that a copy writes is written exactly once, with the row that the
// reference names; each row is written as often as the multicast says.
func TestCopyOnce(t *testing.T) {
	for name, c := range copies {
		var rows, bits int
		if n, err := fmt.Sscanf(name, "%dx%db", &rows, &bits); n != 2 || c.Rows != rows || c.Units != bits/128 || c.Columns() != bits/32 {
			t.Errorf("%s: %d rows of %d units, %v", name, c.Rows, c.Units, err)
		}
		from := map[int]int{}
		for row := range c.Rows {
			for time := range c.Times {
				lane := c.Lane(row, time)
				if old, twice := from[lane]; twice {
					t.Errorf("%s: lane %d gets rows %d and %d", name, lane, old, row)
				}
				from[lane] = row
			}
		}
		for lane := range Lanes {
			row, hit := from[lane]
			if want := origin(name, lane); hit != (want >= 0) || hit && row != want {
				t.Errorf("%s: lane %d gets row %d (%v), want %d", name, lane, row, hit, want)
			}
		}
		if len(from) != c.Rows*c.Times || c.LastLane() >= Lanes {
			t.Errorf("%s: %d lanes, the last %d", name, len(from), c.LastLane())
		}
	}
}

// TestCopyByHand: cells of each shape, from the byte of shared memory to the lane.
func TestCopyByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         Descriptor
		row, unit int
		addr      uint32
		lanes     []int
	}{
		// Row 13 of scale factors: 5·16 + 1·128 = 208, to lane 13 of each warp.
		{"32x128b", Descriptor{Stride: 128}, 13, 0, 208, []int{13, 45, 77, 109}},
		{"32x128b", Descriptor{Stride: 128}, 0, 0, 0, []int{0, 32, 64, 96}},
		{"32x128b", Descriptor{Stride: 256}, 31, 0, 7*16 + 3*256, []int{31, 63, 95, 127}},
		// 256 bits without swizzle: the second unit is LBO away.
		{"128x256b", Descriptor{Stride: 128, Leading: 2048}, 0, 1, 2048, []int{0}},
		{"128x256b", Descriptor{Stride: 128, Leading: 2048}, 127, 1, 7*16 + 15*128 + 2048, []int{127}},
		{"128x256b", Descriptor{Stride: 256, Swizzle: Swizzle32}, 12, 1, 256 + 4*32, []int{12}}, // 0x190 is in line 3: 0x10 ^ 0x10
		{"128x128b", Descriptor{Stride: 1024, Swizzle: Swizzle128}, 9, 0, 1024 + 128 + 16, []int{9}},
		{"128x128b", Descriptor{Start: 16, Stride: 1024, Swizzle: Swizzle128}, 9, 0, 1024 + 128, []int{9}}, // 0x10 ^ 0x10
		{"128x128b", Descriptor{Stride: 128}, 64, 0, 1024, []int{64}},
		{"4x256b", Descriptor{Stride: 128, Leading: 64}, 3, 1, 3*16 + 64, []int{96}},
		{"4x256b", Descriptor{Stride: 128, Leading: 64}, 1, 0, 16, []int{32}},
		{"4x256b", Descriptor{Stride: 128, Swizzle: Swizzle64}, 2, 0, 128 + 16, []int{64}}, // 2·64 = line 1
		{"64x128b.02_13", Descriptor{Stride: 128}, 40, 0, 5 * 128, []int{40, 104}},
		{"64x128b.02_13", Descriptor{Stride: 128}, 3, 0, 48, []int{3, 67}},
		{"64x128b.02_13", Descriptor{Stride: 512, Swizzle: Swizzle64}, 63, 0, 0xff0, []int{63, 127}}, // 7·512 + 7·64 = 0xfc0 in line 31: ^ 3<<4
		{"64x128b.01_23", Descriptor{Stride: 128}, 40, 0, 5 * 128, []int{72, 104}},
		{"64x128b.01_23", Descriptor{Stride: 128}, 3, 0, 48, []int{3, 35}},
		{"64x128b.01_23", Descriptor{Stride: 128}, 32, 0, 512, []int{64, 96}},
	} {
		cp := copies[c.name]
		if got := cp.Source(&c.m, c.row, c.unit); got != c.addr {
			t.Errorf("%s row %d unit %d of %v: %#x, want %#x", c.name, c.row, c.unit, c.m, got, c.addr)
		}
		for i, want := range c.lanes {
			if got := cp.Lane(c.row, i); got != want {
				t.Errorf("%s row %d: lane %d, want %d", c.name, c.row, got, want)
			}
		}
	}
}

// TestSources: the fast path gives the same addresses, for every copy, swizzle and base offset.
func TestSources(t *testing.T) {
	var to [MaxUnits]uint32
	for name, c := range copies {
		for _, s := range modes {
			for base := range uint32(8) {
				for _, m := range []Descriptor{
					{Start: 1024, Stride: 1024, Leading: 2048, Base: base, Swizzle: s},
					{Start: 0x3fff0, Stride: 0x3fff0, Leading: 0x3fff0, Base: base, Swizzle: s},
					{Start: 1024 + 48, Stride: 16, Leading: 16, Base: base, Swizzle: s},
				} {
					list := c.Sources(&m, &to)
					if len(list) != c.Rows*c.Units {
						t.Fatalf("%s: %d units", name, len(list))
					}
					for i, got := range list {
						if want := c.Source(&m, i/c.Units, i%c.Units); got != want {
							t.Fatalf("%s of %v: unit %d is at %#x, want %#x", name, m, i, got, want)
						}
					}
				}
			}
		}
	}
}
