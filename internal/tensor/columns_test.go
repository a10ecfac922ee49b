package tensor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// addressOf is the row of a pixel's channels from c on: what lies inside the tensor, by coordinates of its own.
func addressOf(m *Map, c int64, pixel []int64) Row {
	size, all := int64(m.Type.Size()), int64(m.Box[0])
	address := int64(m.Address)
	for d, x := range pixel {
		if x < 0 || x >= int64(m.Dims[d+1]) {
			return Row{Skip: uint32(all * size)}
		}
		address += x * int64(m.Strides[d])
	}
	from, to := max(c, 0), min(c+all, int64(m.Dims[0]))
	if from >= to {
		return Row{Skip: uint32(all * size)}
	}
	return Row{Skip: uint32((from - c) * size), Bytes: uint32((to - from) * size), Address: uint64(address + from*size)}
}

// TestPixels numbers the positions of the bounding box, W first and images last, and takes those that follow the first one (5.5.4, 5.5.5).
func TestPixels(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 28))
	for i := range 3000 {
		m := column([]Mode{Im2col, Im2colW, Im2colW128}[r.IntN(3)], 3+r.IntN(3))
		m.Dims[0], m.Box[0], m.Column.Pixels = 1+r.Uint32N(20), 8+8*r.Uint32N(2), 1+r.Uint32N(70)
		spatial := m.Rank - 2
		var w Walk
		var at [MaxRank]int32
		at[0] = int32(r.IntN(24)) - 4
		counts, start, boxed := make([]int64, spatial), make([]int64, spatial), spatial
		if m.Mode != Im2col {
			boxed, w.Offset, w.Halo, w.HaloWalks = 1, uint16(r.IntN(5)), uint16(r.IntN(4)), r.IntN(3) == 0
		}
		for d := range spatial {
			m.Dims[d+1], m.Steps[d+1] = 3+r.Uint32N(6), 1+r.Uint32N(3)
			m.Column.Lower[d], m.Column.Upper[d] = int32(r.IntN(4))-2, int32(r.IntN(4))-3
			for int32(m.Dims[d+1])+m.Column.Upper[d] <= m.Column.Lower[d] {
				m.Dims[d+1]++
			}
			counts[d] = (int64(m.Dims[d+1]) + int64(m.Column.Upper[d]-m.Column.Lower[d]) + int64(m.Steps[d+1]) - 1) / int64(m.Steps[d+1])
			start[d] = r.Int64N(counts[d])
			if at[d+1] = m.Column.Lower[d] + int32(start[d]*int64(m.Steps[d+1])); d >= boxed {
				counts[d], start[d], at[d+1] = 1, 0, int32(r.IntN(5))-1
			}
			if m.Mode == Im2col {
				w.Offsets[d] = uint16(r.IntN(3))
			}
		}
		at[m.Rank-1] = int32(r.IntN(3))
		m.Dims[m.Rank-1] = 1 + r.Uint32N(4)
		number := func(n int64) []int64 { // the n-th pixel from the first one on
			pixel := make([]int64, m.Rank-1)
			for d := spatial - 1; d > 0; d-- {
				n += start[d] * product(counts[:d])
			}
			n += start[0]
			for d := range spatial {
				x := int64(at[d+1])
				if d < boxed {
					x = int64(m.Column.Lower[d]) + n%counts[d]*int64(m.Steps[d+1])
				}
				pixel[d] = x + int64(w.Offsets[d])
				n /= counts[d]
			}
			pixel[0] += int64(w.Offset)
			pixel[spatial] = int64(at[m.Rank-1]) + n
			return pixel
		}
		var want []Row
		take := func(from, n int64) {
			for k := range n {
				want = append(want, addressOf(m, int64(at[0]), number(from+k)))
			}
		}
		halo := func(next int64) {
			if w.HaloWalks {
				take(next, int64(w.Halo))
				return
			}
			for k := range int64(w.Halo) {
				pixel := number(next - 1)
				pixel[0] += (k + 1) * int64(m.Steps[1])
				want = append(want, addressOf(m, int64(at[0]), pixel))
			}
		}
		if m.Mode == Im2colW128 {
			for k := range int64(4) {
				take(32*k, 32)
				halo(32*k + 32)
			}
		} else {
			take(0, int64(m.Column.Pixels))
			halo(int64(m.Column.Pixels))
		}
		if have, err := m.Pixels(at, w); err != nil || !slices.Equal(have, want) {
			t.Fatalf("%d: %+v at %v, %+v: %v, %v, want %v", i, m, at, w, have, err, want)
		}
	}
}

func product(list []int64) int64 {
	n := int64(1)
	for _, x := range list {
		n *= x
	}
	return n
}

