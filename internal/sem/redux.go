package sem

// redux.sync, 9.7.13.12: reduction over the members.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// reduxOp names a reduction by operation and, where it matters, type and modifiers.
type reduxOp struct {
	op, typ  isa.Mod
	abs, nan bool
}

var reductions = map[reduxOp]uop.Op{
	{op: isa.M_and, typ: isa.M_b32}: uop.And32,
	{op: isa.M_or, typ: isa.M_b32}:  uop.Or32,
	{op: isa.M_xor, typ: isa.M_b32}: uop.Xor32,
	{op: isa.M_add, typ: isa.M_u32}: uop.Add32,
	{op: isa.M_add, typ: isa.M_s32}: uop.Add32,
	{op: isa.M_min, typ: isa.M_u32}: uop.MinU32,
	{op: isa.M_min, typ: isa.M_s32}: uop.MinS32,
	{op: isa.M_max, typ: isa.M_u32}: uop.MaxU32,
	{op: isa.M_max, typ: isa.M_s32}: uop.MaxS32,

	{op: isa.M_min, typ: isa.M_f32}:                       uop.MinF32,
	{op: isa.M_max, typ: isa.M_f32}:                       uop.MaxF32,
	{op: isa.M_min, typ: isa.M_f32, nan: true}:            uop.MinNaNF32,
	{op: isa.M_max, typ: isa.M_f32, nan: true}:            uop.MaxNaNF32,
	{op: isa.M_min, typ: isa.M_f32, abs: true}:            uop.MinF32,
	{op: isa.M_max, typ: isa.M_f32, abs: true}:            uop.MaxF32,
	{op: isa.M_min, typ: isa.M_f32, abs: true, nan: true}: uop.MinNaNF32,
	{op: isa.M_max, typ: isa.M_f32, abs: true, nan: true}: uop.MaxNaNF32,
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
	o := b.warpOp(&b.In.Ops[2])
	o.Fn, o.Abs, o.Float = reductions[k], k.abs, k.typ == isa.M_f32
	b.Out.D, b.Out.A = b.Dst(&b.In.Ops[0], 32), b.Src(&b.In.Ops[1], 32)
	b.Does(uop.Redux)
}

func redux(w *machine.Warp, in *machine.Inst) machine.State {
	r := warpOf(in)
	g, st := r.gather(w, in, machine.GatherIn{A: w.R32(in.A)})
	if st != machine.Next {
		return st
	}
	d, members, a := w.R32(in.D), *w.R32(r.Members), *g.a
	var last, result uint32 // lanes with equal masks have equal results
	Each(w.Mask, func(i int) {
		if peers := members[i] & g.lanes; peers != last {
			last, result = peers, r.reduce(&a, peers)
		}
		d[i] = result
	})
	return machine.Next
}

// reduce combines the peers' values in ascending order. A minimum of floats is taken once
// more with itself: a single NaN becomes the canonical one.
func (r *warpOp) reduce(a *[32]uint32, peers uint32) (v uint32) {
	first, f := true, function[func(a, b uint32) uint32](r.Fn)
	Each(peers, func(j int) {
		x := a[j]
		if r.Abs {
			x = num.AbsF32(x)
		}
		if first {
			v, first = x, false
		} else {
			v = f(v, x)
		}
	})
	if r.Float {
		v = f(v, v)
	}
	return v
}
