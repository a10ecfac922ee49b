package matrix

// Tensor memory, 9.7.16: allocation, loads and stores of fragments, and the waits for them. What
// goes on asynchronously is a record; in mode Eager it happens at once, without one.

import (
	"fmt"
	"iter"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func tensorLines() []sem.Line {
	return []sem.Line{
		{ID: isa.Tcgen05Alloc, Do: sem.Plan(planTensorAlloc, isa.C_cta_group, isa.C_space).Sees(isa.M_exclusive)},
		{ID: isa.Tcgen05Dealloc, Do: sem.Plan(planTensorDealloc, isa.C_cta_group).Sees(isa.M_exclusive)},
		{ID: isa.Tcgen05RelinquishAllocPermit, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.TensorRelinquish) }, isa.C_cta_group)},
		{ID: isa.Tcgen05Ld, Do: sem.Plan(planTensorLoad, isa.C_shape, isa.C_num, isa.C_pack)},
		{ID: isa.Tcgen05LdRed, Do: sem.Plan(planTensorReduce, isa.C_shape, isa.C_num, isa.C_op, isa.C_type).Sees(isa.M_abs, isa.M_NaN)},
		{ID: isa.Tcgen05St, Do: sem.Plan(planTensorStore, isa.C_shape, isa.C_num, isa.C_unpack).Assuming(assume.Unpack16)},
		{ID: isa.Tcgen05WaitLd, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.TensorWaitLoad) })},
		{ID: isa.Tcgen05WaitSt, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.TensorWaitStore) })},
		{ID: isa.Tcgen05Cp, Do: sem.Plan(planTensorCopy, isa.C_cta_group, isa.C_shape, isa.C_multicast, isa.C_dst_fmt, isa.C_src_fmt).Assuming(assume.Container4)},
		{ID: isa.Tcgen05Shift, Do: sem.Plan(planTensorShift, isa.C_cta_group).Assuming(assume.ShiftDirection, assume.ShiftLanes)},
		{ID: isa.Tcgen05Commit, Do: sem.Plan(planTensorCommit, isa.C_cta_group, isa.C_multicast, isa.C_space).Sees(isa.M_sync_restrict_shared_read_mma_a)},
		// The instructions of a thread begin in order; observers are told of the fences.
		{ID: isa.Tcgen05FenceBeforeThreadSync, Do: sem.Plan((*sem.Build).Nothing)},
		{ID: isa.Tcgen05FenceAfterThreadSync, Do: sem.Plan((*sem.Build).Nothing)},
	}
}

// groupOf is the number of CTAs that a statement works on.
func groupOf(b *sem.Build) int {
	if b.Sel.Get(isa.C_cta_group) == isa.M_cta_group_2 {
		return 2
	}
	return 1
}

// uniform returns the value that all running lanes have in a row; false if they differ.
func uniform(w *machine.Warp, row uint32) (uint32, bool) {
	v := w.R32(row)
	x := v[sem.Lowest(w.Mask)]
	for m := w.Mask; m != 0; m &= m - 1 {
		if v[sem.Lowest(m)] != x {
			return x, false
		}
	}
	return x, true
}

// tensorFault reports an access to tensor memory that is not possible.
func tensorFault(w *machine.Warp, in *machine.Inst, format string, args ...any) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.BadTensorAccess, Lanes: w.Mask, Text: fmt.Sprintf(format, args...)})
}

// allocOp is the decode-time constant of tcgen05.alloc.
type allocOp struct {
	uop.Private
	tmem.Call
	dst machine.Request
	to  sem.Address
}

// planTensorAlloc sets up tcgen05.alloc [dst], columns.
func planTensorAlloc(b *sem.Build) {
	o := &allocOp{Call: tmem.Call{Group: groupOf(b), Exclusive: b.Sel.Has(isa.M_exclusive)}}
	o.dst = machine.Request{Space: machine.Generic, Kind: machine.Store, Size: 4, Align: 4}
	if b.Sel.Has(isa.M_shared_cta) {
		o.dst.Space, o.dst.OwnCTA = machine.Shared, true
	}
	o.to = b.AddressAt(&b.In.Ops[0])
	b.Out.B = b.Src(&b.In.Ops[1], 32)
	b.Ext().Data = o
	b.Does(uop.TensorAlloc)
}

// allocTensor checks where the address goes before it allocates.
func allocTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*allocOp)
	q := o.Call
	var ok bool
	if q.Columns, ok = uniform(w, in.B); !ok {
		return tensorFault(w, in, "the lanes give different numbers of columns")
	}
	var to [32]uint64
	o.to.Lanes(w, &to, in.Imm)
	a, st := w.Access(in, &o.dst, &to)
	if st != machine.Next {
		return st
	}
	a = w.Keep(a)
	addr, st := w.TensorAllocate(in, q)
	if st == machine.Next {
		for i := range to {
			a.Store32(&to, i, 0, uint32(addr))
		}
	}
	return st
}

