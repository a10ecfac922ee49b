package tex

// This file finds the texels that a texture instruction reads, and weighs them (9.7.10.3).

import (
	"math"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Mip says where the level of detail comes from.
type Mip uint8

// The modes (9.7.10.2).
const (
	MipBase Mip = iota
	MipLevel
	MipGradient
)

// Lookup is what a texture instruction does, the same in every lane.
type Lookup struct {
	Assumptions
	Reach   Reach
	Mip     Mip
	Integer bool // coordinates are numbers of texels
	Compare bool // texels are compared with Point.Depth
	Gather  int  // tld4: the component that is fetched, from 1; 0: none
}

// Assumptions are positions of assume's rows that differ from the defaults.
type Assumptions struct {
	CutFraction bool // weights of linear filters are cut to 8 bits, not rounded
	WideSum     bool // filters add in f64
	NaNOutside  bool // a coordinate that is NaN is outside, not 0
	MissingZero bool // alpha is 0 in samples that have none
	BorderBits  bool // the border of integers is the bits of its f32
	WholeOffset bool // offsets have 32 bits, not 4
	CutLevel    bool // fractions of a level are cut to 8 bits
	LateTies    bool // of equal magnitudes, the last one is the major axis of a cube
	CornerEdge  bool // of a filter at the corner of a cube, the texel that there is not is the face's own
	FaceClamp   bool // filters that stay on a face of a cube clamp, whatever the sampler says
	IntegerSum  bool // linear filters of integers weigh them; else they take the nearest
	PointProbes bool // an anisotropic sampler takes several samples with the point filter, too
	num.Footprints
}

// Place is where a lane reads a texture. Of its coordinates as many count as the geometry has.
type Place struct {
	At     [3]uint32 // f32, or texels
	Layer  uint32
	Sample uint32
	Level  uint32 // f32, or a number if coordinates are
	Dx, Dy [3]uint32
	Offset [3]int32
	Depth  uint32 // f32
}

// Reader reads one texture in the way of one instruction.
type Reader struct {
	*Lookup
	Texture
	decoder
	dims       int
	normalized bool
	linear     bool              // two texels in each dimension
	whole      bool              // texels are integers
	line       bool              // linear memory: what is outside is 0
	sharp      bool              // levels are picked, not mixed
	square     bool              // the 2×2 texels of a filter are mixed at once
	seamless   bool              // filters go on at the edges of a cube
	inFace     bool              // coordinates stay on the face of a cube
	most       int               // samples of an anisotropic filter; 1: there is none
	Inner      bool              // most places are what Inside reads
	Fetched    func(addr uint64) // told of each texel that Texel reads, if not nil: its address on the device
	round      uint64
}

// Reader prepares reading t.
func (l *Lookup) Reader(t *Texture) *Reader {
	r := new(Reader)
	l.SetReader(r, t)
	return r
}

// SetReader makes r the Reader of t.
func (l *Lookup) SetReader(r *Reader, t *Texture) {
	cube, whole := l.Reach.Cube(), !t.Floats(t.Levels[0].Image.Format)
	filters := !whole || l.IntegerSum
	*r = Reader{Lookup: l, Texture: *t, decoder: t.decoder(l.Assumptions), dims: l.Reach.dims(),
		normalized: cube || t.Normalized && !t.ForceUnnormalized && !l.Integer,
		linear:     t.Linear && !l.Integer && filters, sharp: !t.MipLinear || !filters, whole: whole}
	if !l.CutFraction {
		r.round = 1 << 31
	}
	if im := t.Levels[0].Image; im.Linear && im.Geometry == D1 {
		r.line, r.border = true, Texel{}
	}
	r.square = r.linear && !whole && r.dims == 2 && r.Gather == 0 && !l.Compare && !l.WideSum
	r.seamless = cube && t.Seamless && r.linear
	r.inFace = cube && (t.Seamless || l.FaceClamp || !r.linear && l.Gather == 0)
	if r.most = 1; l.Mip == MipGradient && r.dims == 2 && !l.Integer && !whole && (t.Linear || l.PointProbes) {
		r.most = min(max(t.MaxAnisotropy, 1), MaxAnisotropy)
	}
	r.Inner = r.square && r.table != nil && l.Reach == Reach2D && l.Mip == MipBase
}

// dims is the number of coordinates within a slice.
func (r Reach) dims() int {
	switch r {
	case Reach1D, ReachA1D:
		return 1
	case Reach3D:
		return 3
	}
	return 2
}

// Texel returns what a lane gets.
func (r *Reader) Texel(p *Place) Texel {
	if r.most > 1 {
		return r.anisotropic(p)
	}
	q := *p
	slice := r.slice(&q)
	lo, hi, f := r.levels(&q)
	return r.between(lo, hi, f, slice, &q)
}

// between reads two levels, of which the second one has a weight of f of 256.
func (r *Reader) between(lo, hi int, f uint32, slice uint64, p *Place) Texel {
	out := r.level(lo, slice, p)
	if f == 0 {
		return out
	}
	return r.mix([]Texel{out, r.level(hi, slice, p)}, []uint32{256 - f, f}, 8)
}

// Inside is Texel, its reference implementation, of those lanes that read between four texels of an image of four bytes a sample which all lie
// inside and count. It writes their components, and returns the other lanes.
func (r *Reader) Inside(lanes uint32, x, y, dx, dy *[32]uint32, out *[4][32]uint32) (left uint32) {
	im, t := &r.Levels[0], r.table
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		u, okX := r.plain(x[lane], im.Width)
		v, okY := r.plain(y[lane], im.Height)
		fx, fy := uint32(u&255), uint32(v&255)
		i, j := u>>8+r.offset(int32(dx[lane])), v>>8+r.offset(int32(dy[lane]))
		if !okX || !okY || fx == 0 || fy == 0 || uint64(i) >= uint64(im.Width-1) || uint64(j) >= uint64(im.Height-1) {
			left |= 1 << lane
			continue
		}
		at := uint64(j)*im.Pitch + 4*uint64(i)
		upper, lower := (*[8]byte)(im.Bytes[at:]), (*[8]byte)(im.Bytes[at+im.Pitch:])
		w := weights(fx, fy)
		out[0][lane] = num.BlendFour(t[upper[0]], t[upper[4]], t[lower[0]], t[lower[4]], &w)
		out[1][lane] = num.BlendFour(t[upper[1]], t[upper[5]], t[lower[1]], t[lower[5]], &w)
		out[2][lane] = num.BlendFour(t[upper[2]], t[upper[6]], t[lower[2]], t[lower[6]], &w)
		out[3][lane] = num.BlendFour(t[upper[3]], t[upper[7]], t[lower[3]], t[lower[7]], &w)
	}
	return left
}

