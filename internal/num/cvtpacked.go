// Packed conversions (9.7.9.21): two or four elements, the first source in the
// upper field.

package num

import "math/bits"

// Packing says what one packed cvt does.
type Packing struct {
	Cvt
	N      int        // elements: 2 or 4
	Packed bool       // the elements come in one operand, else one operand each
	Each   bool       // each element has a scale factor of its own, the first the upper one
	Fields RandomBits // which random bits an element gets
}

// RandomBits are the layouts of the random operand of .rs.
type RandomBits uint8

const (
	RandomHalves RandomBits = iota // x2: the low bits of each half
	RandomPairs                    // x4: a half for each pair, reversed for its first element
	RandomNoFlip                   // the same, straight for both
	RandomNested                   // e2m1x4: a byte of each half for each pair, reversed for the first
	RandomBytes                    // e2m1x4: a byte for each element
)

// Width is the number of random bits of an element: all that fit into f16's
// discarded bits, else 16, or 8 of bytes.
func (l RandomBits) Width(dst Type) uint8 {
	switch {
	case l == RandomBytes:
		return 8
	case dst == F16:
		return 13
	}
	return 16
}

// of returns the random bits of element i, which are the low ones of the result.
func (l RandomBits) of(r uint32, i int) uint32 {
	hi, lo := r>>16, r&0xffff
	switch l {
	case RandomBytes:
		return r >> [4]uint{24, 8, 16, 0}[i] & 0xff
	case RandomNested:
		hi, lo = r>>24<<8|r>>8&0xff, r>>16&0xff<<8|r&0xff
	case RandomHalves:
		i *= 2
	}
	if i >= 2 {
		hi = lo
	}
	if i%2 == 0 && (l == RandomPairs || l == RandomNested) {
		hi = uint32(bits.Reverse16(uint16(hi)))
	}
	return hi
}

// Place is the distance of elements of a type: those of 6 bits lie in bytes.
func (t Type) Place() uint {
	if w := t.Width(); w != 6 {
		return w
	}
	return 8
}

// Convert packs the elements of src; what an operand is not used for is ignored.
// random is cut to the width of a field.
func (p *Packing) Convert(src *[4]uint32, scale, random uint32) (d uint32) {
	for i := range p.N {
		d = d<<p.Dst.Place() | uint32(p.ApplyWith(p.element(src, i), p.factor(scale, i), p.random(random, i)))
	}
	return d
}

// Quickly is Convert by a prepared q of p.Cvt.
func (p *Packing) Quickly(q *Quick, src *[4]uint32, scale, random uint32) (d uint32) {
	switch {
	case p.Scaled || p.Random != 0:
		for i := range p.N {
			d = d<<p.Dst.Place() | uint32(q.ConvertWith(p.element(src, i), p.factor(scale, i), p.random(random, i)))
		}
		return d
	case p.Packed:
		n := p.Src.Place() & 31
		return uint32(q.Convert(uint64(src[0]>>n)))<<p.Dst.Place() | uint32(q.Convert(uint64(src[0])))
	}
	return uint32(q.Convert(uint64(src[0])))<<p.Dst.Place() | uint32(q.Convert(uint64(src[1])))
}

func (p *Packing) element(src *[4]uint32, i int) uint64 {
	if p.Packed {
		return uint64(src[0] >> (p.Src.Place() * uint(p.N-1-i)))
	}
	return uint64(src[i])
}

func (p *Packing) factor(scale uint32, i int) uint8 {
	if p.Each && i == 0 {
		scale >>= 8
	}
	return uint8(scale)
}

func (p *Packing) random(r uint32, i int) uint32 {
	return p.Fields.of(r, i) & (1<<p.Random - 1)
}
