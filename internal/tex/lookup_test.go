package tex

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func bitsOf(v float64) uint32 { return math.Float32bits(float32(v)) }

// numbered is an image of one f32 a sample, which is 1000·slice + 100·y + x.
func numbered(t *testing.T, g Geometry, size ...int) Level {
	im := image(t, g, "f32x1", size...)
	data := make([]byte, im.Bytes())
	for k := range uint64(im.Slices) {
		for y := range uint64(im.Height) {
			for x := range uint64(im.Width) {
				binary.LittleEndian.PutUint32(data[k*im.Slice+y*im.Pitch+4*x:], bitsOf(float64(1000*k+100*y+x)))
			}
		}
	}
	return Level{Image: im, Bytes: data}
}

// flat is a level whose samples are all one number.
func flat(t *testing.T, v float64, g Geometry, size ...int) Level {
	l := numbered(t, g, size...)
	for at := 0; at < len(l.Bytes); at += 4 {
		binary.LittleEndian.PutUint32(l.Bytes[at:], bitsOf(v))
	}
	return l
}

// red is the first component that a lookup returns, as a number.
func red(l *Lookup, t *Texture, p Place) float64 {
	return float64(math.Float32frombits(l.Reader(t).Texel(&p)[0]))
}

// TestFixed compares with the product as a fraction, cut down after what is added.
func TestFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 28))
	limit := new(big.Rat).SetInt64(1 << 40)
	for range 200000 {
		x := r.Uint32()
		if r.IntN(4) > 0 {
			x = x&0x807fffff | (100+r.Uint32N(80))<<23
		}
		if x&0x7fffffff >= 0x7f800000 {
			continue
		}
		n, digits, round := uint64(1)<<r.IntN(28)|uint64(r.IntN(3)), 8*r.IntN(2), uint64(r.IntN(2))<<31
		exact := new(big.Rat).SetFloat64(float64(math.Float32frombits(x)))
		exact.Mul(exact, new(big.Rat).SetInt64(int64(n)<<digits))
		have := fixed(x, n, digits, round)
		if new(big.Rat).Abs(exact).Cmp(limit) >= 0 {
			if have < 1<<40 == (exact.Sign() > 0) || have > -1<<40 == (exact.Sign() < 0) {
				t.Fatalf("%#x times %d: %d", x, n<<digits, have)
			}
			continue
		}
		exact.Add(exact, new(big.Rat).SetFrac64(int64(round), 1<<32))
		if want := new(big.Int).Div(exact.Num(), exact.Denom()).Int64(); have != want {
			t.Fatalf("%#x times %d, and %#x: %d, want %d", x, n<<digits, round, have, want)
		}
	}
}

// TestFixedSticky has products whose last bit alone lies further than 32 behind the binary point: below zero they are cut to the next number.
func TestFixedSticky(t *testing.T) {
	for _, c := range []struct {
		man   uint32
		n     uint64
		whole int64 // of man·n/2^33, of which 2^-33 is left
	}{{0x800041, 8130497, 7940}, {0x8000f3, 104011835, 101577}} {
		x := c.man&0x7fffff | (150-33)<<23
		if have := fixed(x, c.n, 0, 0); have != c.whole {
			t.Errorf("%#x times %d: %d, want %d", x, c.n, have, c.whole)
		}
		if have := fixed(x|1<<31, c.n, 0, 0); have != -c.whole-1 {
			t.Errorf("%#x times %d below zero: %d, want %d", x, c.n, have, -c.whole-1)
		}
	}
}

