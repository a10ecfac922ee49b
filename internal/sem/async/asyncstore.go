package async

// Stores and reductions of registers that a lane does not wait for, 9.7.9.12 and 9.7.13.7: to
// shared memory of the cluster, where they tell an mbarrier, and to global memory.

import (
	"encoding/binary"
	"fmt"
	"iter"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func asyncStoreLines() []sem.Line {
	return []sem.Line{
		{ID: isa.StAsync, Do: sem.Plan(planStoreAsync, isa.C_ss, isa.C_scope, isa.C_vec, isa.C_type)},
		{ID: isa.StAsyncGlobal, Do: sem.Plan(planStoreAsync, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_type).Sees(isa.M_mmio)},
		{ID: isa.RedAsync, Do: sem.Plan(planRedAsync, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_op, isa.C_type)},
		{ID: isa.RedAsyncGlobal, Do: sem.Plan(planRedAsync, isa.C_ss, isa.C_sem, isa.C_scope, isa.C_type).Sees(isa.M_mmio)},
		{ID: isa.CpAsyncMbarrierArrive, Do: sem.Plan(planArriveAsync, isa.C_ss).Sees(isa.M_noinc)},
	}
}

// storeOp is the decode-time constant of st.async and red.async.
type storeOp struct {
	uop.Private
	to   machine.Request
	a    sem.Address
	bar  *sem.Address // nil: to global memory, no mbarrier is told
	elem uint32       // bytes of an element; 8 for the halves of 128 bits
	rows []uint32     // of the elements
	bits []int        // of their registers
	red  *sem.Rmw     // nil: a store
	many bool         // to all copies of a multicast address
}

// planStoreAsync sets up st.async [a], b{, [mbar]}.
func planStoreAsync(b *sem.Build) {
	o := newStoreOp(b, machine.Store)
	b.Ext().Data = o
	b.Does(uop.StoreAsync)
}

// planRedAsync sets up red.async [a], b{, [mbar]}.
func planRedAsync(b *sem.Build) {
	o := newStoreOp(b, machine.Atomic)
	f := sem.RmwOf(b.Sel)
	o.red = &f
	b.Ext().Data = o
	b.Does(uop.StoreAsync)
}

func newStoreOp(b *sem.Build, kind machine.AccessKind) *storeOp {
	t := b.Sel.Type(isa.C_type)
	values := sem.Elements(&b.In.Ops[1])
	o := &storeOp{elem: uint32(t.Bytes()), a: b.AddressAt(&b.In.Ops[0]), many: sem.Multicasts(b.Sel.ID())}
	o.to = machine.Request{Kind: kind, Space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), Size: o.elem * uint32(len(values))}
	o.to.Align, o.to.OwnCTA = o.to.Size, ownCTA(b.Sel.Get(isa.C_ss))
	if bar := b.In.Op(isa.R_mbar); bar != nil {
		at := b.AddressAt(bar)
		o.bar = &at
	}
	for i := range values {
		if o.elem == 16 {
			lo, hi := b.Halves(&values[i])
			o.rows, o.bits = append(o.rows, lo, hi), append(o.bits, 64, 64)
			continue
		}
		bits := b.OperandBits(&values[i], t.Bits())
		o.rows, o.bits = append(o.rows, b.Src(&values[i], bits)), append(o.bits, bits)
	}
	o.elem = min(o.elem, 8)
	return o
}

// ownCTA reports whether a space is shared memory of the executing CTA only.
func ownCTA(space isa.Mod) bool { return space == isa.M_shared || space == isa.M_shared_cta }

// storeRecord is what an open store keeps.
type storeRecord struct {
	*storeOp
	addr, bars [32]uint64   // of shared memory: in the window
	copies     [32][]uint64 // of multicast addresses
	data       [32][16]byte
}

// storeAsync reads the registers and checks all addresses before anything is stored.
func storeAsync(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*storeOp)
	r := &storeRecord{storeOp: o}
	o.a.Lanes(w, &r.addr, 0)
	if st := r.check(w, in); st != machine.Next {
		return st
	}
	if st := o.place(w, in, &r.addr); st != machine.Next {
		return st
	}
	op := &machine.Op{Entry: queue.Entry{Pipe: queue.Store}, Write: r.write, Touches: r.touches}
	if o.bar != nil {
		o.bar.Lanes(w, &r.bars, 0)
		if st := mbarriersAt(w, in, o.to.Space, &r.bars, &r.addr); st != machine.Next {
			return st
		}
		op.Signal = r.signal
	}
	sem.Each(w.Mask, func(i int) {
		for k, row := range o.rows {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], sem.LoadElem(w, row, o.bits[k], i))
			copy(r.data[i][uint32(k)*o.elem:], word[:o.elem])
		}
	})
	return w.Issue(in, op)
}

// check checks what all lanes write.
func (r *storeRecord) check(w *machine.Warp, in *machine.Inst) machine.State {
	if !r.many {
		_, st := w.Access(in, &r.to, &r.addr)
		return st
	}
	return eachCopy(w, in, &r.to, &r.addr, func(i int, at uint64, _ mem.Pointer) { r.copies[i] = append(r.copies[i], at) })
}

// targets lists the addresses that a lane writes to.
func (r *storeRecord) targets(i int) []uint64 {
	if r.many {
		return r.copies[i]
	}
	return []uint64{r.addr[i]}
}

