package sem

// Data movement between registers, 9.7.9.1 to 9.7.9.7: mov with its packing forms, prmt.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func moveLines() []Line {
	return []Line{
		{isa.Mov, Of(isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32, isa.M_f32), Plan(func(b *Build) { b.move(32) }).orScalar().sometimesAssuming(assume.Clocks), ""},
		{isa.Mov, Of(isa.M_b64, isa.M_u64, isa.M_s64, isa.M_f64), Plan(func(b *Build) { b.move(64) }).orScalar().sometimesAssuming(assume.Clocks), ""},
		{isa.Mov, Of(isa.M_b128), Plan(func(b *Build) { b.move(128) }), ""},
		{isa.Mov, Of(isa.M_pred), Plan(func(b *Build) { b.move(1) }).orScalar(), ""},

		{isa.MovPack, Of(isa.M_b16), Plan(func(b *Build) { b.move(16) }).orScalar(), ""},
		{isa.MovPack, Of(isa.M_b32), Plan(func(b *Build) { b.move(32) }).orScalar(), ""},
		{isa.MovPack, Of(isa.M_b64), Plan(func(b *Build) { b.move(64) }).orScalar(), ""},
		{isa.MovPack, Of(isa.M_b128), Plan(func(b *Build) { b.move(128) }), ""},
		{isa.MovVector, Of(types32...), Plan(func(b *Build) { b.moveVector(32) }, isa.C_vec), ""},
		{isa.MovVector, Of(types64...), Plan(func(b *Build) { b.moveVector(64) }, isa.C_vec), ""},

		{isa.Prmt, nil, lane(uop.Prmt), ""},
		{isa.Prmt, Of(isa.M_f4e), lane(uop.PrmtF4e), ""},
		{isa.Prmt, Of(isa.M_b4e), lane(uop.PrmtB4e), ""},
		{isa.Prmt, Of(isa.M_rc8), lane(uop.PrmtRc8), ""},
		{isa.Prmt, Of(isa.M_ecl), lane(uop.PrmtEcl), ""},
		{isa.Prmt, Of(isa.M_ecr), lane(uop.PrmtEcr), ""},
		{isa.Prmt, Of(isa.M_rc16), lane(uop.PrmtRc16), ""},
	}
}

// move sets up a mov of so many bits.
func (b *Build) move(width int) {
	d, a := &b.In.Ops[0], &b.In.Ops[1]
	switch {
	case a.Kind == ir.OpVec && len(a.Elems) > 1:
		b.pack(d, a.Elems, width)
	case d.Kind == ir.OpVec && len(d.Elems) > 1:
		b.unpack(d.Elems, a, width)
	case a.Kind == ir.OpSpec && changing(a.Special):
		b.readSpecial(d, a, width)
	case b.surfaceParam(d, a):
	case b.frameSymbol(d, a, 0):
	case width == 128:
		b.move128(d, a)
	default:
		b.Out.D, b.Out.A = b.Dst(d, width), b.Src(a, width)
		b.Out.Imm = uint64(Flip(a))
		b.copyOf(width)
	}
}

// surfaceParam sets up d = a .surfref parameter: the handle that the launch has passed.
func (b *Build) surfaceParam(d, a *ir.Operand) bool {
	if a.Kind != ir.OpSym || a.Var == nil || !a.Var.Type.Opaque() || b.Home(a.Var) != HomeKernelParam {
		return false
	}
	m := &memoryOp{Request: handleRequest, Elem: 8, Bits: []int{64}, By: uop.ByKernel}
	b.Ext().Data, b.Ext().Dst = (*uop.Memory)(m), []uint32{b.Dst(d, 64)}
	b.Out.Imm = uint64(a.Var.Offset) + a.Imm
	b.Does(uop.LoadHandle)
	return true
}

// handleRequest is the access to a handle in the kernel's parameters.
var handleRequest = machine.Request{Space: machine.Param, Kind: machine.Load, Size: 8, Align: 8}

