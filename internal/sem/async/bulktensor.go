package async

// Copies of boxes of tensors between global and shared memory, 9.7.9.27.1.2 and 9.7.9.27.1.3: each
// executing lane moves a box of its own, or a column of pixels.

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func bulkTensorLines() []sem.Line {
	overrides := []isa.Mod{isa.M_override_global_address, isa.M_override_global_dim, isa.M_override_global_dim_stride}
	return []sem.Line{
		{ID: isa.CpAsyncBulkTensor, Do: sem.Plan(planCopyBox, isa.C_dim, isa.C_dst, isa.C_load, isa.C_store, isa.C_multicast, isa.C_cta_group, isa.C_report).
			Sees(overrides...).Assuming(assume.Halo, assume.ValiditySample, assume.PaddedBytes, assume.SliceStrides, assume.TensorFlush)},
		{ID: isa.CpReduceAsyncBulkTensor, Do: sem.Plan(planReduceBox, isa.C_dim, isa.C_op, isa.C_store).Sees(overrides...).Assuming(assume.SliceStrides, assume.TensorFlush)},
		{ID: isa.CpAsyncBulkPrefetchTensor, Do: sem.Plan((*sem.Build).Nothing, isa.C_dim, isa.C_load, isa.C_prio).Sees(overrides...)},
		{ID: isa.ApplypriorityAsyncBulkTensor, Do: sem.Plan((*sem.Build).Nothing, isa.C_dim, isa.C_ss, isa.C_load, isa.C_prio).Sees(overrides...)},
		{ID: isa.TensormapReplace, Do: sem.Plan(planReplace, isa.C_mode, isa.C_whole, isa.C_each, isa.C_enum, isa.C_ss, isa.C_type)},
		{ID: isa.TensormapCpFenceproxy, Do: sem.Plan(planCopyMap, isa.C_dst, isa.C_src, isa.C_scope)},
	}
}

// walks are the ways through a tensor; every other modifier takes tiles.
var walks = map[isa.Mod]tensor.Mode{
	isa.M_im2col: tensor.Im2col, isa.M_im2col_no_offs: tensor.Im2col,
	isa.M_im2col_w: tensor.Im2colW, isa.M_im2col_no_offs_w: tensor.Im2colW, isa.M_im2col_w_128: tensor.Im2colW128,
}

// boxOp is the decode-time constant of a copy.
type boxOp struct {
	uop.Private
	rank    int
	apart   bool // the coordinates are a column and four rows
	mode    tensor.Mode
	coords  []uint32 // rows
	info    []uint32 // rows of what .im2col and its like take: offsets, or halo and offset
	walksOn bool     // the halo does
	slices  tensor.SliceStrides
	flush   tensor.Flushing
	packed  bool // the mbarrier hears of bytes without padding
	instead *override
	at      sem.Address
	shared  sem.Address
	own     bool         // the executing CTA's shared memory only
	bar     *sem.Address // nil: to global memory
	pair    bool         // the mbarrier may lie in the peer of the CTA that is written
	rankRow *uint32      // of masks of CTAs
	reduce  isa.Mod      // operation; 0: a copy
	valid   *validity
}

// planCopyBox sets up cp.async.bulk.tensor [dst], [map, coords], [mbar]{, masks} and [map, coords], [src].
func planCopyBox(b *sem.Build) { newBoxOp(b) }

// planReduceBox sets up cp.reduce.async.bulk.tensor [map, coords], [src].
func planReduceBox(b *sem.Build) { newBoxOp(b).reduce = b.Sel.Get(isa.C_op) }