// deallocOp is the decode-time constant of tcgen05.dealloc.
type deallocOp struct {
	uop.Private
	tmem.Call
}

// planTensorDealloc sets up tcgen05.dealloc taddr, columns.
func planTensorDealloc(b *sem.Build) {
	b.Ext().Data = &deallocOp{Call: tmem.Call{Free: true, Group: groupOf(b), Exclusive: b.Sel.Has(isa.M_exclusive)}}
	b.Out.A, b.Out.B = b.Src(&b.In.Ops[0], 32), b.Src(&b.In.Ops[1], 32)
	b.Does(uop.TensorDealloc)
}

func deallocTensor(w *machine.Warp, in *machine.Inst) machine.State {
	q := in.Ext.Data.(*deallocOp).Call
	addr, same := uniform(w, in.A)
	columns, alike := uniform(w, in.B)
	if !same || !alike {
		return tensorFault(w, in, "the lanes give different addresses or numbers of columns")
	}
	q.Addr, q.Columns = tensor.Addr(addr), columns
	_, st := w.TensorAllocate(in, q)
	return st
}

func relinquish(w *machine.Warp, in *machine.Inst) machine.State { return w.TensorRelinquish(in) }

// waitTensor waits for the loads or the stores of the warp (9.7.16.8.5).
func waitTensorLoads(w *machine.Warp, in *machine.Inst) machine.State {
	return waitTensor(w, in, queue.TensorLoad, machine.Load)
}

func waitTensorStores(w *machine.Warp, in *machine.Inst) machine.State {
	return waitTensor(w, in, queue.TensorStore, machine.Store)
}

func waitTensor(w *machine.Warp, in *machine.Inst, pipe queue.Pipe, kind machine.AccessKind) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	st := w.WaitPipe(pipe)
	if st == machine.Next && w.Observing() {
		w.Observe(in, machine.Event{What: events.TensorWaited, Kind: kind, Lanes: w.Mask})
	}
	return st
}

// fragmentOp is the decode-time constant of tcgen05.ld and st: which words of tensor memory the
// registers of each thread are.
type fragmentOp struct {
	uop.Private
	shape   tensor.Shape
	regs    []uint32 // rows
	words   []int32  // register after register, 32 threads each: from the word at the base address
	pair    bool     // a register is the lower halves of two neighbouring words
	keep    bool     // store: upper halves of unpacked words stay
	columns int      // that the fragment covers from its base on
	split   int      // the second half is so far behind; 0 without one
	halved  bool
}

var shapes = map[isa.Mod]tensor.Shape{
	isa.M_32x32b: tensor.S32x32b, isa.M_16x64b: tensor.S16x64b, isa.M_16x128b: tensor.S16x128b,
	isa.M_16x256b: tensor.S16x256b, isa.M_16x32bx2: tensor.S16x32bx2,
}

// newFragment sets up the map; the address is the operand of role taddr.
func newFragment(b *sem.Build, pair bool) *fragmentOp {
	num, _ := b.Sel.Cap("X")
	o := &fragmentOp{shape: shapes[b.Sel.Get(isa.C_shape)], pair: pair}
	o.columns = o.shape.Columns(num)
	if pair {
		o.columns *= 2
	}
	if split := b.In.Op(isa.R_split); split != nil {
		o.split, o.halved = int(int32(split.Imm)), true
	}
	for r := range o.shape.Regs(num) {
		for thread := range 32 {
			row, col := o.shape.Word(thread, r, o.split, pair)
			o.words = append(o.words, int32(row*tensor.MaxColumns+col))
		}
	}
	tensorAddress(b)
	return o
}

// tensorAddress places [taddr], of each lane.
func tensorAddress(b *sem.Build) {
	if by, _ := b.Address(b.In.Op(isa.R_taddr), machine.Generic); by != uop.ByRow32 {
		b.Fail("an address in tensor memory is a 32-bit register")
	}
}

