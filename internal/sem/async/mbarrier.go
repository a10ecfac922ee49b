package async

// mbarrier, 9.7.13.15 (9.4: 9.7.15.16): objects in shared memory that count arrivals of threads
// and bytes of copies. What an operation does to an object is in package mem, who waits in
// package machine.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// One worker runs a cluster, in order, so memory is in order with and without .relaxed, in every
// scope of a cluster.
func mbarrierLines() []sem.Line {
	return []sem.Line{
		{ID: isa.MbarrierInit, Do: sem.Plan(planInit, isa.C_layout, isa.C_ss)},
		{ID: isa.MbarrierInval, Do: sem.Plan(planInval, isa.C_ss)},
		{ID: isa.MbarrierExpectTx, Do: mbarrierCount(mbarriers.ExpectTx, true)},
		{ID: isa.MbarrierCompleteTx, Do: mbarrierCount(mbarriers.CompleteTx, false)},
		{ID: isa.MbarrierArrive, Do: mbarrierArrive(false)},
		{ID: isa.MbarrierArriveDrop, Do: mbarrierArrive(true)},
		{ID: isa.MbarrierTestWait, Do: mbarrierWait(false)},
		{ID: isa.MbarrierTryWait, Do: mbarrierWait(true)},
		{ID: isa.MbarrierCheckLayout, Do: sem.Plan(planCheckLayout, isa.C_layout, isa.C_ss)},
	}
}

// mbarrierOp is the decode-time constant of an operation on mbarriers.
type mbarrierOp struct {
	uop.Private
	machine.Request
	find sem.Finder
	do   func(b machine.Mbarrier, n uint32) *machine.Fault

	count    uint32 // row of the operand of do; unset: 1
	counted  bool
	state    uint32 // row of states, if there is a result
	result   bool
	ranks    uint32 // row of masks of CTAs, if multicast
	multi    bool
	restrict bool // .noComplete

	parity      bool // waits: phase is a parity
	phase       uint32
	conditional bool   // of the conditional phase
	hint        uint32 // row of time limits, if there is one
	hinted      bool
	report      uint32 // mask of the report predicate
	value       uint32 // row of the report value
	v1          bool

	expects bool // names bytes to come
	use     mbarriers.Use
	order   model.Order // of waits
	scope   model.Scope
}

// asked keeps, for reports of leaks, where an mbarrier was told of bytes to come.
func (o *mbarrierOp) asked(w *machine.Warp, in *machine.Inst, b machine.Mbarrier) {
	if o.expects && w.Leaks() {
		w.Asked(in, b)
	}
}

// newMbarrierOp places the address. own says that the object must be the CTA's own.
func newMbarrierOp(b *sem.Build, a *ir.Operand, own bool) *mbarrierOp {
	o := &mbarrierOp{}
	o.Request = machine.Request{Space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), Kind: machine.Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	o.OwnCTA = own || b.Sel.Has(isa.M_shared) || b.Sel.Has(isa.M_shared_cta)
	if a.Var != nil && a.Var.Space == ir.SpaceShared { // examples of 9.7.13.15.17 name a variable without .shared
		o.Space = machine.Shared
	}
	o.find = b.Find(a, "an mbarrier lies in shared memory")
	b.Ext().Data = o
	return o
}

// eachMbarrier finds the objects of all lanes of w.Mask, then visits them in ascending order.
func (o *mbarrierOp) each(w *machine.Warp, in *machine.Inst, visit func(i int, b machine.Mbarrier) *machine.Fault) machine.State {
	var objects [32]machine.Mbarrier
	if st := o.locate(w, in, &objects); st != machine.Next {
		return st
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if f := visit(i, objects[i]); f != nil {
			return failLane(w, in, f, i)
		}
	}
	return machine.Next
}

func (o *mbarrierOp) locate(w *machine.Warp, in *machine.Inst, objects *[32]machine.Mbarrier) machine.State {
	addr := o.find(w, in)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var f *machine.Fault
		if objects[i], f = w.MbarrierAt(&o.Request, addr[i]+in.Imm, i); f != nil {
			return failLane(w, in, f, i)
		}
	}
	return machine.Next
}