// TestFaces has directions to the six faces of cubes, and where they fall on them: s and t of the CUDA programming guide's table. Of equal
// magnitudes the first axis is the major one, or by an assumption the last.
func TestFaces(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Address: [3]Address{Wrap, Wrap, Wrap}}, Levels: []Level{numbered(t, CubeLayered, 4, 4, 2)}}
	for _, c := range []struct {
		at   [3]float64
		face int
		s, t float64 // -1 to 1
	}{
		{[3]float64{2, 1, -1.5}, 0, 0.75, -0.5}, {[3]float64{-2, 1, -1.5}, 1, -0.75, -0.5}, {[3]float64{1, 2, -1.5}, 2, 0.5, -0.75},
		{[3]float64{1, -2, -1.5}, 3, 0.5, 0.75}, {[3]float64{1, -1.5, 2}, 4, 0.5, 0.75}, {[3]float64{1, -1.5, -2}, 5, -0.5, 0.75},
		{[3]float64{0.25, 1, -0.5}, 2, 0.25, -0.5}, {[3]float64{1, 1, 1}, 0, -1, -1}, {[3]float64{1, -3, 3}, 3, 1. / 3, -1}, {[3]float64{-3, 1, 3}, 1, 1, -1. / 3},
	} {
		for layer, first := range []int{0, 6, 6} { // what lies behind is the last
			texel := func(v float64) float64 { return min(max(math.Floor((v+1)/2*4), 0), 3) }
			want := float64(1000*(first+c.face)) + 100*texel(c.t) + texel(c.s)
			p := Place{Layer: uint32(layer)}
			for d, v := range c.at {
				p.At[d] = bitsOf(v)
			}
			if have := red(&Lookup{Reach: ReachACube}, texture, p); have != want {
				t.Errorf("%v of cube %d: %v, want %v", c.at, layer, have, want)
			}
			if layer == 0 {
				if have := red(&Lookup{Reach: ReachCube}, texture, p); have != want {
					t.Errorf("%v: %v, want %v", c.at, have, want)
				}
			}
		}
	}
	late := &Lookup{Reach: ReachCube, Assumptions: Assumptions{LateTies: true}}
	for at, want := range map[[3]float64]float64{{1, 1, 1}: 4000 + 0*100 + 3, {1, -1, 0.25}: 3000 + 100*1 + 3, {2, 1, 0}: 100*1 + 2} {
		if have := red(late, texture, Place{At: [3]uint32{bitsOf(at[0]), bitsOf(at[1]), bitsOf(at[2])}}); have != want {
			t.Errorf("%v, the last axis: %v, want %v", at, have, want)
		}
	}
}

// TestFaceGradients compares gradients on faces with differences of neighbouring directions: the level of detail is that of how far texels are apart.
func TestFaceGradients(t *testing.T) {
	levels := []Level{flat(t, 0, Cube, 64, 64), flat(t, 1, Cube, 32, 32), flat(t, 2, Cube, 16, 16), flat(t, 3, Cube, 8, 8), flat(t, 4, Cube, 4, 4), flat(t, 5, Cube, 2, 2), flat(t, 6, Cube, 1, 1)}
	texture := &Texture{Mipmapped: true, Sampler: &Sampler{Linear: true, MipLinear: true, MaxLOD: bitsOf(9)}, Levels: levels}
	r := rand.New(rand.NewPCG(14, 28))
	project := func(at [3]float64) [2]float64 {
		major := 0
		for d := range at {
			if math.Abs(at[d]) > math.Abs(at[major]) {
				major = d
			}
		}
		var out []float64
		for d := range at {
			if d != major {
				out = append(out, at[d]/math.Abs(at[major])/2)
			}
		}
		return [2]float64{out[0], out[1]}
	}
	for range 2000 {
		var p Place
		var at [3]float64
		var grad [2][3]float64
		for d := range at {
			at[d] = float64(float32(r.Float64()*2 - 1))
			p.At[d] = bitsOf(at[d])
			for i := range grad {
				grad[i][d] = float64(float32((r.Float64()*2 - 1) * 0.2))
			}
			p.Dx[d], p.Dy[d] = bitsOf(grad[0][d]), bitsOf(grad[1][d])
		}
		if a := project(at); max(math.Abs(a[0]), math.Abs(a[1])) > 0.49 {
			continue // another face is near
		}
		longest := 0.0
		for _, g := range grad {
			const h = 1e-5
			a, b := project([3]float64{at[0] - h*g[0], at[1] - h*g[1], at[2] - h*g[2]}), project([3]float64{at[0] + h*g[0], at[1] + h*g[1], at[2] + h*g[2]})
			longest = max(longest, math.Hypot((b[0]-a[0])/(2*h), (b[1]-a[1])/(2*h))*64)
		}
		want := min(max(math.Log2(longest), 0), 6)
		if have := red(&Lookup{Reach: ReachCube, Mip: MipGradient}, texture, p); math.Abs(have-want) > 0.01 {
			t.Fatalf("at %v, gradients %v: level %v, want %v", at, grad, have, want)
		}
	}
}

