package tex

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func image(t testing.TB, g Geometry, f string, size ...int) *Image {
	t.Helper()
	format, err := ParseFormat(f)
	if err != nil {
		t.Fatal(err)
	}
	im, err := New(g, size, format)
	if err != nil {
		t.Fatal(err)
	}
	return &im
}

// TestExample is the example of the fact sheet: RGBA8, W=16, P=64.
func TestExample(t *testing.T) {
	im := image(t, D2, "unorm8x4", 16, 4)
	bytes := Access{Reach: Reach2D, Size: 4}
	if off, out := bytes.Locate(im, Point{X: 12, Y: 2}); off != 140 || out != Inside {
		t.Errorf("byte 12 of row 2 is at %d, %v", off, out)
	}
	if volume := image(t, D3, "u8x1", 5, 3, 4); volume.Bytes() != 16*3*4 || volume.Dense() != 5*3*4 {
		t.Errorf("5x3x4 bytes take %d, %d of them samples", volume.Bytes(), volume.Dense())
	}
	sample := Access{Reach: Reach2D, Samples: true}
	if off, out := sample.Locate(im, Point{X: 3, Y: 2}); off != 140 || out != Inside {
		t.Errorf("sample 3 of row 2 is at %d, %v", off, out)
	}
	s := im.Format.Encode([4]uint32{0x3f800000, 0x3f000000, 0, 0x3f800000}, 4, false)
	if [4]byte(s[:4]) != [4]byte{0xff, 0x7f, 0, 0xff} {
		t.Errorf("encoded as % x", s[:4])
	}
}

// model locates by the words of 9.7.11.1 alone: it walks all places of an access and takes the
// nearest.
func model(im *Image, a *Access, p Point) (off uint64, out Outcome) {
	size := int64(a.Size)
	x := int64(p.X)
	if a.Samples {
		x *= size
	} else if x%size != 0 {
		return 0, Misaligned
	}
	z := int64(p.K % (1 << 16)) // of a layer
	if a.Reach == Reach3D {
		z = int64(int32(p.K))
	}
	fits := x >= 0 && x+size <= int64(im.Row()) && p.Y >= 0 && int64(p.Y) < int64(im.Height) && z >= 0 && z < int64(im.Slices)
	switch {
	case !fits && a.Bounds == Trap:
		return 0, Outside
	case !fits && a.Bounds == Zero:
		return 0, Dropped
	}
	nearest := func(v, n, step int64) int64 {
		best := int64(0)
		for at := int64(0); at+step <= n; at += step {
			if diff(at, v) < diff(best, v) {
				best = at
			}
		}
		return best
	}
	return uint64(nearest(x, int64(im.Row()), size)) + uint64(nearest(int64(p.Y), int64(im.Height), 1))*im.Pitch +
		uint64(nearest(z, int64(im.Slices), 1))*im.Slice, Inside
}

func diff(a, b int64) int64 { return max(a-b, b-a) }

// TestLocate compares Locate, and Window.Inside where it answers, with the model: every geometry,
// mode and size, points around every edge.
func TestLocate(t *testing.T) {
	for _, im := range []*Image{
		image(t, D1, "u8x1", 37), image(t, D2, "u8x4", 5, 3), image(t, D3, "u16x2", 6, 3, 4),
		image(t, D1Layered, "u32x1", 7, 3), image(t, D2Layered, "f32x4", 3, 2, 5), image(t, Cube, "u8x1", 16, 16), image(t, CubeLayered, "u8x1", 8, 8, 2),
	} {
		for _, size := range []uint64{1, 2, 4, 8, 16} {
			if size > im.Row() {
				continue
			}
			for _, bounds := range []Bounds{Trap, Clamp, Zero} {
				for _, samples := range []bool{false, true} {
					compare(t, im, &Access{Reach: im.Geometry.Reach(), Bounds: bounds, Size: size, Samples: samples})
				}
			}
		}
	}
}

