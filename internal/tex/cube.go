package tex

// This file projects directions onto the faces of cubes, and picks levels of detail.

import "ptxvm.invalid/ptxvm/internal/num"

// faces has, for the axis of largest magnitude and its sign, which coordinates count as s and t on the
// face, and which of them are negated (CUDA's cubemaps, as OpenGL's).
var faces = [6]struct {
	s, t       int
	negS, negT uint32
}{
	{2, 1, sign, sign}, {2, 1, 0, sign}, // +x: -z -y; -x: z -y
	{0, 2, 0, 0}, {0, 2, 0, sign}, // +y: x z; -y: x -z
	{0, 1, 0, sign}, {0, 1, sign, sign}, // +z: x -y; -z: -x -y
}

const sign = 1 << 31

// face projects a direction: it returns the face, and leaves coordinates from 0 to 1, and gradients of
// these, in p.
func (r *Reader) face(p *Place) int {
	major := r.major(p.At)
	n := 2*major + int(p.At[major]>>31)
	f := &faces[n]
	m := p.At[major] &^ sign
	s, t := p.At[f.s]^f.negS, p.At[f.t]^f.negT
	for _, d := range []*[3]uint32{&p.Dx, &p.Dy} {
		dm := d[major] ^ p.At[major]&sign
		*d = [3]uint32{num.FaceGradient(s, m, d[f.s]^f.negS, dm), num.FaceGradient(t, m, d[f.t]^f.negT, dm)}
	}
	p.At = [3]uint32{num.Face(s, m), num.Face(t, m)}
	return n
}

// major is the axis of the largest magnitude; of equal ones the first, or by an assumption the last.
func (r *Reader) major(at [3]uint32) (axis int) {
	for d := 1; d < 3; d++ {
		a, b := at[d]&^sign, at[axis]&^sign
		if a > b || a == b && r.LateTies {
			axis = d
		}
	}
	return axis
}

// levels picks the levels to read and the weight of the second one, of 256.
func (r *Reader) levels(p *Place) (lo, hi int, f uint32) {
	top := int64(len(r.Levels) - 1)
	switch {
	case r.Mip == MipBase || top == 0:
		return 0, 0, 0
	case r.Integer && r.Mip == MipLevel:
		lo = int(min(max(int64(int32(p.Level)), 0), top))
		return lo, lo, 0
	case r.Mip == MipGradient:
		p.Level = num.LevelOfDetail(p.Dx, p.Dy, r.texels())
	}
	return r.levelsOf(p.Level)
}

// texels are how many of them a step of 1 crosses in each dimension.
func (r *Reader) texels() [3]uint32 {
	im := r.Levels[0]
	size := [3]uint32{im.Width, im.Height, im.Slices}
	for d := range size {
		switch {
		case d >= r.dims:
			size[d] = 0
		case !r.normalized:
			size[d] = 1
		}
	}
	return size
}

// levelsOf is levels of a level of detail, before bias and clamps.
func (r *Reader) levelsOf(level uint32) (lo, hi int, f uint32) {
	top := int64(len(r.Levels) - 1)
	lod := r.detail(level) + r.detail(r.Bias)
	lod = min(max(lod, r.detail(r.MinLOD), 0), max(r.detail(r.MaxLOD), 0), top<<8)
	if r.sharp {
		lo = int((lod + 128) >> 8)
		return lo, lo, 0
	}
	lo, f = int(lod>>8), uint32(lod&255)
	return lo, min(lo+1, int(top)), f
}

// detail is a level in 256ths; NaN is 0.
func (r *Reader) detail(level uint32) int64 {
	round := uint64(1) << 31
	if r.CutLevel {
		round = 0
	}
	if level&^sign > 0x7f800000 {
		return 0
	}
	return fixed(level, 1, 8, round)
}
