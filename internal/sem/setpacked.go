package sem

// set of packed integers, 9.4: 9.7.7.1: all ones in each element that compares true.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func setPackedLines() []Line {
	return []Line{
		{isa.SetPacked, nil, Plan(planSetPacked, isa.C_cmp, isa.C_type), ""},
	}
}

// elementCompares are the comparisons by modifier; elements are cut and extended by their sign
// before, so lo and lt are one.
var elementCompares = map[isa.Mod]uop.Op{
	isa.M_eq: uop.Eq32, isa.M_ne: uop.Ne32,
	isa.M_lt: uop.LtS32, isa.M_lo: uop.LtS32, isa.M_le: uop.LeS32, isa.M_ls: uop.LeS32,
	isa.M_gt: uop.GtS32, isa.M_hi: uop.GtS32, isa.M_ge: uop.GeS32, isa.M_hs: uop.GeS32,
}

func planSetPacked(b *Build) {
	t := b.Sel.Get(isa.C_type)
	k := &uop.Compare{Fn: elementCompares[b.Sel.Get(isa.C_cmp)], Bits: 16, Yes: num.SetTrue16}
	if t == isa.M_u8x4 || t == isa.M_s8x4 {
		k.Bits, k.Yes = 8, num.SetTrue16&0xff
	}
	k.Signed = t == isa.M_s8x4 || t == isa.M_s16x2
	k.D, b.Out.A, b.Out.B = b.Dst(&b.In.Ops[0], 32), b.Src(&b.In.Ops[1], 32), b.Src(&b.In.Ops[2], 32)
	b.Ext().Data = k
	b.Does(uop.SetPacked)
}

func setPackedElements(w *machine.Warp, in *machine.Inst) machine.State {
	k := combined(in)
	d, a, b, compare := w.R32(k.D), w.R32(in.A), w.R32(in.B), function[func(a, b uint32) bool](k.Fn)
	Each(w.Mask, func(i int) {
		v := uint32(0)
		for at := uint8(0); at < 32; at += k.Bits {
			if compare(k.element(a[i]>>at), k.element(b[i]>>at)) {
				v |= k.Yes << at
			}
		}
		d[i] = v
	})
	return machine.Next
}

// element is the value of the low bits.
func (k *combine) element(v uint32) uint32 {
	n := 32 - k.Bits
	if k.Signed {
		return uint32(int32(v<<n) >> n)
	}
	return v << n >> n
}
