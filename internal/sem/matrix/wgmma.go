package matrix

// Products of matrices that a warpgroup makes, 9.7.15: each of its four warps has sixteen rows of A and D, and its own
// record. D and an A in registers belong to the operation until it has been waited for.

import (
	"iter"
	"sync"
	stdatomic "sync/atomic"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func wgmmaLines() []sem.Line {
	return []sem.Line{
		{ID: isa.WgmmaFence, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.WarpgroupFence) }).Sees(isa.M_aligned)},
		{ID: isa.WgmmaCommitGroup, Do: sem.Plan(func(b *sem.Build) { b.Does(uop.CommitProducts) }).Sees(isa.M_aligned)},
		{ID: isa.WgmmaWaitGroup, Do: sem.Plan(planWaitProducts).Sees(isa.M_aligned)},
		{ID: isa.WgmmaMmaAsync, Do: sem.Plan(planWgmma, isa.C_shape, isa.C_dtype, isa.C_atype, isa.C_btype).Sees(isa.M_satfinite, isa.M_aligned, isa.M_and, isa.M_popc)},
		{ID: isa.WgmmaMmaAsyncSp, Do: sem.Plan(planWgmma, isa.C_shape, isa.C_dtype, isa.C_atype, isa.C_btype).Sees(isa.M_satfinite, isa.M_aligned)},
	}
}

func commitProducts(w *machine.Warp, in *machine.Inst) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	return w.CommitGroup(queue.Product)
}

func planWaitProducts(b *sem.Build) {
	b.Out.Imm = b.In.Ops[0].Imm
	b.Does(uop.WaitProducts)
}

func waitProducts(w *machine.Warp, in *machine.Inst) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	return w.WaitGroups(queue.Product, in.Imm, false)
}

// wgmmaOp is the decode-time constant of wgmma.mma_async.
type wgmmaOp struct {
	productOp    // of the sixteen rows of a warp; a is nil for an A in shared memory
	aDesc, bDesc uint32
	add          uint32 // predicate: D is added to
	flip         uint32
	negative     [2]bool                           // A and B
	columns      [2]bool                           // A and B lie along M and N
	places       []denseMeta                       // of each word of a sparse A, row after row
	tileCode     [2]stdatomic.Pointer[fragmentsOn] // without C, with it
}

// planWgmma sets up wgmma.mma_async d, a|a-desc, b-desc{, meta, selector}, scale-d{, sa, sb}{, ta, tb}.
func planWgmma(b *sem.Build) {
	o := &wgmmaOp{}
	for i, c := range []isa.Class{isa.C_atype, isa.C_btype, isa.C_dtype, isa.C_dtype} {
		o.elems[i] = matrixElements[b.Sel.Get(c)]
	}
	o.M, o.Bits = 16, o.elems[0].bits
	o.N, _ = b.Sel.Cap("N")
	o.K, _ = b.Sel.Cap("K")
	if e := b.In.Op(isa.R_meta); e != nil {
		o.Sparse, o.meta, o.selector = true, b.Src(e, 32), int(b.In.Op(isa.R_selector).Imm)
	}
	if o.Bits == 1 { // words
		o.Bits, o.K = 32, o.K/32
		o.and = true
	}
	o.d = b.Rows(b.In.Op(isa.R_d), b.Dst, 32)
	if b.In.Op(isa.R_a) != nil {
		o.a = b.Rows(b.In.Op(isa.R_a), b.Src, 32)
	} else {
		o.aDesc = b.Src(b.In.Op(isa.R_a_desc), 64)
	}
	o.bDesc = b.Src(b.In.Op(isa.R_b_desc), 64)
	scale := b.In.Op(isa.R_scale_d)
	o.add, o.flip = b.Src(scale, 1), sem.Flip(scale)
	o.negative = [2]bool{isConstant(b, isa.R_sa, -1), isConstant(b, isa.R_sb, -1)}
	o.columns = [2]bool{isConstant(b, isa.R_ta, 1), isConstant(b, isa.R_tb, 1)}
	o.saturate = b.Sel.Has(isa.M_satfinite)
	if o.Sparse {
		for i := range 16 * o.Stored() / o.PerRegister() {
			words := o.Stored() / o.PerRegister()
			o.places = append(o.places, o.denseMeta(i/words, i%words*o.PerRegister()))
		}
	}
	b.Ext().Data = o
	b.Does(uop.WarpgroupProduct)
}

// isConstant reports whether an optional constant has a value.
func isConstant(b *sem.Build, r isa.Role, v int32) bool {
	o := b.In.Op(r)
	return o != nil && int32(o.Imm) == v
}

