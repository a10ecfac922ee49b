package tex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// filtered are textures of an image with each address mode, of coordinates from 0 to 1 and of texels.
func filtered(im *Image, data []byte) (list []*Texture) {
	for _, mode := range []Address{Wrap, Mirror, ClampEdge, ClampBorder} {
		s := &Sampler{Address: [3]Address{mode, mode, mode}, Linear: true, Border: [4]uint32{0x3f000000, 0xbf800000, 0, 0x3e800000}}
		for _, normalized := range []bool{false, true} {
			read := Read{Normalized: normalized, Float: im.Format.Channel.Reads() != AsFloat}
			list = append(list, &Texture{Read: read, Sampler: s, Levels: []Level{{Image: im, Bytes: data}}})
		}
	}
	return list
}

// coordinate is a random coordinate: an edge value, or one around an image of n texels.
func coordinate(rng *rand.Rand, n uint32, normalized bool) uint32 {
	edges := []uint32{0, 1 << 31, 1, 0x80000001, 0x3f000000, 0xbf000000, 0x3f800000, 0x3f7fffff, 0x4b7fffff, 0x4b800000, 0xcb800001, 0x53000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000}
	if rng.IntN(6) == 0 {
		return edges[rng.IntN(len(edges))]
	}
	x := float32(rng.Float64()*3-1) * float32(n)
	switch rng.IntN(3) {
	case 0:
		x = float32(math.Round(float64(2*x))) / 2 // between texels, and on them
	case 1:
		x = float32(math.Round(float64(512*x))) / 512 // where weights are rounded
	}
	if normalized {
		x /= float32(n)
	}
	return math.Float32bits(x)
}

// TestPlainCoordinates compares places by float64 with those by digits.
func TestPlainCoordinates(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	quick := 0
	for _, n := range []uint32{1, 3, 16, 255, 65536} {
		for _, texture := range filtered(image(t, D2, "u8x4", int(n), 1), nil) {
			for _, cut := range []bool{false, true} {
				l := Lookup{Reach: Reach2D, Assumptions: Assumptions{CutFraction: cut}}
				r := l.Reader(texture)
				for range 2000 {
					x, offset := coordinate(rng, n, r.normalized), int64(rng.IntN(16)-8)
					if x&0x7fffffff > 0x7f800000 {
						continue
					}
					if _, ok := r.plain(x, n); ok {
						quick++
					}
					if have, want := r.axis(0, x, offset, n), r.axisByDigits(0, x, offset, n); have != want {
						t.Fatalf("%+v, %d texels, x %#x, offset %d: have %v, want %v", texture, n, x, offset, have, want)
					}
				}
			}
		}
	}
	if quick == 0 {
		t.Error("no coordinate went the fast way")
	}
}

// TestBilinear compares four texels that are mixed at once with filter.
func TestBilinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	for _, format := range []string{"u8x4", "u8.bgra", "u8x1", "f32x4", "f32x2", "s16x2", "f16x4", "u8.argb"} {
		im := image(t, D2, format, 7, 5)
		data := make([]byte, im.Bytes())
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		for _, texture := range filtered(im, data) {
			l := Lookup{Reach: Reach2D}
			r := l.Reader(texture)
			if !r.square || r.Inner != (format == "u8x4" && texture.Float) {
				t.Fatalf("%s: mixed at once %v, four bytes %v", format, r.square, r.Inner)
			}
			for range 400 {
				p := Place{At: [3]uint32{coordinate(rng, 7, r.normalized), coordinate(rng, 5, r.normalized)}}
				have := r.Texel(&p)
				r.square = false
				if want := r.Texel(&p); have != want {
					t.Fatalf("%s, %+v, at %x: have %x, want %x", format, texture, p.At[:2], have, want)
				}
				r.square = true
			}
		}
	}
}