func compare(t *testing.T, im *Image, a *Access) {
	t.Helper()
	v := a.Window(im)
	for _, x := range edges(int32(im.Row())) {
		for _, y := range edges(int32(im.Height)) {
			for _, k := range edges(int32(im.Slices)) {
				p := Point{x, 0, 0}
				if a.Reach == Reach2D || a.Reach == Reach3D || a.Reach == ReachA2D {
					p.Y = y
				}
				if a.Reach >= Reach3D {
					p.K = uint32(k)
				}
				want, out := model(im, a, p)
				have, got := a.Locate(im, p)
				if have != want || got != out {
					t.Fatalf("%v, %+v: %s is at %d (%d), the model says %d (%d)", im, a, a.Point(p), have, got, want, out)
				}
				fast, ok := v.Inside(uint32(p.X), uint32(p.Y), p.K)
				if ok && (fast != want || out != Inside) || a.Bounds == Trap && ok != (out == Inside) && p.K < 1<<16 {
					t.Fatalf("%v, %+v: %s fast at %d (%v), the model says %d (%d)", im, a, a.Point(p), fast, ok, want, out)
				}
			}
		}
	}
}

func edges(n int32) []int32 {
	return []int32{0, 1, 2, 3, 4, 7, 8, n - 16, n - 8, n - 4, n - 3, n - 2, n - 1, n, n + 1, n + 4, n + 16, -1, -2, -4, -16, math.MaxInt32, math.MaxInt32 &^ 15, math.MinInt32, 1 << 15, 1 << 16, 1<<16 + 1}
}

// TestClamped: the whole vector moves to the last place that it fits (hand: row of 20 bytes,
// v4.b32 takes 16, so the last aligned place is 0; v2.b32 takes 8: 8).
func TestClamped(t *testing.T) {
	im := image(t, D2, "u8x4", 5, 3)
	for size, want := range map[uint64]uint64{16: 0, 8: 8, 4: 16, 2: 18, 1: 19} {
		a := Access{Reach: Reach2D, Bounds: Clamp, Size: size}
		if off, out := a.Locate(im, Point{X: 1 << 20}); off != want || out != Inside {
			t.Errorf("%d bytes at %d, want %d", size, off, want)
		}
	}
	narrow := Access{Reach: Reach2D, Bounds: Clamp, Size: 16}
	if _, out := narrow.Locate(image(t, D2, "u8x1", 5, 3), Point{}); out != Dropped { // an H100
		t.Error("16 bytes fit a row of 5")
	}
	narrow.Bounds = Zero
	if _, out := narrow.Locate(image(t, D2, "u8x1", 5, 3), Point{}); out != Dropped {
		t.Error("16 bytes of a row of 5 are not dropped")
	}
}

// TestMask: with the assumption "mask" low bits are cut before bounds are looked at.
func TestMask(t *testing.T) {
	im := image(t, D1, "u8x1", 16)
	a := Access{Size: 4, Mask: true}
	for x, want := range map[int32]uint64{5: 4, 7: 4, 15: 12} {
		if off, out := a.Locate(im, Point{X: x}); off != want || out != Inside {
			t.Errorf("x %d is at %d (%d), want %d", x, off, out, want)
		}
	}
}

// TestScaled compares the conversions to normalised channels with a model on rational numbers: |v| is
// cut to four bits more than the channel's magnitude has, and its multiple rounded, ties down.
func TestScaled(t *testing.T) {
	values := []float32{0, 0.5, -0.5, 1, -1, 2, -2, 1e-30, -1e-30, float32(math.Inf(1)), float32(math.Inf(-1)), 1.0 / 255, 0.499999, 0.5 / 255, math.SmallestNonzeroFloat32}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		values = append(values, float32(r.Float64()*2.4-1.2), float32(math.Ldexp(r.Float64()-.5, -r.IntN(30))))
	}
	for c, bits := range map[Channel]int{Unorm8: 8, Unorm16: 16, Snorm8: 7, Snorm16: 15} {
		keep := uint32(1)<<(8*c.Bytes()) - 1
		for _, v := range values {
			if have, want := c.encode(math.Float32bits(v), false)&keep, normalised(v, bits, c)&keep; have != want {
				t.Fatalf("%v of %g: have %#x, want %#x", c, v, have, want)
			}
		}
		if c.encode(0x7fc00000, false) != 0 || c.encode(0xffffffff, false) != 0 {
			t.Errorf("%v of NaN is not 0", c)
		}
	}
}

