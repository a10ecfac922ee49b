// Packed conversions of whole rows: element by element.

package num

import "slices"

// PackedRows is a packed conversion prepared for rows. Its reference implementation is Packing.Convert.
type PackedRows struct {
	Packing
	rows *Rows
}

// Rows prepares the conversion for rows.
func (p *Packing) Rows() *PackedRows { return &PackedRows{Packing: *p, rows: p.Cvt.Rows()} }

// One packs the elements of one lane.
func (p *PackedRows) One(src *[4]uint32, scale, random uint32) uint32 {
	return p.Quickly(&p.rows.Quick, src, scale, random)
}

// Convert packs the elements of src; what an operand is not used for is ignored. An operand's row may be d: some ways
// look at NaN operands again when all are converted.
func (p *PackedRows) Convert(d *[32]uint32, src *[4]*[32]uint32, scale, random *[32]uint32) {
	if slices.Contains(src[:], d) || d == scale || d == random {
		var apart [32]uint32
		p.convert(&apart, src, scale, random)
		*d = apart
		return
	}
	p.convert(d, src, scale, random)
}

// convert is Convert for a row of its own.
func (p *PackedRows) convert(d *[32]uint32, src *[4]*[32]uint32, scale, random *[32]uint32) {
	switch {
	case p.rows.half != nil && p.Packed:
		p.rows.half.packed(d, src[0], p.Dst.Place())
		return
	case p.rows.half != nil && p.N == 2:
		p.rows.half.pair(d, src[0], src[1], p.Dst.Place())
		return
	case p.rows.near != nil && p.N == 2:
		p.rows.near.pair(d, src[0], src[1])
		return
	case p.rows.table != nil:
		p.lookUp(d, src[0])
		return
	case p.rows.code != nil:
		p.coded(d, src, scale, random)
		return
	}
	var all [32]uint32
	step := p.Dst.Place() & 31
	for k := range p.N {
		var a, out [32]uint64
		p.rows.codes(&out, &rowIn{a: p.elements(&a, src, k), scale: scale})
		for i, v := range out {
			all[i] = all[i]<<step | uint32(v)
		}
	}
	*d = all
}

// coded converts by the coder.
func (p *PackedRows) coded(d *[32]uint32, src *[4]*[32]uint32, scale, random *[32]uint32) {
	var out [4][32]uint32
	var space, fields [32]uint32
	var straight, reversed *[32]uint32
	if p.Random != 0 {
		straight, reversed = p.Fields.rows(new([2][32]uint32), random)
	}
	c, step := p.rows.code, p.Dst.Place()&31
	for k := range p.N {
		a, up, factor := src[k], uint(0), scale
		if p.Packed {
			a, up = src[0], p.Src.Place()*uint(p.N-1-k)
		}
		if p.Each && k == 0 {
			factor = p.upper(&fields, scale)
		}
		x := c.f32s(&space, a, up)
		if p.Random == 0 {
			c.codes(&out[k], x, factor)
			continue
		}
		bits, up := straight, p.Fields.above(k, p.Random)
		if k%2 == 0 && p.Fields.flips() {
			bits = reversed
		}
		c.randomRow(&out[k], x, bits, up)
	}
	if p.N == 2 {
		for i, v := range &out[0] {
			d[i] = v<<step | out[1][i]
		}
		return
	}
	for i, v := range &out[0] {
		d[i] = ((v<<step|out[1][i])<<step|out[2][i])<<step | out[3][i]
	}
}

// upper is the factor of the upper element.
func (p *PackedRows) upper(x, scale *[32]uint32) *[32]uint32 {
	for i, v := range scale {
		x[i] = v >> 8
	}
	return x
}

// lookUp converts pairs of codes by table.
func (p *PackedRows) lookUp(d, a *[32]uint32) {
	t := (*[256]uint16)(p.rows.table)
	from, to := p.Src.Place()&31, p.Dst.Place()&31
	for i, v := range a {
		d[i] = uint32(t[uint8(v>>from)])<<to | uint32(t[uint8(v)])
	}
}

// elements is element k of each lane.
func (p *PackedRows) elements(x *[32]uint64, src *[4]*[32]uint32, k int) *[32]uint64 {
	if !p.Packed {
		return Lanes{W32: src[k]}.wide(x)
	}
	shift, mask := p.Src.Place()*uint(p.N-1-k)&31, uint32(1)<<p.Src.Width()-1
	for i, v := range src[0] {
		x[i] = uint64(v >> shift & mask)
	}
	return x
}

// flips reports whether the first element of a pair gets the bits of a half in reverse order.
func (l RandomBits) flips() bool { return l == RandomPairs || l == RandomNested }

// rows are the random operands with the bits of each half together, as they are and, where
// that is needed, each half in reverse order.
func (l RandomBits) rows(space *[2][32]uint32, r *[32]uint32) (straight, reversed *[32]uint32) {
	straight, reversed = r, &space[1]
	if l == RandomNested { // a half is a byte of each half of the operand
		straight = &space[0]
		for i, v := range r {
			straight[i] = v&0xff0000ff | v>>8&0xff00 | v&0xff00<<8
		}
	}
	if !l.flips() {
		return straight, nil
	}
	for i, v := range straight {
		v = v>>1&0x55555555 | v&0x55555555<<1
		v = v>>2&0x33333333 | v&0x33333333<<2
		v = v>>4&0x0f0f0f0f | v&0x0f0f0f0f<<4
		reversed[i] = v>>8&0x00ff00ff | v&0x00ff00ff<<8
	}
	return straight, reversed
}

// above is how many bits of 32 lie above those of element k, which are so many.
func (l RandomBits) above(k int, width uint8) uint {
	switch {
	case l == RandomBytes:
		return [4]uint{0, 16, 8, 24}[k&3]
	case l == RandomHalves && k == 0, l != RandomHalves && k < 2:
		return 16 - uint(width)
	}
	return 32 - uint(width)
}