// TestDetail has the level that is read: with the bias, within the sampler's and the chain's limits, mixed or the nearest (9.7.10.2, 5.3.2).
func TestDetail(t *testing.T) {
	var levels []Level
	for i := range 4 {
		levels = append(levels, flat(t, float64(i), D2, 8>>i, 8>>i))
	}
	for _, c := range []struct {
		level, bias, least, most float64
		linear, cut              bool
		want                     float64
	}{
		{0, 0, 0, 9, true, false, 0}, {1.5, 0, 0, 9, true, false, 1.5}, {1.5, 0.25, 0, 9, true, false, 1.75}, {1.5, -0.25, 0, 9, true, false, 1.25}, {9, 0, 0, 9, true, false, 3},
		{-1, 0, 0, 9, true, false, 0}, {0.5, 0, 1.25, 9, true, false, 1.25}, {2.5, 0, 0, 2.25, true, false, 2.25}, {2.5, 0, 0, -1, true, false, 0}, {0, 0, -2, 9, true, false, 0},
		{1.5, 0, 0, 9, false, false, 2}, {1.49, 0, 0, 9, false, false, 1}, {2.75, 0, 0, 9, false, false, 3}, {1.25, 0.25, 0, 9, false, false, 2},
		{1 + 3./512, 0, 0, 9, true, false, 1 + 2./256}, {1 + 3./512, 0, 0, 9, true, true, 1 + 1./256}, {1 + 1./1024, 0, 0, 9, true, false, 1},
		{math.NaN(), 0.5, 0, 9, true, false, 0.5}, {math.Inf(1), 0, 0, 9, true, false, 3}, {math.Inf(-1), 0, 0, 9, true, false, 0},
	} {
		texture := &Texture{Mipmapped: true, Sampler: &Sampler{Linear: true, MipLinear: c.linear, Bias: bitsOf(c.bias), MinLOD: bitsOf(c.least), MaxLOD: bitsOf(c.most)}, Levels: levels}
		l := &Lookup{Reach: Reach2D, Mip: MipLevel, Assumptions: Assumptions{CutLevel: c.cut}}
		if have := red(l, texture, Place{Level: bitsOf(c.level), At: [3]uint32{bitsOf(0.3), bitsOf(0.3)}}); have != c.want {
			t.Errorf("%+v: %v", c, have)
		}
		l.Mip = MipBase
		if have := red(l, texture, Place{Level: bitsOf(c.level)}); have != 0 {
			t.Errorf("%+v: %v at the base", c, have)
		}
	}
	texture := &Texture{Mipmapped: true, Sampler: &Sampler{MaxLOD: bitsOf(9)}, Levels: levels}
	for level, want := range map[int32]float64{0: 0, 2: 2, 3: 3, 4: 3, -1: 0} { // of integers the number of a level
		if have := red(&Lookup{Reach: Reach2D, Mip: MipLevel, Integer: true}, texture, Place{Level: uint32(level)}); have != want {
			t.Errorf("level %d: %v", level, have)
		}
	}
	texture.Sampler.MipLinear = true
	for _, c := range []struct {
		normalized bool
		dx, dy     [2]float64
		want       float64
	}{
		{true, [2]float64{0.25, 0}, [2]float64{}, 1}, {true, [2]float64{}, [2]float64{0, 0.5}, 2}, {false, [2]float64{4, 0}, [2]float64{0, 2}, 2}, {false, [2]float64{1, 0}, [2]float64{0, 1}, 0},
		{false, [2]float64{}, [2]float64{}, 0}, {true, [2]float64{3. / 8, 4. / 8}, [2]float64{}, 2 + 82./256}, // log2 5
	} {
		texture.Normalized = c.normalized
		p := Place{Dx: [3]uint32{bitsOf(c.dx[0]), bitsOf(c.dx[1])}, Dy: [3]uint32{bitsOf(c.dy[0]), bitsOf(c.dy[1])}}
		if have := red(&Lookup{Reach: Reach2D, Mip: MipGradient}, texture, p); have != c.want {
			t.Errorf("%+v: %v", c, have)
		}
	}
}

