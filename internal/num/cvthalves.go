// Conversions to floats of at most 8 bits by tables of all halves.

package num

import "sync"

// halfTable is the codes of all f16 or bf16.
type halfTable [1 << 16]uint8

// halfTables are the tables by conversion, made once: 64 KiB each.
var halfTables sync.Map // Cvt: *halfTable

// halves is the table for c, whose operands are halves or f32; nil where no table serves.
// An f32 that is rounded to an odd bf16 first rounds to the same code, because its 8 bits are
// at least two more than any of these formats has but s2f6.
func (c *Cvt) halves() *halfTable {
	f := types[c.Dst].format
	if f == nil || types[c.Dst].width > 8 || c.Dst == S2F6 && c.Src == F32 || c.Scaled || c.Round == RS || c.Else != 0 || c.Ftz ||
		c.Src != F16 && c.Src != BF16 && c.Src != F32 {
		return nil
	}
	of := *c
	if c.Src == F32 {
		of.Src = BF16
	}
	if t, ok := halfTables.Load(of); ok {
		return t.(*halfTable)
	}
	t := of.newHalfTable()
	halfTables.Store(of, t)
	return t
}

func (c *Cvt) newHalfTable() *halfTable {
	r, t, a, d := c.stages(), new(halfTable), [32]uint64{}, [32]uint64{}
	for base := 0; base < len(t); base += len(a) {
		for i := range a {
			a[i] = uint64(base + i)
		}
		r.codes(&d, &rowIn{a: &a})
		for i, v := range d {
			t[base+i] = uint8(v)
		}
	}
	return t
}

// oddBF16 rounds an f32 to odd; a NaN stays one.
func oddBF16(a uint32) uint16 { return uint16(a>>16 | (a&0xffff+0xffff)>>16) }

// pair converts two rows of f32 to packed codes, a in the upper place.
func (t *halfTable) pair(d, a, b *[32]uint32, place uint) {
	for i, v := range a {
		d[i] = uint32(t[oddBF16(v)])<<(place&31) | uint32(t[oddBF16(b[i])])
	}
}

// packed converts a row of packed halves.
func (t *halfTable) packed(d, a *[32]uint32, place uint) {
	for i, v := range a {
		d[i] = uint32(t[v>>16])<<(place&31) | uint32(t[uint16(v)])
	}
}

// row converts single values of type src.
func (t *halfTable) row(d, a *[32]uint64, src Type) {
	for i, v := range a {
		if src == F32 {
			d[i] = uint64(t[oddBF16(uint32(v))])
		} else {
			d[i] = uint64(t[uint16(v)])
		}
	}
}
