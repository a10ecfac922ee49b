package async

// Copies from global to shared memory without registers, 9.7.9.25.3: a record for each warp's
// instruction, or, in mode Eager, a copy at once.

import (
	"iter"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func asyncLines() []sem.Line {
	return []sem.Line{
		{ID: isa.CpAsyncCa, Do: sem.Plan(planCopy, isa.C_ss)},
		{ID: isa.CpAsyncCg, Do: sem.Plan(planCopy, isa.C_ss)},
		{ID: isa.CpAsyncCommitGroup, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.CommitCopies) })},
		{ID: isa.CpAsyncWaitGroup, Do: sem.Plan(planWaitGroup(uop.WaitCopies))},
		{ID: isa.CpAsyncWaitAll, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.WaitAllCopies) })},
	}
}

// copyOp is the decode-time constant of cp.async: [A+Imm] in shared memory = [from] in global
// memory, size bytes of which the first as many as rest says are read.
type copyOp struct {
	uop.Private
	to, src machine.Request
	from    sem.Address
	find    sem.Finder
	size    uint32
	rest    restKind
	row     uint32 // of rest
	flip    uint32 // all ones if rest is a negated predicate
}

// restKind says how a copy limits what it reads.
type restKind uint8

const (
	readAll restKind = iota
	readCount
	readUnless // a predicate: nothing where it is true
)

// planCopy sets up cp.async [dst], [src], cp-size{, src-size|ignore-src}{, policy}.
func planCopy(b *sem.Build) {
	ops := b.In.Ops
	o := &copyOp{size: uint32(ops[2].Imm), from: b.AddressAt(&ops[1])}
	o.to = machine.Request{Space: machine.Shared, Kind: machine.Store, Size: o.size, Align: o.size, OwnCTA: true}
	o.src = machine.Request{Space: machine.Global, Kind: machine.Load, Size: o.size, Align: o.size}
	o.find = b.Find(&ops[0], "asynchronous operations work on global and shared memory")
	if at := b.Sel.At(isa.R_rest); at != nil {
		copyRest(b, o, &ops[at.Op])
	}
	b.Ext().Data = o
	b.Does(uop.CopyAsync)
}

// copyRest places the operand that limits what is read.
func copyRest(b *sem.Build, o *copyOp, rest *ir.Operand) {
	switch {
	case rest.Kind == ir.OpReg && b.Bits(rest.Reg) == 1:
		o.rest, o.row, o.flip = readUnless, b.Src(rest, 1), sem.Flip(rest)
	case rest.Kind != ir.OpImm || rest.Imm != uint64(o.size):
		o.rest, o.row = readCount, b.Src(rest, 32)
	}
}

// copyAsync checks all addresses before anything is copied.
func copyAsync(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*copyOp)
	dst := o.find(w, in)
	to, st := w.Access(in, &o.to, dst)
	if st != machine.Next {
		return st
	}
	var src [32]uint64
	o.from.Lanes(w, &src, in.Imm)
	if w.AsyncMode() != queue.Eager || !o.whole(w) {
		return o.begin(w, in, dst, &src)
	}
	to = w.Keep(to)
	from, st := w.Access(in, &o.src, &src)
	if st != machine.Next {
		return st
	}
	for i := range src {
		if w.Mask>>i&1 != 0 {
			mem.CopyPlain(to.Ptr(dst, i, 0), from.Ptr(&src, i, 0), o.size)
		}
	}
	return machine.Next
}

// whole reports whether every lane reads as much as it writes.
func (o *copyOp) whole(w *machine.Warp) bool {
	switch o.rest {
	case readCount:
		n := w.R32(o.row)
		for m := w.Mask; m != 0; m &= m - 1 {
			if n[sem.Lowest(m)] != o.size {
				return false
			}
		}
	case readUnless:
		return (*w.P(o.row)^o.flip)&w.Mask == 0
	}
	return true
}

// copyRecord is what an open copy keeps.
type copyRecord struct {
	size     uint32
	src, dst [32]uint64
	read     [32]uint32 // bytes of src
	data     [32][16]byte
}