// TestGathered fetches one component of four texels: counter-clockwise from the lower left, as a filter places them (9.7.10.4).
func TestGathered(t *testing.T) {
	im := image(t, D2, "f32x4", 4, 5)
	data := make([]byte, im.Bytes())
	for i := range 4 * 5 {
		for part := range 4 {
			binary.LittleEndian.PutUint32(data[uint64(i/4)*im.Pitch+uint64(16*(i%4)+4*part):], bitsOf(float64(100*(i/4)+10*(i%4)+part)))
		}
	}
	for _, linear := range []bool{false, true} {
		texture := &Texture{Sampler: &Sampler{Address: [3]Address{ClampEdge, ClampEdge}, Linear: linear}, Levels: []Level{{Image: im, Bytes: data}}}
		for part := range 4 {
			r := (&Lookup{Reach: Reach2D, Gather: part + 1}).Reader(texture)
			have := r.Texel(&Place{At: [3]uint32{bitsOf(2.25), bitsOf(1.75)}}) // between texels 1 and 2, and 1 and 2
			for i, at := range [4][2]int{{1, 2}, {2, 2}, {2, 1}, {1, 1}} {
				if want := bitsOf(float64(100*at[1] + 10*at[0] + part)); have[i] != want {
					t.Errorf("part %d, linear %v: texel %d is %v, want %v", part, linear, i, math.Float32frombits(have[i]), math.Float32frombits(want))
				}
			}
		}
		r := (&Lookup{Reach: Reach2D, Gather: 1, Compare: true}).Reader(texture)
		if have, want := r.Texel(&Place{At: [3]uint32{bitsOf(2.25), bitsOf(1.75)}, Depth: bitsOf(150)}), (Texel{one, one, 0, 0}); have != want {
			t.Errorf("compared: %x, want %x", have, want)
		}
	}
}