// KernelHandle reads the handle of a surface, texture or sampler at an offset in the kernel's parameters; 0 where none can be.
func KernelHandle(w *machine.Warp, in *machine.Inst, off uint64) uint64 {
	p, st := w.AccessUniform(in, &handleRequest, w.Params()+off)
	if st != machine.Next {
		return 0
	}
	return mem.LoadPlain(p, 8)
}

func (b *Build) copyOf(width int) {
	switch width {
	case 1:
		b.Does(uop.MovePredicate)
	case 64:
		b.Does(uop.Move64)
	default:
		b.Does(uop.Move32)
	}
}

func copyRow32(w *machine.Warp, in *machine.Inst) machine.State {
	*w.R32(in.D) = *w.R32(in.A)
	return machine.Next
}

func copyRow64(w *machine.Warp, in *machine.Inst) machine.State {
	*w.R64(in.D) = *w.R64(in.A)
	return machine.Next
}

func moveMask(w *machine.Warp, in *machine.Inst) machine.State {
	SetMask(w, in.D, *w.P(in.A)^uint32(in.Imm))
	return machine.Next
}

// move128 copies both halves; B and C are the upper ones.
func (b *Build) move128(d, a *ir.Operand) {
	b.Out.D, b.Out.C = b.Halves(d)
	b.Out.A, b.Out.B = b.Halves(a)
	b.Does(uop.Move128)
}

func copy128(w *machine.Warp, in *machine.Inst) machine.State {
	dlo, dhi, alo, ahi := w.R64(in.D), w.R64(in.C), w.R64(in.A), w.R64(in.B)
	for i := range dlo {
		if w.Mask>>i&1 != 0 {
			dlo[i], dhi[i] = alo[i], ahi[i]
		}
	}
	return machine.Next
}

// moveVector copies element by element; a scalar source goes to every element.
func (b *Build) moveVector(width int) {
	d, a := &b.In.Ops[0], &b.In.Ops[1]
	for i := range d.Elems {
		from := a
		if a.Kind == ir.OpVec {
			from = &a.Elems[i]
		}
		b.Ext().Dst = append(b.Ext().Dst, b.Dst(&d.Elems[i], width))
		b.Ext().Src = append(b.Ext().Src, b.Src(from, width))
	}
	b.Out.Imm = uint64(width)
	b.Does(uop.MoveVector)
}

// copyVector reads a lane's elements before it writes them: registers may stand on both sides.
func copyVector(w *machine.Warp, in *machine.Inst) machine.State {
	n, width := len(in.Ext.Dst), int(in.Imm)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var v [4]uint64
		for k := range n {
			v[k&3] = LoadElem(w, in.Ext.Src[k], width, i)
		}
		for k := range n {
			StoreElem(w, in.Ext.Dst[k], width, i, v[k&3])
		}
	}
	return machine.Next
}

// packs are the packing forms by element count and result width; element 0 is the lowest.
var packs = map[[2]int]laneDo{
	{2, 16}: lane(uop.Pack2x8),
	{2, 32}: lane(uop.Pack2x16),
	{4, 32}: lane(uop.Pack4x8),
	{2, 64}: lane(uop.Pack2x32),
	{4, 64}: lane(uop.Pack4x16),
}

func pack2x8(a, b uint32) uint32        { return a&0xff | b<<8&0xff00 }
func pack2x16(a, b uint32) uint32       { return a&0xffff | b<<16 }
func pack4x8(a, b, c, e uint32) uint32  { return pack2x16(pack2x8(a, b), pack2x8(c, e)) }
func pack2x32(a, b uint32) uint64       { return uint64(a) | uint64(b)<<32 }
func pack4x16(a, b, c, e uint32) uint64 { return pack2x32(pack2x16(a, b), pack2x16(c, e)) }

// pack joins the elements of a vector.
func (b *Build) pack(d *ir.Operand, elems []ir.Operand, width int) {
	if width == 128 {
		b.pack128(d, elems)
		return
	}
	l, ok := packs[[2]int{len(elems), width}]
	if !ok {
		b.Fail("BUG: no packing of %d elements into %d bits", len(elems), width)
		return
	}
	b.operands(l.op, d, elems)
	b.Does(l.op)
}

