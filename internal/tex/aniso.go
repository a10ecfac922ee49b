package tex

// This file filters along the longer one of two gradients.

import "ptxvm.invalid/ptxvm/internal/num"

// anisotropic averages samples along the major axis of the pixel's footprint. They are spread where coordinates are straight: of a cube, each
// direction is projected to its own face.
func (r *Reader) anisotropic(p *Place) Texel {
	q := *p
	r.slice(&q) // gradients of a cube are measured on the face
	f := num.Anisotropy(q.Dx, q.Dy, r.texels(), r.most, r.Footprints)
	lo, hi, weight := r.levelsOf(f.Level)
	var samples [MaxAnisotropy]Texel
	for i := range f.Samples {
		q = *p
		for d := range q.At {
			q.At[d] = f.At(i, p.At[d], p.Dx[d], p.Dy[d])
		}
		samples[i] = r.between(lo, hi, weight, r.slice(&q), &q)
	}
	return r.mean(samples[:f.Samples])
}
