package async

// Operations on the memory of other devices through handles, 9.4: 9.7.11. An operation takes place between its submission
// and the phase of its mbarrier, which hears of failures. Where an endpoint fails, nothing is moved.

import (
	"fmt"
	"iter"

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

func fabricLines() []sem.Line {
	classes := []isa.Class{isa.C_src, isa.C_dst, isa.C_sem, isa.C_scope, isa.C_type}
	reduces := append([]isa.Class{isa.C_op, isa.C_acc}, classes...)
	small := []isa.Mod{isa.M_e4m3, isa.M_e5m2}
	return []sem.Line{
		{ID: isa.FabricTryGet, Do: sem.Plan(func(b *sem.Build) { newFabricOp(b, fabricGet) }, classes...)},
		{ID: isa.FabricTryPut, Do: sem.Plan(func(b *sem.Build) { newFabricOp(b, fabricPut) }, classes...).Sees(isa.M_multimem, isa.M_cp_mask, isa.M_counted_bytes)},
		{ID: isa.FabricTryRed, Do: sem.Plan(planFabricRed, reduces...).Where(sem.HasRmw).Sees(isa.M_multimem, isa.M_counted_bytes)},
		{ID: isa.FabricTryPullred, Do: sem.Plan(planFabricPull, reduces...).Where(sem.HasRmw)},
		{ID: isa.FabricTryPullred, When: sem.Of(small...), Do: sem.Plan(planFabricPullSmall, reduces...).Assuming(assume.SmallSum)},
		{ID: isa.FabricTryGetTensor, Do: sem.Undescribed, Note: "fabric.try_get of a tensor"},
		{ID: isa.FabricTryPutTensor, Do: sem.Undescribed, Note: "fabric.try_put of a tensor"},
		{ID: isa.FabricTryAtom, Do: sem.Undescribed, Note: "fabric.try_atom"},
		{ID: isa.FabricSubmit, Do: sem.Plan(planFabricSubmit).Sees(isa.M_op_restrict_fetching)},
		{ID: isa.FabricSubmit, When: sem.Of(isa.M_commit_group), Do: sem.Undescribed, Note: "fabric.submit.commit_group"},
		{ID: isa.FabricWait, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.FabricWait) }).Sees(isa.M_sync_restrict_reads)},
		{ID: isa.FabricWait, When: sem.Cond(nil).Where(isa.R_n), Do: sem.Undescribed, Note: "a number of fabric.wait"},
	}
}

// fabricKind is what an operation does.
type fabricKind uint8

const (
	fabricGet  fabricKind = iota // endpoint → shared memory
	fabricPut                    // shared memory → endpoint
	fabricRed                    // combines with the endpoint
	fabricPull                   // combination of all copies → shared memory
)

func (k fabricKind) fetches() bool { return k == fabricGet || k == fabricPull }

// fabricOp is the decode-time constant of an operation.
type fabricOp struct {
	uop.Private
	kind            fabricKind
	multi           bool
	le, shared, bar sem.Address
	off, size       uint32  // rows
	counter, bytes  *uint32 // rows: of the counter's offset, of masks of bytes
	multimemOp              // how elements are combined
}

// newFabricOp sets up what all operations have.
func newFabricOp(b *sem.Build, kind fabricKind) *fabricOp {
	o := &fabricOp{kind: kind, multi: kind == fabricPull || b.Sel.Has(isa.M_multimem)}
	shared := b.In.Op(isa.R_s)
	if kind.fetches() {
		shared = b.In.Op(isa.R_d)
	}
	o.le, o.shared, o.bar = b.AddressAt(b.In.Op(isa.R_le)), b.AddressAt(shared), b.AddressAt(b.In.Op(isa.R_bar))
	o.off, o.size = b.Src(b.In.Op(isa.R_off), 64), b.Src(b.In.Op(isa.R_size), 32)
	if counter := b.In.Op(isa.R_counter); counter != nil {
		row := b.Src(counter, 64)
		o.counter = &row
	}
	o.bytes = b.Optional(isa.R_mask)
	b.Ext().Data = o
	b.Does(uop.FabricAsync)
	return o
}