func newBoxOp(b *sem.Build) *boxOp {
	o := &boxOp{apart: b.Sel.Has(isa.M_tile_gather4) || b.Sel.Has(isa.M_tile_scatter4)}
	o.rank, _ = b.Sel.Cap("D")
	o.at = b.AddressAt(b.In.Op(isa.R_map))
	o.coords = b.Rows(b.In.Op(isa.R_coords), b.Src, 32)
	o.mode = max(walks[b.Sel.Get(isa.C_load)], walks[b.Sel.Get(isa.C_store)])
	if info := b.In.Op(isa.R_im2col); info != nil {
		o.info = b.Rows(info, b.Src, 32)
		o.walksOn = o.mode != tensor.Im2col && b.Assume(assume.Halo) == 1
	}
	o.slices, o.packed = tensor.SliceStrides(b.Assume(assume.SliceStrides)), b.In.Op(isa.R_mbar) != nil && b.Assume(assume.PaddedBytes) == 1
	o.flush = tensor.Flushing(b.Assume(assume.TensorFlush))
	o.instead = newOverride(b)
	at := b.In.Op(isa.R_src_mem)
	if bar := b.In.Op(isa.R_mbar); bar != nil {
		place := b.AddressAt(bar)
		o.bar, at = &place, b.In.Op(isa.R_dst_mem)
		o.valid = newValidity(b)
		o.rankRow, o.pair = b.Optional(isa.R_cta_mask), b.Sel.Get(isa.C_cta_group) == isa.M_cta_group_2
	}
	o.shared, o.own = b.AddressAt(at), o.bar == nil || b.Sel.Get(isa.C_dst) == isa.M_shared_cta
	b.Ext().Data = o
	b.Does(uop.CopyBoxes)
	return o
}

// boxCopy is one lane's part of an open copy.
type boxCopy struct {
	*tensor.Map
	lane   int
	rows   []tensor.Row
	lo, hi uint64 // global memory from the first to the last byte of them
	shared uint64 // address of the box in the window
	bar    uint64
	ranks  uint32
	box    []byte // dense
	met    bool   // the tensor has the pattern that the copy looks for
}

// boxRecord is what an open copy keeps.
type boxRecord struct {
	*boxOp
	copies []boxCopy
	red    sem.Updates
	op     machine.Op // from or to, filled by Issue
	from   machine.Op // shared memory
	to     machine.Op
}

func badMap(w *machine.Warp, in *machine.Inst, lane int, err error) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.BadDescriptor, Lanes: 1 << lane, Text: "tensor map: " + err.Error()})
}

// copyBoxes checks everything before anything is copied.
func copyBoxes(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*boxOp)
	r := boxPool.Get().(*boxRecord)
	r.boxOp, r.copies, r.red, r.op = o, r.copies[:0], sem.Updates{}, r.from
	st := sem.OneByOne(w, func(lane int) machine.State { return r.lane(w, in, lane) })
	if st != machine.Next {
		return st
	}
	if o.bar != nil {
		r.op = r.to
	}
	if st = w.Issue(in, &r.op); w.OpsEndAtOnce() {
		boxPool.Put(r)
	}
	return st
}

// boxPool has records that are used again.
var boxPool = sync.Pool{New: func() any {
	r := new(boxRecord)
	r.from = machine.Op{Entry: queue.Entry{Pipe: queue.Bulk}, Proxy: model.AsyncProxy, Read: r.store, Write: r.give, Touches: r.touches}
	r.to = machine.Op{Entry: queue.Entry{Pipe: queue.Store}, Proxy: model.AsyncProxy, Read: r.fetch, Write: r.load, Signal: r.signal, Touches: r.touches}
	return r
}}

// next is a copy whose rows and box may be used again.
func (r *boxRecord) next() *boxCopy {
	if n := len(r.copies); n < cap(r.copies) {
		r.copies = r.copies[:n+1]
	} else {
		r.copies = append(r.copies, boxCopy{})
	}
	return &r.copies[len(r.copies)-1]
}

// lane reads the map and the operands of the lane in w.Mask, and checks what it touches.
func (r *boxRecord) lane(w *machine.Warp, in *machine.Inst, lane int) machine.State {
	var addr, shared [32]uint64
	r.at.Lanes(w, &addr, 0)
	r.shared.Lanes(w, &shared, 0)
	m, st := readMap(w, in, &machine.Request{Kind: machine.Load, Size: tensor.MapBytes, Align: 64}, &addr, lane, tensor.DecodeMap)
	if st != machine.Next {
		return st
	}
	if r.instead != nil {
		r.instead.apply(w, m, lane)
	}
	if err := r.fits(m, w.Launch().Target.Arch); err != nil {
		return badMap(w, in, lane, err)
	}
	c := r.next()
	rows, err := r.boxRows(c.rows[:0], w, m, lane)
	if err != nil {
		return badMap(w, in, lane, err)
	}
	*c = boxCopy{Map: m, lane: lane, shared: shared[lane], rows: rows, box: num.Grown(c.box, int(m.RowBytes())*len(rows))}
	c.span()
	if r.rankRow != nil {
		c.ranks = w.R32(*r.rankRow)[lane]
	}
	if st := r.checkGlobal(w, in, c); st != machine.Next {
		return st
	}
	return r.checkShared(w, in, c, &shared)
}

