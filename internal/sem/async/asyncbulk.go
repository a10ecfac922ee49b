package async

// Runs of bytes that a lane does not wait for, 9.7.9.25.4 and 9.7.9.13: each executing lane has
// a run of its own.

import (
	"iter"
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// bulkUnit is what sizes and addresses of bulk operations are multiples of.
const bulkUnit = 16

func asyncBulkLines() []sem.Line {
	return []sem.Line{
		{ID: isa.CpAsyncBulk, Do: sem.Plan(planBulk, isa.C_dst, isa.C_sem, isa.C_scope, isa.C_multicast, isa.C_type, isa.C_report).Sees(isa.M_ignore_oob).
			Assuming(assume.ValiditySample, assume.IgnoredBytes)},
		{ID: isa.CpAsyncBulkCluster, Do: sem.Plan(planBulk, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_type)},
		{ID: isa.CpAsyncBulkGlobal, Do: sem.Plan(planBulk, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_type).Sees(isa.M_cp_mask)},
		{ID: isa.CpReduceAsyncBulk, Do: sem.Plan(planBulkReduce, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_op, isa.C_type).Where(sem.HasRmw)},
		{ID: isa.CpReduceAsyncBulkGlobal, Do: sem.Plan(planBulkReduce, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_op, isa.C_type).Where(sem.HasRmw).Sees(isa.M_noftz)},
		{ID: isa.CpAsyncBulkPrefetch, Do: sem.Plan((*sem.Build).Nothing, isa.C_prio)},
		{ID: isa.ApplypriorityAsyncBulk, Do: sem.Plan((*sem.Build).Nothing, isa.C_ss, isa.C_prio)},
		{ID: isa.CpAsyncBulkCommitGroup, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.CommitBulk) })},
		{ID: isa.CpAsyncBulkWaitGroup, Do: sem.Plan(planBulkWait).Sees(isa.M_read)},
		{ID: isa.StBulk, Do: sem.Plan(planStoreBulk, isa.C_ss)},
	}
}

// bulkOp is the decode-time constant of a bulk operation; rows are nil for operands that it does
// not have.
type bulkOp struct {
	uop.Private
	writes   machine.Request // of the size of each lane
	reads    machine.Request
	dst, src sem.Address
	bar      *sem.Address // nil: the operation belongs to a group
	size     uint32       // row of sizes
	rankRow  *uint32      // of masks of CTAs
	byteRow  *uint32      // of masks of bytes
	edges    *[2]uint32   // rows of the bytes to give up, left and right
	strong   bool         // units of 16 bytes are each whole
	red      *sem.Rmw     // nil: a copy
	elem     uint32
	many     bool // to all copies of a multicast address
	valid    *validity
	keeps    bool // what is given up leaves the destination as it is (U55)
}

// planBulk sets up cp.async.bulk [dst], [src], size{, left, right}{, [mbar]}{, masks and hints}.
func planBulk(b *sem.Build) { newBulkOp(b, machine.Store) }

// planBulkReduce sets up cp.reduce.async.bulk, with the same operands.
func planBulkReduce(b *sem.Build) {
	o := newBulkOp(b, machine.Atomic)
	f := sem.RmwOf(b.Sel)
	// .add.f32 flushes nothing on an H100, whatever 9.7.9.25.4.2 says. No one has asked about copies on several devices:
	// there the manual holds (9.7.9.27). 9.4 has .noftz.
	if !o.many || b.Sel.Has(isa.M_noftz) {
		f = f.Exact()
	}
	o.red, o.elem = &f, uint32(b.Sel.Type(isa.C_type).Bytes())
}

