package launchlang

import (
	"bytes"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestMips: a chain halves what is an extent, and keeps layers and faces; a sample is the mean of those it covers, an odd last one belongs to none.
func TestMips(t *testing.T) {
	for _, c := range []struct {
		geometry ptxvm.Geometry
		size     []int
		format   string
		Data     []byte
		levels   int
		second   []byte
	}{
		{ptxvm.Array1D, []int{5}, "u8x1", []byte{1, 3, 10, 20, 99}, 3, []byte{2, 15}},
		{ptxvm.Array1DLayered, []int{2, 3}, "u8x1", []byte{1, 2, 3, 4, 250, 255}, 2, []byte{2, 4, 252}}, // ties to even
		{ptxvm.Array2D, []int{2, 1}, "s8x2", []byte{0xff, 4, 0xfd, 8}, 2, []byte{0xfe, 6}},
		{ptxvm.Array3D, []int{2, 2, 2}, "u8x1", []byte{0, 8, 16, 24, 32, 40, 48, 56}, 2, []byte{28}},
		{ptxvm.Array2DLayered, []int{2, 2, 2}, "u8x1", []byte{0, 8, 16, 24, 32, 40, 48, 56}, 2, []byte{12, 44}},
		{ptxvm.Array2D, []int{2, 2}, "f16x1", []byte{0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x7c}, 2, []byte{0, 0x7c}}, // 1 1 1 and infinity
	} {
		f, err := ptxvm.ParseSampleFormat(c.format)
		if err != nil {
			t.Fatal(err)
		}
		d := ptxvm.ArrayDesc{Geometry: c.geometry, Size: c.size, Format: f}
		if n := wholeChain(d); n != c.levels {
			t.Errorf("%v: %d levels, want %d", c.size, n, c.levels)
		}
		g := levelGrid(d, len(c.Data))
		if have := means(c.Data, g, g.smaller(d.Geometry), f.Channels(), channelType(f)); !bytes.Equal(have, c.second) {
			t.Errorf("%v %v: %v, want %v", c.geometry, c.size, have, c.second)
		}
	}
}