// slice is the layer, the face or the sample that a lane reads, and leaves the coordinates in it. A
// layer that does not exist is the last one.
func (r *Reader) slice(p *Place) uint64 {
	im := r.Levels[0].Image
	switch r.Reach {
	case ReachCube:
		return uint64(r.face(p))
	case ReachACube:
		return 6*uint64(min(p.Layer, im.Slices/6-1)) + uint64(r.face(p))
	case Reach2DMS:
		return uint64(min(p.Sample, im.Samples-1))
	case ReachA2DMS:
		return uint64(im.Samples)*uint64(min(p.Layer, im.Slices/im.Samples-1)) + uint64(min(p.Sample, im.Samples-1))
	case ReachA1D, ReachA2D:
		return uint64(min(p.Layer, im.Slices-1))
	}
	return 0
}

// axis is one dimension of a footprint: two texels, -1 outside, and the weight of the second one of 256.
type axis struct {
	at [2]int64
	f  uint32
}

// level reads one level.
func (r *Reader) level(n int, slice uint64, p *Place) Texel {
	im := &r.Levels[n]
	size := [3]uint32{im.Width, im.Height, im.Slices}
	var axes [3]axis
	for d := range r.dims {
		axes[d] = r.axis(d, p.At[d], r.offset(p.Offset[d]), size[d])
	}
	switch {
	case r.seamless && (im.beyond(axes[0].at) || im.beyond(axes[1].at)):
		return r.seam(im, slice, &axes, p.Depth)
	case r.square && axes[0].f != 0 && axes[1].f != 0:
		return r.bilinear(im, slice, &axes[0], &axes[1])
	case r.Gather != 0:
		return r.gather(im, slice, &axes, p.Depth)
	case r.linear:
		return r.filter(im, slice, &axes, p.Depth)
	}
	return r.texel(im, slice, [3]int64{axes[0].at[0], axes[1].at[0], axes[2].at[0]}, p.Depth)
}

// offset is an offset in texels: four bits with a sign, or by an assumption all of it.
func (r *Reader) offset(e int32) int64 {
	if r.WholeOffset {
		return int64(e)
	}
	return int64(e << 28 >> 28)
}