func newBulkOp(b *sem.Build, kind machine.AccessKind) *bulkOp {
	dst, src := b.Sel.Get(isa.C_dst), b.Sel.Get(isa.C_src)
	if src == 0 {
		src = isa.M_global
	}
	o := &bulkOp{strong: b.Sel.Get(isa.C_sem) != 0, many: sem.Multicasts(b.Sel.ID())}
	o.writes = machine.Request{Space: sem.SpaceOf(dst), Kind: kind, Align: bulkUnit, OwnCTA: ownCTA(dst)}
	o.reads = machine.Request{Space: sem.SpaceOf(src), Kind: machine.Load, Align: bulkUnit, OwnCTA: ownCTA(src)}
	o.dst, o.src = b.AddressAt(b.In.Op(isa.R_dst_mem)), b.AddressAt(b.In.Op(isa.R_src_mem))
	if bar := b.In.Op(isa.R_mbar); bar != nil {
		at := b.AddressAt(bar)
		o.bar = &at
	}
	o.size = b.Src(b.In.Op(isa.R_size), 32)
	o.rankRow, o.byteRow = b.Optional(isa.R_cta_mask), b.Optional(isa.R_byte_mask)
	if left := b.Optional(isa.R_left); left != nil {
		o.edges = &[2]uint32{*left, *b.Optional(isa.R_right)}
		o.keeps = b.Assume(assume.IgnoredBytes) == 1
	}
	o.valid = newValidity(b)
	b.Ext().Data = o
	b.Does(uop.BulkAsync)
	return o
}

// bulkRecord is what an open bulk operation keeps, by lane.
type bulkRecord struct {
	*bulkOp
	from, at, bars [32]uint64 // bars and shared memory: addresses in the window
	size           [32]uint32
	left, right    [32]uint32 // bytes that are not read
	mask           [32]uint32 // of the bytes of each unit
	ranks          [32]uint32 // CTAs; 0: the one of the address
	data           [32][]byte
	copies         [32][]uint64 // of multicast addresses
	alias          bool         // data may be the source itself: it is written at once
	met            uint32       // lanes whose data has the pattern of valid
}

// bulkAsync checks all operands before anything is copied.
func bulkAsync(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*bulkOp)
	r := &bulkRecord{bulkOp: o, size: *w.R32(o.size), alias: w.AsyncMode() == queue.Eager}
	o.dst.Lanes(w, &r.at, 0)
	o.src.Lanes(w, &r.from, 0)
	op := &machine.Op{
		Entry: queue.Entry{Pipe: queue.Bulk}, Proxy: model.AsyncProxy, Read: r.fetch, Write: r.write, Touches: r.touches,
	}
	if st := r.limits(w, in); st != machine.Next {
		return st
	}
	if st := r.check(w, in); st != machine.Next {
		return st
	}
	if o.bar != nil {
		o.bar.Lanes(w, &r.bars, 0)
		same := &r.at
		if r.rankRow != nil {
			same = nil
		}
		if st := mbarriersAt(w, in, machine.Shared, &r.bars, same); st != machine.Next {
			return st
		}
		op.Pipe, op.Signal = queue.Store, r.signal
	}
	return w.Issue(in, op)
}