// wgmmaRecord is what an open product keeps: matrices are read when it runs.
type wgmmaRecord struct {
	*wgmmaOp
	arch      int
	warp      int // in its warpgroup
	rank      uint64
	a, b      []uint32 // units of 16 bytes in shared memory, line after line
	placed    *[2]placedUnits
	registers *[32]uint32 // the first one of the warp
	dRows     []*[32]uint32
	aRows     []*[32]uint32
	meta      [32]uint32
	add       bool
	row       machine.Extent // an empty one, of the warp's registers
	by        num.Multiplier
	dense     *num.Dense // nil: it is one of bits, or of tiles
	tiles     wgmmaTiles
	sum       []uint32 // D, row after row of pitch elements
	pitch     int
	seen      *seenBy // by those who look at numbers; nil: there are none
}

// wgmmaFence orders registers with the products behind it: they wait for nothing here, and sanitizers want to know.
func wgmmaFence(w *machine.Warp, in *machine.Inst) machine.State {
	st := w.Collective(in)
	if st == machine.Next {
		w.FencedProducts(in)
	}
	return st
}

// wgmma checks the descriptors and begins the product of a warp.
func wgmma(w *machine.Warp, in *machine.Inst) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	o := in.Ext.Data.(*wgmmaOp)
	registers := w.ProductRows(uint32(o.N<<16|o.K<<8|o.Bits), o.d, o.productOp.a)
	w.UnfencedProduct(in, &registers)
	add := *w.P(o.add) ^ o.flip
	if add != 0 && add != ^uint32(0) {
		return w.Fault(in, &machine.Fault{Kind: faults.PartialWarp, Lanes: w.Mask, Text: "the lanes give different values of scale-d"})
	}
	r := wgmmaPool.Get().(*wgmmaRecord)
	*r = wgmmaRecord{
		wgmmaOp: o, arch: w.Launch().Target.Arch, warp: w.Index() % 4, rank: uint64(w.Tensor().Rank()) << mem.RankShift, add: add != 0, by: w.Launch().Products,
		registers: w.R32(0), tiles: wgmmaTiles{rows: r.tiles.rows, FragmentsAt: num.FragmentsAt{Room: r.tiles.Room}},
		placed: r.placed, dRows: r.dRows[:0], aRows: r.aRows[:0], row: w.Rows(0, 0),
	}
	if err := r.place(w); err != nil {
		return w.Fault(in, &machine.Fault{Kind: faults.BadDescriptor, Lanes: w.Mask, Text: err.Error()})
	}
	if o.Sparse {
		r.meta = *w.R32(o.productOp.meta)
	}
	a := uint64(0)
	if len(o.productOp.a) == 0 {
		a = w.R64(o.aDesc)[0]
	}
	w.GroupProduct(in, a, w.R64(o.bDesc)[0])
	if w.Launch().Numbers != nil {
		r.seen = seeing(w, in, w.Mask, o.operands(a, w.R64(o.bDesc)[0]))
	}
	for _, off := range o.d {
		r.dRows = append(r.dRows, w.R32(off))
	}
	for _, off := range o.productOp.a {
		r.aRows = append(r.aRows, w.R32(off))
	}
	st := w.Issue(in, &machine.Op{
		Entry: queue.Entry{Pipe: queue.Product}, Product: registers, Proxy: model.AsyncProxy, Read: r.read, Write: r.write, Touches: r.touches,
	})
	if w.OpsEndAtOnce() {
		wgmmaPool.Put(r)
	}
	return st
}

// wgmmaPool has records that are used again.
var wgmmaPool = sync.Pool{New: func() any { return new(wgmmaRecord) }}

// read takes the matrices from shared memory and registers, and multiplies.
func (r *wgmmaRecord) read(op *machine.Op) *machine.Fault {
	if !r.and {
		if r.seen != nil || !r.inTiles(op) {
			r.multiplyDense(op)
		}
		return nil
	}
	p := &matrices{
		rows: 16, columns: r.N, k: r.K, stored: r.K, elems: r.elems, and: true,
		left: make([]uint32, 16*r.K), right: make([]uint32, r.N*r.K), sum: make([]uint32, 16*r.N),
	}
	if r.productOp.a == nil {
		r.words(op, p.left, r.a)
	}
	for i, row := range r.aRows {
		for lane, word := range row {
			m, k := r.A(lane, i, 0)
			p.left[m*r.K+k] = word
		}
	}
	r.words(op, p.right, r.b)
	if r.add {
		r.readD(p.sum, r.N)
	}
	p.multiply()
	op.CountSums(len(p.sum), len(p.sum))
	r.sum, r.pitch = p.sum, r.N
	return nil
}