// span finds where the rows inside the tensor begin and end.
func (c *boxCopy) span() {
	c.lo, c.hi = math.MaxUint64, 0
	for _, row := range c.rows {
		if row.Bytes != 0 {
			c.lo, c.hi = min(c.lo, row.Address), max(c.hi, row.Address+uint64(row.Bytes))
		}
	}
}

// mapDecoder is tensor.DecodeMap or tensor.DecodeReplaced.
type mapDecoder func(*[tensor.MapBytes]byte) (*tensor.Map, error)

// readMap reads a tensor map at the address of the lane in w.Mask.
func readMap(w *machine.Warp, in *machine.Inst, q *machine.Request, addr *[32]uint64, lane int, decode mapDecoder) (*tensor.Map, machine.State) {
	a, st := w.Access(in, q, addr)
	if st != machine.Next {
		return nil, st
	}
	var bits [tensor.MapBytes]byte
	mem.LoadBytes(bits[:], a.Ptr(addr, lane, 0))
	m, err := decode(&bits)
	if err != nil {
		return nil, badMap(w, in, lane, err)
	}
	return m, machine.Next
}

// fits checks the map against the statement.
func (r *boxRecord) fits(m *tensor.Map, arch int) error {
	if err := m.Fits(tensor.Use{Rank: r.rank, Mode: r.mode, Apart: r.apart, Store: r.bar == nil, Arch: arch}); err != nil || r.reduce == 0 {
		return err
	}
	f, ok := sem.RmwBy(r.reduce, reducedTypes[m.Type][bitwise(r.reduce)])
	if !ok {
		return fmt.Errorf("elements of type %v have no %v", m.Type, r.reduce)
	}
	r.red = f.Exact().Updates() // as the reductions of plain bulk copies
	return nil
}

// reducedTypes are the types by which elements of a map are combined: numbers, and bits.
var reducedTypes = [16][2]isa.Mod{
	2: {isa.M_u32, isa.M_b32}, 3: {isa.M_s32, isa.M_b32}, 4: {isa.M_u64, isa.M_b64}, 5: {isa.M_s64, isa.M_b64},
	6: {isa.M_f16}, 7: {isa.M_f32}, 8: {isa.M_f32}, 9: {isa.M_f64}, 10: {isa.M_bf16},
}

func bitwise(op isa.Mod) int {
	if op == isa.M_and || op == isa.M_or || op == isa.M_xor {
		return 1
	}
	return 0
}

// boxRows appends the rows, or pixels, that the coordinates name.
func (r *boxRecord) boxRows(rows []tensor.Row, w *machine.Warp, m *tensor.Map, lane int) ([]tensor.Row, error) {
	var at [tensor.MaxRank]int32
	for i, row := range r.coords {
		at[i] = int32(w.R32(row)[lane])
		if at[i] != 0 && r.instead != nil && r.instead.dims != nil {
			return nil, fmt.Errorf("coordinate %d is %d; where dimensions are overridden all are 0", i, at[i])
		}
	}
	if err := m.Aligned(at); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(at[:], func(n int32) bool { return n < 0 }); i >= 0 && r.bar == nil && !r.apart {
		return nil, fmt.Errorf("coordinate %d is %d: a box that is stored begins inside of the tensor, or behind its end", i, at[i])
	}
	switch {
	case r.mode != tensor.Tiles:
		return m.Pixels(at, r.walk(w, lane))
	case r.apart:
		return m.Gather(at[0], [4]int32(at[1:])), nil
	}
	return m.Rows(rows, at, r.slices), nil
}

// walk reads what the statement says beside the coordinates of a column.
func (r *boxRecord) walk(w *machine.Warp, lane int) (x tensor.Walk) {
	x.Slices = r.slices
	for i, row := range r.info {
		switch v := uint16(w.R32(row)[lane]); {
		case r.mode == tensor.Im2col:
			x.Offsets[i] = v
		case i == 0:
			x.Halo = v
		default:
			x.Offset = v
		}
	}
	x.HaloWalks = r.walksOn
	return x
}