func failLane(w *machine.Warp, in *machine.Inst, f *machine.Fault, lane int) machine.State {
	if f.Lanes == 0 {
		f.Lanes = 1 << lane
	}
	return w.Fault(in, f)
}

// mbarrier.init [addr], count: 9.7.13.15.9.
func planInit(b *sem.Build) {
	o := newMbarrierOp(b, &b.In.Ops[0], true)
	o.count, o.counted, o.v1, o.use = b.Src(&b.In.Ops[1], 32), true, b.Sel.Has(isa.M_layout_v1), mbarriers.Inits
	o.do = func(m machine.Mbarrier, n uint32) *machine.Fault { return m.Init(n, o.v1) }
	b.Does(uop.Mbarrier)
}

// mbarrier.inval [addr]: 9.7.13.15.10.
func planInval(b *sem.Build) {
	o := newMbarrierOp(b, &b.In.Ops[0], true)
	o.use = mbarriers.Invals
	o.do = func(m machine.Mbarrier, _ uint32) *machine.Fault { m.Inval(); return nil }
	b.Does(uop.Mbarrier)
}

// mbarrierCount plans [addr], tx{, ctaMask}: 9.7.13.15.11 and 12.
func mbarrierCount(op *mbarriers.Op, expects bool) sem.Planned {
	return sem.Plan(func(b *sem.Build) {
		o := newMbarrierOp(b, &b.In.Ops[0], false)
		o.do, o.expects = counts(op), expects
		mbarrierOperands(b, o, b.In.Ops[1:])
	}, isa.C_ss, isa.C_sem, isa.C_scope).Sees(isa.M_multicast_cluster_32b)
}

func counts(op *mbarriers.Op) func(machine.Mbarrier, uint32) *machine.Fault {
	return func(m machine.Mbarrier, n uint32) *machine.Fault { return m.Do(op, n) }
}

// mbarrierOperands places what stands behind the address, and chooses the handler.
func mbarrierOperands(b *sem.Build, o *mbarrierOp, ops []ir.Operand) {
	if o.multi = b.Sel.Has(isa.M_multicast_cluster_32b); o.multi {
		o.ranks = b.Src(&ops[len(ops)-1], 32)
		ops = ops[:len(ops)-1]
	}
	if len(ops) > 0 {
		o.count, o.counted = b.Src(&ops[0], 32), true
	}
	if o.multi {
		b.Does(uop.MbarrierMulticast)
		return
	}
	b.Does(uop.Mbarrier)
}

// mbarrierArrive plans state, [addr]{, count|tx}{, ctaMask}: 9.7.13.15.13 and 14. An object of
// another CTA gives no state, so a destination asks for the CTA's own.
func mbarrierArrive(drop bool) sem.Planned {
	return sem.Plan(func(b *sem.Build) {
		d := &b.In.Ops[0]
		result := d.Kind != ir.OpSink
		o := newMbarrierOp(b, &b.In.Ops[1], result)
		if o.result = result; result {
			o.state = b.Dst(d, 64)
		}
		o.restrict = b.Sel.Has(isa.M_noComplete)
		o.expects = b.Sel.Has(isa.M_expect_tx)
		o.do = arrival(drop, b.Sel.Has(isa.M_expect_tx), o.restrict)
		mbarrierOperands(b, o, b.In.Ops[2:])
	}, isa.C_ss, isa.C_sem, isa.C_scope).Sees(isa.M_multicast_cluster_32b, isa.M_expect_tx, isa.M_noComplete)
}

// arrival is what an arrival with these modifiers does to an object.
func arrival(drop, expect, restrict bool) func(machine.Mbarrier, uint32) *machine.Fault {
	return func(m machine.Mbarrier, n uint32) *machine.Fault {
		leave := n
		if expect {
			leave = 1
		}
		if restrict {
			if f := m.Incomplete(n); f != nil {
				return f
			}
		}
		if drop {
			if f := m.Do(mbarriers.Drop, leave); f != nil {
				return f
			}
		}
		if expect {
			return m.Do(mbarriers.ArriveExpectTx, n)
		}
		return m.Do(mbarriers.Arrive, n)
	}
}