// locate checks the address of a fragment for the running warp (9.7.16.8.1).
func (o *fragmentOp) locate(w *machine.Warp, in *machine.Inst) (tensor.Addr, machine.State) {
	if st := w.Collective(in); st != machine.Next {
		return 0, st
	}
	v, same := uniform(w, in.A)
	if !same {
		return 0, tensorFault(w, in, "the lanes give different addresses in tensor memory; the first is %v", tensor.Addr(v))
	}
	a := tensor.Addr(v + uint32(in.Imm))
	lane, quarter := a.Lane(), w.Index()%4*32
	switch {
	case lane < quarter || lane >= quarter+32:
		return 0, tensorFault(w, in, "address %v: warp %d may touch lanes %d to %d only (warp %d of its warpgroup)", a, w.Index(), quarter, quarter+31, w.Index()%4)
	case lane%o.shape.Rows() != 0:
		return 0, tensorFault(w, in, "address %v: the lane must be a multiple of %d for .%s", a, o.shape.Rows(), o.shape)
	}
	if err := o.check(w.Tensor(), a); err != nil {
		return 0, tensorFault(w, in, "address %v: %v", a, err)
	}
	return a, machine.Next
}

// check looks whether all columns of a fragment are there, now or when a step is due.
func (o *fragmentOp) check(t *tmem.Memory, a tensor.Addr) error {
	if o.halved && (o.split < 0 || a.Column()+o.split+o.columns > int(t.Width)) {
		return fmt.Errorf("immHalfSplitoff %d: the second half would begin at column %d and end behind column %d; tensor memory has columns 0 to %d",
			o.split, a.Column()+o.split, a.Column()+o.split+o.columns-1, t.Width-1)
	}
	err := t.Check(a.Lane(), o.shape.Rows(), a.Column(), o.columns)
	if err == nil && o.halved {
		err = t.Check(a.Lane(), o.shape.Rows(), a.Column()+o.split, o.columns)
	}
	return err
}

// base is the memory from the base address on.
func base(t *tmem.Memory, a tensor.Addr) []uint32 { return t.From(a.Lane(), a.Column()) }

// extents lists the tensor memory that a fragment covers.
func (o *fragmentOp) extents(t *tmem.Memory, a tensor.Addr, kind machine.AccessKind, yield func(machine.Extent, machine.AccessKind) bool) bool {
	x := machine.TensorExtent(t, a.Lane(), o.shape.Rows(), a.Column(), o.columns)
	if !yield(x, kind) {
		return false
	}
	if o.halved && o.split != 0 {
		return yield(machine.TensorExtent(t, a.Lane(), o.shape.Rows(), a.Column()+o.split, o.columns), kind)
	}
	return true
}

// stepFault is what a late step reports when the columns have gone since the issue.
func stepFault(err error) *machine.Fault {
	if err == nil {
		return nil
	}
	return &machine.Fault{Kind: faults.BadTensorAccess, Text: err.Error() + "; it was when the operation was issued"}
}

// planTensorLoad sets up tcgen05.ld r, [taddr]{, split}.
func planTensorLoad(b *sem.Build) {
	o := newFragment(b, b.Sel.Has(isa.M_pack_16b))
	o.regs = b.Rows(b.In.Op(isa.R_r), b.Dst, 32)
	b.Ext().Data = o
	b.Does(uop.TensorLoad)
}

func loadTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*fragmentOp)
	a, st := o.locate(w, in)
	if st != machine.Next {
		return st
	}
	return fragmentLoad{o, w.Tensor(), a}.run(w, in, nil)
}

// load moves words to rows.
func (o *fragmentOp) load(from []uint32, rows []*[32]uint32) {
	for r, row := range rows {
		at := (*[32]int32)(o.words[32*r:])
		if o.pair {
			for i := range row {
				row[i] = from[at[i]]&0xffff | from[at[i]+1]<<16
			}
			continue
		}
		for i := range row {
			row[i] = from[at[i]]
		}
	}
}

// fragmentLoad is what an open tcgen05.ld keeps. Its registers are written at once: what depends on them comes after it
// without any wait (9.7.16.6.4.5). To others it reads tensor memory until it has been waited for.
type fragmentLoad struct {
	op *fragmentOp
	t  *tmem.Memory
	at tensor.Addr
}

// run loads the registers, and opens the operation unless it is done at once.
func (l fragmentLoad) run(w *machine.Warp, in *machine.Inst, red *reduceOp) machine.State {
	var rows []*[32]uint32
	for _, off := range l.op.regs {
		rows = append(rows, w.R32(off))
	}
	l.op.load(base(l.t, l.at), rows)
	if red != nil {
		red.reduce(rows, w.R32(red.into))
	}
	return l.open(w, in)
}

// open begins the operation unless it is done at once.
func (l fragmentLoad) open(w *machine.Warp, in *machine.Inst) machine.State {
	if w.AsyncMode() == queue.Eager {
		return machine.Next
	}
	return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.TensorLoad}, Proxy: model.AsyncProxy, Read: l.read, Touches: l.touches})
}

// read looks whether the memory is still there.
func (l fragmentLoad) read(*machine.Op) *machine.Fault { return stepFault(l.op.check(l.t, l.at)) }

