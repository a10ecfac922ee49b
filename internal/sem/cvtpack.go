package sem

// Packed conversions, 9.7.9.21 and 9.7.9.22: of several sources the first becomes the
// upper element.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// cvtPackDo converts two or four elements.
type cvtPackDo struct{ asking }

func (cvtPackDo) Reads(sel *isa.Sel, m isa.Mod) bool { return cvtDo{}.Reads(sel, m) }
func (cvtPackDo) Scalar() bool                       { return true }

func (do cvtPackDo) Plan(b *Build) {
	p, d := do.packing(b), &b.In.Ops[0]
	bits := b.OperandBits(d, 32)
	if bits > 64 {
		defer func() { b.ExtendHigh([]uint32{b.Out.D}, false) }()
	}
	b.Out.D, p.bits = b.Dst(d, bits), bits
	p.place(b)
	p.rows = p.Rows()
	b.Ext().Data = p
	b.Does(uop.ConvertPacked)
}

// packing is a packed conversion with the places of its operands.
type packing struct {
	uop.Private
	num.Packing
	rows          *num.PackedRows
	from          [4]uint32 // the sources
	wide          [4]bool   // in registers of 64 bits or more, of which the low 32 count
	bits          int       // of the destination
	scale, random uint32    // what a statement lacks is some row that is there
}

// randomBits is the layout of the random operand by destination; the layouts of
// e5m2x4, e2m3x4 and e3m2x4 are inferred from the one measured, e4m3x4.
func (do cvtPackDo) randomBits(b *Build, dst num.Type) num.RandomBits {
	switch {
	case dst == num.F16 || dst == num.BF16:
		return num.RandomHalves
	case dst == num.E2M1 && do.position(b, assume.RandomE2M1) == 1:
		return num.RandomBytes
	case dst == num.E2M1:
		return num.RandomNested
	case dst != num.E4M3 && do.position(b, assume.RandomNarrow) == 1:
		return num.RandomNoFlip
	}
	return num.RandomPairs
}

// packing reads what a statement converts.
func (do cvtPackDo) packing(b *Build) *packing {
	c := cvtOf(b.Sel)
	c.Else = do.otherwise(b)
	p := &packing{Packing: num.Packing{Cvt: c, N: 2, Packed: c.Src != num.F32, Each: b.Sel.Has(isa.M_scaled_n2_ue8m0)}}
	if b.In.Ops[1].Kind == ir.OpVec && len(b.In.Ops[1].Elems) > 1 {
		p.N = 4
	}
	if c.Round == num.RS {
		p.Fields = do.randomBits(b, c.Dst)
		p.Random = p.Fields.Width(c.Dst)
	}
	return p
}

// place finds the rows, or slots, of the operands: sources, then a scale factor or random bits.
func (p *packing) place(b *Build) {
	var sources, rest []ir.Operand
	switch {
	case p.N == 4:
		sources, rest = b.In.Ops[1].Elems, b.In.Ops[2:]
	case p.Packed:
		sources, rest = b.In.Ops[1:2], b.In.Ops[2:]
	default:
		sources, rest = b.In.Ops[1:3], b.In.Ops[3:]
	}
	for i := range p.from {
		o := &sources[min(i, len(sources)-1)]
		bits := rowBits(b.OperandBits(o, 32))
		p.from[i], p.wide[i] = b.Src(o, max(bits, 32)), bits > 32
	}
	p.scale, p.random = p.from[0], p.from[0]
	switch {
	case p.Scaled:
		p.scale = b.Src(&rest[0], 32)
	case p.Round == num.RS:
		p.random = b.Src(&rest[0], 32)
	}
}

// row is the row of source i, or the low halves of a wider one, which go to spare.
func (p *packing) row(w *machine.Warp, i int, spare *[32]uint32) *[32]uint32 {
	if !p.wide[i] {
		return w.R32(p.from[i])
	}
	for lane, v := range w.R64(p.from[i]) {
		spare[lane] = uint32(v)
	}
	return spare
}

func packRow(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*packing)
	var spare [4][32]uint32
	var src [4]*[32]uint32
	for i := range src {
		src[i] = p.row(w, i, &spare[i])
	}
	scale, random := w.R32(p.scale), w.R32(p.random)
	if w.Mask == ^uint32(0) && p.bits <= 32 {
		p.rows.Convert(w.R32(in.D), &src, scale, random)
		return machine.Next
	}
	var d [32]uint32
	p.rows.Convert(&d, &src, scale, random)
	Each(w.Mask, func(i int) { StoreElem(w, in.D, p.bits, i, uint64(d[i])) })
	return machine.Next
}

func packScalar(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*packing)
	var src [4]uint32
	for i := range src {
		if p.wide[i] {
			src[i] = uint32(*w.S64(p.from[i]))
		} else {
			src[i] = *w.S32(p.from[i])
		}
	}
	v := p.rows.One(&src, *w.S32(p.scale), *w.S32(p.random))
	if p.bits > 32 {
		*w.S64(in.D) = uint64(v)
	} else {
		*w.S32(in.D) = v
	}
	return machine.Next
}

// 9.7.9.22: two integers clamped to a width, over the low bits of c.

func packSatU16(a, b uint32) uint32   { return num.CvtPackU(a, b, 0, 16) }
func packSatS16(a, b uint32) uint32   { return num.CvtPackS(a, b, 0, 16) }
func packSatU8(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 8) }
func packSatS8(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 8) }
func packSatU4(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 4) }
func packSatS4(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 4) }
func packSatU2(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 2) }
func packSatS2(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 2) }
