package num

// This file holds the float arithmetic of texture instructions (9.7.10), on bits of f32.

import "math"

// Fraction is v/most, rounded to f32: a channel of integers that is read as a normalised float.
func Fraction(v, most int32) uint32 { return putF32(float32(v) / float32(most)) }

// LinearOfSRGB is the linear value of an 8-bit channel of sRGB (IEC 61966-2-1), rounded to f32.
func LinearOfSRGB(v uint32) uint32 { return linearOfSRGB[v&0xff] }

var linearOfSRGB = func() (out [256]uint32) {
	for v := range out {
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		out[v] = putF32(float32(c))
	}
	return out
}()

// Blend adds the texels t with weights w of 2^shift together, each product and each sum rounded to
// f32, in order; or, if wide, sums of f64 rounded once. A texel of weight 0 does not count, whatever
// it is.
func Blend(t, w []uint32, shift int, wide bool) uint32 {
	unit := math.Float32frombits(uint32(127-shift) << 23)
	sum, sum64 := float32(0), float64(0)
	first := true
	for i := range t {
		if w[i] == 0 {
			continue
		}
		v, weight := math.Float32frombits(t[i]), float32(w[i])*unit
		p := float32(v * weight)
		if first { // keeps the sign of zeros
			sum, sum64, first = p, float64(v)*float64(weight), false
			continue
		}
		sum = float32(sum + p)
		sum64 += float64(float64(v) * float64(weight))
	}
	if wide {
		sum = float32(sum64)
	}
	return putF32(sum)
}

// BlendFour is Blend, its reference implementation, of four texels with weights between 0 and 1, none of which is 0, and sums of f32.
func BlendFour(a, b, c, d uint32, w *[4]float32) uint32 {
	sum := float32(math.Float32frombits(a) * w[0])
	sum += float32(math.Float32frombits(b) * w[1])
	sum += float32(math.Float32frombits(c) * w[2])
	sum += float32(math.Float32frombits(d) * w[3])
	return putF32(sum)
}

// LevelOfDetail is log2 of the longer one of two gradients, whose parts are scaled to texels (9.7.10.2);
// no gradient at all is minus infinity.
func LevelOfDetail(dx, dy [3]uint32, size [3]uint32) uint32 {
	return putF32(float32(math.Log2(max(squared(dx, dx, size), squared(dy, dy, size))) / 2))
}

// Face is the place of a coordinate on the face of a cube whose major axis is m: (s/m + 1)/2.
func Face(s, m uint32) uint32 {
	q := math.Float32frombits(s) / math.Float32frombits(m)
	return putF32(float32(float32(q+1) / 2))
}

// FaceGradient is how Face changes with gradients of both coordinates: (ds·m - s·dm) / 2m².
func FaceGradient(s, m, ds, dm uint32) uint32 {
	fm := f32(m)
	return putF32(float32((float64(f32(ds)*fm) - float64(f32(s)*f32(dm))) / (2 * fm * fm)))
}

// LessF32 reports whether a < b; a NaN is not.
func LessF32(a, b uint32) bool { return f32(a) < f32(b) }

// EqualF32 reports whether a = b; a NaN is not.
func EqualF32(a, b uint32) bool { return f32(a) == f32(b) }

// CutF16 is an f32 cut to f16: nothing finite becomes an infinity.
func CutF16(a uint32) uint32 {
	h := CvtF16F32(a)
	back := f32(CvtF32F16(h))
	if v := f32(a); back == back && math.Abs(back) > math.Abs(v) {
		h--
	}
	return h
}
