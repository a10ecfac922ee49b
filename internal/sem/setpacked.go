package sem

// set of packed integers, 9.4: 9.7.7.1: all ones in each element that compares true.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func setPackedLines() []Line {
	return []Line{
		{isa.SetPacked, nil, plan(planSetPacked, isa.C_cmp, isa.C_type), ""},
	}
}

// setPacked compares elements of so many bits.
type setPacked struct {
	uop.Private
	bits   uint
	signed bool
	holds  func(a, b int32) bool
}

// elementCompares are the comparisons by modifier; elements are cut and extended by their sign
// before, so lo and lt are one.
var elementCompares = map[isa.Mod]func(a, b int32) bool{
	isa.M_eq: func(a, b int32) bool { return a == b },
	isa.M_ne: func(a, b int32) bool { return a != b },
	isa.M_lt: func(a, b int32) bool { return a < b }, isa.M_lo: func(a, b int32) bool { return a < b },
	isa.M_le: func(a, b int32) bool { return a <= b }, isa.M_ls: func(a, b int32) bool { return a <= b },
	isa.M_gt: func(a, b int32) bool { return a > b }, isa.M_hi: func(a, b int32) bool { return a > b },
	isa.M_ge: func(a, b int32) bool { return a >= b }, isa.M_hs: func(a, b int32) bool { return a >= b },
}

func planSetPacked(b *Build) {
	t := b.Sel.Get(isa.C_type)
	s := &setPacked{bits: 16, holds: elementCompares[b.Sel.Get(isa.C_cmp)]}
	if t == isa.M_u8x4 || t == isa.M_s8x4 {
		s.bits = 8
	}
	s.signed = t == isa.M_s8x4 || t == isa.M_s16x2
	b.Out.D, b.Out.A, b.Out.B = b.dst(&b.In.Ops[0], 32), b.src(&b.In.Ops[1], 32), b.src(&b.In.Ops[2], 32)
	b.Ext().Data = s
	b.does(uop.SetPacked)
}

func setPackedElements(w *machine.Warp, in *machine.Inst) machine.State {
	s := in.Ext.Data.(*setPacked)
	d, a, b := w.R32(in.D), w.R32(in.A), w.R32(in.B)
	each(w.Mask, func(i int) { d[i] = s.lane(a[i], b[i]) })
	return machine.Next
}

func (s *setPacked) lane(a, b uint32) (d uint32) {
	ones := ^uint32(0) >> (32 - s.bits)
	for at := uint(0); at < 32; at += s.bits {
		if s.holds(s.element(a>>at), s.element(b>>at)) {
			d |= ones << at
		}
	}
	return d
}

// element is the value of the low bits.
func (s *setPacked) element(v uint32) int32 {
	n := 32 - s.bits
	if s.signed {
		return int32(v<<n) >> n
	}
	return int32(v << n >> n)
}