// TestWalkLimits has both sides of what a statement of an im2col mode may say (9.7.9.27.1.2).
func TestWalkLimits(t *testing.T) {
	for _, c := range []struct {
		m    *Map
		at   [MaxRank]int32
		w    Walk
		want string
	}{
		{column(Im2colW, 4), [MaxRank]int32{}, Walk{Halo: 511, Offset: 31}, ""},
		{column(Im2colW, 4), [MaxRank]int32{}, Walk{Halo: 512}, "a halo of 512 pixels: .im2col::w takes 0 to 511"},
		{column(Im2colW, 4), [MaxRank]int32{}, Walk{Offset: 32}, "an offset of 32 along W: .im2col::w takes 0 to 31"},
		{column(Im2colW128, 4), [MaxRank]int32{}, Walk{Halo: 31}, ""},
		{column(Im2colW128, 4), [MaxRank]int32{}, Walk{Halo: 32}, "a halo of 32 pixels: .im2col::w::128 takes 0 to 31"},
		{column(Im2col, 3), [MaxRank]int32{}, Walk{Offsets: [spatial]uint16{65535}}, ""},
		{column(Im2col, 4), [MaxRank]int32{}, Walk{Offsets: [spatial]uint16{0, 255}}, ""},
		{column(Im2col, 4), [MaxRank]int32{}, Walk{Offsets: [spatial]uint16{0, 256}}, "an offset of 256 along H: tensors of 4 dimensions take 0 to 255"},
		{column(Im2col, 5), [MaxRank]int32{}, Walk{Offsets: [spatial]uint16{0, 0, 31}}, ""},
		{column(Im2col, 5), [MaxRank]int32{}, Walk{Offsets: [spatial]uint16{0, 0, 32}}, "an offset of 32 along D: tensors of 5 dimensions take 0 to 31"},
		{column(Im2col, 4), [MaxRank]int32{0, 39, 39}, Walk{}, ""},
		{column(Im2col, 4), [MaxRank]int32{0, 40}, Walk{}, "the coordinate along W is 40, outside of the bounding box: it has 0 to 39"},
		{column(Im2col, 4), [MaxRank]int32{0, 0, -1}, Walk{}, "the coordinate along H is -1"},
		{column(Im2colW, 4), [MaxRank]int32{0, -1}, Walk{}, ""},
		{column(Im2colW, 4), [MaxRank]int32{0, 0, 99}, Walk{}, ""},
	} {
		_, err := c.m.Pixels(c.at, c.w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v at %v, %+v: %v, want %q", c.m.Mode, c.at, c.w, err, c.want)
		}
	}
}

// TestSlices finds each byte of the boxes of interleaved tensors by both readings of their strides (5.5.6, assumption U60): slices of all
// channels, in each pixel after pixel.
func TestSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 28))
	for range 1000 {
		m := &Map{Address: 1 << 20, Rank: 3 + r.IntN(3), Type: 6, Interleave: 1 + uint8(r.IntN(2)), Box: [MaxRank]uint32{32, 1, 1, 1, 1}, Steps: [MaxRank]uint32{1, 1, 1, 1, 1}}
		bytes := int64(16) << (m.Interleave - 1)
		per := bytes / 2
		var at [MaxRank]int32
		at[0] = int32(per) * (int32(r.IntN(5)) - 1)
		m.Dims[0] = uint32(per) * (1 + r.Uint32N(5))
		for d := 1; d < m.Rank; d++ {
			m.Dims[d], m.Box[d], m.Steps[d], at[d] = 1+r.Uint32N(5), 1+r.Uint32N(4), 1+r.Uint32N(2), int32(r.IntN(5))-1
			m.Strides[d-1] = uint64(bytes) << (4 * d)
		}
		for _, s := range []SliceStrides{PlaneStrides, SliceFirst} {
			var want []Row
			images := m.Rank - 1
			n := m.counts()
			n[0] = int(int64(m.Box[0]) / per)
			order := append([]int{images, 0}, []int{3, 2, 1}[3-(images-1):]...) // slowest first
			var visit func(depth int, i [MaxRank]int)
			visit = func(depth int, i [MaxRank]int) {
				if depth < len(order) {
					for i[order[depth]] = range n[order[depth]] {
						visit(depth+1, i)
					}
					return
				}
				slice := int64(at[0])/per + int64(i[0])
				inside, address := slice >= 0 && slice < int64(m.Dims[0])/per, int64(m.Address)
				for d := 1; d < m.Rank; d++ {
					x := int64(at[d]) + int64(i[d])*int64(m.Steps[d])
					inside = inside && x >= 0 && x < int64(m.Dims[d])
					switch {
					case s == PlaneStrides:
						address += x * int64(m.Strides[d-1])
					case d == 1:
						address += x * bytes
					default:
						address += x * int64(m.Strides[d-1])
					}
				}
				if s == SliceFirst {
					address += slice * int64(m.Strides[0])
				} else { // as far as the last dimension but images extends
					address += slice * int64(m.Strides[images-2]) * int64(m.Dims[images-1])
				}
				if row := (Row{Bytes: uint32(bytes), Address: uint64(address)}); inside {
					want = append(want, row)
				} else {
					want = append(want, Row{Skip: uint32(bytes)})
				}
			}
			visit(0, [MaxRank]int{})
			if have := m.Rows(nil, at, s); !slices.Equal(have, want) {
				t.Fatalf("%+v at %v, strides %d: %v, want %v", m, at, s, have, want)
			}
		}
	}
}
