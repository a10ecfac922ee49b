package sem

// Arithmetic on pairs and quadruples of different formats (9.4: 9.7.5 and 9.7.6), and the
// directed roundings of bf16: element by element, exact and rounded once.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func mixed2Lines() []Line {
	return []Line{
		{isa.AddMixed2, nil, mixedPlan(addMixed2), ""},
		{isa.AddMixed2, Of(isa.M_ftz), mixedPlan(addMixed2, assume.MixedFtz), ""},
		{isa.SubMixed2, nil, mixedPlan(subMixed2), ""},
		{isa.SubMixed2, Of(isa.M_ftz), mixedPlan(subMixed2, assume.MixedFtz), ""},
		{isa.FmaMixed2, nil, mixedPlan(fmaMixed2), ""},
		{isa.MulMixed2, nil, mixedPlan(mulMixed2), ""},
		{isa.MulMixed2, Of(isa.M_ftz), mixedPlan(mulMixed2, assume.MixedFtz), ""},
		{isa.MulMixed2, At(isa.C_ctype, isa.M_f16x2, isa.M_bf16x2), mixedPlan(mulMixed2, assume.MixedHalves), ""},
		{isa.AddNarrow, nil, mixedPlan(addNarrow), ""},
		{isa.SubNarrow, nil, mixedPlan(subNarrow), ""},
		{isa.MulNarrow, nil, mixedPlan(mulNarrow), ""},
		{isa.FmaNarrow, nil, mixedPlan(fmaNarrow), ""},

		{isa.FmaHalf, directed, mixedPlan(fmaDirected, assume.DirectedBF16), ""},
		{isa.FmaHalf, directed.With(isa.M_relu), mixedPlan(fmaDirected, assume.DirectedBF16), ""},
		{isa.FmaHalf, directed.With(isa.M_oob), mixedPlan(fmaDirected, assume.DirectedBF16, assume.OOBAddend), ""},
		{isa.FmaHalf, directed.With(isa.M_oob, isa.M_relu), mixedPlan(fmaDirected, assume.DirectedBF16, assume.OOBAddend), ""},
	}
}

// directed is a rounding of bf16 that the manual does not have.
var directed = Of(isa.M_bf16, isa.M_bf16x2).At(isa.C_rnd, isa.M_rz, isa.M_rm, isa.M_rp)

// mixedPlan names the function that fills in what a statement computes.
func mixedPlan(fill func(b *Build, x *packedMixed), asks ...assume.Assumption) Planned {
	return Plan(func(b *Build) {
		x := &packedMixed{}
		x.Round = RoundingOf(b.rounding())
		x.Satfinite, x.Relu = b.Sel.Has(isa.M_satfinite), b.Sel.Has(isa.M_relu)
		fill(b, x)
		b.Ext().Data = x
		b.Does(uop.MixedElements)
	}, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_ctype, isa.C_type, isa.C_rnd, isa.C_ftz).
		Sees(isa.M_satfinite, isa.M_relu, isa.M_oob).Assuming(asks...)
}

// rounding is the statement's rounding modifier. The narrowing forms have .rz alone, which
// ptxas lets one leave out.
func (b *Build) rounding() isa.Mod {
	switch d := elementsOf[b.Sel.Get(isa.C_dtype)]; {
	case b.Sel.Get(isa.C_rnd) != 0:
		return b.Sel.Get(isa.C_rnd)
	case b.Sel.Get(isa.C_ctype) == isa.M_f32x2 && d.step == 16:
		return isa.M_rz
	}
	return isa.M_rn
}

// elemental says how the elements of a type lie in a register.
type elemental struct {
	format *num.Format
	step   uint // distance of the elements in bits
	row    int  // 32 or 64: the row
}

// elementsOf are the packed types; one of bf16 is a pair of which the upper half is unused.
var elementsOf = map[isa.Mod]elemental{
	isa.M_f32x2: {num.F32.Format(), 32, 64},
	isa.M_f16x2: {num.F16.Format(), 16, 32}, isa.M_bf16x2: {num.BF16.Format(), 16, 32},
	isa.M_bf16:   {num.BF16.Format(), 16, 32},
	isa.M_e5m2x4: {num.E5M2.Format(), 8, 32}, isa.M_e4m3x4: {num.E4M3.Format(), 8, 32},
	isa.M_e3m2x4: {num.E3M2.Format(), 8, 32}, isa.M_e2m3x4: {num.E2M3.Format(), 8, 32},
	isa.M_e2m1x4: {num.E2M1.Format(), 4, 32}, isa.M_e2m1p4x4: {num.E2M1.Format(), 8, 32},
	isa.M_ue8m0x4: {num.UE8M0.Format(), 8, 32},
}

