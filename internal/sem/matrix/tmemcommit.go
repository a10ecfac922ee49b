package matrix

// tcgen05.commit, 9.7.16.12.1: an arrival at an mbarrier, or at one in each CTA of a mask, behind
// all earlier operations in the tensor pipe of the CTA.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// tensorCommitOp is the decode-time constant of tcgen05.commit [mbar]{, mask}.
type tensorCommitOp struct {
	uop.Private
	at    machine.Request
	to    sem.Address
	many  bool
	masks uint32 // row
}

func planTensorCommit(b *sem.Build) {
	o := &tensorCommitOp{to: b.AddressAt(&b.In.Ops[0]), many: b.Sel.Get(isa.C_multicast) != 0}
	o.at = machine.Request{Space: machine.Generic, Kind: machine.Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	if b.Sel.Has(isa.M_shared_cluster) {
		o.at.Space = machine.Shared
	}
	if o.many {
		o.masks = b.Src(&b.In.Ops[1], 32)
	}
	b.Ext().Data = o
	b.Does(uop.TensorCommit)
}

func commitTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*tensorCommitOp)
	var to [32]uint64
	o.to.Lanes(w, &to, 0)
	return sem.OneByOne(w, func(i int) machine.State {
		c := tensorCommit{}
		if f := c.locate(w, o, to[i], i); f != nil {
			return w.Fault(in, f)
		}
		return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.Tensor, After: true}, Signal: c.signal})
	})
}

// tensorCommit is the shared addresses of the objects that get an arrival.
type tensorCommit struct{ at []uint64 }

// locate finds the objects: with a mask, the same offset in each of its CTAs. They must be there
// now; whether they are mbarriers is seen when the arrival comes.
func (c *tensorCommit) locate(w *machine.Warp, o *tensorCommitOp, addr uint64, lane int) *machine.Fault {
	if _, f := w.MbarrierAt(&o.at, addr, lane); f != nil {
		return f
	}
	if o.at.Space == machine.Generic {
		addr -= mem.SharedWindow
	}
	if !o.many {
		c.at = []uint64{addr}
		return nil
	}
	mask, size := w.R32(o.masks)[lane], w.ClusterSize()
	if mask == 0 || mask>>size != 0 {
		return &machine.Fault{
			Kind: faults.BadMbarrier, Lanes: 1 << lane, Addr: addr,
			Text: fmt.Sprintf("ctaMask %#x of tcgen05.commit names CTAs that the cluster of %d does not have, or none", mask, size),
		}
	}
	sem.Each(mask, func(rank int) { c.at = append(c.at, addr&(mem.MaxShared-1)|uint64(rank)<<mem.RankShift) })
	return nil
}

func (c *tensorCommit) signal(op *machine.Op) *machine.Fault {
	for _, at := range c.at {
		b, f := op.Mbarrier(at)
		if f == nil {
			op.TellArrival(at)
			f = b.Do(mbarriers.Arrive, 1)
		}
		if f != nil {
			return f
		}
	}
	return nil
}
