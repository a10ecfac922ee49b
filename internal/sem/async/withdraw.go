package async

// clusterlaunchcontrol, 9.7.13.17 and 9.7.13.18: a CTA takes over the work of a cluster that has not begun. The answer is
// opaque, and its layout our own: the coordinates of the cluster's first CTA in three words, then 1 for success.

import (
	"encoding/binary"
	"iter"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

const answerBytes = 16

func withdrawLines() []sem.Line {
	return []sem.Line{
		{ID: isa.ClusterlaunchcontrolTryCancel, Do: sem.Plan(planWithdraw, isa.C_ss).Sees(isa.M_multicast_cluster_all)},
		{ID: isa.ClusterlaunchcontrolQueryCancel, When: sem.Of(isa.M_is_canceled), Do: sem.Plan(planWithdrawn)},
		{ID: isa.ClusterlaunchcontrolQueryCancel, When: sem.Of(isa.M_get_first_ctaid), Do: sem.Plan(planFirstCTA)},
		{ID: isa.ClusterlaunchcontrolQueryCancel, Do: sem.Plan(planFirstCTA, isa.C_dim)},
	}
}

// withdrawOp is the decode-time constant of clusterlaunchcontrol.try_cancel [addr], [mbar].
type withdrawOp struct {
	uop.Private
	space   machine.Space
	to, bar sem.Address
	all     bool // CTAs of the cluster get the answer
}

func planWithdraw(b *sem.Build) {
	o := &withdrawOp{to: b.AddressAt(&b.In.Ops[0]), bar: b.AddressAt(&b.In.Ops[1]), all: b.Sel.Has(isa.M_multicast_cluster_all)}
	o.space = machine.Generic
	if b.Sel.Has(isa.M_shared_cta) {
		o.space = machine.Shared
	}
	b.Ext().Data = o
	b.Does(uop.Withdraw)
}

// withdraw begins a request for each lane.
func withdraw(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*withdrawOp)
	var to, bars [32]uint64
	o.to.Lanes(w, &to, 0)
	o.bar.Lanes(w, &bars, 0)
	return sem.OneByOne(w, func(i int) machine.State {
		to, bars := to, bars
		if o.space == machine.Generic {
			if !mem.InShared(to[i]) {
				return w.Fault(in, &machine.Fault{
					Kind: faults.WrongWindow, Lanes: 1 << i, Addr: to[i], Size: answerBytes, Align: answerBytes, Access: machine.Store, Space: machine.Generic,
				})
			}
			to[i] -= mem.SharedWindow
		}
		if st := mbarriersAt(w, in, o.space, &bars, &to); st != machine.Next {
			return st
		}
		r := &withdrawal{}
		q := machine.Request{Space: machine.Shared, Kind: machine.Store, Size: answerBytes, Align: answerBytes, OwnCTA: true}
		if _, st := w.Access(in, &q, &to); st != machine.Next {
			return st
		}
		r.at, r.bars = []uint64{to[i]}, []uint64{bars[i]}
		if o.all {
			r.everywhere(uint64(w.ClusterSize()))
			if st := r.check(w, in, i); st != machine.Next {
				return st
			}
		}
		return w.Issue(in, &machine.Op{
			Entry: queue.Entry{Pipe: queue.Store}, Proxy: model.AsyncProxy, Read: r.ask, Write: r.write, Signal: r.signal, Touches: r.touches,
		})
	})
}

// withdrawal is a request of a lane: where its answer goes, and the mbarrier there for each.
type withdrawal struct {
	at, bars []uint64 // shared addresses
	answer   [answerBytes]byte
}

// everywhere turns a place of the CTA's into the same one in each CTA of its cluster.
func (r *withdrawal) everywhere(size uint64) {
	at, bar := r.at[0]&(mem.MaxShared-1), r.bars[0]&(mem.MaxShared-1)
	r.at, r.bars = nil, nil
	for rank := range size {
		r.at, r.bars = append(r.at, at|rank<<mem.RankShift), append(r.bars, bar|rank<<mem.RankShift)
	}
}

// check checks the places in all CTAs, none of which may have ended.
func (r *withdrawal) check(w *machine.Warp, in *machine.Inst, lane int) machine.State {
	q := machine.Request{Space: machine.Shared, Kind: machine.Store, Size: answerBytes, Align: answerBytes}
	for k := range r.at {
		var at, bar [32]uint64
		at[lane], bar[lane] = r.at[k], r.bars[k]
		if _, st := w.Access(in, &q, &at); st != machine.Next {
			return st
		}
		if st := mbarriersAt(w, in, machine.Shared, &bar, nil); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

func (r *withdrawal) ask(op *machine.Op) *machine.Fault {
	first, ok := op.Withdraw()
	for i, v := range first {
		binary.LittleEndian.PutUint32(r.answer[4*i:], v)
	}
	r.answer[12] = byte(sem.Bit(ok))
	return nil
}

func (r *withdrawal) write(op *machine.Op) *machine.Fault {
	for _, at := range r.at {
		copy(op.Shared(at, answerBytes), r.answer[:])
	}
	return nil
}

func (r *withdrawal) signal(op *machine.Op) *machine.Fault {
	for _, at := range r.bars {
		b, f := op.Mbarrier(at)
		if f == nil {
			f = b.Do(mbarriers.CompleteTx, answerBytes)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

func (r *withdrawal) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for _, at := range r.at {
			if !yield(op.Extent(machine.Shared, sem.Lowest(op.Lanes), at, answerBytes), machine.Store) {
				return
			}
		}
	}
}

func planWithdrawn(b *sem.Build) {
	b.Out.D = b.Dst(&b.In.Ops[0], 1)
	b.Out.A, b.Out.B = b.Halves(&b.In.Ops[1])
	b.Does(uop.Withdrawn)
}

func withdrawn(w *machine.Warp, in *machine.Inst) machine.State {
	p := uint32(0)
	for i, v := range w.R64(in.B) {
		p |= uint32(v>>32&1) << i
	}
	sem.SetMask(w, in.D, p)
	return machine.Next
}

// planFirstCTA takes the words of an answer apart.
func planFirstCTA(b *sem.Build) {
	d := &b.In.Ops[0]
	words := [4]ir.Operand{{Kind: ir.OpSink}, {Kind: ir.OpSink}, {Kind: ir.OpSink}, {Kind: ir.OpSink}}
	switch b.Sel.Get(isa.C_dim) {
	case isa.M_get_first_ctaid_x:
		words[0] = *d
	case isa.M_get_first_ctaid_y:
		words[1] = *d
	case isa.M_get_first_ctaid_z:
		words[2] = *d
	default:
		copy(words[:], d.Elems)
	}
	for i := range words {
		b.Ext().Dst = append(b.Ext().Dst, b.Dst(&words[i], 32))
	}
	b.Out.Imm = 32
	b.Out.A, b.Out.B = b.Halves(&b.In.Ops[1])
	b.Does(uop.Unpack128)
}
