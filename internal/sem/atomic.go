package sem

// Atomic operations and reductions on memory, 9.7.13.5 and 9.7.13.6: lane by lane in ascending
// order. Shared memory belongs to the worker that runs the CTA, so there they are plain
// operations; global memory is reached by compare-and-swap.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var atomClasses = []isa.Class{isa.C_space, isa.C_sem, isa.C_scope, isa.C_op, isa.C_type, isa.C_vec}

func atomicLines() []Line {
	return []Line{
		{isa.Atom, nil, Plan(planAtom, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
		{isa.AtomCas, nil, Plan(planCas, atomClasses...), ""},
		{isa.AtomHalf, nil, Plan(planAtom, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
		{isa.AtomVec, nil, Plan(planAtom, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
		{isa.Red, nil, Plan(planRed, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
		{isa.RedHalf, nil, Plan(planRed, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
		{isa.RedVec, nil, Plan(planRed, atomClasses...).Where(HasRmw).Sees(isa.M_noftz), ""},
	}
}

// atomicOp is the decode-time constant of an atomic instruction.
type atomicOp struct {
	uop.Private
	memoryOp
	Rmw
	find   Finder
	result bool // there is a destination
}

// planAtom sets up d = [a]; [a] = op([a], b).
func planAtom(b *Build) { b.atomic(&b.In.Ops[0], b.In.Ops[1:]) }

// planRed sets up [a] = op([a], b).
func planRed(b *Build) { b.atomic(nil, b.In.Ops) }

func (b *Build) atomic(d *ir.Operand, ops []ir.Operand) {
	src := Elements(&ops[1])
	o := b.atomicOp(d, &ops[0], src)
	if o.Rmw = RmwOf(b.Sel); b.Sel.Has(isa.M_noftz) {
		o.Rmw = o.Exact()
	}
	b.Does(uop.AtomicUpdate)
	if o.Elem == 16 {
		b.Does(uop.AtomicExchange128)
	}
}

// planCas sets up d = [a]; [a] = [a] == b ? c : [a].
func planCas(b *Build) {
	ops := b.In.Ops
	o := b.atomicOp(&ops[0], &ops[1], ops[2:3])
	if o.Elem == 16 {
		lo, hi := b.Halves(&ops[3])
		b.Ext().Src = append(b.Ext().Src, lo, hi)
		b.Does(uop.AtomicCas128)
		return
	}
	b.Ext().Src = append(b.Ext().Src, b.Src(&ops[3], o.Bits[0]))
	if o.Elem == 4 && o.Bits[0] == 32 && o.result {
		b.Does(uop.AtomicCas32)
		return
	}
	b.Does(uop.AtomicCas)
}

// atomicOp places destination, address and sources; d is nil without a destination.
func (b *Build) atomicOp(d, a *ir.Operand, src []ir.Operand) *atomicOp {
	m := b.memoryOp(machine.Atomic, b.Sel.Get(isa.C_space), src)
	m.By, m.Space = b.Address(a, m.Space)
	o := &atomicOp{memoryOp: *m, find: addressRows[m.By], result: d != nil && d.Kind != ir.OpSink}
	if o.find == nil {
		b.Fail("atomic operations work on global and shared memory")
	}
	b.Ext().Data = o
	b.atomicRows(&b.Ext().Src, src, o)
	if o.result {
		b.atomicRows(&b.Ext().Dst, Elements(d), o)
	}
	return o
}

// atomicRows places the elements of a source or destination; a 128-bit register is two rows.
func (b *Build) atomicRows(to *[]uint32, elems []ir.Operand, o *atomicOp) {
	for i := range elems {
		switch {
		case o.Elem == 16:
			lo, hi := b.Halves(&elems[i])
			*to = append(*to, lo, hi)
		case elems[i].Kind == ir.OpSink:
			*to = append(*to, b.Scratch(b.shape(o.Bits[i])))
		default:
			*to = append(*to, b.Src(&elems[i], o.Bits[i]))
		}
	}
}

// atomicLanes checks the addresses and visits the executing lanes.
func atomicLanes(w *machine.Warp, in *machine.Inst, o *atomicOp, visit func(i int, p mem.Pointer, shared bool)) machine.State {
	addr := o.find(w, in)
	a, st := w.Access(in, &o.Request, addr)
	if st != machine.Next {
		return st
	}
	Each(w.Mask, func(i int) {
		visit(i, a.Ptr(addr, i, 0), o.Space == machine.Shared || mem.InShared(addr[i]+in.Imm))
	})
	return machine.Next
}

func atomic(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*atomicOp)
	u := o.Updates()
	return atomicLanes(w, in, o, func(i int, p mem.Pointer, shared bool) {
		for k, src := range in.Ext.Src {
			old := u.Apply(mem.Add(p, uint32(k)*o.Elem), o.Elem, LoadElem(w, src, o.Bits[k], i), shared)
			if o.result {
				StoreElem(w, in.Ext.Dst[k], o.Bits[k], i, old)
			}
		}
	})
}

// ShowUpdates is the handler of an AtomicUpdate of numbers that shows each one to those who look at numbers. Another worker may
// update the same element at the same time: what is shown is made of the old value that this one has met.
func ShowUpdates(elem num.Type, floats int) machine.Handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		o := in.Ext.Data.(*atomicOp)
		u := o.Updates()
		addresses := *o.find(w, in) // a result may take their register
		return atomicLanes(w, in, o, func(i int, p mem.Pointer, shared bool) {
			for k, src := range in.Ext.Src {
				at := machine.Update{Lane: i, Element: k, Addr: addresses[i] + in.Imm + uint64(k)*uint64(o.Elem), Elem: elem, Floats: floats}
				at.Operand = LoadElem(w, src, o.Bits[k], i)
				at.Old = u.Apply(mem.Add(p, uint32(k)*o.Elem), o.Elem, at.Operand, shared)
				if at.New = u.made(at.Old, at.Operand, o.Elem, shared); o.result {
					StoreElem(w, in.Ext.Dst[k], o.Bits[k], i, at.Old)
				}
				w.Launch().Numbers.Updated(w, in, &at)
			}
		})
	}
}

// cas32 is cas for what locks are made of.
func cas32(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*atomicOp)
	addr := o.find(w, in)
	a, st := w.Access(in, &o.Request, addr)
	if st != machine.Next {
		return st
	}
	d, want, v := w.R32(in.Ext.Dst[0]), w.R32(in.Ext.Src[0]), w.R32(in.Ext.Src[1])
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = mem.CAS32(a.Ptr(addr, i, 0), want[i], v[i])
	}
	return machine.Next
}

func cas(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*atomicOp)
	width := o.Bits[0]
	return atomicLanes(w, in, o, func(i int, p mem.Pointer, _ bool) {
		want, v := LoadElem(w, in.Ext.Src[0], width, i), LoadElem(w, in.Ext.Src[1], width, i)
		var old uint64
		switch o.Elem {
		case 8:
			old = mem.CAS64(p, want, v)
		case 4:
			old = uint64(mem.CAS32(p, uint32(want), uint32(v)))
		default:
			old = uint64(mem.CAS16(p, uint16(want), uint16(v)))
		}
		if o.result {
			StoreElem(w, in.Ext.Dst[0], width, i, old)
		}
	})
}

// wide128 reads lane i of a pair of rows.
func wide128(w *machine.Warp, rows []uint32, i int) mem.Uint128 {
	return mem.Uint128{Lo: w.R64(rows[0])[i], Hi: w.R64(rows[1])[i]}
}

func (o *atomicOp) put128(w *machine.Warp, in *machine.Inst, i int, v mem.Uint128) {
	if o.result {
		w.R64(in.Ext.Dst[0])[i], w.R64(in.Ext.Dst[1])[i] = v.Lo, v.Hi
	}
}

func exchange128(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*atomicOp)
	return atomicLanes(w, in, o, func(i int, p mem.Pointer, _ bool) {
		o.put128(w, in, i, mem.Exchange128(p, wide128(w, in.Ext.Src, i)))
	})
}

func cas128(w *machine.Warp, in *machine.Inst) machine.State {
	o, src := in.Ext.Data.(*atomicOp), in.Ext.Src
	return atomicLanes(w, in, o, func(i int, p mem.Pointer, _ bool) {
		o.put128(w, in, i, mem.CAS128(p, wide128(w, src[:2], i), wide128(w, src[2:], i)))
	})
}