// operand is the operand of do in a lane.
func (o *mbarrierOp) operand(w *machine.Warp, i int) uint32 {
	if !o.counted {
		return 1
	}
	return w.R32(o.count)[i&31]
}

func mbarrierSimple(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*mbarrierOp)
	return o.each(w, in, func(i int, b machine.Mbarrier) *machine.Fault {
		n := o.operand(w, i)
		if o.result {
			now, f := b.State()
			if f != nil {
				return f
			}
			defer func() { w.R64(o.state)[i&31] = now.Token() }()
		}
		w.WatchMbarrier(in, b, i, o.use)
		f := o.do(b, n)
		o.asked(w, in, b)
		return f
	})
}

// mbarrierMulticast does the operation at the address's offset in each CTA of a lane's mask
// (9.4: 9.7.15.16.14).
func mbarrierMulticast(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*mbarrierOp)
	addr := o.find(w, in)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		n, x := o.operand(w, i), addr[i]+in.Imm
		for ranks := w.R32(o.ranks)[i]; ranks != 0; ranks &= ranks - 1 {
			rank := uint64(bits.TrailingZeros32(ranks))
			b, f := w.MbarrierAt(&o.Request, mem.InRank(x, rank), i)
			if f == nil && o.result && rank == uint64(b.Rank()) {
				var now mbarriers.Object
				now, f = b.State()
				w.R64(o.state)[i] = now.Token()
			}
			if f == nil {
				w.WatchMbarrier(in, b, i, o.use)
				f = o.do(b, n)
				o.asked(w, in, b)
			}
			if f != nil {
				return failLane(w, in, f, i)
			}
		}
	}
	return machine.Next
}

// mbarrierWait plans p{|report}{, value}, [addr], phase{, hint}: 9.7.13.15.16.
func mbarrierWait(suspends bool) sem.Planned {
	return sem.Plan(func(b *sem.Build) {
		ops := b.In.Ops
		at := 1
		if len(ops[1].Elems) == 0 && ops[1].Kind != ir.OpMem {
			at = 2
		}
		o := newMbarrierOp(b, &ops[at], true)
		o.report, o.value = b.Scratch(regs.Pred), b.Scratch(regs.Row32)
		o.order, o.scope = sem.OrderOf(b.Sel)
		p := &ops[0]
		if p.Kind == ir.OpPair {
			o.report = b.Dst(&p.Elems[1], 1)
			p = &p.Elems[0]
		}
		if at == 2 {
			o.value = b.Dst(&ops[1], 32)
		}
		b.Out.D = b.Dst(p, 1)
		width := 64
		if o.parity = b.Sel.Has(isa.M_parity); o.parity {
			width = 32
		}
		o.conditional = b.Sel.Has(isa.M_phase_type_conditional)
		o.phase = b.Src(&ops[at+1], width)
		if len(ops) > at+2 {
			o.hint, o.hinted = b.Src(&ops[at+2], 32), true
		}
		if b.Does(uop.MbarrierTest); suspends {
			b.Does(uop.MbarrierTry)
		}
	}, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_phase_type).Sees(isa.M_parity)
}

// passed returns the lanes of w.Mask whose phase has completed, the released ones of them included.
func (o *mbarrierOp) passed(w *machine.Warp, in *machine.Inst, objects *[32]machine.Mbarrier, released uint32) (done uint32, st machine.State) {
	if st = o.locate(w, in, objects); st != machine.Next {
		return 0, st
	}
	done = w.Mask & released
	for m := w.Mask &^ released; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		ok, f := o.look(w, in, objects[i], i)
		if f != nil {
			return 0, failLane(w, in, f, i)
		}
		done |= sem.Bit(ok) << i
	}
	return done, machine.Next
}