// checkGlobal checks each row that lies inside the tensor; where all lie in one allocation the first is enough.
func (r *boxRecord) checkGlobal(w *machine.Warp, in *machine.Inst, c *boxCopy) machine.State {
	q := machine.Request{Space: machine.Global, Kind: r.global(), Align: 1}
	var addr [32]uint64
	for _, row := range c.rows {
		if row.Bytes == 0 {
			continue
		}
		q.Size, addr[c.lane] = row.Bytes, row.Address
		if _, st := w.Access(in, &q, &addr); st != machine.Next {
			return st
		}
		if w.OneAllocation(c.lo, c.hi, q.Kind) {
			break
		}
	}
	return machine.Next
}

// global is what a copy does to global memory.
func (o *boxOp) global() machine.AccessKind {
	switch {
	case o.bar != nil:
		return machine.Load
	case o.reduce != 0:
		return machine.Atomic
	}
	return machine.Store
}

// checkShared checks the box in shared memory, and the mbarrier.
func (r *boxRecord) checkShared(w *machine.Warp, in *machine.Inst, c *boxCopy, shared *[32]uint64) machine.State {
	q := machine.Request{Space: machine.Shared, Kind: machine.Load, Size: c.SharedBytes(len(c.rows)), Align: 128, OwnCTA: r.own}
	if r.bar != nil {
		q.Kind = machine.Store
	}
	for at := range r.targets(c) {
		shared[c.lane] = at
		if _, st := w.Access(in, &q, shared); st != machine.Next {
			return st
		}
	}
	if r.bar == nil {
		return machine.Next
	}
	var bars [32]uint64
	r.bar.Lanes(w, &bars, 0)
	shared[c.lane] = c.shared
	same := shared
	if r.rankRow != nil || r.pair {
		same = nil
	}
	st := mbarriersAt(w, in, machine.Shared, &bars, same)
	c.bar = bars[c.lane]
	if bar, to := c.bar>>mem.RankShift, c.shared>>mem.RankShift; st == machine.Next && r.pair && r.rankRow == nil && bar/2 != to/2 {
		return w.Fault(in, &machine.Fault{
			Kind: faults.BadMbarrier, Lanes: 1 << c.lane, Addr: c.bar, Value: c.shared, Space: machine.Shared,
			Text: fmt.Sprintf("it lies in rank %d of the cluster, what is written in rank %d; .cta_group::2 takes an mbarrier of that CTA or of its peer, rank %d", bar, to, to^1),
		})
	}
	return st
}

// targets lists the address of the box in each CTA that a lane writes to.
func (r *boxRecord) targets(c *boxCopy) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if r.rankRow == nil {
			yield(c.shared)
			return
		}
		for m := c.ranks; m != 0; m &= m - 1 {
			if !yield(inRank(c.shared, uint64(sem.Lowest(m)))) {
				return
			}
		}
	}
}

// signalled is the mbarrier that hears of the box at a target: of that CTA, or for pairs of the CTA in its pair whose rank is
// odd or even as that of the named mbarrier.
func (r *boxRecord) signalled(c *boxCopy, target uint64) uint64 {
	rank := target >> mem.RankShift
	switch {
	case r.rankRow == nil:
		return c.bar
	case r.pair:
		rank = rank&^1 | c.bar>>mem.RankShift&1
	}
	return inRank(c.bar, rank)
}

// inRank is the same place in the shared memory of another CTA of the cluster.
func inRank(addr, rank uint64) uint64 { return addr&(mem.MaxShared-1) | rank<<mem.RankShift }

// each visits the copies of the operation's lanes until one fails.
func (r *boxRecord) each(op *machine.Op, do func(c *boxCopy) *machine.Fault) *machine.Fault {
	for i := range r.copies {
		c := &r.copies[i]
		if op.Lanes>>c.lane&1 == 0 {
			continue
		}
		if f := do(c); f != nil {
			f.Lanes = 1 << c.lane
			return f
		}
	}
	return nil
}

// global visits the rows of a box that lie inside the tensor.
func (c *boxCopy) global(op *machine.Op, kind machine.AccessKind, do func(box, memory []byte, addr uint64)) *machine.Fault {
	n := int(c.RowBytes())
	all, together := []byte(nil), false
	if c.hi != 0 {
		all, together = op.GlobalSpan(c.lo, c.hi, kind)
	}
	for i, row := range c.rows {
		if row.Bytes == 0 {
			continue
		}
		memory, f := []byte(nil), (*machine.Fault)(nil)
		if together {
			memory = all[row.Address-c.lo:][:row.Bytes]
		} else if memory, f = op.Global(row.Address, uint64(row.Bytes), kind); f != nil {
			return f
		}
		do(c.box[i*n+int(row.Skip):][:c.InBox(row.Bytes)], memory, row.Address)
	}
	return nil
}

