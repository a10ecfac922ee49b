package sem

// redux.sync, 9.7.13.12: reduction over the members.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// reduxOp names a reduction by operation and, where it matters, type and modifiers.
type reduxOp struct {
	op, typ  isa.Mod
	abs, nan bool
}

var reductions = map[reduxOp]func(a, b uint32) uint32{
	{op: isa.M_and, typ: isa.M_b32}: num.And32,
	{op: isa.M_or, typ: isa.M_b32}:  num.Or32,
	{op: isa.M_xor, typ: isa.M_b32}: num.Xor32,
	{op: isa.M_add, typ: isa.M_u32}: num.Add32,
	{op: isa.M_add, typ: isa.M_s32}: num.Add32,
	{op: isa.M_min, typ: isa.M_u32}: num.MinU32,
	{op: isa.M_min, typ: isa.M_s32}: num.MinS32,
	{op: isa.M_max, typ: isa.M_u32}: num.MaxU32,
	{op: isa.M_max, typ: isa.M_s32}: num.MaxS32,

	{op: isa.M_min, typ: isa.M_f32}:                       num.MinF32,
	{op: isa.M_max, typ: isa.M_f32}:                       num.MaxF32,
	{op: isa.M_min, typ: isa.M_f32, nan: true}:            num.MinNaNF32,
	{op: isa.M_max, typ: isa.M_f32, nan: true}:            num.MaxNaNF32,
	{op: isa.M_min, typ: isa.M_f32, abs: true}:            num.MinF32,
	{op: isa.M_max, typ: isa.M_f32, abs: true}:            num.MaxF32,
	{op: isa.M_min, typ: isa.M_f32, abs: true, nan: true}: num.MinNaNF32,
	{op: isa.M_max, typ: isa.M_f32, abs: true, nan: true}: num.MaxNaNF32,
}

// reduxData is the decode-time constant of a redux.
type reduxData struct {
	warpOp
	f          func(a, b uint32) uint32
	abs, float bool
}

// reduxOf reads the reduction; the float forms have an operation class of their own.
func reduxOf(sel *isa.Sel) reduxOp {
	return reduxOp{sel.Get(isa.C_op) | sel.Get(isa.C_fop), sel.Get(isa.C_type), sel.Has(isa.M_abs), sel.Has(isa.M_NaN)}
}

func hasRedux(sel *isa.Sel) bool {
	_, ok := reductions[reduxOf(sel)]
	return ok
}

func planRedux(b *Build) {
	k := reduxOf(b.Sel)
	f := reductions[k]
	o := b.warpOp(&b.In.Ops[2])
	b.Ext().Data = &reduxData{*o, f, k.abs, k.typ == isa.M_f32}
	b.Out.D, b.Out.A = b.dst(&b.In.Ops[0], 32), b.src(&b.In.Ops[1], 32)
	b.handler(redux)
}

func redux(w *machine.Warp, in *machine.Inst) machine.State {
	r := in.Ext.Data.(*reduxData)
	g, st := r.gather(w, in, machine.GatherIn{A: w.R32(in.A)})
	if st != machine.Next {
		return st
	}
	d, members, a := w.R32(in.D), *w.R32(r.members), *g.a
	var last, result uint32 // lanes with equal masks have equal results
	each(w.Mask, func(i int) {
		if peers := members[i] & g.lanes; peers != last {
			last, result = peers, r.reduce(&a, peers)
		}
		d[i] = result
	})
	return machine.Next
}

// reduce combines the peers' values in ascending order. A minimum of floats is taken once
// more with itself: a single NaN becomes the canonical one.
func (r *reduxData) reduce(a *[32]uint32, peers uint32) (v uint32) {
	first := true
	each(peers, func(j int) {
		x := a[j]
		if r.abs {
			x = num.AbsF32(x)
		}
		if first {
			v, first = x, false
		} else {
			v = r.f(v, x)
		}
	})
	if r.float {
		v = r.f(v, v)
	}
	return v
}
