package sem

// Comparison of packed halves, 9.7.7: element by element, two masks.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// halvesResult is a combination of both elements; compare is that of one half.
type halvesResult struct {
	combine
	compare func(a, b uint32) bool
	yes     uint32 // set: the result of an element that compares true
	d       uint32 // set: destination row
}

func (b *Build) halvesOf(l laneDo, dst *ir.Operand) *halvesResult {
	b.Out.A, b.Out.B = b.src(&b.In.Ops[1], 32), b.src(&b.In.Ops[2], 32)
	r := &halvesResult{combine: *b.combine(dst, b.In.Ops[3:]), compare: l.fn.(func(a, b uint32) bool)}
	b.Ext().Data = r
	return r
}

// masks compares the low and the high elements of the executing lanes.
func (r *halvesResult) masks(w *machine.Warp, in *machine.Inst) (lo, hi uint32) {
	a, b := w.R32(in.A), w.R32(in.B)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		lo |= bit(r.compare(a[i]&0xffff, b[i]&0xffff)) << i
		hi |= bit(r.compare(a[i]>>16, b[i]>>16)) << i
	}
	return lo, hi
}

// setpHalvesDo is setp of packed halves: p is that of element 0, q that of element 1.
type setpHalvesDo struct{ laneDo }

func (setpHalvesDo) Reads(sel *isa.Sel, m isa.Mod) bool { return inClass(sel, m, isa.C_bool) }
func (setpHalvesDo) Scalar() bool                       { return false }

func (s setpHalvesDo) Plan(b *Build) {
	b.halvesOf(s.laneDo, &b.In.Ops[0])
	b.handler(setpHalves)
}

func setpHalves(w *machine.Warp, in *machine.Inst) machine.State {
	r := in.Ext.Data.(*halvesResult)
	lo, hi := r.masks(w, in)
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
	r.yes, r.d = setTrueHalf[b.Sel.Get(isa.C_dtype)], b.dst(&b.In.Ops[0], 32)
	b.handler(setHalves)
}

func setHalves(w *machine.Warp, in *machine.Inst) machine.State {
	r := in.Ext.Data.(*halvesResult)
	lo, hi := r.masks(w, in)
	lo, hi = r.with(w, lo), r.with(w, hi)
	d := w.R32(r.d)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = r.yes&-(lo>>i&1) | r.yes<<16&-(hi>>i&1)
	}
	return machine.Next
}