// fill writes the elements outside the tensor, if there are any.
func (c *boxCopy) fill() {
	n := c.RowBytes()
	if slices.ContainsFunc(c.rows, func(row tensor.Row) bool { return c.InBox(row.Bytes) != n }) {
		c.Fill(c.box)
	}
}

// fetch reads the tensor.
func (r *boxRecord) fetch(op *machine.Op) *machine.Fault {
	return r.each(op, func(c *boxCopy) (f *machine.Fault) {
		if r.valid != nil || !c.fetchWhole(op) {
			c.fill()
			f = c.global(op, machine.Load, func(box, memory []byte, addr uint64) {
				c.Unpack(box, memory)
				c.met = c.met || r.valid.meets(memory, addr)
			})
		}
		if c.Flushes(r.flush, true) {
			tensor.Flush(c.box)
		}
		return f
	})
}

// fetchWhole reads a box that lies inside the tensor, in one allocation and without padding; false: it does not.
func (c *boxCopy) fetchWhole(op *machine.Op) bool {
	n := c.RowBytes()
	if c.InBox(n) != n || slices.ContainsFunc(c.rows, func(row tensor.Row) bool { return row.Bytes != n }) {
		return false
	}
	all, together := op.GlobalSpan(c.lo, c.hi, machine.Load)
	if !together {
		return false
	}
	box := c.box
	for i := range c.rows {
		copy(box[:n], all[c.rows[i].Address-c.lo:])
		box = box[n:]
	}
	return true
}

// load writes shared memory.
func (r *boxRecord) load(op *machine.Op) *machine.Fault {
	return r.each(op, func(c *boxCopy) *machine.Fault {
		for at := range r.targets(c) {
			c.Scatter(op.Shared(at, uint64(c.SharedBytes(len(c.rows)))), uint32(at&(mem.MaxShared-1)), c.box)
		}
		return nil
	})
}

// signal tells the mbarriers of the whole box, whatever lay outside the tensor.
func (r *boxRecord) signal(op *machine.Op) *machine.Fault {
	return r.each(op, func(c *boxCopy) *machine.Fault {
		bytes := uint32(len(c.box))
		if r.packed {
			bytes = c.Packed(bytes)
		}
		for at := range r.targets(c) {
			if f := r.valid.complete(op, c.lane, r.signalled(c, at), bytes, c.met); f != nil {
				return f
			}
		}
		return nil
	})
}

// store reads shared memory.
func (r *boxRecord) store(op *machine.Op) *machine.Fault {
	return r.each(op, func(c *boxCopy) *machine.Fault {
		c.Collect(c.box, op.Shared(c.shared, uint64(c.SharedBytes(len(c.rows)))), uint32(c.shared&(mem.MaxShared-1)))
		if c.Flushes(r.flush, false) {
			tensor.Flush(c.box)
		}
		return nil
	})
}

// give writes the tensor, or combines with it.
func (r *boxRecord) give(op *machine.Op) *machine.Fault {
	return r.each(op, func(c *boxCopy) *machine.Fault {
		return c.global(op, r.boxOp.global(), func(box, memory []byte, _ uint64) {
			if r.reduce != 0 {
				r.red.ApplyRun(memory, box, c.Type.Size(), false)
				return
			}
			c.Pack(memory, box)
		})
	})
}

func (r *boxRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		shared := machine.Load
		if r.bar != nil {
			shared = machine.Store
		}
		for i := range r.copies {
			c := &r.copies[i]
			if op.Lanes>>c.lane&1 == 0 {
				continue
			}
			for at := range r.targets(c) {
				if !yield(op.Extent(machine.Shared, c.lane, at, uint64(len(c.box))), shared) {
					return
				}
			}
			for _, row := range c.rows {
				if row.Bytes != 0 && !yield(op.Extent(machine.Global, c.lane, row.Address, uint64(row.Bytes)), r.global()) {
					return
				}
			}
		}
	}
}

