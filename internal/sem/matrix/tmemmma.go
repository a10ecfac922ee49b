package matrix

// tcgen05.mma and tcgen05.mma.ws, 9.7.16.10: one thread starts a product of whole matrices in tensor and shared memory.
// This file reads and checks operands; tmemproduct.go moves and multiplies.

import (
	"cmp"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func tensorProductLines() []sem.Line {
	asks := []assume.Assumption{assume.ShiftDirection, assume.ShiftEdge, assume.ProductCopies, assume.ScaleHalves, assume.ScaleInputD, assume.HalfD, assume.ZeroTerms}
	return []sem.Line{
		{ID: isa.Tcgen05Mma, Do: sem.Plan(planTensorProduct, isa.C_cta_group, isa.C_kind, isa.C_vecsize).Sees(isa.M_sp, isa.M_ashift).Assuming(asks...)},
		{ID: isa.Tcgen05MmaWs, Do: sem.Plan(planTensorProduct, isa.C_cta_group, isa.C_kind).Sees(isa.M_sp).Assuming(asks...)},
		{ID: isa.Tcgen05Mma, When: sem.Of(isa.M_kind_ti16), Do: sem.Undescribed, Note: ti16},
		{ID: isa.Tcgen05MmaWs, When: sem.Of(isa.M_kind_ti16), Do: sem.Undescribed, Note: ti16},
		{ID: isa.Tcgen05Mma, When: sem.Of(isa.M_decompress_lut_b), Do: sem.Undescribed, Note: "in words how .decompress::lut::b unpacks: 9.4 has figures"},
	}
}

// ti16 is what 9.4 leaves open: it names the elements of the kind (s1z4m11) and says nothing of their values.
const ti16 = "the values of s1z4m11, the elements of .kind::ti16"

var tensorKinds = map[isa.Mod]tensor.Kind{
	isa.M_kind_f16: tensor.KindF16, isa.M_kind_tf32: tensor.KindTF32, isa.M_kind_f8f6f4: tensor.KindF8F6F4, isa.M_kind_i8: tensor.KindI8,
	isa.M_kind_mxf8f6f4: tensor.KindMXF8F6F4, isa.M_kind_mxf4: tensor.KindMXF4, isa.M_kind_mxf4nvf4: tensor.KindMXF4NVF4,
}

// tensorProductOp is the decode-time constant of tcgen05.mma.
type tensorProductOp struct {
	uop.Private
	tensor.Statement
	d, a, meta       sem.Address // of tensor memory
	scales           [2]sem.Address
	aDesc, bDesc     uint32 // rows; aDesc counts unless inTensor
	inTensor, ashift bool   // of A
	idesc            uint32
	add, flip        uint32   // predicate: D is added to
	off              []uint32 // rows: lanes of D that stay; nil: none
	zeros            uint32   // row of the zero-column mask, of hasZeros
	hasZeros         bool
	down             int

	collectors []collectorUse // of A and B

	first, lastOf32, whole bool // assumptions: U12, U7, U50
	previous               bool // U1
	rounded, keepHigh      bool // U51, U52
	zeroTerms              bool // U39
}

func planTensorProduct(b *sem.Build) {
	o := &tensorProductOp{Statement: tensor.Statement{
		Kind: tensorKinds[b.Sel.Get(isa.C_kind)], Group: groupOf(b), Sparse: b.Sel.Has(isa.M_sp), WS: b.Sel.ID() == isa.Tcgen05MmaWs,
	}, ashift: b.Sel.Has(isa.M_ashift)}
	o.Vector = vectorOf(b, o.Kind)
	o.d = b.AddressAt(b.In.Op(isa.R_d))
	if a := b.In.Op(isa.R_a); a.Kind == ir.OpMem {
		o.a, o.inTensor = b.AddressAt(a), true
	} else {
		o.aDesc = b.Src(a, 64)
	}
	o.bDesc, o.idesc = b.Src(b.In.Op(isa.R_b_desc), 64), b.Src(b.In.Op(isa.R_idesc), 32)
	if o.Sparse {
		o.meta = b.AddressAt(b.In.Op(isa.R_meta))
	}
	if o.Scaled() {
		o.scales = [2]sem.Address{b.AddressAt(b.In.Op(isa.R_scale_a)), b.AddressAt(b.In.Op(isa.R_scale_b))}
	}
	enable := b.In.Op(isa.R_enable_d)
	o.add, o.flip = b.Src(enable, 1), sem.Flip(enable)
	if m := b.In.Op(isa.R_mask); m != nil {
		o.off = b.Rows(m, b.Src, 32)
	}
	if z := b.In.Op(isa.R_zero_mask); z != nil {
		o.zeros, o.hasZeros = b.Src(z, 64), true
	}
	if s := b.In.Op(isa.R_scale_d); s != nil && o.Kind != tensor.KindI8 {
		o.down = int(s.Imm)
	}
	o.collectors = collectorUses(b.Sel)
	o.assumption(b)
	b.Ext().Data = o
	b.Does(uop.TensorProduct)
}

// collectorUse is what a product does with a collector buffer.
type collectorUse struct {
	buffer string
	use    machine.CollectorUse
}

// ofB reports whether the buffer is for B.
func (c *collectorUse) ofB() bool { return c.buffer[0] == 'b' }

var collectorWords = map[string]machine.CollectorUse{
	"fill": machine.CollectorFill, "use": machine.CollectorReuse, "lastuse": machine.CollectorLastUse, "discard": machine.CollectorDiscard,
}

// collectorUses reads .collector::BUFFER::USE.
func collectorUses(sel *isa.Sel) (list []collectorUse) {
	for _, class := range []isa.Class{isa.C_collector, isa.C_collector_b} {
		if words := strings.Split(sel.Default(class).String(), "::"); len(words) == 3 {
			list = append(list, collectorUse{words[1], collectorWords[words[2]]})
		}
	}
	return list
}

// collect tells what a lane's product does with collector buffers.
func (r *tensorProduct) collect(w *machine.Warp, in *machine.Inst, lane int) {
	o := r.op
	for i := range o.collectors {
		c := &o.collectors[i]
		s := machine.CollectorStep{Buffer: c.buffer, Use: c.use}
		switch {
		case c.ofB():
			s.Matrix = fmt.Sprintf("descriptor %#x", w.R64(o.bDesc)[lane])
		case o.inTensor:
			s.Matrix = fmt.Sprintf("%v of tensor memory", r.a)
		default:
			s.Matrix = fmt.Sprintf("descriptor %#x", w.R64(o.aDesc)[lane])
		}
		w.Collect(in, lane, &s)
	}
}

// assumption asks what a statement depends on.
func (o *tensorProductOp) assumption(b *sem.Build) {
	if o.ashift {
		o.previous, o.lastOf32 = b.Assume(assume.ShiftDirection) == 1, b.Assume(assume.ShiftEdge) == 1
	}
	if o.WS || o.Group == 2 {
		o.first = b.Assume(assume.ProductCopies) == 1
	}
	if o.Scaled() && o.Group == 2 {
		o.whole = b.Assume(assume.ScaleHalves) == 1
	}
	if o.down != 0 {
		o.rounded = b.Assume(assume.ScaleInputD) == 1
	}
	if o.Kind == tensor.KindF16 || o.Kind == tensor.KindF8F6F4 {
		o.keepHigh = b.Assume(assume.HalfD) == 1
	}
	if o.Kind == tensor.KindMXF4 || o.Kind == tensor.KindMXF4NVF4 {
		o.zeroTerms = b.Assume(assume.ZeroTerms) == 1
	}
}

// vectorOf is the scale factors of a row, K being 64, or 32 of mxf8f6f4 (table 56).
func vectorOf(b *sem.Build, k tensor.Kind) int {
	switch v := b.Sel.Get(isa.C_vecsize); {
	case !k.Scaled():
		return 0
	case k == tensor.KindMXF8F6F4:
		return 1
	case v == isa.M_block16:
		return 4
	case v == isa.M_block32:
		return 2
	default:
		return scalesPerRow[cmp.Or(v, isa.M_scale_vec_2X)]
	}
}

func multiplyTensors(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*tensorProductOp)
	mems, st := memories(w, in, o.Group)
	if st != machine.Next {
		return st
	}
	return sem.OneByOne(w, func(lane int) machine.State {
		r := &tensorProduct{op: o, by: w.Launch().Products}
		if err := r.decode(w, lane); err != nil {
			return descriptorFault(w, in, "%v", err)
		}
		if err := r.place(w, &mems); err != nil {
			return tensorFault(w, in, "%v", err)
		}
		if w.Watchful() {
			r.collect(w, in, lane)
		}
		if w.Launch().Numbers != nil {
			r.seen = seeing(w, in, 1<<lane, r.operandsOf(w, lane))
		}
		return w.Issue(in, &machine.Op{
			Entry: queue.Entry{Pipe: queue.Tensor, Tensor: queue.TensorStep{
				Kind: queue.TensorProduct, Accumulator: uint64(r.M)<<48 | uint64(r.N)<<32 | uint64(r.d),
			}},
			Proxy: model.AsyncProxy, Read: r.read, Write: r.write, Touches: r.touches,
		})
	})
}