func normalised(v float32, bits int, c Channel) uint32 {
	if v < 0 && (c == Unorm8 || c == Unorm16) {
		return 0
	}
	digits := math.Ldexp(1, bits+4)
	cut := new(big.Rat).SetFloat64(math.Floor(min(math.Abs(float64(v)), 1)*digits) / digits)
	cut.Mul(cut, new(big.Rat).SetInt64(1<<bits-1)).Sub(cut, big.NewRat(1, 2))
	n := new(big.Int).Div(new(big.Int).Add(cut.Num(), new(big.Int).Sub(cut.Denom(), big.NewInt(1))), cut.Denom()).Int64() // upwards
	if v < 0 {
		n = -n
	}
	return uint32(n)
}

// TestMeasuredSamples: what an H100 (sm_90, driver 580) stored for an f32: f16 by truncation with a
// NaN's upper bits, normalised numbers at the steps of their cut, where the nearest is another.
func TestMeasuredSamples(t *testing.T) {
	for _, c := range []struct {
		channel Channel
		v, want uint32
	}{
		{F16, 0x3f803000, 0x3c01}, {F16, 0x33000001, 0}, {F16, 0x33800000, 1}, {F16, 0x387fffff, 0x3ff}, {F16, 0x477fffff, 0x7bff}, {F16, 0xc77ff000, 0xfbff},
		{F16, 0x7f800000, 0x7c00}, {F16, 0x7fc00000, 0x7e00}, {F16, 0xff800001, 0xfc01}, {F16, 0xfffffffb, 0xffff}, {F16, 0x7fc12345, 0x7e09},
		{Unorm8, 0x3f000470, 127}, {Unorm8, 0x3b0fffff, 0}, {Unorm8, 0x3b100000, 1}, {Unorm8, 0x3bc80000, 2}, {Unorm8, 0x3f7f7fff, 254}, {Unorm8, 0x3f7f8000, 255},
		{Unorm8, 0x3bc6e3fc, 1}, {Unorm16, 0x3700032a, 0}, {Unorm16, 0x38916f63, 4}, {Unorm16, 0x3a0e2b51, 35},
		{Snorm8, 0x3f000470, 63}, {Snorm8, 0xbca2d9ad, 0x100 - 2}, {Snorm8, 0x3da9fca8, 10}, {Snorm8, 0xbf800000, 0x81},
		{Snorm16, 0x39f8d370, 15}, {Snorm16, 0xbe470daa, 0x10000 - 6369},
	} {
		if have := c.channel.encode(c.v, false) & (1<<(8*c.channel.Bytes()) - 1); have != c.want {
			t.Errorf("%v of %#x: have %#x, want %#x", c.channel, c.v, have, c.want)
		}
	}
}

// TestLargestHalf: what is finite as f32 becomes no infinity.
func TestLargestHalf(t *testing.T) {
	for v, want := range map[uint32]uint32{0x47800000: 0x7bff, 0x7effffff: 0x7bff, 0x7f000000: 0x7bff, 0xff7fffff: 0xfbff} {
		if have := half(v); have != want {
			t.Errorf("%#x: %#x, want %#x", v, have, want)
		}
	}
}

