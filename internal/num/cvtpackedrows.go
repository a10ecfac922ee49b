// Packed conversions of whole rows: element by element.

package num

import "math/bits"

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
	var all, out, space, fields [32]uint32
	c, step := p.rows.code, place(p.Dst)&31
	for k := range p.N {
		a, up, factor := src[k], uint(0), uint(0)
		if p.Packed {
			a, up = src[0], place(p.Src)*uint(p.N-1-k)
		}
		if p.Each && k == 0 {
			factor = 8
		}
		if p.Random != 0 {
			p.Fields.row(&fields, random, k, 1<<p.Random-1)
		}
		c.codes(&out, c.f32s(&space, a, up), scale, factor, &fields)
		if k == 0 {
			all = out
			continue
		}
		for i, v := range out {
			all[i] = all[i]<<step | v
		}
	}
	*d = all
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
	case l == RandomBytes || l == RandomNested:
		for i, v := range r {
			d[i] = l.of(v, k) & mask
		}
	case l == RandomPairs && k%2 == 0:
		for i, v := range r {
			d[i] = uint32(bits.Reverse16(uint16(v>>shift))) & mask
		}
	default:
		for i, v := range r {
			d[i] = v >> shift & mask
		}
	}
}