// tensorProduct is one product while it is open.
type tensorProduct struct {
	op *tensorProductOp
	tensor.Instruction
	path     tensor.DataPath
	d, a     tensor.Addr
	meta     tensor.Addr
	scales   [2]tensor.Addr
	matrix   [2]tensor.Descriptor // A, B
	add      bool
	off      [2][4]uint32 // lanes that stay, by CTA
	zeros    tensor.ColumnMask
	hasZeros bool
	parts    []productPart // by CTA, the even one first
	by       num.Multiplier
	seen     *seenBy // by those who look at numbers; nil: there are none
}

// productPart is the work in one CTA.
type productPart struct {
	t     *tmem.Memory
	rank  uint64
	units [2][]uint32 // of A and B in its shared memory
	sums  []tensorSum // of D, by part of the data path
}

// decode reads descriptors and operands of a lane.
func (r *tensorProduct) decode(w *machine.Warp, lane int) (err error) {
	o := r.op
	s := o.Statement
	s.Arch = w.Launch().Target.Arch
	if r.Instruction, err = tensor.DecodeInstruction(w.R32(o.idesc)[lane], s); err != nil {
		return err
	}
	r.path = r.DataPath()
	if o.ashift && r.M/r.Group != tensor.Lanes {
		return fmt.Errorf("instruction descriptor %#08x: M is %d; .ashift takes 128 rows in each CTA", w.R32(o.idesc)[lane], r.M)
	}
	for i, row := range []uint32{o.aDesc, o.bDesc} {
		if i == 0 && o.inTensor {
			if r.Transpose[0] {
				return fmt.Errorf("instruction descriptor %#08x: bit 15 (transpose A) is 1; A is in tensor memory", w.R32(o.idesc)[lane])
			}
			continue
		}
		if r.matrix[i], err = tensor.Decode(w.R64(row)[lane]); err == nil {
			err = r.Atoms(i, &r.matrix[i])
		}
		if err == nil && r.matrix[i].Absolute && r.K != 96 {
			err = fmt.Errorf("matrix descriptor %#016x: bit 52 (the leading dimension is an address) is for K = 96 on sm_103a", w.R64(row)[lane])
		}
		if err != nil {
			return fmt.Errorf("%c: %w", "AB"[i], err)
		}
	}
	if r.hasZeros = o.hasZeros; r.hasZeros {
		if r.zeros, err = tensor.DecodeColumnMask(w.R64(o.zeros)[lane], r.M); err != nil {
			return err
		}
	}
	r.operands(w, lane)
	return nil
}

// operands reads addresses, the predicate and the mask of lanes.
func (r *tensorProduct) operands(w *machine.Warp, lane int) {
	o := r.op
	at := func(a *sem.Address) tensor.Addr {
		var to [32]uint64
		a.Lanes(w, &to, 0)
		return tensor.Addr(to[lane])
	}
	r.d, r.add = at(&o.d), (*w.P(o.add)^o.flip)>>lane&1 != 0
	if o.inTensor {
		r.a = at(&o.a)
	}
	if r.Sparse {
		r.meta = at(&o.meta)
	}
	if r.Scaled() {
		for i := range r.scales { // kernels keep the id of the factors in the two highest bits
			r.scales[i] = at(&o.scales[i]) &^ (3 << 30)
		}
	}
	for i, row := range o.off {
		r.off[i/4][i%4] = w.R32(row)[lane]
	}
}