// place turns generic addresses of shared memory into those of its window; a generic address
// must name the memory that the form is for.
func (o *storeOp) place(w *machine.Warp, in *machine.Inst, addr *[32]uint64) machine.State {
	if o.to.Space != machine.Generic {
		return machine.Next
	}
	wrong := uint32(0)
	sem.Each(w.Mask, func(i int) {
		switch {
		case mem.InShared(addr[i]) != (o.bar != nil) || mem.InLocal(addr[i]):
			wrong |= 1 << i
		case o.bar != nil:
			addr[i] -= mem.SharedWindow
		}
	})
	if wrong == 0 {
		return machine.Next
	}
	return w.Fault(in, &machine.Fault{
		Kind: faults.WrongWindow, Lanes: wrong, Addr: addr[sem.Lowest(wrong)], Size: o.to.Size, Align: o.to.Align, Access: o.to.Kind, Space: machine.Generic,
	})
}

// mbarriersAt checks the lanes' mbarrier addresses and turns generic ones into those of the
// shared window. An mbarrier lies in the CTA whose memory the operation writes (9.7.9.12); dst
// is nil if it writes none.
func mbarriersAt(w *machine.Warp, in *machine.Inst, space machine.Space, addr, dst *[32]uint64) machine.State {
	q := machine.Request{Space: space, Kind: machine.Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	for m := w.Mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		if _, f := w.MbarrierAt(&q, addr[i], i); f != nil {
			return w.Fault(in, f)
		}
		if space == machine.Generic {
			addr[i] -= mem.SharedWindow
		}
		if dst != nil && addr[i]>>mem.RankShift != dst[i]>>mem.RankShift {
			return w.Fault(in, &machine.Fault{
				Kind: faults.BadMbarrier, Lanes: 1 << i, Addr: addr[i], Value: dst[i], Space: machine.Shared,
				Text: fmt.Sprintf("it lies in rank %d of the cluster, what is written in rank %d", addr[i]>>mem.RankShift, dst[i]>>mem.RankShift),
			})
		}
	}
	return machine.Next
}

func (r *storeRecord) write(op *machine.Op) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		data := r.data[i][:r.to.Size]
		if r.bar != nil {
			r.put(op.Shared(r.addr[i], uint64(r.to.Size)), data, true)
			continue
		}
		for _, at := range r.targets(i) {
			b, f := op.Global(at, uint64(r.to.Size), r.to.Kind)
			if f != nil {
				f.Lanes = 1 << i
				return f
			}
			r.put(b, data, false)
		}
	}
	return nil
}

// put stores or combines one lane's elements.
func (r *storeRecord) put(to, data []byte, shared bool) {
	switch {
	case r.red != nil:
		u := r.red.Updates()
		u.ApplyRun(to, data, r.elem, shared)
	case shared:
		copy(to, data)
	default:
		mem.StoreElement(to, data)
	}
}

func (r *storeRecord) signal(op *machine.Op) *machine.Fault {
	return completeTx(op, &r.bars, func(int) uint32 { return r.to.Size })
}

// completeTx tells each lane's mbarrier that its bytes have come.
func completeTx(op *machine.Op, bar *[32]uint64, bytes func(lane int) uint32) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		if f := completeOne(op, i, bar[i], bytes(i)); f != nil {
			return f
		}
	}
	return nil
}

func completeOne(op *machine.Op, lane int, bar uint64, bytes uint32) *machine.Fault {
	b, f := op.Mbarrier(bar)
	if f == nil {
		f = b.Do(mbarriers.CompleteTx, bytes)
	}
	if f != nil {
		f.Lanes = 1 << lane
	}
	return f
}

func (r *storeRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	space := machine.Global
	if r.bar != nil {
		space = machine.Shared
	}
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for m := op.Lanes; m != 0; m &= m - 1 {
			i := sem.Lowest(m)
			for _, at := range r.targets(i) {
				if !yield(op.Extent(space, i, at, uint64(r.to.Size)), r.to.Kind) {
					return
				}
			}
		}
	}
}

// arriveOp is the decode-time constant of cp.async.mbarrier.arrive.
type arriveOp struct {
	uop.Private
	space machine.Space
	at    sem.Address
	more  bool // not .noinc: the phase expects one arrival more
}

// planArriveAsync sets up cp.async.mbarrier.arrive [addr]: 9.7.13.15.15.
func planArriveAsync(b *sem.Build) {
	o := &arriveOp{space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), at: b.AddressAt(&b.In.Ops[0]), more: !b.Sel.Has(isa.M_noinc)}
	b.Ext().Data = o
	b.Does(uop.ArriveAsync)
}

func arriveAsync(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*arriveOp)
	var bar [32]uint64
	o.at.Lanes(w, &bar, 0)
	if st := mbarriersAt(w, in, o.space, &bar, nil); st != machine.Next {
		return st
	}
	if o.more {
		if f := expectMore(w, &bar); f != nil {
			return w.Fault(in, f)
		}
	}
	return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.Copy, After: true}, Signal: func(op *machine.Op) *machine.Fault {
		for m := op.Lanes; m != 0; m &= m - 1 {
			i := sem.Lowest(m)
			b, f := op.Mbarrier(bar[i])
			if f == nil {
				f = b.Do(mbarriers.Arrive, 1)
			}
			if f != nil {
				f.Lanes = 1 << i
				return f
			}
		}
		return nil
	}})
}

// expectMore makes each lane's phase expect one arrival more.
func expectMore(w *machine.Warp, bar *[32]uint64) *machine.Fault {
	q := machine.Request{Space: machine.Shared, Kind: machine.Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	for m := w.Mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		b, f := w.MbarrierAt(&q, bar[i], i)
		if f == nil {
			f = b.Do(mbarriers.Expect, 1)
		}
		if f != nil {
			f.Lanes = 1 << i
			return f
		}
	}
	return nil
}
