package matrix

// Structured sparse vectors in registers, 9.4: 9.7.10.30 and 31, and what loads from tensor memory keep of four words
// (9.4: 9.7.18.8.3).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func sparseLines() []sem.Line {
	return []sem.Line{
		{ID: isa.Spcompress, Do: sem.Plan(planCompress, isa.C_elem, isa.C_index, isa.C_num).Sees(isa.M_sp_2_4).Assuming(assume.SparseTies, assume.SparseOrder)},
		{ID: isa.Spdecompress, Do: sem.Plan(planDecompress, isa.C_elem, isa.C_index, isa.C_factor, isa.C_num)},
		{ID: isa.Tcgen05LdSpcompress, Do: planTensorCompress},
		{ID: isa.Tcgen05LdRedSpcompress, Do: planTensorCompress},
	}
}

// bitRun is a run of elements of a lane's registers, the first at the lowest bits of the first register.
type bitRun struct {
	rows []*[32]uint32
	bits int
}

func (r *bitRun) get(lane, i int) uint32 {
	at := i * r.bits
	v := r.rows[at/32][lane&31] >> (at % 32)
	if r.bits < 32 {
		v &= 1<<r.bits - 1
	}
	return v
}

// put sets bits of registers that have been cleared.
func (r *bitRun) put(lane, i int, v uint32) {
	at := i * r.bits
	r.rows[at/32][lane&31] |= v << (at % 32)
}

func (r *bitRun) clear(lane int) {
	for _, row := range r.rows {
		row[lane&31] = 0
	}
}

// rowsAt are the registers at row offsets.
func rowsAt(w *machine.Warp, offs []uint32) []*[32]uint32 {
	rows := make([]*[32]uint32, len(offs))
	for i, off := range offs {
		rows[i] = w.R32(off)
	}
	return rows
}

// copied is the same with values of their own, which later writes do not change.
func copied(rows []*[32]uint32) []*[32]uint32 {
	own := make([][32]uint32, len(rows))
	for i, row := range rows {
		own[i] = *row
		rows[i] = &own[i]
	}
	return rows
}

// sparseOp is the decode-time constant of spcompress and spdecompress.
type sparseOp struct {
	uop.Private
	meta, kept, dense []uint32 // rows
	desc              uint32   // row
	elem, index       int      // bits
	of, to            int      // elements of a group, kept and dense
	choice            num.Choice
}

func newSparseOp(b *sem.Build) *sparseOp {
	o := &sparseOp{}
	o.elem, _ = b.Sel.Cap("E")
	o.index, _ = b.Sel.Cap("I")
	return o
}

// choose reads the positions of the assumptions about what is kept.
func choose(b *sem.Build, c *num.Choice) {
	c.Later, c.Ranks = b.Assume(assume.SparseTies) == 1, b.Assume(assume.SparseOrder) == 1
}

// planCompress sets up spcompress mdata, cdata, data, spdesc.
func planCompress(b *sem.Build) {
	o := newSparseOp(b)
	o.meta, o.kept = b.Rows(b.In.Op(isa.R_mdata), b.Dst, 32), b.Rows(b.In.Op(isa.R_cdata), b.Dst, 32)
	o.dense, o.desc = b.Rows(b.In.Op(isa.R_data), b.Src, 32), b.Src(b.In.Op(isa.R_spdesc), 32)
	choose(b, &o.choice)
	b.Ext().Data = o
	b.Does(uop.SparseCompress)
}

// sparseTypes are the elements by the descriptor's field (table 38), of 8 and of 16 bits.
var sparseTypes = map[int][]num.Comparable{
	8:  {num.CompareU8, num.CompareS8, num.CompareE5M2, num.CompareE4M3, num.CompareE3M2, num.CompareE2M3},
	16: {num.CompareF16, num.CompareBF16},
}

// read takes a descriptor apart (table 38): bits 0 and 1 the operation, 2 to 4 the type.
func (o *sparseOp) read(desc uint32) (c num.Choice, err error) {
	c = o.choice
	list, kind := sparseTypes[o.elem], int(desc>>2&7)
	if desc>>5 != 0 {
		return c, fmt.Errorf("spdesc %#x: bits 31 to 5 must be 0", desc)
	}
	if kind >= len(list) {
		return c, fmt.Errorf("spdesc %#x: type %d (bits 4 to 2) is none of elements of %d bits, which are 0 to %d", desc, kind, o.elem, len(list)-1)
	}
	c.Comparable, c.Abs, c.Least = list[kind], desc&1 != 0, desc&2 != 0
	return c, nil
}

func compressSparse(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*sparseOp)
	descs := w.R32(o.desc)
	var choices [32]num.Choice
	for m := w.Mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		var err error
		if choices[i], err = o.read(descs[i]); err != nil {
			return w.Fault(in, &machine.Fault{Kind: faults.BadDescriptor, Lanes: 1 << i, Text: err.Error()})
		}
	}
	dense := bitRun{copied(rowsAt(w, o.dense)), o.elem}
	kept, meta := bitRun{rowsAt(w, o.kept), o.elem}, bitRun{rowsAt(w, o.meta), o.index}
	sem.Each(w.Mask, func(lane int) { keepTwo(&choices[lane], lane, &dense, &kept, &meta) })
	return machine.Next
}