func planFabricRed(b *sem.Build) {
	o := newFabricOp(b, fabricRed)
	o.red, o.elem = sem.RmwOf(b.Sel).Exact(), uint32(b.Sel.Type(isa.C_type).Bytes())
}

func planFabricPull(b *sem.Build) {
	o := newFabricOp(b, fabricPull)
	o.red, o.elem = sem.RmwOf(b.Sel).Exact(), uint32(b.Sel.Type(isa.C_type).Bytes())
	if b.Sel.Has(isa.M_acc_f32) {
		f := halfFormats[b.Sel.Get(isa.C_type)]
		o.half = &f
	}
}

func planFabricPullSmall(b *sem.Build) {
	o := newFabricOp(b, fabricPull)
	o.tiny, o.elem = newTinyReduction(b), 1
}

// fabricRecord is what an operation of one lane keeps.
type fabricRecord struct {
	*fabricOp
	lane       int
	endpoint   *mem.Endpoint
	off, count uint64 // count: offset of the counter
	shared     uint64 // address in the window
	bar        uint64
	size       uint32
	mask       uint32
	data       []byte
	failed     bool
	status     uint32
}

// badHandle is the fault of a lane.
func badHandle(w *machine.Warp, in *machine.Inst, lane int, format string, args ...any) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.BadHandle, Lanes: 1 << lane, Text: fmt.Sprintf(format, args...)})
}

// fabricAsync checks everything, and keeps the operations for their submission.
func fabricAsync(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*fabricOp)
	holders := uint32(0)
	if o.kind == fabricPull {
		if st := w.Collective(in); st != machine.Next {
			return st
		}
		if lane := o.differs(w); lane >= 0 {
			return badHandle(w, in, lane, "lane %d has other operands than lane 0; with .sync all lanes have the same", lane)
		}
		mask := w.Mask
		holders, w.Mask = mask, 1
		defer func() { w.Mask = mask }()
	}
	var records [32]*fabricRecord
	st := sem.OneByOne(w, func(lane int) (st machine.State) {
		records[lane], st = o.record(w, in, lane)
		return st
	})
	if st != machine.Next {
		return st
	}
	for i, r := range records {
		if r != nil {
			w.Hold(in, max(holders, 1<<i), o.kind.fetches(), &machine.Op{
				Entry: queue.Entry{Pipe: queue.Fabric}, Proxy: model.AsyncProxy, Read: r.read, Write: r.write, Signal: r.signal, Touches: r.touches,
			})
		}
	}
	return machine.Next
}

// differs returns a lane whose operands are not those of lane 0; -1: none.
func (o *fabricOp) differs(w *machine.Warp) int {
	var le, shared, bar [32]uint64
	o.le.Lanes(w, &le, 0)
	o.shared.Lanes(w, &shared, 0)
	o.bar.Lanes(w, &bar, 0)
	off, size := w.R64(o.off), w.R32(o.size)
	for i := range le {
		if le[i] != le[0] || shared[i] != shared[0] || bar[i] != bar[0] || off[i] != off[0] || size[i] != size[0] {
			return i
		}
	}
	return -1
}