// look tells whether the phase that a lane waits for has completed.
func (o *mbarrierOp) look(w *machine.Warp, in *machine.Inst, b machine.Mbarrier, i int) (bool, *machine.Fault) {
	w.WatchMbarrier(in, b, i, o.use)
	if o.parity {
		parity := w.R32(o.phase)[i]
		w.WatchParity(in, b, i, parity)
		return b.PassedParity(parity, o.conditional)
	}
	token := w.R64(o.phase)[i]
	w.WatchToken(in, b, i, token)
	return b.Passed(token)
}

// tell writes the results of a wait, and tells observers which lanes have seen a phase complete. Those that are released have the
// report of the phase that they waited for.
func (o *mbarrierOp) tell(w *machine.Warp, in *machine.Inst, objects *[32]machine.Mbarrier, done uint32, by machine.Released) machine.State {
	if done != 0 && w.Observing() {
		addr := *o.find(w, in)
		for i := range addr {
			addr[i] += in.Imm
		}
		w.Observe(in, machine.Event{What: events.PhaseSeen, Space: o.Space, Lanes: done, Addr: &addr, Size: mem.MbarrierBytes, Order: o.order, Scope: o.scope})
	}
	failed, values := uint32(0), w.R32(o.value)
	sem.Each(w.Mask, func(i int) {
		values[i&31] = 0
		if done>>i&1 != 0 {
			word := by.Word
			if by.Lanes>>i&1 == 0 {
				o, _ := objects[i].State() // passed has seen it
				word = o.Word
			}
			bad, value := word.Reported()
			failed |= sem.Bit(bad) << i
			values[i&31] = value
		}
	})
	sem.SetMask(w, in.D, done)
	sem.SetMask(w, o.report, failed)
	return machine.Next
}

func testWait(w *machine.Warp, in *machine.Inst) machine.State {
	var objects [32]machine.Mbarrier
	o := in.Ext.Data.(*mbarrierOp)
	done, st := o.passed(w, in, &objects, 0)
	if st != machine.Next {
		return st
	}
	return o.tell(w, in, &objects, done, machine.Released{})
}

// tryWait suspends the lanes until the phase of one of them completes, or the longest of their
// times is over.
func tryWait(w *machine.Warp, in *machine.Inst) machine.State {
	var objects [32]machine.Mbarrier
	o := in.Ext.Data.(*mbarrierOp)
	by, resumed := w.Resumed()
	done, st := o.passed(w, in, &objects, by.Lanes)
	if st != machine.Next {
		return st
	}
	if done == 0 && !resumed {
		return w.Suspend(in, &objects, o.conditional, o.limit(w))
	}
	return o.tell(w, in, &objects, done, by)
}

// limit is the longest time, in nanoseconds, that a lane of w.Mask allows.
func (o *mbarrierOp) limit(w *machine.Warp) uint64 {
	if !o.hinted {
		return machine.DefaultSuspend
	}
	t, most := w.R32(o.hint), uint32(0)
	sem.Each(w.Mask, func(i int) { most = max(most, t[i]) })
	return uint64(most)
}

// mbarrier.check_layout p, [addr]: 9.3: 9.7.13.15.18.
func planCheckLayout(b *sem.Build) {
	b.Out.D = b.Dst(&b.In.Ops[0], 1)
	o := newMbarrierOp(b, &b.In.Ops[1], true)
	o.v1 = b.Sel.Has(isa.M_layout_v1)
	b.Does(uop.MbarrierLayout)
}

func checkLayout(w *machine.Warp, in *machine.Inst) machine.State {
	o, p := in.Ext.Data.(*mbarrierOp), uint32(0)
	st := o.each(w, in, func(i int, b machine.Mbarrier) *machine.Fault {
		w.WatchMbarrier(in, b, i, o.use)
		m, f := b.State()
		p |= sem.Bit(m.Word.V1() == o.v1) << i
		return f
	})
	if st == machine.Next {
		sem.SetMask(w, in.D, p)
	}
	return st
}
