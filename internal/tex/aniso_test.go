package tex

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
)

// footprint is what the documents say of two gradients in texels: the number of samples, the level, and the major axis in gradients. The
// ellipse is searched, not solved.
func footprint(dx, dy [2]float64, most float64, how num.Footprints) (n, level float64, along [2]float64) {
	length := func(a, b float64) float64 { return math.Hypot(a*dx[0]+b*dy[0], a*dx[1]+b*dy[1]) }
	long, short := length(1, 0), length(0, 1)
	if along = [2]float64{1, 0}; long <= short {
		long, short, along = short, long, [2]float64{0, 1}
	}
	if how.Ellipse {
		const steps = 20000
		long, short = 0, math.Inf(1)
		for i := range steps {
			c, s := math.Cos(math.Pi*float64(i)/steps), math.Sin(math.Pi*float64(i)/steps)
			l := length(c, s)
			if l > long {
				long, along = l, [2]float64{c, s}
			}
			short = min(short, l)
		}
	}
	ratio := min(long/short, most)
	if how.Count == num.CountTexels && long/ratio < 1 {
		ratio = max(1, long)
	}
	n, level = math.Ceil(ratio-1e-7), math.Log2(long/ratio)
	if how.Count == num.CountWhole {
		level = math.Log2(long / n)
	}
	return n, level, along
}

var everyFootprint = func() (all []num.Footprints) {
	for _, ellipse := range []bool{false, true} {
		for _, even := range []bool{false, true} {
			for count := num.CountWhole; count <= num.CountTexels; count++ {
				all = append(all, num.Footprints{Ellipse: ellipse, Even: even, Count: count})
			}
		}
	}
	return all
}()

// TestAnisotropicLevels: levels that are one number each give the level of detail.
func TestAnisotropicLevels(t *testing.T) {
	var levels []Level
	for i := range 7 {
		levels = append(levels, flat(t, float64(i), D2, 64>>i, 32>>min(i, 5)))
	}
	rng := rand.New(rand.NewPCG(3, 9))
	for _, how := range everyFootprint {
		for k := range 60 {
			most := []int{0, 1, 2, 5, 16, 99}[k%6]
			texture := &Texture{Read: Read{Normalized: k%2 == 0}, Sampler: &Sampler{Linear: true, MipLinear: true, MaxLOD: bitsOf(9), MaxAnisotropy: most, Bias: bitsOf(0.25)}, Levels: levels}
			var p Place
			var grad [2][2]float64
			for i, d := range []*[3]uint32{&p.Dx, &p.Dy} {
				long := math.Exp2(rng.Float64()*7 - 1)
				for axis, size := range []float64{64, 32} {
					if !texture.Normalized {
						size = 1
					}
					d[axis] = bitsOf((rng.Float64()*2 - 1) * long / size)
					grad[i][axis] = float64(math.Float32frombits(d[axis])) * size
				}
			}
			_, level, _ := footprint(grad[0], grad[1], float64(min(max(most, 1), 16)), how)
			if most <= 1 { // no anisotropy: the longer gradient
				level = math.Log2(max(math.Hypot(grad[0][0], grad[0][1]), math.Hypot(grad[1][0], grad[1][1])))
			}
			want := min(max(level+0.25, 0), 6)
			if have := red(&Lookup{Reach: Reach2D, Mip: MipGradient, Assumptions: Assumptions{Footprints: how}}, texture, p); !(math.Abs(have-want) <= 0.004) {
				t.Fatalf("%+v, at most %d, gradients %v: level %v, want %v", how, most, grad, have, want)
			}
		}
	}
}

// bowl is an image of x² + 3xy + y².
func bowl(t *testing.T, w, h int) Level {
	l := numbered(t, D2, w, h)
	for y := range h {
		for x := range w {
			binary.LittleEndian.PutUint32(l.Bytes[y*int(l.Pitch)+4*x:], bitsOf(float64(x*x+3*x*y+y*y)))
		}
	}
	return l
}

// bowlAt filters the bowl linearly.
func bowlAt(x, y float64) float64 {
	v := func(x, y float64) float64 { return x*x + 3*x*y + y*y }
	x, y = x-0.5, y-0.5
	i, j := math.Floor(x), math.Floor(y)
	f, g := x-i, y-j
	return (1-g)*((1-f)*v(i, j)+f*v(i+1, j)) + g*((1-f)*v(i, j+1)+f*v(i+1, j+1))
}

// TestAnisotropicPlaces: the mean of samples of a bowl tells where they lie. One level, so that each is filtered there.
func TestAnisotropicPlaces(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Linear: true, MaxAnisotropy: 16}, Levels: []Level{bowl(t, 128, 128)}}
	rng := rand.New(rand.NewPCG(5, 5))
	counts := map[float64]bool{}
	for _, how := range everyFootprint {
		for range 120 {
			p := Place{At: [3]uint32{bitsOf(64 + rng.Float64()), bitsOf(64 + rng.Float64())}}
			grad := [2][2]float64{}
			for i, d := range []*[3]uint32{&p.Dx, &p.Dy} {
				long := math.Exp2(rng.Float64()*5 - 1)
				for axis := range 2 {
					d[axis] = bitsOf((rng.Float64()*2 - 1) * long)
					grad[i][axis] = float64(math.Float32frombits(d[axis]))
				}
			}
			n, _, along := footprint(grad[0], grad[1], 16, how)
			counts[n] = true
			want, unit := 0.0, func(v uint32) float64 { return float64(math.Float32frombits(v)) }
			for i := 1.0; i <= n; i++ {
				at := i/(n+1) - 0.5
				if how.Even {
					at = (2*i-1)/(2*n) - 0.5
				}
				move := func(axis int) float64 { return at * (along[0]*grad[0][axis] + along[1]*grad[1][axis]) }
				want += bowlAt(unit(p.At[0])+move(0), unit(p.At[1])+move(1)) / n
			}
			have := red(&Lookup{Reach: Reach2D, Mip: MipGradient, Assumptions: Assumptions{Footprints: how}}, texture, p)
			if !(math.Abs(have-want) <= 1.2) { // weights are 256ths of steps of up to 450, by chance to both sides
				t.Fatalf("%+v, %v samples at %v, %v, gradients %v: %v, want %v", how, n, unit(p.At[0]), unit(p.At[1]), grad, have, want)
			}
		}
	}
	if len(counts) < 14 {
		t.Errorf("only %v samples were taken", counts)
	}
}