// axis finds the texels of a coordinate in a dimension of n.
func (r *Reader) axis(d int, x uint32, offset int64, n uint32) (a axis) {
	if r.Integer {
		a.at[0] = r.wrapped(d, int64(int32(x))+offset, n)
		return a
	}
	if x&0x7fffffff > 0x7f800000 {
		if x = 0; r.NaNOutside {
			x = 0xff800000
		}
	}
	if v, ok := r.plain(x, n); ok {
		i := v>>8 + offset
		a.f = uint32(v & 255)
		if a.at[0], a.at[1] = i, i+1; uint64(i) >= uint64(n) || uint64(i+1) >= uint64(n) {
			a.at[0], a.at[1] = r.wrapped(d, i, n), r.wrapped(d, i+1, n)
		}
		return a
	}
	return r.axisByDigits(d, x, offset, n)
}

// plain is where a filter's first texel is, in 256ths of a texel, of coordinates within 2^24 and places within 2^39: in
// float64 the products with an extent and 256 are exact there.
func (r *Reader) plain(x uint32, n uint32) (int64, bool) {
	if !r.linear && r.Gather == 0 || x&0x7fffffff >= (127+24)<<23 {
		return 0, false
	}
	v := 256 * float64(math.Float32frombits(x))
	if r.normalized {
		v *= float64(n)
	}
	if v <= -1<<39 || v >= 1<<39 {
		return 0, false
	}
	if !r.CutFraction {
		v += 0.5
	}
	i := int64(v)
	if float64(i) > v {
		i--
	}
	return i - 128, true
}

// axisByDigits is axis of any coordinate that is not NaN.
func (r *Reader) axisByDigits(d int, x uint32, offset int64, n uint32) (a axis) {
	scale := uint64(1)
	if r.normalized {
		if scale = uint64(n); r.Address[d] <= Mirror && x>>23&0xff >= 127+24 {
			x = 0 // an even number of images away
		}
	}
	if !r.linear && r.Gather == 0 {
		a.at[0] = r.wrapped(d, fixed(x, scale, 0, 0)+offset, n)
		return a
	}
	v := fixed(x, scale, 8, r.round) - 128 // from the middle of a texel on, in 256ths
	i := v>>8 + offset
	a.at[0], a.at[1], a.f = r.wrapped(d, i, n), r.wrapped(d, i+1, n), uint32(v&255)
	return a
}

// fixed is x·n·2^digits, cut down to a whole number after round·2^-32 has been added, and within ±2^40.
func fixed(x uint32, n uint64, digits int, round uint64) int64 {
	const most = 1 << 40
	exp, man := int(x>>23&0xff), uint64(x&0x7fffff|1<<23)
	if exp == 0 {
		exp, man = 1, man&^(1<<23)
	}
	shift := exp - 150 + digits
	v, sticky := man*n, false
	switch {
	case shift > 40 || shift >= 0 && v>>(40-shift) != 0:
		v = most
		shift = 0
	case shift >= 0:
		v <<= shift
	}
	var part uint64 // of 2^32
	if shift < 0 {
		v, part, sticky = split(v, -shift)
	}
	out := int64(v)
	if x>>31 != 0 { // -(v + part) = -v-1 + (1 - part)
		if out = -out; part != 0 || sticky {
			out, part = out-1, 1<<32-part-b2u(sticky)
		}
	}
	return out + int64((part+round)>>32)
}

// split cuts v at a binary point: the digits before it, 32 behind it, and whether there are more.
func split(v uint64, point int) (whole, part uint64, more bool) {
	if point > 62 {
		return 0, 0, v != 0
	}
	whole, rest := v>>point, v&(1<<point-1)
	if point <= 32 {
		return whole, rest << (32 - point), false
	}
	return whole, rest >> (point - 32), rest&(1<<(point-32)-1) != 0
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// wrapped applies the address mode of a dimension to a texel; -1 is the border.
func (r *Reader) wrapped(d int, i int64, n uint32) int64 {
	size := int64(n)
	if uint64(i) < uint64(size) {
		return i
	}
	mode := r.Address[d]
	switch {
	case r.line:
		return -1
	case r.seamless:
		return min(max(i, -1), size) // on the face beside
	case r.inFace:
		mode = ClampEdge
	case mode <= Mirror && !r.normalized:
		mode = ClampEdge
	}
	switch mode {
	case Wrap:
		return (i%size + size) % size
	case Mirror:
		if i = (i%(2*size) + 2*size) % (2 * size); i >= size {
			i = 2*size - 1 - i
		}
		return i
	case ClampBorder:
		return -1
	}
	return min(max(i, 0), size-1)
}