// TestIntegers: integers saturate to the channel, or are cut.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		channel  Channel
		v        uint32
		sat, cut uint32
	}{
		{U8, 300, 255, 300 & 255}, {U8, 255, 255, 255}, {U16, 1 << 20, 65535, 0}, {U32, ^uint32(0), ^uint32(0), ^uint32(0)},
		{S8, 200, 127, 200}, {S8, uint32(0xffffff00), 0x80, 0}, {S8, ^uint32(0), 0xff, 0xff}, {S16, 1 << 16, 0x7fff, 0}, {S32, 1 << 31, 1 << 31, 1 << 31},
		{F16, 0x3f800000, 0x3c00, 0x3c00}, {F32, 0x7fc01234, 0x7fc01234, 0x7fc01234},
	} {
		keep := uint32(uint64(1)<<(8*c.channel.Bytes()) - 1)
		if have := c.channel.encode(c.v, false) & keep; have != c.sat {
			t.Errorf("%v of %#x saturates to %#x, want %#x", c.channel, c.v, have, c.sat)
		}
		if have := c.channel.encode(c.v, true) & keep; have != c.cut {
			t.Errorf("%v of %#x cuts to %#x, want %#x", c.channel, c.v, have, c.cut)
		}
	}
}

// TestOrders: the place of each component in memory (5.3.3), and components that are not given.
func TestOrders(t *testing.T) {
	for name, want := range map[string]string{
		"u8.r": "r", "u8.a": "a", "u8.rg": "rg", "u8.ra": "ra", "u8.rgb": "rgb", "u8.rgba": "rgba", "u8.bgra": "bgra", "u8.argb": "argb",
	} {
		f, err := ParseFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			s := f.Encode([4]uint32{'r', 'g', 'b', 'a'}, n, false)
			given := strings.Map(func(c rune) rune {
				if strings.IndexRune("rgba", c) < n {
					return c
				}
				return 0
			}, want)
			if string(s[:len(want)]) != given || f.Bytes() != len(want) {
				t.Errorf("%s with %d components: %q, want %q", name, n, s[:len(want)], given)
			}
		}
	}
}

// TestWords reads back what is written, and refuses the rest in words.
func TestWords(t *testing.T) {
	for c := range channels {
		for o := range orders {
			f := Format{Channel(c), Order(o)}
			if back, err := ParseFormat(f.String()); err != nil || back != f {
				t.Errorf("%v reads as %v, %v", f, back, err)
			}
		}
	}
	for g := range geometries {
		if back, err := ParseGeometry(Geometry(g).String()); err != nil || back != Geometry(g) {
			t.Errorf("%v reads as %v, %v", Geometry(g), back, err)
		}
	}
	for _, text := range []string{"", "u8", "u8x3", "u9x1", "u8.x", "x4", "U8x1"} {
		if f, err := ParseFormat(text); err == nil {
			t.Errorf("%q reads as %v", text, f)
		}
	}
	rgba := Format{U8, RGBA}
	for want, size := range map[string][]int{
		"has a size WxH, not 5": {5}, "an extent of 0": {4, 0}, "an extent of -1": {-1, 4}, "an extent of 268435456": {1 << 28, 2},
	} {
		if im, err := New(D2, size, rgba); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: have %v, %v, want %q", size, im, err, want)
		}
	}
	if _, err := New(D3, []int{1 << 20, 1 << 20, 1 << 20}, rgba); err == nil {
		t.Error("2^62 bytes are an image")
	}
	if _, err := New(Cube, []int{4, 5}, rgba); err == nil {
		t.Error("4x5 is a face of a cube")
	}
	if im, err := New(CubeLayered, []int{4, 4, 3}, rgba); err != nil || im.Slices != 18 || im.Layers() != 3 || im.String() != "cubelayered 4x4x3 u8x4" {
		t.Errorf("three cubes are %v, %v", im, err)
	}
}