// TestPoints reads single texels of each geometry: by integers and by f32, with layers, samples and offsets.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		g      Geometry
		size   []int
		reach  Reach
		at     [3]int32
		offset [3]int32
		layer  uint32
		sample uint32
		want   float64
	}{
		{D1, []int{9}, Reach1D, [3]int32{5}, [3]int32{2}, 7, 7, 7}, {D1Layered, []int{9, 3}, ReachA1D, [3]int32{5}, [3]int32{-3}, 1, 0, 1002}, {D1Layered, []int{9, 3}, ReachA1D, [3]int32{5}, [3]int32{}, 3, 0, 2005},
		{D2, []int{9, 8}, Reach2D, [3]int32{5, 3}, [3]int32{1, 2}, 1, 0, 506}, {D2Layered, []int{9, 8, 3}, ReachA2D, [3]int32{5, 3}, [3]int32{}, 2, 0, 2305}, {D2Layered, []int{9, 8, 3}, ReachA2D, [3]int32{5, 3}, [3]int32{}, 1 << 31, 0, 2305},
		{D3, []int{9, 8, 4}, Reach3D, [3]int32{5, 3, 2}, [3]int32{0, 0, -1}, 3, 0, 1305}, {D2, []int{9, 8}, Reach2D, [3]int32{-5, 30}, [3]int32{}, 0, 0, 700},
		{D2, []int{9, 8}, Reach2D, [3]int32{5, 3}, [3]int32{8, 9}, 0, 0, 0}, // four bits with a sign: -8 and -7
		{D2MS, []int{9, 8, 4}, Reach2DMS, [3]int32{5, 3}, [3]int32{}, 1, 2, 2305}, {D2MS, []int{9, 8, 4}, Reach2DMS, [3]int32{5, 3}, [3]int32{}, 0, 9, 3305},
		{D2MSLayered, []int{9, 8, 3, 4}, ReachA2DMS, [3]int32{5, 3}, [3]int32{}, 1, 2, 6305}, {D2MSLayered, []int{9, 8, 3, 4}, ReachA2DMS, [3]int32{5, 3}, [3]int32{}, 9, 9, 11305},
	} {
		level := numbered(t, c.g, c.size...)
		texture := &Texture{Sampler: &Sampler{Address: [3]Address{ClampEdge, ClampEdge, ClampEdge}}, Levels: []Level{level}}
		p, f := Place{Layer: c.layer, Sample: c.sample, Offset: c.offset}, Place{Layer: c.layer, Sample: c.sample, Offset: c.offset}
		for d, x := range c.at {
			p.At[d], f.At[d] = uint32(x), bitsOf(float64(x)+0.75)
		}
		if have := red(&Lookup{Reach: c.reach, Integer: true}, texture, p); have != c.want {
			t.Errorf("%+v by integers: %v", c, have)
		}
		if have := red(&Lookup{Reach: c.reach}, texture, f); have != c.want {
			t.Errorf("%+v: %v", c, have)
		}
		texture.Sampler.Linear = true // filters no integers
		if have := red(&Lookup{Reach: c.reach, Integer: true}, texture, p); have != c.want {
			t.Errorf("%+v by integers, with a filter: %v", c, have)
		}
	}
	line := &Texture{Sampler: &Sampler{Address: [3]Address{ClampBorder}, Border: [4]uint32{bitsOf(0.5)}}, Levels: []Level{numbered(t, D1, 4)}}
	for x, want := range map[float64]float64{0: 0, 3.5: 3, 4: 0.5, -0.25: 0.5, math.NaN(): 0} {
		if have := red(&Lookup{Reach: Reach1D}, line, Place{At: [3]uint32{bitsOf(x)}}); have != want {
			t.Errorf("%v: %v, want %v", x, have, want)
		}
	}
	if have := red(&Lookup{Reach: Reach1D, Assumptions: Assumptions{NaNOutside: true}}, line, Place{At: [3]uint32{bitsOf(math.NaN())}}); have != 0.5 {
		t.Errorf("NaN outside: %v", have)
	}
	line.Normalized, line.Linear, line.Sampler.Address[0] = true, true, Wrap
	for _, c := range []struct{ x, want float64 }{
		{0.5, 1.5}, {1 << 23, 1.5}, {1<<24 + 2, 1.5}, {-(1 << 25), 1.5}, {0.125, 0}, {1, 1.5}, {0.375, 1}, // between the last texel and the first one
	} {
		if have := red(&Lookup{Reach: Reach1D}, line, Place{At: [3]uint32{bitsOf(c.x)}}); have != c.want {
			t.Errorf("%v, wrapped: %v, want %v", c.x, have, c.want)
		}
	}
}

// TestFarWrapped: a coordinate of 2^24 and more is a whole, even number of images away, however many texels these have.
func TestFarWrapped(t *testing.T) {
	for _, mode := range []Address{Wrap, Mirror} {
		far := &Texture{Read: Read{Normalized: true}, Sampler: &Sampler{Address: [3]Address{mode}, Linear: true}, Levels: []Level{numbered(t, D1, 1000)}}
		for _, x := range []float64{1 << 24, 1<<24 + 2, -(1 << 24), 1 << 25, 1 << 100} {
			want := 0.0
			if mode == Wrap {
				want = 499.5 // between the last texel and the first
			}
			if have := red(&Lookup{Reach: Reach1D}, far, Place{At: [3]uint32{bitsOf(x)}}); have != want {
				t.Errorf("%v at %v: %v, want %v", mode, x, have, want)
			}
		}
	}
}

// TestComparisons has all outcomes of a depth and a texel: less, equal, greater, and NaN.
func TestComparisons(t *testing.T) {
	for text, want := range map[string]string{"le": "110000", "lt": "100000", "eq": "010000", "gt": "001000", "ge": "011000", "ne": "101111", "never": "000000", "always": "111111"} {
		c, err := ParseCompare(text)
		if err != nil || c.String() != text {
			t.Fatalf("%s reads as %v, %v", text, c, err)
		}
		have := ""
		for _, p := range [][2]float64{{1, 2}, {2, 2}, {3, 2}, {math.NaN(), 2}, {1, math.NaN()}, {math.NaN(), math.NaN()}} {
			texture := &Texture{Sampler: &Sampler{Compare: c}, Levels: []Level{flat(t, p[1], D1, 1)}}
			have += fmt.Sprint(red(&Lookup{Reach: Reach1D, Compare: true}, texture, Place{Depth: bitsOf(p[0])}))
		}
		if have != want {
			t.Errorf("%s: %s, want %s", text, have, want)
		}
	}
	if _, err := ParseCompare("l"); err == nil {
		t.Error("l is a comparison")
	}
}