// replaceOp is the decode-time constant of tensormap.replace.
type replaceOp struct {
	uop.Private
	machine.Request
	at    sem.Address
	field isa.Mod
	ord   int
	row   uint32 // of the value
	bits  int
}

// planReplace sets up tensormap.replace [addr]{, ord}, value.
func planReplace(b *sem.Build) {
	ops := b.In.Ops
	o := &replaceOp{at: b.AddressAt(&ops[0]), bits: 32}
	space := sem.SpaceOf(b.Sel.Get(isa.C_ss))
	o.Request = machine.Request{Space: space, Kind: machine.Atomic, Size: tensor.MapBytes, Align: 128, OwnCTA: space == machine.Shared}
	for _, c := range []isa.Class{isa.C_whole, isa.C_each, isa.C_enum} {
		if m := b.Sel.Get(c); m != 0 {
			o.field = m
		}
	}
	value := &ops[len(ops)-1]
	if len(ops) == 3 {
		o.ord = int(ops[1].Imm)
	}
	if b.Sel.Has(isa.M_b64) {
		o.bits = 64
	}
	o.bits = b.OperandBits(value, o.bits)
	o.row = b.Src(value, o.bits)
	b.Ext().Data = o
	b.Does(uop.ReplaceField)
}

func replaceField(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*replaceOp)
	return sem.OneByOne(w, func(lane int) machine.State {
		var addr [32]uint64
		o.at.Lanes(w, &addr, 0)
		m, st := readMap(w, in, &o.Request, &addr, lane, tensor.DecodeReplaced)
		if st != machine.Next {
			return st
		}
		if err := m.Replace(o.field.String()[1:], o.ord, sem.LoadElem(w, o.row, o.bits, lane)); err != nil {
			return badMap(w, in, lane, err)
		}
		a, st := w.Access(in, &o.Request, &addr)
		if st == machine.Next {
			bits := m.Encode()
			mem.StoreBytes(a.Ptr(&addr, lane, 0), bits[:])
		}
		return st
	})
}

// copyMapOp is the decode-time constant of tensormap.cp_fenceproxy.
type copyMapOp struct {
	uop.Private
	to, from sem.Address
}

// planCopyMap sets up tensormap.cp_fenceproxy [d], [s], 128: the lanes copy the same 128 bytes.
func planCopyMap(b *sem.Build) {
	b.Ext().Data = &copyMapOp{to: b.AddressAt(&b.In.Ops[0]), from: b.AddressAt(&b.In.Ops[1])}
	b.Does(uop.CopyMap)
}

// tellTogether tells of an access that the lanes of the warp make as one, once for each address that they name.
func tellTogether(w *machine.Warp, in *machine.Inst, e machine.Event) {
	for rest := w.Mask; rest != 0; rest &^= e.Together {
		i := sem.Lowest(rest)
		e.Lanes, e.Together = 1<<i, 0
		sem.Each(rest, func(j int) { e.Together |= sem.Bit(e.Addr[j] == e.Addr[i]) << j })
		w.Observe(in, e)
	}
}

func copyMap(w *machine.Warp, in *machine.Inst) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	o := in.Ext.Data.(*copyMapOp)
	var to, from [32]uint64
	o.to.Lanes(w, &to, 0)
	o.from.Lanes(w, &from, 0)
	if w.Observing() {
		tellTogether(w, in, machine.Event{Space: machine.Shared, Kind: machine.Load, Size: tensor.MapBytes, Addr: &from})
		tellTogether(w, in, machine.Event{Space: machine.Global, Kind: machine.Store, Size: tensor.MapBytes, Addr: &to})
	}
	a, st := w.Access(in, &machine.Request{Space: machine.Shared, Kind: machine.Load, Size: tensor.MapBytes, Align: 128, OwnCTA: true}, &from)
	if st != machine.Next {
		return st
	}
	all := make([][tensor.MapBytes]byte, 32)
	for i := range all {
		mem.LoadBytes(all[i][:], a.Ptr(&from, i, 0))
	}
	a, st = w.Access(in, &machine.Request{Space: machine.Global, Kind: machine.Store, Size: tensor.MapBytes, Align: 128}, &to)
	if st != machine.Next {
		return st
	}
	for i := range all {
		mem.StoreBytes(a.Ptr(&to, i, 0), all[i][:])
	}
	return machine.Next
}