// TestOpenCL: the numbers of tables 12 and 13 (5.3.3).
func TestOpenCL(t *testing.T) {
	types := map[string]uint32{"snorm8": 0x10d0, "snorm16": 0x10d1, "unorm8": 0x10d2, "unorm16": 0x10d3, "s8": 0x10d7, "s16": 0x10d8, "s32": 0x10d9,
		"u8": 0x10da, "u16": 0x10db, "u32": 0x10dc, "f16": 0x10dd, "f32": 0x10de}
	orders := map[string]uint32{"r": 0x10b0, "a": 0x10b1, "rg": 0x10b2, "ra": 0x10b3, "rgb": 0x10b4, "rgba": 0x10b5, "bgra": 0x10b6, "argb": 0x10b7}
	for c, channel := range types {
		for o, order := range orders {
			f, err := ParseFormat(c + "." + o)
			if err != nil || f.Channel.OpenCL() != channel || f.Order.OpenCL() != order {
				t.Errorf("%s.%s is %#x, %#x, %v", c, o, f.Channel.OpenCL(), f.Order.OpenCL(), err)
			}
		}
	}
}

// TestWhy: points and what is wrong with them, in the words of the instruction.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		im    *Image
		a     Access
		p     Point
		point string
		why   string
	}{
		{image(t, D1, "u32x1", 8), Access{Size: 4}, Point{X: 32}, "byte x 32", "the access ends at byte 36 of a row of 32"},
		{image(t, D1, "u32x1", 8), Access{Size: 4, Samples: true}, Point{X: -1}, "sample x -1", "x is negative"},
		{image(t, D1, "u8x1", 8), Access{Size: 16}, Point{}, "byte x 0", "16 bytes do not fit a row of 8"},
		{image(t, D1, "u8x1", 8), Access{Size: 2}, Point{X: 3}, "byte x 3", "x is no multiple of the 2 bytes accessed"},
		{image(t, D2, "u32x1", 8, 3), Access{Reach: Reach2D, Size: 4}, Point{Y: 3}, "byte x 0, y 3", "y is not in 0 to 2"},
		{image(t, D3, "u32x1", 8, 3, 2), Access{Reach: Reach3D, Size: 4}, Point{Y: 2, K: 1<<32 - 1}, "byte x 0, y 2, z -1", "z is not in 0 to 1"},
		{image(t, D1Layered, "u32x1", 8, 5), Access{Reach: ReachA1D, Size: 4}, Point{K: 1<<32 - 1}, "layer 4294967295, byte x 0", "the layer is not in 0 to 4"},
		{image(t, CubeLayered, "u32x1", 8, 8, 2), Access{Reach: ReachA2D, Samples: true}, Point{K: 12}, "layer 12, sample x 0, y 0", "the layer is not in 0 to 11"},
	} {
		_, out := c.a.Locate(c.im, c.p)
		if have := c.a.Point(c.p); have != c.point {
			t.Errorf("have %q, want %q", have, c.point)
		}
		if have := c.a.Why(c.im, c.p, out); have != c.why {
			t.Errorf("%s: have %q, want %q", c.point, have, c.why)
		}
	}
}

// TestInvalid: numbers that name nothing are refused, and words list what there is.
func TestInvalid(t *testing.T) {
	for _, f := range []Format{{Channel: Channel(len(channels))}, {Order: Order(len(orders))}, {Channel: 255, Order: 255}} {
		if _, err := New(D1, []int{1}, f); err == nil {
			t.Errorf("format %d is taken", f)
		}
	}
	for _, n := range []int{1, maxExtent} {
		if im, err := New(D1, []int{n}, Format{}); err != nil || im.Layers() != 0 || int(im.Width) != n {
			t.Errorf("%d samples: %v, %v", n, im, err)
		}
	}
	if _, err := New(CubeLayered+1, []int{1}, Format{}); err == nil {
		t.Error("a geometry too many is taken")
	}
	if _, err := ParseGeometry("4d"); err == nil || !strings.Contains(err.Error(), "want 1d, 2d, 3d, 1dlayered, 2dlayered, cube, cubelayered") {
		t.Errorf("have %v", err)
	}
	if _, err := New(D1, []int{1<<30/16 + 1}, Format{F32, RGBA}); err == nil || !strings.Contains(err.Error(), "want at most 1073741824") {
		t.Errorf("have %v", err)
	}
}
