package sem

// Comparison, 9.7.6 and 9.7.7. A predicate is a lane mask: setp computes the mask of a
// comparison and combines it as a word.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func compareLines() []Line {
	return slices.Concat(
		compareTable(isa.Setp, 0, comparisons(), func(l laneDo) Do { return setpDo{l} }),
		compareTable(isa.SetpHalf, 0, halfComparisons(), func(l laneDo) Do { return setpDo{l} }),
		compareTable(isa.SetpHalf, 0, packed(halfComparisons()), func(l laneDo) Do { return setpHalvesDo{l} }),
		compareTable(isa.Set, isa.C_stype, comparisons(), func(l laneDo) Do { return setDo{l} }),
		compareTable(isa.SetHalf, isa.C_stype, comparisons(), func(l laneDo) Do { return setDo{l} }),
		compareTable(isa.SetHalf, isa.C_stype, halfComparisons(), func(l laneDo) Do { return setDo{l} }),
		compareTable(isa.SetHalf, isa.C_stype, packed(halfComparisons()), func(l laneDo) Do { return setHalvesDo{l} }),
		selectLines(),
	)
}

// compareTable makes the lines of a form from comparisons. types is the class of the compared
// type, 0 if the form has one type only.
func compareTable(id isa.ID, types isa.Class, of []comparison, do func(laneDo) Do) (lines []Line) {
	for _, c := range of {
		when := append(Cond{{any: c.ops}}, c.when...)
		when[1].class = types
		lines = append(lines, Line{id, when, do(c.do), ""})
	}
	return lines
}

// packed returns the comparisons of halves as those of packed halves.
func packed(halves []comparison) (out []comparison) {
	pair := map[isa.Mod]isa.Mod{isa.M_f16: isa.M_f16x2, isa.M_bf16: isa.M_bf16x2}
	for _, c := range halves {
		when := slices.Clone(c.when)
		when[0] = term{any: []isa.Mod{pair[when[0].any[0]]}}
		out = append(out, comparison{c.ops, when, c.do})
	}
	return out
}

// wordOps combine the mask of a comparison with a predicate.
var wordOps = map[isa.Mod]uop.WordOp{0: uop.WordFirst, isa.M_and: uop.WordAnd, isa.M_or: uop.WordOr, isa.M_xor: uop.WordXor}

// combine says what becomes of the masks of comparisons: P = t Op C, Q = u Op C.
type combine uop.Compare

// combined is the payload of a comparison.
func combined(in *machine.Inst) *combine { return (*combine)(in.Ext.Data.(*uop.Compare)) }

// combine sets up the combination: dst is p or p|q, c holds the predicate operand if any.
func (b *Build) combine(of uop.Op, dst *ir.Operand, c []ir.Operand) *uop.Compare {
	k := &uop.Compare{Fn: of, Op: wordOps[b.Sel.Get(isa.C_bool)], Q: b.Scratch(regs.Pred)}
	b.Ext().Data = k
	if dst.Kind == ir.OpPair {
		k.P, k.Q = b.Dst(&dst.Elems[0], 1), b.Dst(&dst.Elems[1], 1)
	} else {
		k.P = b.Dst(dst, 1)
	}
	if len(c) > 0 {
		k.C, k.Flip = b.Src(&c[0], 1), Flip(&c[0])
	} else {
		k.C = b.Const(regs.Pred, 0)
	}
	return k
}

// with combines one mask with the predicate operand.
func (k *combine) with(w *machine.Warp, t uint32) uint32 { return k.Op.Apply(t, *w.P(k.C)^k.Flip) }

// put writes the executing lanes of p and q.
func (k *combine) put(w *machine.Warp, t, u uint32) {
	p, q := k.with(w, t), k.with(w, u)
	SetMask(w, k.P, p)
	SetMask(w, k.Q, q)
}

// setpDo is setp with one comparison.
type setpDo struct{ laneDo }

func (setpDo) Reads(sel *isa.Sel, m isa.Mod) bool { return inClass(sel, m, isa.C_bool) }

func (s setpDo) Plan(b *Build) {
	ops := b.In.Ops
	if ops[0].Kind != ir.OpPair && len(ops) == 3 {
		s.laneDo.Plan(b)
		return
	}
	b.compare(s.laneDo)
	b.combine(s.op, &ops[0], ops[3:])
	b.Does(uop.Setp)
}

// compare sets up the comparison of operands 1 and 2, the inner handler, into a scratch mask. It looks at every lane: it is pure, and who reads the mask knows which count.
func (b *Build) compare(l laneDo) {
	sink := ir.Operand{Kind: ir.OpSink}
	b.operands(l.op, &sink, b.In.Ops[1:])
}

// setp: p = t op c, q = !t op c.
func setp(w *machine.Warp, in *machine.Inst) machine.State {
	in.Inner(w, in)
	t := *w.P(in.D)
	combined(in).put(w, t, ^t)
	return machine.Next
}

// setDo is set with one comparison: the result is a number.
type setDo struct{ laneDo }

func (setDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	return inClass(sel, m, isa.C_bool, isa.C_dtype)
}

// setTrue is the result of a comparison that holds, by destination type (9.7.6.1, 9.7.7.1).
var setTrue = map[isa.Mod]uint64{
	isa.M_u32: num.SetTrue32, isa.M_s32: num.SetTrue32, isa.M_f32: num.SetTrueF32,
	isa.M_u16: num.SetTrue16, isa.M_s16: num.SetTrue16,
	isa.M_f16: num.SetTrueF16, isa.M_bf16: num.SetTrueBF16,
}

func (s setDo) Plan(b *Build) {
	ops := b.In.Ops
	b.Out.Imm = setTrue[b.Sel.Get(isa.C_dtype)]
	b.compare(s.laneDo)
	sink := ir.Operand{Kind: ir.OpSink}
	b.combine(s.op, &sink, ops[3:]).D = b.Dst(&ops[0], 32)
	b.Does(uop.Set)
}

func setRow(w *machine.Warp, in *machine.Inst) machine.State {
	r := combined(in)
	in.Inner(w, in)
	yes, d := r.with(w, *w.P(in.D)), w.R32(r.D)
	for i := range d {
		if w.Mask>>i&1 != 0 {
			d[i] = uint32(in.Imm) & -(yes >> i & 1)
		}
	}
	return machine.Next
}

func setScalar(w *machine.Warp, in *machine.Inst) machine.State {
	r := combined(in)
	in.Inner(w, in)
	*w.S32(r.D) = uint32(in.Imm) & -Bit(r.with(w, *w.P(in.D))&w.Mask != 0)
	return machine.Next
}
