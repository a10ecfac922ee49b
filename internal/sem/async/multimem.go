package async

// Operations on multicast addresses, 9.7.9.14: the same access to every copy, in the order of the devices.
// All copies are checked before any is touched.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func multimemLines() []sem.Line {
	classes := []isa.Class{isa.C_ss, isa.C_sem, isa.C_scope, isa.C_op, isa.C_vec, isa.C_type}
	return []sem.Line{
		{ID: isa.MultimemSt, Do: sem.Plan(planMultimemStore, classes...)},
		{ID: isa.MultimemRed, Do: sem.Plan(planMultimemRed, classes...).Where(sem.HasRmw)},
		{ID: isa.MultimemLdReduce, Do: sem.Plan(planMultimemLoad, append(classes, isa.C_acc)...).Where(sem.HasRmw)},
		{ID: isa.MultimemLdReduce, When: sem.Of(smallTypes...), Do: sem.Plan(planMultimemSmall, append(classes, isa.C_acc)...).Assuming(assume.SmallSum)},
		{ID: isa.MultimemStAsync, Do: sem.Plan(planStoreAsync, classes...)},
		{ID: isa.MultimemRedAsync, Do: sem.Plan(planRedAsync, classes...).Where(sem.HasRmw)},
		{ID: isa.MultimemCpAsyncBulk, Do: sem.Plan(planBulk, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_type).Sees(isa.M_cp_mask)},
		{ID: isa.MultimemCpReduceAsyncBulk, Do: sem.Plan(planBulkReduce, isa.C_dst, isa.C_src, isa.C_sem, isa.C_scope, isa.C_op, isa.C_type).Where(sem.HasRmw).Sees(isa.M_noftz)},
	}
}

// multimemOp is the decode-time constant of a synchronous operation.
type multimemOp struct {
	uop.Private
	to   machine.Request
	a    sem.Address
	elem uint32
	rows []uint32    // of the elements
	bits []int       // of their registers
	red  sem.Rmw     // what combines
	half *halfFormat // .acc::f32: elements are added as f32
	tiny *tinyReduction
}

// halfFormat converts one element between a half and f32.
type halfFormat struct {
	widen, narrow func(uint32) uint32
	two           bool // elements are pairs
}

func planMultimemStore(b *sem.Build) {
	newMultimemOp(b, &b.In.Ops[0], &b.In.Ops[1], machine.Store)
	b.Does(uop.MultimemStore)
}

func planMultimemRed(b *sem.Build) {
	o := newMultimemOp(b, &b.In.Ops[0], &b.In.Ops[1], machine.Atomic)
	o.red = sem.RmwOf(b.Sel).Exact() // 9.7.9.14 says nothing of flushing
	b.Does(uop.MultimemUpdate)
}

func planMultimemLoad(b *sem.Build) {
	o := newMultimemOp(b, &b.In.Ops[1], &b.In.Ops[0], machine.Load)
	o.red = sem.RmwOf(b.Sel).Exact()
	if b.Sel.Has(isa.M_acc_f32) && b.Sel.Get(isa.C_op) == isa.M_add { // minima need no precision
		f := halfFormats[b.Sel.Get(isa.C_type)]
		o.half = &f
	}
	b.Does(uop.MultimemLoad)
}

var halfFormats = map[isa.Mod]halfFormat{
	isa.M_f16: {num.CvtF32F16, num.CvtF16F32, false}, isa.M_f16x2: {num.CvtF32F16, num.CvtF16F32, true},
	isa.M_bf16: {num.CvtF32BF16, num.CvtBF16F32, false}, isa.M_bf16x2: {num.CvtF32BF16, num.CvtBF16F32, true},
}

// newMultimemOp places the address and the elements of a register operand.
func newMultimemOp(b *sem.Build, a, reg *ir.Operand, kind machine.AccessKind) *multimemOp {
	t, values := b.Sel.Type(isa.C_type), sem.Elements(reg)
	o := &multimemOp{elem: uint32(t.Bytes()), a: b.AddressAt(a)}
	o.to = machine.Request{Kind: kind, Space: machine.Global, Size: o.elem * uint32(len(values))}
	o.to.Align = o.to.Size
	for i := range values {
		bits := b.OperandBits(&values[i], t.Bits())
		o.rows, o.bits = append(o.rows, b.Src(&values[i], bits)), append(o.bits, bits)
	}
	b.Ext().Data = o
	return o
}