// TestInside compares the way of most samples with Texel.
func TestInside(t *testing.T) {
	rng, inside := rand.New(rand.NewPCG(5, 7)), 0
	im := image(t, D2, "u8x4", 9, 6)
	data := make([]byte, im.Bytes())
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	for _, texture := range filtered(im, data) {
		for _, whole := range []bool{false, true} {
			l := Lookup{Reach: Reach2D, Assumptions: Assumptions{WholeOffset: whole, CutFraction: rng.IntN(2) == 0}}
			r := l.Reader(texture)
			if texture.Float && !r.Inner {
				t.Fatal("such textures are not read this way")
			}
			for range 140 {
				var at, offset [2][32]uint32
				for lane := range 32 {
					at[0][lane], at[1][lane] = coordinate(rng, 9, r.normalized), coordinate(rng, 6, r.normalized)
					if rng.IntN(2) == 0 {
						offset[0][lane], offset[1][lane] = uint32(rng.IntN(7)-3), uint32(rng.IntN(40)-20)
					}
				}
				var out [4][32]uint32
				lanes := rng.Uint32()
				left := r.Inside(lanes, &at[0], &at[1], &offset[0], &offset[1], &out)
				for lane := range 32 {
					have, want := Texel{out[0][lane], out[1][lane], out[2][lane], out[3][lane]}, Texel{}
					p := Place{At: [3]uint32{at[0][lane], at[1][lane]}, Offset: [3]int32{int32(offset[0][lane]), int32(offset[1][lane])}}
					if (lanes&^left)>>lane&1 != 0 {
						inside++
						want = r.Texel(&p)
					}
					if have != want {
						t.Fatalf("%+v, at %x, offset %v: have %x, want %x", texture, p.At[:2], p.Offset[:2], have, want)
					}
				}
			}
		}
	}
	if inside < 1000 {
		t.Errorf("%d samples were read this way", inside)
	}
}

// TestAddressModes has what lies outside of a row of four texels (9.7.10.1); -1 is the border.
func TestAddressModes(t *testing.T) {
	const outside = -1
	for _, c := range []struct {
		mode       Address
		normalized bool
		line       bool
		reach      Reach
		want       [12]int64 // of texels -4 to 7
	}{
		{Wrap, true, false, Reach1D, [12]int64{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
		{Mirror, true, false, Reach1D, [12]int64{3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0}},
		{ClampEdge, true, false, Reach1D, [12]int64{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}},
		{ClampBorder, true, false, Reach1D, [12]int64{outside, outside, outside, outside, 0, 1, 2, 3, outside, outside, outside, outside}},
		{Wrap, false, false, Reach1D, [12]int64{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}},
		{Mirror, false, false, Reach1D, [12]int64{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}},
		{ClampBorder, false, false, Reach1D, [12]int64{outside, outside, outside, outside, 0, 1, 2, 3, outside, outside, outside, outside}},
		{ClampEdge, false, true, Reach1D, [12]int64{outside, outside, outside, outside, 0, 1, 2, 3, outside, outside, outside, outside}},
		{ClampBorder, true, false, ReachCube, [12]int64{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}},
		{Wrap, true, false, ReachACube, [12]int64{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}},
	} {
		r := Reader{Lookup: &Lookup{Reach: c.reach}, dims: c.reach.dims(), normalized: c.normalized, line: c.line, inFace: c.reach >= ReachCube, Texture: Texture{Sampler: &Sampler{}}}
		r.Address[0] = c.mode
		for i, want := range c.want {
			if have := r.wrapped(0, int64(i)-4, 4); have != want {
				t.Errorf("%+v, texel %d: %d", c, i-4, have)
			}
			for _, images := range []int64{-5, -1, 2, 1 << 30} { // an even number of images away
				if have := r.wrapped(0, int64(i)-4+8*images, 4); c.mode <= Mirror && c.normalized && c.reach == Reach1D && have != want {
					t.Errorf("%+v, texel %d, %d images away: %d", c, i-4, 2*images, have)
				}
			}
		}
	}
}

// TestLeastFraction: of integers with a sign the least one, which has no positive counterpart, is -1, too.
func TestLeastFraction(t *testing.T) {
	for v, want := range map[uint32]float32{0x8000: -1, 0x8001: -1, 0x7fff: 1, 0: 0} {
		if have := math.Float32frombits(snorm16(v)); have != want {
			t.Errorf("16 bits, %#x: %v", v, have)
		}
	}
	for v, want := range map[uint32]float32{0x80: -1, 0x81: -1, 0x7f: 1, 0: 0} {
		if have := math.Float32frombits(snorm8(v)); have != want {
			t.Errorf("8 bits, %#x: %v", v, have)
		}
	}
}
