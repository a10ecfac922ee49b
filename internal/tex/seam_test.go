package tex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

type vector [3]float64

func (v vector) plus(a float64, w vector) vector {
	return vector{v[0] + a*w[0], v[1] + a*w[1], v[2] + a*w[2]}
}

func (v vector) distance(w vector) float64 {
	d := v.plus(-1, w)
	return math.Hypot(math.Hypot(d[0], d[1]), d[2])
}

// sides are the faces of a cube in space: where each is, and the directions in which its coordinates grow (the table of the CUDA programming
// guide).
var sides = [6]struct{ normal, s, t vector }{
	{vector{1}, vector{0, 0, -1}, vector{0, -1}}, {vector{-1}, vector{0, 0, 1}, vector{0, -1}},
	{vector{0, 1}, vector{1}, vector{0, 0, 1}}, {vector{0, -1}, vector{1}, vector{0, 0, -1}},
	{vector{0, 0, 1}, vector{1}, vector{0, -1}}, {vector{0, 0, -1}, vector{-1}, vector{0, -1}},
}

// spatial is a cube as points in space: the middles of its texels.
type spatial struct {
	n     int
	value func(face, x, y int) float64
}

func (c *spatial) middle(face, x, y int) vector {
	f := sides[face]
	return f.normal.plus(float64(2*x+1)/float64(c.n)-1, f.s).plus(float64(2*y+1)/float64(c.n)-1, f.t)
}

// nearest are the values of the texels that are nearest to a point, of faces other than one, with how far they are.
func (c *spatial) nearest(to vector, but, many int) (values []float64) {
	type texel struct{ far, v float64 }
	var all []texel
	for face := range 6 {
		for i := range c.n * c.n {
			if face != but {
				all = append(all, texel{c.middle(face, i%c.n, i/c.n).distance(to), c.value(face, i%c.n, i/c.n)})
			}
		}
	}
	slices.SortFunc(all, func(a, b texel) int { return int(math.Copysign(1, a.far-b.far)) })
	for _, t := range all[:many] {
		values = append(values, t.v)
	}
	return values
}

// at is the value of a texel of a face or one behind its edges: the nearest one of another face, in a corner the mean of the three there.
func (c *spatial) at(face, x, y int) float64 {
	outX, outY := x < 0 || x >= c.n, y < 0 || y >= c.n
	switch {
	case outX && outY:
		f := sides[face]
		three := c.nearest(f.normal.plus(math.Copysign(1, float64(x)), f.s).plus(math.Copysign(1, float64(y)), f.t), -1, 3)
		return (three[0] + three[1] + three[2]) / 3
	case outX || outY:
		return c.nearest(c.middle(face, x, y), face, 1)[0]
	}
	return c.value(face, x, y)
}

// around are the four texels of a filter, x first, and the weights of the second ones, of a direction to a face at s and t from -1 to 1.
func (c *spatial) around(face int, s, t float64) (four [4]float64, f, g float64) {
	split := func(v float64) (int, float64) {
		u := (v+1)/2*float64(c.n) - 0.5
		return int(math.Floor(u)), u - math.Floor(u)
	}
	x, f := split(s)
	y, g := split(t)
	for k := range four {
		four[k] = c.at(face, x+k&1, y+k>>1)
	}
	return four, f, g
}

// TestSeams compares filters on all faces of cubes with an independent computation in space. Coordinates are such that weights are whole
// 256ths.
func TestSeams(t *testing.T) {
	level := numbered(t, CubeLayered, 4, 4, 2)
	small := numbered(t, CubeLayered, 2, 2, 2)
	texture := &Texture{Mipmapped: true, Sampler: &Sampler{Linear: true, Seamless: true, MaxLOD: bitsOf(9)}, Levels: []Level{level, small}}
	rng := rand.New(rand.NewPCG(7, 11))
	crossed := 0
	for range 1500 {
		cube, face, lod := rng.IntN(2), rng.IntN(6), rng.IntN(2)
		near := func() float64 { // often next to an edge
			v := float64(rng.IntN(257)-128) / 128
			if rng.IntN(2) == 0 {
				v = math.Copysign(1-float64(rng.IntN(32))/128, v)
			}
			return v
		}
		s, v := near(), near()
		if math.Abs(s) == 1 || math.Abs(v) == 1 { // of two faces
			continue
		}
		if max(math.Abs(s), math.Abs(v)) > 0.75 {
			crossed++
		}
		f := sides[face]
		at := f.normal.plus(s, f.s).plus(v, f.t)
		p := Place{Layer: uint32(cube), Level: bitsOf(float64(lod))}
		for d := range at {
			p.At[d] = bitsOf(2 * at[d])
		}
		space := &spatial{4 >> lod, func(face, x, y int) float64 { return float64(1000*(6*cube+face) + 100*y + x) }}
		four, w, h := space.around(face, s, v)
		want := (1-h)*((1-w)*four[0]+w*four[1]) + h*((1-w)*four[2]+w*four[3])
		if have := red(&Lookup{Reach: ReachACube, Mip: MipLevel}, texture, p); !(math.Abs(have-want) <= 1e-2) {
			t.Fatalf("face %d at %v, %v, level %d: %v, want %v", face, s, v, lod, have, want)
		}
		if lod == 0 && cube == 0 {
			have := (&Lookup{Reach: ReachCube, Gather: 1}).Reader(texture).Texel(&p)
			for k, from := range [4]int{2, 3, 1, 0} { // 9.7.10.4: counter-clockwise from the lower left
				if got := float64(math.Float32frombits(have[k])); !(math.Abs(got-four[from]) <= 1e-3) {
					t.Fatalf("tld4, face %d at %v, %v: %v at %d, want %v", face, s, v, got, k, four)
				}
			}
		}
	}
	if crossed < 500 {
		t.Errorf("%d places near an edge", crossed)
	}
}