// TestComparedFilter: texels are compared, then weighed.
func TestComparedFilter(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Address: [3]Address{ClampEdge, ClampEdge}, Linear: true}, Levels: []Level{numbered(t, D2, 4, 5)}}
	p := Place{At: [3]uint32{bitsOf(2.25), bitsOf(1.75)}, Depth: bitsOf(150)} // a quarter of row 2, which is as large
	if have := red(&Lookup{Reach: Reach2D, Compare: true}, texture, p); have != 0.25 {
		t.Errorf("%v", have)
	}
}

// TestWideSum: three texels of 3/8 of a last place each vanish in a sum of f32, one by one, and count in one of f64.
func TestWideSum(t *testing.T) {
	level := flat(t, 0.75/(1<<24), D2, 2, 2)
	binary.LittleEndian.PutUint32(level.Bytes, one)
	texture := &Texture{Sampler: &Sampler{Address: [3]Address{ClampEdge, ClampEdge}, Linear: true}, Levels: []Level{level}}
	for wide, want := range map[bool]float64{false: 0.25, true: 0.25 + 1./(1<<25)} {
		if have := red(&Lookup{Reach: Reach2D, Assumptions: Assumptions{WideSum: wide}}, texture, Place{At: [3]uint32{bitsOf(1), bitsOf(1)}}); have != want {
			t.Errorf("wide %v: %v, want %v", wide, have, want)
		}
	}
}

// TestComponents decodes a sample of each channel type and order: numbers as they are, or as parts of their largest, components that lack, and the border.
func TestComponents(t *testing.T) {
	raw := [4]uint32{0x85, 0x34, 0xe5, 0x80} // the upper byte of a wider one
	for c := range channels {
		for o := range orders {
			f := Format{Channel(c), Order(o)}
			im, err := New(D1, []int{1}, f)
			if err != nil {
				t.Fatal(err)
			}
			size := f.Channel.Bytes()
			data := make([]byte, 16)
			for i := range orders[o].parts {
				data[i*size+size-1] = byte(raw[i])
			}
			for _, read := range []Read{{}, {Float: true}, {Float: true, SRGB: true}} {
				if read.Check(f) != nil {
					continue
				}
				for _, missing := range []bool{false, true} {
					border := [4]uint32{bitsOf(-2.5), bitsOf(3.75), bitsOf(100), bitsOf(1)}
					texture := &Texture{Read: read, Sampler: &Sampler{Address: [3]Address{ClampBorder}, Border: border}, Levels: []Level{{Image: &im, Bytes: data}}}
					l := &Lookup{Reach: Reach1D, Assumptions: Assumptions{MissingZero: missing}}
					want, outside := Texel{}, Texel{}
					if !missing {
						if want[3] = 1; read.Floats(f) {
							want[3] = one
						}
					}
					outside[3] = want[3]
					for i, part := range orders[o].parts {
						want[part] = componentOf(f.Channel, raw[i]<<(8*(size-1)), read, part == 3)
						switch outside[part] = border[part]; {
						case read.Floats(f):
						case f.Channel.Reads() == AsSigned:
							outside[part] = uint32(int32(math.Float32frombits(border[part])))
						default:
							outside[part] = uint32(max(0, math.Float32frombits(border[part])))
						}
					}
					if have := l.Reader(texture).Texel(&Place{}); have != want {
						t.Errorf("%v, %+v: %x, want %x", f, read, have, want)
					}
					if have := l.Reader(texture).Texel(&Place{At: [3]uint32{bitsOf(2)}}); have != outside {
						t.Errorf("%v, %+v, outside: %x, want %x", f, read, have, outside)
					}
					l.BorderBits = true
					for _, part := range orders[o].parts {
						outside[part] = border[part]
					}
					if have := l.Reader(texture).Texel(&Place{At: [3]uint32{bitsOf(2)}}); have != outside {
						t.Errorf("%v, %+v, bits outside: %x, want %x", f, read, have, outside)
					}
				}
			}
		}
	}
}