// notMulticast is the fault of lanes whose addresses are in no multicast range.
func notMulticast(lanes uint32, addr uint64, q *machine.Request) *machine.Fault {
	return &machine.Fault{Kind: faults.NotMulticast, Lanes: lanes, Addr: addr, Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space}
}

// eachCopy checks every copy of what the executing lanes access, and visits it.
func eachCopy(w *machine.Warp, in *machine.Inst, q *machine.Request, addr *[32]uint64, visit func(lane int, at uint64, p mem.Pointer)) machine.State {
	mask := w.Mask
	defer func() { w.Mask = mask }()
	for m := mask; m != 0; m &= m - 1 {
		i := sem.Lowest(m)
		w.Mask = 1 << i
		places := w.Arena().Copies(addr[i], uint64(q.Size))
		if places == nil {
			return w.Fault(in, notMulticast(w.Mask, addr[i], q))
		}
		for _, at := range places {
			var row [32]uint64
			row[i&31] = at
			a, st := w.Access(in, q, &row)
			if st != machine.Next {
				return st
			}
			visit(i, at, a.Ptr(&row, i, 0))
		}
	}
	return machine.Next
}

// multimemLanes checks all, then visits the lanes, each with its copies.
func multimemLanes(w *machine.Warp, in *machine.Inst, o *multimemOp, visit func(lane int, copies []mem.Pointer)) machine.State {
	var addr [32]uint64
	o.a.Lanes(w, &addr, 0)
	var copies [32][]mem.Pointer
	st := eachCopy(w, in, &o.to, &addr, func(i int, _ uint64, p mem.Pointer) { copies[i] = append(copies[i], p) })
	if st == machine.Next {
		sem.Each(w.Mask, func(i int) { visit(i, copies[i]) })
	}
	return st
}

func multimemStore(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*multimemOp)
	return multimemLanes(w, in, o, func(i int, copies []mem.Pointer) {
		for _, p := range copies {
			for k, row := range o.rows {
				mem.StoreStrong(mem.Add(p, uint32(k)*o.elem), o.elem, sem.LoadElem(w, row, o.bits[k], i))
			}
		}
	})
}

func multimemUpdate(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*multimemOp)
	u := o.red.Updates()
	return multimemLanes(w, in, o, func(i int, copies []mem.Pointer) {
		for _, p := range copies {
			for k, row := range o.rows {
				u.Apply(mem.Add(p, uint32(k)*o.elem), o.elem, sem.LoadElem(w, row, o.bits[k], i), false)
			}
		}
	})
}

func multimemLoad(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*multimemOp)
	return multimemLanes(w, in, o, func(i int, copies []mem.Pointer) {
		for k, row := range o.rows {
			list := make([]uint64, len(copies))
			for j, p := range copies {
				list[j] = mem.LoadStrong(mem.Add(p, uint32(k)*o.elem), o.elem)
			}
			sem.StoreElem(w, row, o.bits[k], i, o.combine(list))
		}
	})
}

// combine reduces the values of an element, in order.
func (o *multimemOp) combine(list []uint64) uint64 {
	if o.tiny != nil {
		return uint64(o.tiny.combine(list, int(o.elem)))
	}
	if o.half != nil && o.half.two {
		return uint64(o.halves(list, 0) | o.halves(list, 16)<<16)
	}
	if o.half != nil {
		return uint64(o.halves(list, 0))
	}
	u, v := o.red.Updates(), list[0]
	for _, b := range list[1:] {
		v = u.Combine(v, b, o.elem)
	}
	return v
}

// halves adds the halves from a bit on in f32, and rounds once.
func (o *multimemOp) halves(list []uint64, from int) uint32 {
	half := func(v uint64) uint32 { return o.half.widen(uint32(v>>from) & 0xffff) }
	sum := half(list[0])
	for _, v := range list[1:] {
		sum = num.AddF32(sum, half(v))
	}
	return o.half.narrow(sum) & 0xffff
}
