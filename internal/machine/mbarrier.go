package machine

// This file finds mbarrier objects in the shared memory of a cluster, applies operations to them
// and wakes who waits for their phases (9.7.13.15).

import (
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Mbarrier is an mbarrier object of a CTA of the cluster (internal/machine/mbarriers). Its methods return nil,
// or what is wrong: a fault without a place, as a step of an operation returns it and Warp.Fault takes it. What
// breaks a rule and is no fault is told to who asked (WatchMbarrier).
type Mbarrier struct {
	cta *CTA
	at  mbarriers.At
}

// MbarrierAt finds the object at a lane's address; q is of kind Atomic and of 8 aligned bytes, in
// generic or shared space.
func (w *Warp) MbarrierAt(q *Request, addr uint64, lane int) (Mbarrier, *Fault) {
	x := addr
	if q.Space == Generic {
		if !mem.InShared(addr) {
			return Mbarrier{}, &Fault{Kind: faults.WrongWindow, Lanes: 1 << lane, Addr: addr, Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space}
		}
		x -= mem.SharedWindow
	}
	p, _, f := w.resolve(q, addr, lane)
	if f != nil {
		f.Lanes = 1 << lane
		return Mbarrier{}, f
	}
	c := w.cta.cluster.ctas[x>>mem.RankShift]
	return Mbarrier{c, mbarriers.At{Set: &c.mbarriers, Addr: uint32(x), Word: (*mem.Mbarrier)(p)}}, nil
}

// Mbarrier finds the object at a shared address, rank included, for a step of an operation.
func (op *Op) Mbarrier(addr uint64) (Mbarrier, *Fault) {
	q := Request{Space: Shared, Kind: Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	b, f := op.warp.MbarrierAt(&q, addr, 0)
	if f != nil {
		f.Lanes = 0
		return b, f
	}
	op.signals(b)
	op.watchMbarrier(b)
	return b, nil
}

// Init makes an object (9.7.13.15.9), also over what is left of another.
func (b Mbarrier) Init(count uint32, v1 bool) *Fault { return b.fault(b.at.Init(count, v1)) }

// Inval ends an object (9.7.13.15.10).
func (b Mbarrier) Inval() { b.at.Inval() }

// Do does one operation and releases those who wait for the phase that it completes.
func (b Mbarrier) Do(op *mbarriers.Op, n uint32) *Fault {
	before, after, bad := b.at.Do(op, n)
	if bad != nil {
		return b.fault(bad)
	}
	b.cta.cluster.changed++
	if after.Phase != before.Phase {
		b.cta.tellPhase(b.at.Addr)
		b.cta.cluster.release(b, after, after.Word.ConditionalParity() != before.Word.ConditionalParity())
	}
	return nil
}

// Rank is that of the object's CTA in the cluster.
func (b Mbarrier) Rank() uint32 { return b.cta.crank }

// Incomplete demands that n arrivals do not complete the phase (.noComplete).
func (b Mbarrier) Incomplete(n uint32) *Fault { return b.fault(b.at.Incomplete(n)) }

// State returns the object's counts, and the number of its phase.
func (b Mbarrier) State() (mbarriers.Object, *Fault) {
	o, bad := b.at.State()
	return o, b.fault(bad)
}

// Passed tells whether the phase of a token has completed.
func (b Mbarrier) Passed(token uint64) (bool, *Fault) {
	return b.passed(func(o mbarriers.Object) bool { return o.Passed(token) })
}

// PassedParity tells whether the phase of a parity has, of the current phase or of the conditional one.
func (b Mbarrier) PassedParity(parity uint32, conditional bool) (bool, *Fault) {
	return b.passed(func(o mbarriers.Object) bool { return o.PassedParity(parity, conditional) })
}

func (b Mbarrier) passed(by func(mbarriers.Object) bool) (bool, *Fault) {
	o, f := b.State()
	if f != nil || !by(o) {
		return false, f
	}
	b.tellPhase(o.Phase)
	return true, nil
}

func (b Mbarrier) fault(bad *mbarriers.Wrong) *Fault {
	if bad == nil {
		return nil
	}
	return &Fault{Kind: faults.BadMbarrier, Addr: uint64(b.at.Addr), Value: bad.Value, Space: Shared, Text: bad.Text}
}
