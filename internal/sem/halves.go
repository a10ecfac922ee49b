package sem

// Comparison of packed halves, 9.7.7: element by element, two masks.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func (b *Build) halvesOf(l laneDo, dst *ir.Operand) *uop.Compare {
	b.Out.A, b.Out.B = b.Src(&b.In.Ops[1], 32), b.Src(&b.In.Ops[2], 32)
	return b.combine(l.op, dst, b.In.Ops[3:])
}

// halves compares the low and the high elements of the executing lanes.
func (k *combine) halves(w *machine.Warp, in *machine.Inst) (lo, hi uint32) {
	a, b, compare := w.R32(in.A), w.R32(in.B), function[func(a, b uint32) bool](k.Fn)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		lo |= Bit(compare(a[i]&0xffff, b[i]&0xffff)) << i
		hi |= Bit(compare(a[i]>>16, b[i]>>16)) << i
	}
	return lo, hi
}

// setpHalvesDo is setp of packed halves: p is that of element 0, q that of element 1.
type setpHalvesDo struct{ laneDo }

func (setpHalvesDo) Reads(sel *isa.Sel, m isa.Mod) bool { return inClass(sel, m, isa.C_bool) }
func (setpHalvesDo) Scalar() bool                       { return false }

func (s setpHalvesDo) Plan(b *Build) {
	b.halvesOf(s.laneDo, &b.In.Ops[0])
	b.Does(uop.SetpHalves)
}

func setpHalves(w *machine.Warp, in *machine.Inst) machine.State {
	r := combined(in)
	lo, hi := r.halves(w, in)
	r.put(w, lo, hi)
	return machine.Next
}

// setHalvesDo is set of packed halves: 1.0 or all ones in each half.
type setHalvesDo struct{ laneDo }

func (setHalvesDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	return inClass(sel, m, isa.C_bool, isa.C_dtype)
}
func (setHalvesDo) Scalar() bool { return false }

// setTrueHalf is the result in one half, by destination type (9.7.7.1).
var setTrueHalf = map[isa.Mod]uint32{
	isa.M_f16x2: num.SetTrueF16, isa.M_bf16x2: num.SetTrueBF16,
	isa.M_u32: num.SetTrue16, isa.M_s32: num.SetTrue16,
}

func (s setHalvesDo) Plan(b *Build) {
	sink := ir.Operand{Kind: ir.OpSink}
	r := b.halvesOf(s.laneDo, &sink)
	r.Yes, r.D = setTrueHalf[b.Sel.Get(isa.C_dtype)], b.Dst(&b.In.Ops[0], 32)
	b.Does(uop.SetHalves)
}

func setHalves(w *machine.Warp, in *machine.Inst) machine.State {
	r := combined(in)
	lo, hi := r.halves(w, in)
	lo, hi = r.with(w, lo), r.with(w, hi)
	d := w.R32(r.D)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = r.Yes&-(lo>>i&1) | r.Yes<<16&-(hi>>i&1)
	}
	return machine.Next
}