// record reads and checks the operands of the lane in w.Mask.
func (o *fabricOp) record(w *machine.Warp, in *machine.Inst, lane int) (*fabricRecord, machine.State) {
	var le, shared, bars [32]uint64
	o.le.Lanes(w, &le, 0)
	o.shared.Lanes(w, &shared, 0)
	o.bar.Lanes(w, &bars, 0)
	r := &fabricRecord{fabricOp: o, lane: lane, off: w.R64(o.off)[lane], size: w.R32(o.size)[lane], mask: 0xffff}
	if o.bytes != nil {
		r.mask = w.R32(*o.bytes)[lane] & 0xffff
	}
	if o.counter != nil {
		r.count = w.R64(*o.counter)[lane]
	}
	r.endpoint = w.Arena().Endpoint(uint32(le[lane]))
	why := r.wrong(uint32(le[lane]))
	if why == "" && r.multi && !w.Arena().Joins(r.endpoint) {
		why = fmt.Sprintf("multicast endpoint %d, of which the device is no member", le[lane])
	}
	if why != "" {
		return nil, badHandle(w, in, lane, "%s", why)
	}
	q := machine.Request{Space: machine.Shared, Kind: machine.Load, Size: r.size, Align: bulkUnit, OwnCTA: true}
	if o.kind.fetches() {
		q.Kind = machine.Store
	}
	if r.size != 0 {
		if _, st := w.Access(in, &q, &shared); st != machine.Next {
			return nil, st
		}
	}
	st := mbarriersAt(w, in, machine.Shared, &bars, &shared)
	r.shared, r.bar = shared[lane], bars[lane]
	return r, st
}

// wrong says what the manual leaves undefined of a handle; "": nothing.
func (r *fabricRecord) wrong(id uint32) string {
	e, end := r.endpoint, r.off+uint64(r.size)
	switch {
	case e == nil:
		return fmt.Sprintf("there is no logical endpoint %d", id)
	case r.multi && !e.Multicast:
		return fmt.Sprintf("logical endpoint %d is a unicast one; .multimem takes multicast ones", id)
	case !r.multi && e.Multicast:
		return fmt.Sprintf("logical endpoint %d is a multicast one; without .multimem it must be a unicast one", id)
	case r.size%bulkUnit != 0:
		return fmt.Sprintf("a size of %d bytes, which is no multiple of 16", r.size)
	case r.off%bulkUnit != 0:
		return fmt.Sprintf("an offset of %#x, which is no multiple of 16", r.off)
	case end < r.off || end > e.Size:
		return fmt.Sprintf("bytes %d to %d of logical endpoint %d, which has %d", r.off, r.off+uint64(r.size)-1, id, e.Size)
	case r.counter == nil:
		return ""
	case r.count%256 != 0:
		return fmt.Sprintf("a counter at offset %#x, which is no multiple of 256", r.count)
	case r.count+8 < 8 || r.count+8 > e.Size:
		return fmt.Sprintf("a counter at offset %d of logical endpoint %d, which has %d bytes", r.count, id, e.Size)
	case r.count < end && r.off < r.count+8:
		return fmt.Sprintf("a counter at offset %d inside of the data, bytes %d to %d", r.count, r.off, end-1)
	}
	return ""
}

// read takes what the operation moves: from shared memory or the endpoint, whose state counts from now on.
func (r *fabricRecord) read(op *machine.Op) *machine.Fault {
	r.failed, r.status = r.endpoint.Failed()
	r.data = make([]byte, r.size)
	switch {
	case r.size == 0, r.failed && r.kind.fetches():
		return nil
	case !r.kind.fetches():
		copy(r.data, op.Shared(r.shared, uint64(r.size)))
		return nil
	}
	var copies [][]byte
	for _, at := range r.endpoint.Copies {
		b, f := op.Global(at+r.off, uint64(r.size), machine.Load)
		if f != nil {
			return r.fault(f)
		}
		copies = append(copies, b)
	}
	if r.kind == fabricGet {
		mem.CopyUnits(r.data, copies[0], true)
		return nil
	}
	r.pull(copies)
	return nil
}

// pull combines the copies element by element.
func (r *fabricRecord) pull(copies [][]byte) {
	list := make([]uint64, len(copies))
	for at := 0; at < len(r.data); at += int(r.elem) {
		for k, c := range copies {
			list[k] = mem.LoadStrong(mem.Pointer(&c[at]), r.elem)
		}
		putLittle(r.data[at:], r.combine(list), int(r.elem))
	}
}