// limits reads the optional operands and checks the values of all.
func (r *bulkRecord) limits(w *machine.Warp, in *machine.Inst) machine.State {
	for i := range r.mask {
		r.mask[i] = 0xffff
	}
	if r.byteRow != nil {
		r.mask = *w.R32(*r.byteRow)
	}
	if r.rankRow != nil {
		r.ranks = *w.R32(*r.rankRow)
	}
	if st := unitSizes(w, in, &r.size, bulkUnit); st != machine.Next || r.edges == nil {
		return st
	}
	r.left, r.right = *w.R32(r.edges[0]), *w.R32(r.edges[1])
	for i, side := range []*[32]uint32{&r.left, &r.right} {
		name := [...]string{"ignoreBytesLeft", "ignoreBytesRight"}[i]
		if st := atMost(w, in, side, bulkUnit-1, name); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

// unitSizes faults on sizes that are no multiple of a unit: undefined.
func unitSizes(w *machine.Warp, in *machine.Inst, size *[32]uint32, unit uint32) machine.State {
	bad := uint32(0)
	sem.Each(w.Mask, func(i int) { bad |= sem.Bit(size[i]%unit != 0) << i })
	if bad == 0 {
		return machine.Next
	}
	return w.Fault(in, &machine.Fault{
		Kind: faults.IllegalInstruction, Lanes: bad, Value: uint64(size[sem.Lowest(bad)]), Align: unit, Text: "size",
	})
}

// atMost faults on operands above a limit.
func atMost(w *machine.Warp, in *machine.Inst, v *[32]uint32, limit uint32, name string) machine.State {
	bad := uint32(0)
	sem.Each(w.Mask, func(i int) { bad |= sem.Bit(v[i] > limit) << i })
	if bad == 0 {
		return machine.Next
	}
	return w.Fault(in, &machine.Fault{
		Kind: faults.IllegalInstruction, Lanes: bad, Value: uint64(v[sem.Lowest(bad)]), Want: uint64(limit), Text: name,
	})
}

// check checks each lane's ranges: all that is read, and what is written in every CTA.
func (r *bulkRecord) check(w *machine.Warp, in *machine.Inst) machine.State {
	mask := w.Mask
	defer func() { w.Mask = mask }()
	for m := mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		w.Mask = 1 << i
		if st := r.checkLane(w, in, i); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

func (r *bulkRecord) checkLane(w *machine.Warp, in *machine.Inst, i int) machine.State {
	if r.from[i]%bulkUnit != 0 { // bytes given up may lie outside, but count for the alignment
		q := r.reads
		q.Size = r.size[i]
		_, st := w.Access(in, &q, &r.from)
		return st
	}
	if from, n := r.source(i); n != 0 {
		q, addr := r.reads, r.from
		addr[i], q.Size, q.Align = from, n, 1
		if _, st := w.Access(in, &q, &addr); st != machine.Next {
			return st
		}
	}
	q := r.writes
	q.Size = r.size[i]
	if r.many {
		if r.copies[i] = w.Arena().Copies(r.at[i], uint64(q.Size)); r.copies[i] == nil {
			return w.Fault(in, notMulticast(w.Mask, r.at[i], &q))
		}
	}
	for at := range r.targets(i) {
		addr := r.at
		if addr[i] = at; q.Size == 0 {
			continue
		}
		if _, st := w.Access(in, &q, &addr); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

// source returns the bytes that lane i reads.
func (r *bulkRecord) source(i int) (from uint64, n uint32) {
	if skip := r.left[i] + r.right[i]; skip < r.size[i] {
		return r.from[i] + uint64(r.left[i]), r.size[i] - skip
	}
	return r.from[i], 0
}

// targets lists the addresses that lane i writes to: one, the same offset in several CTAs, or a copy on each device.
func (r *bulkRecord) targets(i int) iter.Seq[uint64] {
	if r.many {
		return slices.Values(r.copies[i])
	}
	return r.inRanks(i, r.at[i])
}

func (r *bulkRecord) inRanks(i int, addr uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if r.rankRow == nil {
			yield(addr)
			return
		}
		for m := r.ranks[i]; m != 0; m &= m - 1 {
			if !yield(addr&(mem.MaxShared-1) | uint64(sem.Lowest(m))<<mem.RankShift) {
				return
			}
		}
	}
}

// fetch reads the sources.
func (r *bulkRecord) fetch(op *machine.Op) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		from, n := r.source(i)
		data, f := r.memory(op, r.reads.Space, i, from, n, machine.Load)
		r.met |= sem.Bit(r.valid.meets(data, from)) << i
		switch {
		case f != nil:
			return f
		case r.edges != nil && !r.keeps:
			whole := make([]byte, r.size[i])
			copy(whole[min(r.left[i], r.size[i]):], data)
			r.data[i] = whole
		case r.alias:
			r.data[i] = data
		default:
			r.data[i] = append([]byte(nil), data...)
		}
	}
	return nil
}

// memory returns n bytes at an address of global memory or the shared window.
func (r *bulkRecord) memory(op *machine.Op, space machine.Space, i int, addr uint64, n uint32, kind machine.AccessKind) ([]byte, *machine.Fault) {
	if n == 0 {
		return nil, nil
	}
	if space == machine.Shared {
		return op.Shared(addr, uint64(n)), nil
	}
	b, f := op.Global(addr, uint64(n), kind)
	if f != nil {
		f.Lanes = 1 << i
	}
	return b, f
}

func (r *bulkRecord) write(op *machine.Op) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		for at := range r.targets(i) {
			to, f := r.memory(op, r.writes.Space, i, at, r.size[i], r.writes.Kind)
			if f != nil {
				return f
			}
			if r.edges != nil && r.keeps {
				to = to[min(r.left[i], r.size[i]):]
			}
			r.put(to, r.data[i], r.mask[i])
		}
		r.data[i] = nil
	}
	return nil
}

