// Packed conversions of whole rows: element by element.

package num

// PackedRows is a packed conversion prepared for rows. Its slow twin is Packing.Convert.
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

// Convert packs the elements of src; what an operand is not used for is ignored.
func (p *PackedRows) Convert(d *[32]uint32, src *[4]*[32]uint32, scale, random *[32]uint32) {
	switch {
	case p.rows.half != nil && p.Packed:
		p.rows.half.packed(d, src[0], place(p.Dst))
		return
	case p.rows.half != nil && p.N == 2:
		p.rows.half.pair(d, src[0], src[1], place(p.Dst))
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
	step := place(p.Dst) & 31
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
	c, step := p.rows.code, place(p.Dst)&31
	for k := range p.N {
		a, up, factor := src[k], uint(0), scale
		if p.Packed {
			a, up = src[0], place(p.Src)*uint(p.N-1-k)
		}
		if p.Each && k == 0 {
			factor = p.upper(&fields, scale)
		}
		if p.Random != 0 {
			p.Fields.row(&fields, random, k, 1<<p.Random-1)
		}
		c.codes(&out[k], c.f32s(&space, a, up), factor, &fields)
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
	from, to := place(p.Src)&31, place(p.Dst)&31
	for i, v := range a {
		d[i] = uint32(t[uint8(v>>from)])<<to | uint32(t[uint8(v)])
	}
}

// elements is element k of each lane.
func (p *PackedRows) elements(x *[32]uint64, src *[4]*[32]uint32, k int) *[32]uint64 {
	if !p.Packed {
		return Lanes{W32: src[k]}.wide(x)
	}
	shift, mask := place(p.Src)*uint(p.N-1-k)&31, uint32(1)<<p.Src.Width()-1
	for i, v := range src[0] {
		x[i] = uint64(v >> shift & mask)
	}
	return x
}

// row is of for a row.
func (l RandomBits) row(d, r *[32]uint32, k int, mask uint32) {
	shift := uint(16)
	switch {
	case l == RandomHalves && k == 1, l != RandomHalves && k >= 2:
		shift = 0
	}
	switch {
	case l == RandomBytes:
		at := [4]uint{24, 8, 16, 0}[k&3]
		for i, v := range r {
			d[i] = v >> at & mask & 0xff
		}
	case l == RandomNested: // a byte of each half
		at := uint(8)
		if k >= 2 {
			at = 0
		}
		for i, v := range r {
			v >>= at
			d[i] = v>>8&0xff00 | v&0xff
		}
		if k%2 == 0 {
			reverse(d)
		}
	case l == RandomPairs && k%2 == 0:
		for i, v := range r {
			d[i] = v >> shift & 0xffff
		}
		reverse(d)
	default:
		for i, v := range r {
			d[i] = v >> shift & mask
		}
	}
}

// reverse reverses 16 bits of each lane.
func reverse(d *[32]uint32) {
	for i, v := range d {
		v = v>>1&0x5555 | v&0x5555<<1
		v = v>>2&0x3333 | v&0x3333<<2
		v = v>>4&0x0f0f | v&0x0f0f<<4
		d[i] = v>>8 | v&0xff<<8
	}
}