// componentOf is what a channel's bits are returned as (9.7.10.3).
func componentOf(c Channel, v uint32, read Read, alpha bool) uint32 {
	signed := int32(v<<(32-8*c.Bytes())) >> (32 - 8*c.Bytes())
	fraction := read.Float || c >= Unorm8
	switch c {
	case F16:
		e, m := int(v>>10&31), float64(v&1023)
		x := math.Ldexp(1+m/1024, e-15)
		switch e {
		case 0:
			x = math.Ldexp(m/1024, -14)
		case 31:
			x = math.Inf(1)
			if m != 0 {
				x = math.NaN()
			}
		}
		return bitsOf(math.Copysign(x, float64(signed)))
	case U8, U16, U32, Unorm8, Unorm16:
		if most := float64(uint64(1)<<(8*c.Bytes()) - 1); fraction {
			x := float64(v) / most
			if read.SRGB && !alpha {
				if x <= 0.04045 {
					return bitsOf(x / 12.92)
				}
				return bitsOf(math.Pow((x+0.055)/1.055, 2.4))
			}
			return bitsOf(x)
		}
	case S8, S16, S32, Snorm8, Snorm16:
		if most := float64(uint64(1)<<(8*c.Bytes()-1) - 1); fraction {
			return bitsOf(max(float64(signed)/most, -1))
		}
		return uint32(signed)
	}
	return v
}

// TestViews has parts of images: which layers, and where they begin.
func TestViews(t *testing.T) {
	rgba, other := Format{U8, RGBA}, Format{F32, R}
	for _, c := range []struct {
		g           Geometry
		size        []int
		first, last int
		slices      uint32
		skip        uint64 // slices
		ok          bool
	}{
		{D2Layered, []int{4, 4, 5}, 1, 3, 3, 1, true}, {D2Layered, []int{4, 4, 5}, 4, 4, 1, 4, true}, {D2Layered, []int{4, 4, 5}, 0, 4, 5, 0, true}, {D2Layered, []int{4, 4, 5}, 0, 5, 0, 0, false},
		{D2Layered, []int{4, 4, 5}, 3, 2, 0, 0, false}, {D2Layered, []int{4, 4, 5}, -1, 2, 0, 0, false}, {CubeLayered, []int{4, 4, 3}, 1, 2, 12, 6, true}, {D3, []int{4, 4, 3}, 0, 0, 3, 0, true}, {D3, []int{4, 4, 3}, 1, 1, 0, 0, false},
		{Cube, []int{4, 4}, 0, 0, 6, 0, true},
	} {
		im, err := New(c.g, c.size, rgba)
		if err != nil {
			t.Fatal(err)
		}
		v, skip, err := im.View(other, c.first, c.last)
		if (err == nil) != c.ok || err == nil && (v.Format != other || v.Slices != c.slices || skip != c.skip*im.Slice || v.Width != im.Width || v.Pitch != im.Pitch) {
			t.Errorf("%+v: %+v, %d, %v", c, v, skip, err)
		}
	}
	if im, _ := New(D2, []int{4, 4}, rgba); true {
		if _, _, err := im.View(Format{U8, RG}, 0, 0); err == nil {
			t.Error("samples of two bytes are such of four")
		}
	}
}

