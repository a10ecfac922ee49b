package tex

// This file converts channels to what texture instructions return (9.7.10.3).

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Texel is red, green, blue and alpha: f32, or integers of 32 bits.
type Texel [4]uint32

const one = 0x3f800000 // 1.0f

// decoder is how the samples of a texture become texels.
type decoder struct {
	parts   []int        // component of each channel
	size    int          // bytes of a channel
	fill    Texel        // what a sample that lacks components has
	channel convert      // of a channel
	alpha   convert      // of alpha, which has no sRGB
	border  Texel        // outside
	one     bool         // there is one channel, red
	table   *[256]uint32 // of all four channels, red first, if bytes are looked up; nil: they are not
}

// convert makes 32 bits of a channel, whose upper bits are 0.
type convert func(v uint32) uint32

// decoder prepares the samples of t. missing is the alpha of samples that have none: 1, or by a
// assumption 0; border bits are converted to integers unless an assumption says that they are the bits.
func (t *Texture) decoder(g Assumptions) decoder {
	f := t.Levels[0].Format
	d := decoder{parts: orders[f.Order].parts, size: f.Channel.Bytes(), one: f.Order == R}
	floats := t.Floats(f)
	d.alpha = f.Channel.converter(floats)
	d.channel = d.alpha
	if t.SRGB {
		d.channel = num.LinearOfSRGB
	}
	if c := f.Channel; floats && !t.SRGB && (c == U8 || c == Unorm8) && f.Order == RGBA {
		d.table = &fractions
	}
	if !g.MissingZero {
		d.fill[3] = 1
		if floats {
			d.fill[3] = one
		}
	}
	d.border = t.outside(d.parts, d.fill, floats || g.BorderBits)
	return d
}

// outside is the texel outside of the image: like a sample, it lacks what the format lacks.
func (t *Texture) outside(parts []int, fill Texel, asIs bool) Texel {
	for _, p := range parts {
		v := t.Border[p]
		switch {
		case asIs:
		case t.Levels[0].Format.Channel.Reads() == AsSigned:
			v = num.CvtRziS32F32(v)
		default:
			v = num.CvtRziU32F32(v)
		}
		fill[p] = v
	}
	return fill
}

// converter is the conversion of a channel.
func (c Channel) converter(floats bool) convert {
	switch {
	case c == F16:
		return num.CvtF32F16
	case c.Bytes() == 4:
		return same
	case floats:
		return [...]convert{U8: unorm8, Unorm8: unorm8, U16: unorm16, Unorm16: unorm16,
			S8: snorm8, Snorm8: snorm8, S16: snorm16, Snorm16: snorm16}[c]
	case c == S8:
		return func(v uint32) uint32 { return uint32(int32(int8(v))) }
	case c == S16:
		return func(v uint32) uint32 { return uint32(int32(int16(v))) }
	}
	return same
}

func same(v uint32) uint32    { return v }
func unorm8(v uint32) uint32  { return fractions[v&0xff] }
func unorm16(v uint32) uint32 { return num.Fraction(int32(v&0xffff), 65535) }
func snorm8(v uint32) uint32  { return num.Fraction(max(int32(int8(v)), -127), 127) }
func snorm16(v uint32) uint32 { return num.Fraction(max(int32(int16(v)), -32767), 32767) }

// fractions are v/255.
var fractions = func() (out [256]uint32) {
	for v := range out {
		out[v] = num.Fraction(int32(v), 255)
	}
	return out
}()

// at decodes the sample at byte off.
func (d *decoder) at(mem []byte, off uint64) (t Texel) {
	if d.table != nil {
		v := mem[off : off+4 : off+4]
		return Texel{d.table[v[0]], d.table[v[1]], d.table[v[2]], d.table[v[3]]}
	}
	t = d.fill
	if d.one {
		t[0] = d.channel(load(mem[off:], d.size))
		return t
	}
	for _, part := range d.parts {
		v := load(mem[off:], d.size)
		if part == 3 {
			t[3] = d.alpha(v)
		} else {
			t[part&3] = d.channel(v)
		}
		off += uint64(d.size)
	}
	return t
}

// load reads one channel.
func load(mem []byte, size int) uint32 {
	switch size {
	case 1:
		return uint32(mem[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(mem))
	}
	return binary.LittleEndian.Uint32(mem)
}