func (l fragmentLoad) touches(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		l.op.extents(l.t, l.at, machine.Load, yield)
	}
}

// reduceOp is the decode-time constant of tcgen05.ld.red.
type reduceOp struct {
	fragmentOp
	into uint32
	abs  bool
	f    uop.Op
}

// foldings by operation, type and .NaN.
var foldings = map[[3]isa.Mod]uop.Op{
	{isa.M_min, isa.M_u32}: uop.MinU32, {isa.M_max, isa.M_u32}: uop.MaxU32,
	{isa.M_min, isa.M_s32}: uop.MinS32, {isa.M_max, isa.M_s32}: uop.MaxS32,
	{isa.M_min, isa.M_f32}: uop.MinF32, {isa.M_max, isa.M_f32}: uop.MaxF32,
	{isa.M_min, isa.M_f32, isa.M_NaN}: uop.MinNaNF32, {isa.M_max, isa.M_f32, isa.M_NaN}: uop.MaxNaNF32,
}

// planTensorReduce sets up tcgen05.ld.red r, red, [taddr]{, split}.
func planTensorReduce(b *sem.Build) {
	o := newReduceOp(b)
	o.regs, o.into = b.Rows(b.In.Op(isa.R_r), b.Dst, 32), b.Dst(b.In.Op(isa.R_red), 32)
	b.Ext().Data = o
	b.Does(uop.TensorReduce)
}

func newReduceOp(b *sem.Build) *reduceOp {
	o := &reduceOp{fragmentOp: *newFragment(b, false), abs: b.Sel.Has(isa.M_abs)}
	key := [3]isa.Mod{b.Sel.Get(isa.C_op), b.Sel.Get(isa.C_type)}
	if b.Sel.Has(isa.M_NaN) {
		key[2] = isa.M_NaN
	}
	o.f = foldings[key]
	return o
}

func reduceTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*reduceOp)
	a, st := o.locate(w, in)
	if st != machine.Next {
		return st
	}
	return fragmentLoad{&o.fragmentOp, w.Tensor(), a}.run(w, in, o)
}

// reduce combines the registers of each thread from the first on. With .abs it compares and
// returns magnitudes; a lone NaN then is as without.
func (o *reduceOp) reduce(rows []*[32]uint32, into *[32]uint32) {
	mask, f := ^uint32(0), sem.Function(o.f).(func(a, b uint32) uint32)
	if o.abs {
		mask >>= 1
	}
	for i := range into {
		v := rows[0][i] & mask
		for _, row := range rows[1:] {
			v = f(v, row[i]&mask)
		}
		into[i] = v
	}
}

// planTensorStore sets up tcgen05.st [taddr]{, split}, r.
func planTensorStore(b *sem.Build) {
	o := newFragment(b, b.Sel.Has(isa.M_unpack_16b))
	o.regs, o.keep = b.Rows(b.In.Op(isa.R_r), b.Src, 32), b.Assume(assume.Unpack16) == 1
	b.Ext().Data = o
	b.Does(uop.TensorStore)
}

func storeTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*fragmentOp)
	a, st := o.locate(w, in)
	if st != machine.Next {
		return st
	}
	t := w.Tensor()
	if w.AsyncMode() == queue.Eager {
		for r, off := range o.regs {
			o.store(base(t, a), r, w.R32(off))
		}
		return machine.Next
	}
	// The registers are read at the issue: only tensor memory is touched later.
	data := make([][32]uint32, len(o.regs))
	for r, off := range o.regs {
		data[r] = *w.R32(off)
	}
	return w.Issue(in, &machine.Op{
		Entry: queue.Entry{Pipe: queue.TensorStore}, Proxy: model.AsyncProxy,
		Write: func(*machine.Op) *machine.Fault {
			if err := o.check(t, a); err != nil {
				return stepFault(err)
			}
			for r := range data {
				o.store(base(t, a), r, &data[r])
			}
			return nil
		},
		Touches: func(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
			return func(yield func(machine.Extent, machine.AccessKind) bool) { o.extents(t, a, machine.Store, yield) }
		},
	})
}

// store moves one row of registers to words.
func (o *fragmentOp) store(to []uint32, r int, row *[32]uint32) {
	at := (*[32]int32)(o.words[32*r:])
	switch {
	case o.pair && o.keep:
		for i, v := range row {
			lo, hi := &to[at[i]], &to[at[i]+1]
			*lo, *hi = *lo&^0xffff|v&0xffff, *hi&^0xffff|v>>16
		}
	case o.pair:
		for i, v := range row {
			to[at[i]], to[at[i]+1] = v&0xffff, v>>16
		}
	default:
		for i, v := range row {
			to[at[i]] = v
		}
	}
}