// pack128 joins two 64-bit or four 32-bit elements into the halves of a register.
func (b *Build) pack128(d *ir.Operand, elems []ir.Operand) {
	b.Out.D, b.Out.C = b.Halves(d)
	for i := range elems {
		b.Ext().Src = append(b.Ext().Src, b.Src(&elems[i], 128/len(elems)))
	}
	b.Does(uop.Pack128)
}

func pack128(w *machine.Warp, in *machine.Inst) machine.State {
	src := in.Ext.Src
	lo, hi := w.R64(in.D), w.R64(in.C)
	for i := range lo {
		switch {
		case w.Mask>>i&1 == 0:
		case len(src) == 2:
			lo[i], hi[i] = w.R64(src[0])[i], w.R64(src[1])[i]
		default:
			l := pack2x32(w.R32(src[0])[i], w.R32(src[1])[i])
			hi[i] = pack2x32(w.R32(src[2])[i], w.R32(src[3])[i])
			lo[i] = l
		}
	}
	return machine.Next
}

// unpack splits a register into the elements of a vector, lowest first.
func (b *Build) unpack(elems []ir.Operand, a *ir.Operand, width int) {
	part := width / len(elems)
	for i := range elems {
		b.Ext().Dst = append(b.Ext().Dst, b.Dst(&elems[i], part))
	}
	b.Out.Imm = uint64(part)
	if width == 128 {
		b.Out.A, b.Out.B = b.Halves(a)
		b.Does(uop.Unpack128)
		return
	}
	b.Out.A = b.Src(a, width)
	if b.Does(uop.Unpack32); width == 64 {
		b.Does(uop.Unpack64)
	}
}

// The unpacking handlers go lane by lane: a destination may be the row of the source.

func unpack32(w *machine.Warp, in *machine.Inst) machine.State {
	a, part := w.R32(in.A), uint(in.Imm)
	for i := range a {
		if w.Mask>>i&1 == 0 {
			continue
		}
		v := a[i]
		for k, off := range in.Ext.Dst {
			w.R32(off)[i] = v >> (uint(k) * part) & (1<<part - 1)
		}
	}
	return machine.Next
}

func unpack64(w *machine.Warp, in *machine.Inst) machine.State {
	a, part := w.R64(in.A), uint(in.Imm)
	for k, off := range in.Ext.Dst {
		d := w.R32(off)
		for i := range d {
			if w.Mask>>i&1 != 0 {
				d[i] = uint32(a[i] >> (uint(k) * part) & (1<<part - 1))
			}
		}
	}
	return machine.Next
}

func unpack128(w *machine.Warp, in *machine.Inst) machine.State {
	lo, hi := w.R64(in.A), w.R64(in.B)
	for i := range lo {
		if w.Mask>>i&1 == 0 {
			continue
		}
		l, h := lo[i], hi[i]
		dst := in.Ext.Dst
		if in.Imm == 64 {
			w.R64(dst[0])[i], w.R64(dst[1])[i] = l, h
			continue
		}
		w.R32(dst[0])[i], w.R32(dst[1])[i] = uint32(l), uint32(l>>32)
		w.R32(dst[2])[i], w.R32(dst[3])[i] = uint32(h), uint32(h>>32)
	}
	return machine.Next
}

func unpackScalar32(w *machine.Warp, in *machine.Inst) machine.State {
	v, part := *w.S32(in.A), uint(in.Imm)
	for k, off := range in.Ext.Dst {
		*w.S32(off) = v >> (uint(k) * part) & (1<<part - 1)
	}
	return machine.Next
}

func unpackScalar64(w *machine.Warp, in *machine.Inst) machine.State {
	v, part := *w.S64(in.A), uint(in.Imm)
	for k, off := range in.Ext.Dst {
		*w.S32(off) = uint32(v >> (uint(k) * part) & (1<<part - 1))
	}
	return machine.Next
}