// TestExtents has images in linear memory, chains of levels, and what is too much.
func TestExtents(t *testing.T) {
	for _, c := range []struct {
		w, h, pitch int
		format      string
		slice       uint64
		g           Geometry
		ok          bool
	}{
		{10, 0, 0, "f32x1", 40, D1, true}, {10, 3, 64, "f32x1", 2*64 + 40, D2, true}, {10, 3, 0, "f32x1", 120, D2, true}, {10, 3, 36, "f32x1", 0, D2, false}, {10, 3, 42, "f32x1", 0, D2, false}, {10, 3, 42, "u8x4", 2*42 + 40, D2, true}, {0, 3, 64, "f32x1", 0, D2, false},
	} {
		f, err := ParseFormat(c.format)
		if err != nil {
			t.Fatal(err)
		}
		im, err := NewLinear(c.w, c.h, c.pitch, f)
		if (err == nil) != c.ok || err == nil && (im.Slice != c.slice || im.Geometry != c.g || !im.Linear) {
			t.Errorf("%+v: %+v, %v", c, im, err)
		}
	}
	for _, c := range []struct {
		g     Geometry
		size  []int
		most  int
		third []int // level 2
	}{
		{D1, []int{9}, 4, []int{2}}, {D2, []int{9, 40}, 6, []int{2, 10}}, {D3, []int{4, 4, 16}, 5, []int{1, 1, 4}}, {D2Layered, []int{4, 4, 16}, 3, []int{1, 1, 16}}, {Cube, []int{8, 8}, 4, []int{2, 2}}, {D2MS, []int{64, 64, 4}, 1, nil},
	} {
		im := image(t, c.g, "u8x1", c.size...)
		if have := im.MaxLevels(); have != c.most {
			t.Errorf("%v: %d levels, want %d", im, have, c.most)
		}
		if level, err := im.Level(2); (err == nil) != (c.third != nil) || err == nil && SizeText(level.Size()) != SizeText(c.third) {
			t.Errorf("%v: level 2 is %v, %v", im, &level, err)
		}
		for _, n := range []int{-1, c.most} {
			if _, err := im.Level(n); err == nil {
				t.Errorf("%v has a level %d", im, n)
			}
		}
		if last, err := im.Level(c.most - 1); err != nil || last.Width != 1 && c.most > 1 {
			t.Errorf("%v: the last level is %v, %v", im, &last, err)
		}
	}
	if im := image(t, D2MSLayered, "u8x1", 4, 2, 3, 8); im.Samples != 8 || im.Slices != 24 || im.Layers() != 3 {
		t.Errorf("eight samples: %+v", im)
	}
	if _, err := New(D2MS, []int{4, 4, maxSamples + 1}, Format{}); err == nil || !strings.Contains(err.Error(), "65 samples of a texel") {
		t.Errorf("too many samples: %v", err)
	}
	for depth, ok := range map[int]bool{1 << 14: true, 1<<14 + 1: false} { // 2^44 bytes
		if _, err := New(D3, []int{1 << 15, 1 << 15, depth}, Format{U8, R}); (err == nil) != ok {
			t.Errorf("%d slices of 2^30 bytes: %v", depth, err)
		}
	}
}

// TestReadings has which formats can be read how, and filtered (table 11).
func TestReadings(t *testing.T) {
	for text, want := range map[string][3]bool{ // as it is, as fractions, as sRGB
		"u8x4": {true, true, true}, "s8x4": {true, true, false}, "u16x2": {true, true, false}, "u32x1": {true, false, false}, "s32x1": {true, false, false},
		"f32x4": {true, true, false}, "f16x4": {true, true, false}, "unorm8x4": {true, true, true}, "snorm8x1": {true, true, false}, "unorm16x1": {true, true, false},
	} {
		f, err := ParseFormat(text)
		if err != nil {
			t.Fatal(err)
		}
		have := [3]bool{(Read{}).Check(f) == nil, (Read{Float: true}).Check(f) == nil, (Read{Float: true, SRGB: true}).Check(f) == nil}
		if have != want {
			t.Errorf("%s: %v, want %v", text, have, want)
		}
	}
	if (Read{SRGB: true}).Check(Format{U8, RGBA}) == nil {
		t.Error("integers are read as sRGB")
	}
	for i, text := range addressNames {
		if a, err := ParseAddress(text); err != nil || int(a) != i {
			t.Errorf("%s reads as %v, %v", text, a, err)
		}
	}
	if _, err := ParseAddress("clam"); err == nil || !strings.Contains(err.Error(), "want wrap, mirror, clamp_ogl, clamp, border") {
		t.Errorf("clam: %v", err)
	}
}