// put writes one run.
func (r *bulkRecord) put(to, data []byte, mask uint32) {
	shared := r.writes.Space == machine.Shared
	switch {
	case r.red != nil:
		u := r.red.Updates()
		u.ApplyRun(to, data, r.elem, shared)
	case mask&0xffff != 0xffff:
		for k, v := range data {
			if mask>>(k%bulkUnit)&1 != 0 {
				to[k] = v
			}
		}
	case r.strong && (!shared || r.reads.Space != machine.Shared):
		mem.CopyUnits(to, data, !shared)
	default:
		copy(to, data)
	}
}

func (r *bulkRecord) signal(op *machine.Op) *machine.Fault {
	for m := op.Lanes; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		for at := range r.inRanks(i, r.bars[i]) {
			if f := r.valid.complete(op, i, at, r.size[i], r.met>>i&1 != 0); f != nil {
				return f
			}
		}
	}
	return nil
}

func (r *bulkRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for m := op.Lanes; m != 0; m &= m - 1 {
			i := sem.Lowest(m)
			if from, n := r.source(i); n != 0 && !yield(op.Extent(r.reads.Space, i, from, uint64(n)), machine.Load) {
				return
			}
			for at := range r.targets(i) {
				if r.size[i] != 0 && !yield(op.Extent(r.writes.Space, i, at, uint64(r.size[i])), r.writes.Kind) {
					return
				}
			}
		}
	}
}

// planBulkWait sets up cp.async.bulk.wait_group{.read} n.
func planBulkWait(b *sem.Build) {
	b.Out.Imm = uint64(uint32(b.In.Ops[0].Imm))
	if b.Does(uop.WaitBulk); b.Sel.Has(isa.M_read) {
		b.Does(uop.WaitBulkRead)
	}
}

// bulkStore is the decode-time constant of st.bulk.
type bulkStore struct {
	uop.Private
	space machine.Space
	at    sem.Address
	row   uint32 // of sizes
	bits  int
}

// maxStoreBulk is the most bytes that st.bulk takes (9.7.9.13).
const maxStoreBulk = 1 << 24

// planStoreBulk sets up st.bulk [a], size, 0.
func planStoreBulk(b *sem.Build) {
	size := &b.In.Ops[1]
	o := &bulkStore{space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), at: b.AddressAt(&b.In.Ops[0]), bits: b.OperandBits(size, 64)}
	o.row = b.Src(size, o.bits)
	b.Ext().Data = o
	b.Does(uop.StoreBulk)
}

// storeBulk fills each lane's run with zeros.
func storeBulk(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*bulkStore)
	mask := w.Mask
	defer func() { w.Mask = mask }()
	var addr [32]uint64
	o.at.Lanes(w, &addr, 0)
	var at [32]mem.Pointer
	for m := mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		w.Mask = 1 << i
		n := sem.LoadElem(w, o.row, o.bits, i)
		switch {
		case n%8 != 0:
			return w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: n, Align: 8, Text: "size"})
		case n > maxStoreBulk:
			return w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: n, Want: maxStoreBulk, Text: "size"})
		case n == 0:
			continue
		}
		q := machine.Request{Space: o.space, Kind: machine.Store, Size: uint32(n), Align: 8, OwnCTA: o.space == machine.Shared}
		if o.space == machine.Generic && !mem.InShared(addr[i]) {
			return w.Fault(in, &machine.Fault{
				Kind: faults.WrongWindow, Lanes: w.Mask, Addr: addr[i], Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space,
			})
		}
		a, st := w.Access(in, &q, &addr)
		if st != machine.Next {
			return st
		}
		at[i] = a.Ptr(&addr, i, 0)
	}
	sem.Each(mask, func(i int) {
		if at[i] != nil {
			mem.ClearBytes(at[i], sem.LoadElem(w, o.row, o.bits, i))
		}
	})
	return machine.Next
}
