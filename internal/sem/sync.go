package sem

// Barriers and fences, 9.7.13.1 to 9.7.13.4.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func syncLines() []Line {
	return []Line{
		{isa.BarSync, nil, barrier(barriers.Sync, true), ""},
		{isa.BarArrive, nil, barrier(barriers.Arrive, true), ""},
		{isa.BarRed, nil, reduction(true), ""},
		{isa.BarrierSync, nil, barrier(barriers.Sync, false), ""},
		{isa.BarrierSync, Of(isa.M_aligned), barrier(barriers.Sync, true), ""},
		{isa.BarrierArrive, nil, barrier(barriers.Arrive, false), ""},
		{isa.BarrierArrive, Of(isa.M_aligned), barrier(barriers.Arrive, true), ""},
		{isa.BarrierRed, nil, reduction(false), ""},
		{isa.BarrierRed, Of(isa.M_aligned), reduction(true), ""},
		{isa.BarWarpSync, nil, Plan(planWarpSync), ""},

		{isa.Fence, nil, Plan(planFence, isa.C_sem, isa.C_scope), ""},
		{isa.Membar, nil, Plan(planFence, isa.C_level), ""},
		{isa.FenceSyncRestrict, nil, Plan((*Build).Nothing), ""},
		{isa.FenceMbarrierInit, nil, Plan((*Build).Nothing), ""},

		// Proxies see one memory: between them there is nothing to order but what --async lazy looks for.
		{isa.FenceProxy, nil, Plan((*Build).Nothing, isa.C_kind).Sees(isa.M_global, isa.M_shared_cta, isa.M_shared_cluster), ""},
		{isa.FenceProxyTensormap, nil, Plan(planFence, isa.C_scope), ""},
		{isa.FenceProxyAsyncGeneric, nil, Plan((*Build).Nothing, isa.C_near), ""},
		{isa.FenceProxyAlias, nil, Plan(planFence, isa.C_sem, isa.C_scope), ""},
		{isa.FenceProxyFabric, nil, Plan(planFence, isa.C_dir, isa.C_sem), ""},
		{isa.FenceAlias, nil, Plan(planFence, isa.C_scope), ""},
		{isa.MembarProxy, nil, Plan((*Build).Nothing, isa.C_kind).Sees(isa.M_global, isa.M_shared_cta, isa.M_shared_cluster), ""},

		{isa.BarrierClusterArrive, nil, clusterBarrier(uop.ClusterArrive), ""},
		{isa.BarrierClusterWait, nil, clusterBarrier(uop.ClusterWait), ""},
	}
}

// barrier plans a barrier without reduction: a{, b}.
func barrier(kind barriers.Kind, aligned bool) Planned {
	return Plan(func(b *Build) {
		o := &uop.Barrier{Kind: kind, Aligned: aligned}
		b.barrierOperands(o, b.In.Ops)
		b.Does(uop.BarrierSync)
	}).Sees(isa.M_cta)
}

// barrierOperands places the number of the barrier in A and a count in B.
func (b *Build) barrierOperands(o *uop.Barrier, ops []ir.Operand) {
	b.Ext().Data = o
	b.Out.A = b.Src(&ops[0], 32)
	if len(ops) > 1 {
		o.Counted, b.Out.B = true, b.Src(&ops[1], 32)
	}
}

// reduction plans a barrier that reduces a predicate: d, a{, b}, c.
func reduction(aligned bool) Planned {
	return Plan(func(b *Build) {
		ops := b.In.Ops
		last := len(ops) - 1
		o := &uop.Barrier{Kind: barriers.Popc, Aligned: aligned, Flip: Flip(&ops[last])}
		does, width := uop.BarrierCount, 32
		if op := b.Sel.Get(isa.C_op); op != 0 {
			does, width, o.Kind = uop.BarrierPredicate, 1, barrierKinds[op]
		}
		b.barrierOperands(o, ops[1:last])
		b.Out.C, b.Out.D = b.Src(&ops[last], 1), b.Dst(&ops[0], width)
		b.Does(does)
	}, isa.C_op).Sees(isa.M_cta)
}

var barrierKinds = map[isa.Mod]barriers.Kind{isa.M_and: barriers.And, isa.M_or: barriers.Or}

func barrierAt(w *machine.Warp, in *machine.Inst, o *uop.Barrier, pred uint32) (uint32, machine.State) {
	v := machine.BarrierIn{Kind: o.Kind, Aligned: o.Aligned, ID: w.R32(in.A), Pred: pred}
	if o.Counted {
		v.Count = w.R32(in.B)
	}
	return w.Barrier(in, v)
}

func waitBarrier(w *machine.Warp, in *machine.Inst) machine.State {
	_, st := barrierAt(w, in, in.Ext.Data.(*uop.Barrier), 0)
	return st
}

func reduceCount(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*uop.Barrier)
	v, st := barrierAt(w, in, o, *w.P(in.C)^o.Flip)
	if st == machine.Next {
		fillRow(w, in.D, 32, uint64(v))
	}
	return st
}

func reducePred(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*uop.Barrier)
	v, st := barrierAt(w, in, o, *w.P(in.C)^o.Flip)
	if st == machine.Next {
		SetMask(w, in.D, -v)
	}
	return st
}

// clusterBarrier plans an instruction at the barrier of the cluster. One worker runs a cluster, in
// order, so memory is in order with and without .relaxed.
func clusterBarrier(op uop.Op) Planned {
	return Plan(func(b *Build) { b.Does(op) }, isa.C_sem).Sees(isa.M_acquire, isa.M_aligned)
}

func arriveAtCluster(w *machine.Warp, in *machine.Inst) machine.State {
	return w.ClusterBarrier(in, barriers.ClusterArrive)
}

func waitForCluster(w *machine.Warp, in *machine.Inst) machine.State {
	return w.ClusterBarrier(in, barriers.ClusterWait)
}

// bar.warp.sync membermask: 9.7.13.2.
func planWarpSync(b *Build) {
	b.warpOp(&b.In.Ops[0])
	b.Does(uop.WarpSync)
}

func warpSync(w *machine.Warp, in *machine.Inst) machine.State {
	o := warpOf(in)
	g, st := o.gather(w, in, machine.GatherIn{})
	if st == machine.Next && w.Observing() {
		ended := w.R32(o.Members)[Lowest(w.Mask)] &^ w.Live
		w.Observe(in, machine.Event{What: events.WarpMet, Lanes: w.Mask, Members: g.lanes | ended})
	}
	return st
}

// planFence: at gpu and system scope a fence orders the worker's accesses; a CTA and a cluster
// are run by one worker, in order.
func planFence(b *Build) {
	switch {
	case b.Sel.Has(isa.M_cta), b.Sel.Has(isa.M_cluster):
		b.Does(uop.Nothing)
	default:
		b.Does(uop.Fence)
	}
}

func fence(w *machine.Warp, _ *machine.Inst) machine.State {
	w.Fence()
	return machine.Next
}

func nothing(*machine.Warp, *machine.Inst) machine.State { return machine.Next }