// putLittle writes the low bytes of a value, the lowest first.
func putLittle(to []byte, v uint64, n int) {
	for k := range n {
		to[k] = byte(v >> (8 * k))
	}
}

// write puts it where it goes, and counts.
func (r *fabricRecord) write(op *machine.Op) *machine.Fault {
	switch {
	case r.size == 0 || r.failed:
		return nil
	case r.kind.fetches():
		copy(op.Shared(r.shared, uint64(r.size)), r.data)
		return nil
	}
	for _, at := range r.endpoint.Copies {
		to, f := op.Global(at+r.off, uint64(r.size), r.gives())
		if f != nil {
			return r.fault(f)
		}
		r.put(to)
		if f := r.countAt(op, at); f != nil {
			return r.fault(f)
		}
	}
	return nil
}

// gives is how an operation that does not fetch accesses the endpoint.
func (r *fabricRecord) gives() machine.AccessKind {
	if r.kind == fabricRed {
		return machine.Atomic
	}
	return machine.Store
}

func (r *fabricRecord) put(to []byte) {
	if r.kind == fabricRed {
		u := r.red.Updates()
		u.ApplyRun(to, r.data, r.elem, false)
		return
	}
	for at := 0; at < len(to); at += bulkUnit {
		if r.mask == 0xffff {
			mem.CopyUnits(to[at:at+bulkUnit], r.data[at:at+bulkUnit], true)
			continue
		}
		for k := range bulkUnit {
			if r.mask>>k&1 != 0 {
				to[at+k] = r.data[at+k]
			}
		}
	}
}

// countAt adds the bytes of the data to the counter of one copy.
func (r *fabricRecord) countAt(op *machine.Op, at uint64) *machine.Fault {
	if r.counter == nil {
		return nil
	}
	b, f := op.Global(at+r.count, 8, machine.Atomic)
	if f == nil {
		add, _ := sem.RmwBy(isa.M_add, isa.M_u64)
		u := add.Updates()
		u.Apply(mem.Pointer(&b[0]), 8, uint64(r.size), false)
	}
	return f
}

func (r *fabricRecord) fault(f *machine.Fault) *machine.Fault {
	f.Lanes = 1 << r.lane
	return f
}

// signal tells the mbarrier: what fetches counts bytes, the others units of 16.
func (r *fabricRecord) signal(op *machine.Op) *machine.Fault {
	if f := reportOne(op, r.lane, r.bar, r.failed, r.status); f != nil {
		return f
	}
	n := r.size
	if !r.kind.fetches() {
		n /= bulkUnit
	}
	return completeOne(op, r.lane, r.bar, n)
}

func (r *fabricRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		here, there := machine.Load, r.gives()
		if r.kind.fetches() {
			here, there = machine.Store, machine.Load
		}
		if r.size == 0 || !yield(op.Extent(machine.Shared, r.lane, r.shared, uint64(r.size)), here) {
			return
		}
		for _, at := range r.endpoint.Copies {
			if !yield(op.Extent(machine.Global, r.lane, at+r.off, uint64(r.size)), there) {
				return
			}
			if r.counter != nil && !yield(op.Extent(machine.Global, r.lane, at+r.count, 8), machine.Atomic) {
				return
			}
		}
	}
}

// planFabricSubmit sets up fabric.submit: Imm is 1 if only what fetches is submitted.
func planFabricSubmit(b *sem.Build) {
	if b.Sel.Has(isa.M_op_restrict_fetching) {
		b.Out.Imm = 1
	}
	b.Does(uop.FabricSubmit)
}

func fabricSubmit(w *machine.Warp, in *machine.Inst) machine.State { return w.Submit(in.Imm != 0) }

func fabricWait(w *machine.Warp, _ *machine.Inst) machine.State {
	return w.WaitReads(queue.Fabric)
}