// TestAnisotropicEdges: gradients of zero, infinity and NaN, integer coordinates, volumes and the point filter.
func TestAnisotropicEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	texture := &Texture{Sampler: &Sampler{Linear: true, MaxAnisotropy: 4, Address: [3]Address{ClampEdge, ClampEdge}}, Levels: []Level{bowl(t, 32, 32)}}
	place := func(a, b, c, d float64) Place {
		return Place{At: [3]uint32{bitsOf(16.5), bitsOf(16.5)}, Dx: [3]uint32{bitsOf(a), bitsOf(b)}, Dy: [3]uint32{bitsOf(c), bitsOf(d)}}
	}
	l := &Lookup{Reach: Reach2D, Mip: MipGradient}
	middle := bowlAt(16.5, 16.5)
	mean := func(places ...float64) (sum float64) {
		for _, x := range places {
			sum += bowlAt(16.5+x, 16.5)
		}
		return sum / float64(len(places))
	}
	for _, c := range []struct {
		p    Place
		want float64
	}{
		{place(0, 0, 0, 0), middle}, {place(nan, 0, 1, 0), middle}, {place(1, 0, 0, nan), middle}, {place(3, 0, 0, 3), middle},
		{place(10, 0, 0, 0), mean(-3, -1, 1, 3)}, {place(8, 0, 0, 2.75), mean(-2, 0, 2)}, {place(0, 2.75, 8, 0), mean(-2, 0, 2)},
		{place(0.3, 0, 0, 0.1), mean(-0.075, 0, 0.075)},
	} {
		if have := red(l, texture, c.p); !(math.Abs(have-c.want) <= 0.3) { // a NaN is wrong, too
			t.Errorf("%v: %v, want %v", c.p, have, c.want)
		}
	}
	// An infinite gradient: half of the samples are far to the left, where x is 0, half far to the right, at 31; y is 16.
	if have, want := red(l, texture, place(inf, 0, 0, 1)), (16*16+31*31+3*31*16+16*16)/2.0; have != want {
		t.Errorf("an infinite gradient: %v, want %v", have, want)
	}
	texture.Linear = false
	if have := red(l, texture, place(10, 0, 0, 1)); have != middle {
		t.Errorf("the point filter: %v, want %v", have, middle)
	}
	l.PointProbes = true // at -3, -1, 1, 3 of the middle of texel 16
	if have, want := red(l, texture, place(10, 0, 0, 1)), mean(-3, -1, 1, 3); have != want {
		t.Errorf("the point filter, several samples: %v, want %v", have, want)
	}
	volume := &Texture{Sampler: &Sampler{Linear: true, MaxAnisotropy: 4}, Levels: []Level{numbered(t, D3, 32, 4, 4)}}
	p := Place{At: [3]uint32{bitsOf(0.75), bitsOf(0.5), bitsOf(0.5)}, Dx: [3]uint32{bitsOf(10)}}
	if have := red(&Lookup{Reach: Reach3D, Mip: MipGradient}, volume, p); have != 0.25 {
		t.Errorf("a volume: %v, want 0.25", have)
	}
}

// TestAnisotropicCube: samples of a cube are spread in space, each on its own face, also beyond an edge.
func TestAnisotropicCube(t *testing.T) {
	texture := &Texture{Sampler: &Sampler{Linear: true, Seamless: true, MaxAnisotropy: 3}, Levels: []Level{numbered(t, Cube, 8, 8)}}
	space := &spatial{8, func(face, x, y int) float64 { return float64(1000*face + 100*y + x) }}
	at := func(face int, s, v float64) float64 {
		four, w, h := space.around(face, s, v)
		return (1-h)*((1-w)*four[0]+w*four[1]) + h*((1-w)*four[2]+w*four[3])
	}
	// Towards +x near +z: the samples are at z of 0.5, 1-1/16 and 1+3/8, the last one on +z, at x/z.
	step := 0.4375
	p := Place{At: [3]uint32{bitsOf(1), bitsOf(0.25), bitsOf(0.9375)}, Dx: [3]uint32{0, 0, bitsOf(4 * step)}, Dy: [3]uint32{0, bitsOf(0.125)}}
	want := (at(0, -0.5, -0.25) + at(0, -0.9375, -0.25) + at(4, 1/1.375, -0.25/1.375)) / 3
	if have := red(&Lookup{Reach: ReachCube, Mip: MipGradient}, texture, p); !(math.Abs(have-want) <= 1) {
		t.Errorf("have %v, want %v", have, want)
	}
}