// packedOperand is a row of packed elements.
type packedOperand struct {
	elemental
	off uint32
}

func (o *packedOperand) load(w *machine.Warp, lane int) uint64 {
	if o.format == nil {
		return 0
	}
	return LoadElem(w, o.off, o.row, lane)
}

// packedMixed is a Mixed on elements.
type packedMixed struct {
	uop.Private
	num.Mixed
	count      int
	d, a, b, c packedOperand
}

// place finds the operands; types are in written order, the destination's first, and 0 for an
// operand that there is not.
func (x *packedMixed) place(b *Build, count int, d, a, f, c isa.Mod) {
	x.count, x.Dst = count, elementsOf[d].format
	x.d = packedOperand{elementsOf[d], b.Dst(&b.In.Ops[0], elementsOf[d].row)}
	next := 1
	for _, o := range []struct {
		to     *packedOperand
		format **num.Format
		t      isa.Mod
	}{{&x.a, &x.A, a}, {&x.b, &x.B, f}, {&x.c, &x.C, c}} {
		if o.t == 0 {
			continue
		}
		e := elementsOf[o.t]
		*o.to, *o.format = packedOperand{e, b.Src(&b.In.Ops[next], e.row)}, e.format
		next++
	}
}

func addMixed2(b *Build, x *packedMixed) {
	d := b.Sel.Get(isa.C_dtype)
	x.place(b, 2, d, b.Sel.Get(isa.C_atype), 0, b.Sel.Get(isa.C_ctype))
	x.flush(b)
}

func subMixed2(b *Build, x *packedMixed) {
	addMixed2(b, x)
	x.Sub = true
}

func fmaMixed2(b *Build, x *packedMixed) {
	x.place(b, 2, isa.M_f32x2, b.Sel.Get(isa.C_atype), isa.M_f32x2, isa.M_f32x2)
}

func mulMixed2(b *Build, x *packedMixed) {
	d, a, c := b.Sel.Get(isa.C_dtype), b.Sel.Get(isa.C_atype), b.Sel.Get(isa.C_ctype)
	x.place(b, 2, d, a, c, 0)
	x.flush(b)
	x.Narrow = c != isa.M_f32x2 && b.Assume(assume.MixedHalves) == 1
}

// flush: .ftz belongs to the results of f16x2 from f32x2.
func (x *packedMixed) flush(b *Build) {
	if b.Sel.Has(isa.M_ftz) {
		x.Ftz = b.Assume(assume.MixedFtz) == 0
		x.FtzOperands = !x.Ftz
	}
}

func addNarrow(b *Build, x *packedMixed) {
	d := b.Sel.Get(isa.C_dtype)
	x.place(b, 4, d, b.Sel.Get(isa.C_atype), 0, d)
}

func subNarrow(b *Build, x *packedMixed) {
	addNarrow(b, x)
	x.Sub = true
}

func mulNarrow(b *Build, x *packedMixed) {
	x.place(b, 4, b.Sel.Get(isa.C_dtype), b.Sel.Get(isa.C_atype), b.Sel.Get(isa.C_btype), 0)
}

func fmaNarrow(b *Build, x *packedMixed) {
	d := b.Sel.Get(isa.C_dtype)
	x.place(b, 4, d, b.Sel.Get(isa.C_atype), b.Sel.Get(isa.C_btype), d)
}

// fmaDirected is fma of bf16 in a directed rounding, which the manual does not have.
func fmaDirected(b *Build, x *packedMixed) {
	t := b.Sel.Get(isa.C_type)
	x.place(b, 2, t, t, t, t)
	if t == isa.M_bf16 {
		x.count = 1
	}
	if x.Oob = b.Sel.Has(isa.M_oob); x.Oob {
		x.OobAll = b.Assume(assume.OOBAddend) == 0
	}
	if b.Assume(assume.DirectedBF16) == 1 {
		x.Round = num.RN
	}
}

func mixedElements(w *machine.Warp, in *machine.Inst) machine.State {
	x := in.Ext.Data.(*packedMixed)
	Each(w.Mask, func(i int) {
		a, b, c, d := x.a.load(w, i), x.b.load(w, i), x.c.load(w, i), uint64(0)
		for k := range uint(x.count) {
			d |= x.Apply(a>>(k*x.a.step), b>>(k*x.b.step), c>>(k*x.c.step)) << (k * x.d.step)
		}
		StoreElem(w, x.d.off, x.d.row, i, d)
	})
	return machine.Next
}
