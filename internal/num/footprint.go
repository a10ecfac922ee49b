package num

// This file measures the footprints of anisotropic filters: what a pixel covers of a texture (9.7.10.2 has gradients, and leaves the filter
// open; EXT_texture_filter_anisotropic, Vulkan and Direct3D say how one is made of them).

import "math"

// Footprints says how footprints are measured where the documents differ.
type Footprints struct {
	Ellipse bool // the axes are those of the ellipse of both gradients, not the gradients
	Even    bool // samples divide the major axis into equal parts, and lie in their middles
	Count   Count
}

// Count says how many samples there are.
type Count uint8

// The rules: samples are those of the ratio of the axes, rounded up, but not more than allowed.
const (
	CountWhole  Count = iota // the level is that of the major axis over their number (EXT_texture_filter_anisotropic)
	CountRatio               // of the major axis over the ratio itself (Vulkan)
	CountTexels              // as CountRatio, but no more samples than the major axis has texels (Direct3D)
)

// Footprint is what a pixel covers: a line of samples along the major axis.
type Footprint struct {
	Samples int
	Level   uint32     // f32: the level of detail before bias and clamps
	along   [2]float64 // the major axis, in gradients
	even    bool
}

// Anisotropy is the footprint of two gradients, whose parts are scaled to texels, with at most so many samples. The ratio
// of the axes is rounded to f32, so that gradients of 0.3 and 0.1 have a ratio of 3.
func Anisotropy(dx, dy, size [3]uint32, most int, how Footprints) Footprint {
	f := Footprint{Samples: 1, along: [2]float64{1, 0}, even: how.Even}
	major, minor := squared(dx, dx, size), squared(dy, dy, size)
	switch {
	case how.Ellipse:
		major, minor, f.along = ellipse(major, squared(dx, dy, size), minor)
	case !(major > minor):
		major, minor, f.along = minor, major, [2]float64{0, 1}
	}
	ratio := min(float64(float32(math.Sqrt(major/minor))), float64(most))
	if how.Count == CountTexels {
		ratio = min(ratio, max(1, math.Sqrt(major)))
	}
	over := 1.0
	if ratio > 1 { // no NaN: there is a longer gradient
		f.Samples, over = int(math.Ceil(ratio)), ratio
	}
	if how.Count == CountWhole {
		over = float64(f.Samples)
	}
	f.Level = putF32(float32(math.Log2(major)/2 - math.Log2(over)))
	return f
}

// ellipse returns the squares of the semi-axes of the ellipse that two gradients span, of which it gets the products, and how
// the major one is made of them.
func ellipse(xx, xy, yy float64) (major, minor float64, along [2]float64) {
	turn := math.Atan2(2*xy, xx-yy) / 2
	major = (xx + yy + math.Hypot(xx-yy, 2*xy)) / 2
	minor = max(0, float64(xx*yy)-float64(xy*xy)) / major
	return major, minor, [2]float64{math.Cos(turn), math.Sin(turn)}
}

// squared is the product of two gradients in texels.
func squared(a, b, size [3]uint32) (sum float64) {
	for i := range a {
		n := float64(size[i])
		sum += float64(float64(f32(a[i])*n) * float64(f32(b[i])*n))
	}
	return sum
}

// At is a coordinate of a sample, from 0 on: of one where the pixel's is x with gradients dx and dy. It goes from half a
// gradient before to half a gradient behind.
func (f *Footprint) At(sample int, x, dx, dy uint32) uint32 {
	n := float64(f.Samples)
	at := float64(sample+1)/(n+1) - 0.5
	if f.even {
		at = float64(2*sample+1)/(2*n) - 0.5
	}
	if at == 0 {
		return x
	}
	v := f32(x)
	for i, d := range [2]uint32{dx, dy} {
		if f.along[i] != 0 { // an infinite gradient that does not count
			v += float64(float64(at*f.along[i]) * f32(d))
		}
	}
	return putF32(float32(v))
}

// Mean is the n-th part of a sum, rounded to f32.
func Mean(sum uint32, n int) uint32 { return putF32(math.Float32frombits(sum) / float32(n)) }