// TestSeamCompared: depths are compared before texels are averaged, also in a corner.
func TestSeamCompared(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Linear: true, Seamless: true, Compare: Less}, Levels: []Level{numbered(t, Cube, 2, 2)}}
	// At the corner of +x, +y and +z: texels 0, 2101 and 4001, and the corner. 1000 is less than two of three.
	p := Place{At: [3]uint32{bitsOf(1), bitsOf(0.9375), bitsOf(0.9375)}, Depth: bitsOf(1000)}
	l := &Lookup{Reach: ReachCube, Compare: true}
	w := 0.5 - 0.0625 // of the texels behind the edges
	have := red(l, texture, p)
	if want := 1 - (1-w)*(1-w) - w*w/3; !(math.Abs(have-want) <= 1e-6) {
		t.Errorf("compared: %v, want %v", have, want)
	}
	l.CornerEdge = true
	if have, want := red(l, texture, p), 1-(1-w)*(1-w)-w*w; !(math.Abs(have-want) <= 1e-6) {
		t.Errorf("compared, the corner of the face: %v, want %v", have, want)
	}
}

// TestCorners: by an assumption the texel that there is not in each corner of a face is the face's own.
func TestCorners(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Linear: true, Seamless: true}, Levels: []Level{numbered(t, Cube, 4, 4)}}
	l := &Lookup{Reach: ReachCube, Gather: 1, Assumptions: Assumptions{CornerEdge: true}}
	for face, f := range sides {
		for k, from := range [4]int{3, 2, 0, 1} { // where tld4 has the texel of a corner that lies outside: upper left, upper right, lower left, lower right
			s, v := float64(2*(k&1)-1)*0.9375, float64(2*(k>>1)-1)*0.9375
			at := f.normal.plus(s, f.s).plus(v, f.t)
			p := Place{At: [3]uint32{bitsOf(at[0]), bitsOf(at[1]), bitsOf(at[2])}}
			want := float64(1000*face + 100*3*(k>>1) + 3*(k&1))
			if have := float64(math.Float32frombits(l.Reader(texture).Texel(&p)[from])); have != want {
				t.Errorf("face %d, corner %d: %v, want %v", face, k, have, want)
			}
		}
	}
}

// TestSeamsOff: without a seamless filter texels behind an edge are those of the address modes, or by an assumption clamped; the
// point filter never leaves the face, and a seamless sampler that takes the nearest texel clamps.
func TestSeamsOff(t *testing.T) {
	levels := []Level{numbered(t, Cube, 4, 4)}
	place := Place{At: [3]uint32{bitsOf(1), bitsOf(0.125), bitsOf(1)}} // +x, at its left edge: s of -1 lies between texels -1 and 0
	for _, c := range []struct {
		s    Sampler
		l    Lookup
		want float64 // of row 1
	}{
		{Sampler{Linear: true}, Lookup{}, 1.5}, {Sampler{Linear: true, Address: [3]Address{Mirror}}, Lookup{}, 0},
		{Sampler{Linear: true, Address: [3]Address{ClampEdge}}, Lookup{}, 0}, {Sampler{Linear: true}, Lookup{Assumptions: Assumptions{FaceClamp: true}}, 0},
		{Sampler{}, Lookup{}, 0}, {Sampler{Seamless: true}, Lookup{}, 0},
	} {
		c.l.Reach = ReachCube
		p := place
		p.At[1] = bitsOf(0.25) // the middle of row 1
		if have := red(&c.l, &Texture{Sampler: &c.s, Levels: levels}, p); have != 100+c.want {
			t.Errorf("%+v, %+v: %v, want %v", c.s, c.l, have, 100+c.want)
		}
	}
	border := &Texture{Sampler: &Sampler{Linear: true, Address: [3]Address{ClampBorder}, Border: [4]uint32{bitsOf(50)}}, Levels: levels}
	place.At[1] = bitsOf(0.25)
	if have := red(&Lookup{Reach: ReachCube}, border, place); have != 75 {
		t.Errorf("border: %v, want 75", have)
	}
	for seamless, want := range map[bool][4]uint32{false: {bitsOf(103), bitsOf(100), bitsOf(0), bitsOf(3)}, true: {bitsOf(100), bitsOf(100), 0, 0}} {
		texture := &Texture{Sampler: &Sampler{Seamless: seamless}, Levels: levels} // the nearest texel: tld4 stays on the face if seamless
		p := place
		p.At[1] = bitsOf(0.5)
		if have := (&Lookup{Reach: ReachCube, Gather: 1}).Reader(texture).Texel(&p); have != Texel(want) {
			t.Errorf("tld4, seamless %v: %x, want %x", seamless, have, want)
		}
	}
}