// keepTwo compresses a lane's registers.
func keepTwo(c *num.Choice, lane int, dense, kept, meta *bitRun) {
	kept.clear(lane)
	meta.clear(lane)
	for g := range len(dense.rows) * 32 / dense.bits / 4 {
		var group [4]uint32
		for k := range group {
			group[k] = dense.get(lane, 4*g+k)
		}
		for k, at := range c.Choose(&group) {
			kept.put(lane, 2*g+k, group[at])
			meta.put(lane, 2*g+k, uint32(at))
		}
	}
}

// planDecompress sets up spdecompress data, mdata, cdata.
func planDecompress(b *sem.Build) {
	o := newSparseOp(b)
	o.of, _ = b.Sel.Cap("S")
	o.to, _ = b.Sel.Cap("T")
	o.dense = b.Rows(b.In.Op(isa.R_data), b.Dst, 32)
	o.meta, o.kept = b.Rows(b.In.Op(isa.R_mdata), b.Src, 32), b.Rows(b.In.Op(isa.R_cdata), b.Src, 32)
	b.Ext().Data = o
	b.Does(uop.SparseDecompress)
}

func decompressSparse(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*sparseOp)
	kept, meta := bitRun{copied(rowsAt(w, o.kept)), o.elem}, bitRun{copied(rowsAt(w, o.meta)), o.index}
	groups := len(o.dense) * 32 / o.elem / o.to
	for m := w.Mask; m != 0; m &= m - 1 {
		lane := sem.Lowest(m)
		for i := range groups * o.of {
			if x := meta.get(lane, i); int(x) >= o.to {
				return w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: 1 << lane, Value: uint64(x), Want: uint64(o.to - 1),
					Text: fmt.Sprintf("index %d of mdata", i)})
			}
		}
	}
	dense := bitRun{rowsAt(w, o.dense), o.elem}
	sem.Each(w.Mask, func(lane int) {
		dense.clear(lane)
		for g := range groups {
			o.spread(lane, g, &dense, &kept, &meta)
		}
	})
	return machine.Next
}

// spread places the elements of one group; of several with one index the last counts.
func (o *sparseOp) spread(lane, g int, dense, kept, meta *bitRun) {
	group := make([]uint32, o.to)
	for k := range o.of {
		group[meta.get(lane, g*o.of+k)] = kept.get(lane, g*o.of+k)
	}
	for k, v := range group {
		dense.put(lane, g*o.to+k, v)
	}
}

// tensorCompressOp is the decode-time constant of tcgen05.ld.spcompress.
type tensorCompressOp struct {
	reduceOp
	meta, kept []uint32 // rows
	reduces    bool
	choice     num.Choice
}

// planTensorCompress sets up tcgen05.ld{.red}.spcompress mdata, cdata{, red}, [taddr].
var planTensorCompress = sem.Plan(func(b *sem.Build) {
	o := &tensorCompressOp{reduceOp: *newReduceOp(b), meta: b.Rows(b.In.Op(isa.R_mdata), b.Dst, 32), kept: b.Rows(b.In.Op(isa.R_cdata), b.Dst, 32)}
	if red := b.In.Op(isa.R_red); red != nil {
		o.reduces, o.into = true, b.Dst(red, 32)
	}
	o.choice = num.Choice{Comparable: num.CompareF32, Abs: o.abs, Least: b.Sel.Get(isa.C_op) == isa.M_min}
	choose(b, &o.choice)
	b.Ext().Data = o
	b.Does(uop.TensorCompress)
}, isa.C_shape, isa.C_num, isa.C_op, isa.C_factor, isa.C_type, isa.C_index).Sees(isa.M_abs, isa.M_NaN).Assuming(assume.SparseTies, assume.SparseOrder)

// compressTensor keeps values as they are in tensor memory, also where magnitudes are compared.
func compressTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*tensorCompressOp)
	a, st := o.locate(w, in)
	if st != machine.Next {
		return st
	}
	l := fragmentLoad{&o.fragmentOp, w.Tensor(), a}
	words := make([][32]uint32, len(o.words)/32)
	rows := make([]*[32]uint32, len(words))
	for i := range words {
		rows[i] = &words[i]
	}
	o.load(base(l.t, a), rows)
	dense, kept, meta := bitRun{rows, 32}, bitRun{rowsAt(w, o.kept), 32}, bitRun{rowsAt(w, o.meta), 2}
	sem.Each(w.Mask, func(lane int) { keepTwo(&o.choice, lane, &dense, &kept, &meta) })
	if o.reduces {
		o.reduce(rows, w.R32(o.into))
	}
	return l.open(w, in)
}
