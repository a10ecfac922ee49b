package tex

// This file weighs texels: filters of a level, of two levels, comparisons, gathers.

import "ptxvm.invalid/ptxvm/internal/num"

// texel reads one texel, or the border if a coordinate is -1; compared if the instruction says so.
func (r *Reader) texel(im *Level, slice uint64, at [3]int64, depth uint32) Texel {
	t := r.border
	if at[0] >= 0 && at[1] >= 0 && at[2] >= 0 {
		off := (slice+uint64(at[2]))*im.Slice + uint64(at[1])*im.Pitch + uint64(at[0])*uint64(im.Format.Bytes())
		t = r.fetch(im, off)
	}
	if !r.Compare {
		return t
	}
	out := r.fill
	out[0] = 0
	if r.Sampler.Compare.holds(depth, t[0]) {
		out[0] = one
	}
	return out
}

// fetch reads the texel at an offset of a level.
func (r *Reader) fetch(im *Level, off uint64) Texel {
	if r.Fetched != nil {
		r.Fetched(im.Base + off)
	}
	return r.at(im.Bytes, off)
}

// holds compares a depth with a texel.
func (c Compare) holds(a, b uint32) bool {
	switch c {
	case Less:
		return num.LessF32(a, b)
	case Equal:
		return num.EqualF32(a, b)
	case Greater:
		return num.LessF32(b, a)
	case GreaterEqual:
		return num.LessF32(b, a) || num.EqualF32(a, b)
	case NotEqual:
		return !num.EqualF32(a, b)
	case Never, Always:
		return c == Always
	}
	return num.LessF32(a, b) || num.EqualF32(a, b)
}

// filter weighs the 2, 4 or 8 texels around a place; x counts fastest.
func (r *Reader) filter(im *Level, slice uint64, a *[3]axis, depth uint32) Texel {
	var texels [8]Texel
	var weights [8]uint32
	n := 1 << r.dims
	for k := range n {
		w, at := uint32(1), [3]int64{}
		for d := range r.dims {
			far := k >> d & 1
			at[d] = a[d].at[far]
			if far == 1 {
				w *= a[d].f
			} else {
				w *= 256 - a[d].f
			}
		}
		if weights[k] = w; w != 0 {
			texels[k] = r.texel(im, slice, at, depth)
		}
	}
	return r.mix(texels[:n], weights[:n], 8*r.dims)
}

// bilinear is filter in two dimensions where all four texels count.
func (r *Reader) bilinear(im *Level, slice uint64, x, y *axis) Texel {
	var t [4]Texel
	first := slice * im.Slice
	if x.at[0]|x.at[1]|y.at[0]|y.at[1] >= 0 {
		size := uint64(im.Format.Bytes())
		left, right := uint64(x.at[0])*size, uint64(x.at[1])*size
		upper, lower := first+uint64(y.at[0])*im.Pitch, first+uint64(y.at[1])*im.Pitch
		t[0], t[1], t[2], t[3] = r.fetch(im, upper+left), r.fetch(im, upper+right), r.fetch(im, lower+left), r.fetch(im, lower+right)
	} else {
		for k := range t {
			t[k] = r.texel(im, slice, [3]int64{x.at[k&1], y.at[k>>1]}, 0)
		}
	}
	out, w := r.fill, weights(x.f, y.f)
	for _, part := range r.parts {
		p := part & 3
		out[p] = num.BlendFour(t[0][p], t[1][p], t[2][p], t[3][p], &w)
	}
	return out
}

// weights are those of four texels, of which the farther ones have x and y of 256. All are exact.
func weights(x, y uint32) [4]float32 {
	fx, fy := float32(int32(x))*(1.0/256), float32(int32(y))*(1.0/256)
	nx, ny := 1-fx, 1-fy
	return [4]float32{nx * ny, fx * ny, nx * fy, fx * fy}
}

// mix adds texels with weights of 2^shift together, component by component.
func (r *Reader) mix(texels []Texel, weights []uint32, shift int) Texel {
	out := r.fill
	var column [MaxAnisotropy]uint32
	for _, part := range r.parts {
		for k := range texels {
			column[k] = texels[k][part&3]
		}
		if r.whole {
			out[part&3] = r.weighed(column[:len(texels)], weights, shift)
			continue
		}
		out[part&3] = num.Blend(column[:len(texels)], weights, shift, r.WideSum)
		if r.Compare {
			break
		}
	}
	return out
}

// weighed is a weighted sum of integers, rounded down.
func (r *Reader) weighed(texels, weights []uint32, shift int) uint32 {
	var sum int64
	for k, v := range texels {
		value := int64(v)
		if r.Levels[0].Format.Channel.Reads() == AsSigned {
			value = int64(int32(v))
		}
		sum += value * int64(weights[k])
	}
	return uint32(sum >> shift)
}

// mean is the average of texels: their sum, as filters add, divided.
func (r *Reader) mean(texels []Texel) Texel {
	if len(texels) == 1 {
		return texels[0]
	}
	var ones [MaxAnisotropy]uint32
	for k := range texels {
		ones[k] = 1
	}
	out := r.mix(texels, ones[:len(texels)], 0)
	for _, part := range r.parts {
		if out[part&3] = num.Mean(out[part&3], len(texels)); r.Compare {
			break
		}
	}
	return out
}

// gather fetches one component of the four texels of a bilinear filter, counter-clockwise from the
// lower left (9.7.10.4); y counts downwards.
func (r *Reader) gather(im *Level, slice uint64, a *[3]axis, depth uint32) Texel {
	var texels [4]Texel
	for k := range texels {
		texels[k] = r.texel(im, slice, [3]int64{a[0].at[k&1], a[1].at[k>>1]}, depth)
	}
	return r.gathered(&texels)
}

// gathered orders the texels of a filter, x first, as gather returns them.
func (r *Reader) gathered(texels *[4]Texel) (out Texel) {
	component := r.Gather - 1
	if r.Compare {
		component = 0
	}
	for k, from := range [4]int{2, 3, 1, 0} {
		out[k] = texels[from][component]
	}
	return out
}