// multiplyDense multiplies floats and integers.
func (r *wgmmaRecord) multiplyDense(op *machine.Op) {
	d := densePool.Get().(*num.Dense)
	shape := denseShape(16, r.N, &r.Product, &r.elems, r.rule())
	shape.Saturate = r.saturate
	d.Set(&shape)
	source := denseSource{units: r.a, columns: r.columns[0]}
	source.memory, source.start = op.SharedMemory(uint32(r.rank >> mem.RankShift))
	if r.productOp.a == nil {
		source.fill(d, 0, 0, 16, 0)
	}
	left, words, _ := d.Operand(0)
	for i, row := range r.aRows {
		m, k := r.A(0, i, 0)
		at := m*words + k*r.Bits/32
		for lane, word := range row {
			left[at+lane>>2*words+lane&3] = word
		}
	}
	source.units, source.columns = r.b, r.columns[1]
	source.fill(d, 1, 0, r.N, 0)
	for i, negative := range r.negative {
		if negative {
			negateDense(d, i)
		}
	}
	if r.Sparse {
		for i, m := range r.places {
			m.gather(&r.meta, &d.Meta[i])
		}
	}
	d.Unpack(denseChoices[r.Bits])
	if clear(d.Sum); r.add {
		r.readD(d.Sum, d.Columns)
	}
	d.MultiplyBy(r.by)
	if op.CountSums(16*r.N, d.Slow); r.seen != nil {
		r.show(d)
	}
	r.dense, r.sum, r.pitch = d, d.Sum, d.Columns
}

// words lays units out: lines of words of bits are not transposed.
func (r *wgmmaRecord) words(op *machine.Op, to, units []uint32) {
	for i, unit := range units {
		data := op.Shared(r.rank|uint64(unit), 16)
		for j := range 4 {
			to[4*i+j] = unpack(data, 32, j)
		}
	}
}

// eachD visits the pieces of D (9.7.15.5.1): for each eight columns of eight rows, where they begin, and the registers that
// have them, for each row in four lanes: one of f16, else one of even and one of odd elements.
func (r *wgmmaRecord) eachD(visit func(row, column int, even, odd *[32]uint32)) {
	per := 32 / r.elems[3].bits
	for first := 0; first < len(r.dRows); first += 3 - per {
		i := first * per // the element
		visit(8*(i>>1&1), 8*(i>>2), r.dRows[first], r.dRows[first+2-per])
	}
}

// readD spreads D to rows of so many elements.
func (r *wgmmaRecord) readD(to []uint32, pitch int) {
	half := r.elems[3].bits == 16
	r.eachD(func(row, column int, even, odd *[32]uint32) {
		for g := range 8 {
			line, e, o := (*[8]uint32)(to[(row+g)*pitch+column:]), (*[4]uint32)(even[4*g:]), (*[4]uint32)(odd[4*g:])
			if half {
				for t, v := range e {
					line[2*t], line[2*t+1] = v&0xffff, v>>16
				}
				continue
			}
			line[0], line[2], line[4], line[6] = e[0], e[1], e[2], e[3]
			line[1], line[3], line[5], line[7] = o[0], o[1], o[2], o[3]
		}
	})
}

// write gives out D.
func (r *wgmmaRecord) write(*machine.Op) *machine.Fault {
	if r.tiles.d != nil {
		for i, row := range r.dRows {
			*row = r.tiles.d[i]
		}
		return nil
	}
	half := r.elems[3].bits == 16
	r.eachD(func(row, column int, even, odd *[32]uint32) {
		for g := range 8 {
			line, e, o := (*[8]uint32)(r.sum[(row+g)*r.pitch+column:]), (*[4]uint32)(even[4*g:]), (*[4]uint32)(odd[4*g:])
			if half {
				for t := range e {
					e[t] = line[2*t] | line[2*t+1]<<16
				}
				continue
			}
			e[0], e[1], e[2], e[3] = line[0], line[2], line[4], line[6]
			o[0], o[1], o[2], o[3] = line[1], line[3], line[5], line[7]
		}
	})
	if r.sum = nil; r.dense != nil {
		densePool.Put(r.dense)
		r.dense = nil
	}
	return nil
}

func (r *wgmmaRecord) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for _, list := range [][]uint32{r.a, r.b} {
			for _, unit := range list {
				if !yield(op.Extent(machine.Shared, -1, r.rank|uint64(unit), 16), machine.Load) {
					return
				}
			}
		}
		for i, rows := range [...][]uint32{r.d, r.productOp.a} {
			for _, off := range rows {
				x := r.row
				x.From, x.To = uint64(off), uint64(off+128)
				if !yield(x, [...]machine.AccessKind{machine.Store, machine.Load}[i]) {
					return
				}
			}
		}
	}
}