// begin makes a record of a copy; the destinations have been checked.
func (o *copyOp) begin(w *machine.Warp, in *machine.Inst, dst, src *[32]uint64) machine.State {
	r := &copyRecord{size: o.size}
	for i := range src {
		r.src[i], r.dst[i] = src[i]+in.Imm, dst[i]+in.Imm
	}
	if st := o.limits(w, in, &r.read); st != machine.Next {
		return st
	}
	if st := o.checkSources(w, in, src, &r.read); st != machine.Next {
		return st
	}
	return w.Issue(in, &machine.Op{
		Entry: queue.Entry{Pipe: queue.Copy}, Read: r.fetch, Write: r.store, Touches: r.touches,
	})
}

// limits finds the bytes that each lane reads. More than it writes is undefined: a fault.
func (o *copyOp) limits(w *machine.Warp, in *machine.Inst, n *[32]uint32) machine.State {
	skip := uint32(0)
	switch o.rest {
	case readCount:
		*n = *w.R32(o.row)
	case readUnless:
		skip = *w.P(o.row) ^ o.flip
		fallthrough
	default:
		for i := range n {
			n[i] = o.size &^ -(skip >> i & 1)
		}
	}
	over := uint32(0)
	sem.Each(w.Mask, func(i int) { over |= sem.Bit(n[i] > o.size) << i })
	if over == 0 {
		return machine.Next
	}
	return w.Fault(in, &machine.Fault{
		Kind: faults.IllegalInstruction, Lanes: over, Value: uint64(n[sem.Lowest(over)]), Want: uint64(o.size),
		Text: "src-size",
	})
}

// checkSources checks the bytes that are read; where none are, any address will do.
func (o *copyOp) checkSources(w *machine.Warp, in *machine.Inst, src *[32]uint64, n *[32]uint32) machine.State {
	mask := w.Mask
	defer func() { w.Mask = mask }()
	for left := mask; left != 0; {
		q, same := o.src, uint32(0)
		q.Size = n[sem.Lowest(left)]
		sem.Each(left, func(i int) { same |= sem.Bit(n[i] == q.Size) << i })
		left &^= same
		if w.Mask = same; q.Size == 0 {
			continue
		}
		if _, st := w.Access(in, &q, src); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

// fetch reads the sources; what is not read is zero.
func (r *copyRecord) fetch(op *machine.Op) (fault *machine.Fault) {
	for m := op.Lanes; m != 0 && fault == nil; m &= m - 1 {
		i := sem.Lowest(m)
		r.data[i] = [16]byte{}
		if n := r.read[i]; n != 0 {
			var b []byte
			if b, fault = op.Global(r.src[i], uint64(n), machine.Load); fault != nil {
				fault.Lanes = 1 << i
			}
			copy(r.data[i][:], b)
		}
	}
	return fault
}

func (r *copyRecord) store(op *machine.Op) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		copy(op.Shared(r.dst[i], uint64(r.size)), r.data[i][:])
	}
	return nil
}

func (r *copyRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for m := op.Lanes; m != 0; m &= m - 1 {
			i := sem.Lowest(m)
			if r.read[i] != 0 && !yield(op.Extent(machine.Global, i, r.src[i], uint64(r.read[i])), machine.Load) ||
				!yield(op.Extent(machine.Shared, i, r.dst[i], uint64(r.size)), machine.Store) {
				return
			}
		}
	}
}

// The ends of groups.

func commitCopies(w *machine.Warp, _ *machine.Inst) machine.State {
	return w.CommitGroup(queue.Copy)
}
func commitBulk(w *machine.Warp, _ *machine.Inst) machine.State {
	return w.CommitGroup(queue.Bulk)
}

// planWaitGroup sets up the wait for all groups but the newest Imm.
func planWaitGroup(op uop.Op) func(*sem.Build) {
	return func(b *sem.Build) {
		b.Out.Imm = uint64(uint32(b.In.Ops[0].Imm))
		b.Does(op)
	}
}

func waitCopies(w *machine.Warp, in *machine.Inst) machine.State {
	return w.WaitGroups(queue.Copy, in.Imm, false)
}

func waitBulk(w *machine.Warp, in *machine.Inst) machine.State {
	return w.WaitGroups(queue.Bulk, in.Imm, false)
}

func waitBulkRead(w *machine.Warp, in *machine.Inst) machine.State {
	return w.WaitGroups(queue.Bulk, in.Imm, true)
}

// waitAllCopies is commit_group and wait_group 0 in one (9.7.9.25.3.3).
func waitAllCopies(w *machine.Warp, _ *machine.Inst) machine.State {
	if st := w.CommitGroup(queue.Copy); st != machine.Next {
		return st
	}
	return w.WaitGroups(queue.Copy, 0, false)
}
