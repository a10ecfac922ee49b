package sem

// Video instructions, 9.7.18: the parts that operands select are laid out at decode, the
// arithmetic is num's.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func videoLines() []Line {
	return []Line{
		{isa.Vadd, nil, videoScalar(num.VideoAdd), ""},
		{isa.Vsub, nil, videoScalar(num.VideoSub), ""},
		{isa.Vabsdiff, nil, videoScalar(num.VideoAbsDiff), ""},
		{isa.Vmin, nil, videoScalar(num.VideoMin), ""},
		{isa.Vmax, nil, videoScalar(num.VideoMax), ""},
		{isa.Vshl, Of(isa.M_clamp), videoScalar(shifted(num.VideoShl, num.VideoClamp)), ""},
		{isa.Vshl, Of(isa.M_wrap), videoScalar(shifted(num.VideoShl, num.VideoWrap)), ""},
		{isa.Vshr, Of(isa.M_clamp), videoScalar(shifted(num.VideoShr, num.VideoClamp)), ""},
		{isa.Vshr, Of(isa.M_wrap), videoScalar(shifted(num.VideoShr, num.VideoWrap)), ""},
		{isa.Vmad, nil, Plan(planVideoMad, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_scale).Sees(isa.M_po, isa.M_sat), ""},
		{isa.Vset, nil, videoScalar(nil), ""},

		{isa.Vadd2, nil, videoLanes(2, num.VideoAdd), ""},
		{isa.Vsub2, nil, videoLanes(2, num.VideoSub), ""},
		{isa.Vavrg2, nil, videoLanes(2, num.VideoAvrg), ""},
		{isa.Vabsdiff2, nil, videoLanes(2, num.VideoAbsDiff), ""},
		{isa.Vmin2, nil, videoLanes(2, num.VideoMin), ""},
		{isa.Vmax2, nil, videoLanes(2, num.VideoMax), ""},
		{isa.Vset2, nil, videoLanes(2, nil), ""},

		{isa.Vadd4, nil, videoLanes(4, num.VideoAdd), ""},
		{isa.Vsub4, nil, videoLanes(4, num.VideoSub), ""},
		{isa.Vavrg4, nil, videoLanes(4, num.VideoAvrg), ""},
		{isa.Vabsdiff4, nil, videoLanes(4, num.VideoAbsDiff), ""},
		{isa.Vmin4, nil, videoLanes(4, num.VideoMin), ""},
		{isa.Vmax4, nil, videoLanes(4, num.VideoMax), ""},
		{isa.Vset4, nil, videoLanes(4, nil), ""},
	}
}

// videoCompare holds the operations of vset.
var videoCompare = map[isa.Mod]num.VideoFunc{
	isa.M_eq: num.VideoEq, isa.M_ne: num.VideoNe, isa.M_lt: num.VideoLt,
	isa.M_le: num.VideoLe, isa.M_gt: num.VideoGt, isa.M_ge: num.VideoGe,
}

// videoSecond holds the second operations of scalar instructions.
var videoSecond = map[isa.Mod]num.VideoFunc{
	isa.M_add: num.VideoAdd, isa.M_min: num.VideoMin, isa.M_max: num.VideoMax,
}

// shifted limits the amount of a shift first.
func shifted(shift num.VideoFunc, amount func(int64) int64) num.VideoFunc {
	return func(a, b int64) int64 { return shift(a, amount(b)) }
}

// videoScalar plans an instruction on one part of each source; without an operation it is a
// comparison.
func videoScalar(do num.VideoFunc) Do {
	return Plan(func(b *Build) {
		v := &num.VideoScalar{Do: do, Sat: b.Sel.Has(isa.M_sat), Second: videoSecond[b.Sel.Get(isa.C_op2)]}
		if do == nil {
			v.Do = videoCompare[b.Sel.Get(isa.C_cmp)]
		}
		v.A, v.B = videoPart(b, 1, isa.C_atype), videoPart(b, 2, isa.C_btype)
		v.Dst, v.Merge = videoPart(b, 0, isa.C_dtype), b.In.Ops[0].Selector != ""
		b.video(v.Of)
	}, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_op2, isa.C_cmp).Sees(isa.M_sat)
}

func planVideoMad(b *Build) {
	ops := b.In.Ops
	v := &num.VideoMad{
		A: videoPart(b, 1, isa.C_atype), B: videoPart(b, 2, isa.C_btype),
		NegAB: ops[1].Neg != ops[2].Neg, NegC: ops[3].Neg,
		PlusOne: b.Sel.Has(isa.M_po), Sat: b.Sel.Has(isa.M_sat), Scale: videoScale[b.Sel.Get(isa.C_scale)],
	}
	b.video(v.Of)
}

var videoScale = map[isa.Mod]uint8{isa.M_shr7: 7, isa.M_shr15: 15}

// videoPart is the part of a register that an operand selects, all of it without a selector.
func videoPart(b *Build, op int, typ isa.Class) num.VideoField {
	f := num.VideoField{Bits: 32, Signed: b.Sel.Type(typ).Kind() == isa.Signed}
	if word := b.In.Ops[op].Selector; word != "" {
		f.Bits = selectorBits(word)
		f.Shift = (word[2] - '0') * f.Bits
	}
	return f
}

// selectorBits is the size of what a selector's digits count: bytes or half-words.
func selectorBits(word string) uint8 {
	if word[1] == 'b' {
		return 8
	}
	return 16
}

// videoLanes plans an instruction on n elements at once; without an operation it is a
// comparison.
func videoLanes(n int, do num.VideoFunc) Do {
	return Plan(func(b *Build) {
		v := &num.VideoLanes{Do: do, Sat: b.Sel.Has(isa.M_sat), Add: b.Sel.Has(isa.M_add), Mask: videoMask(n, b.In.Ops[0].Selector)}
		if do == nil {
			v.Do = videoCompare[b.Sel.Get(isa.C_cmp)]
		}
		v.A, v.B = videoFields(b, n, 1, isa.C_atype), videoFields(b, n, 2, isa.C_btype)
		v.Dst = num.VideoField{Bits: uint8(32 / n), Signed: b.Sel.Type(isa.C_dtype).Kind() == isa.Signed}
		b.video(v.Of)
	}, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_cmp).Sees(isa.M_sat, isa.M_add)
}

// videoMask is the set of elements that a destination's selector names, all without one.
func videoMask(n int, word string) uint8 {
	if word == "" {
		return 1<<n - 1
	}
	mask := uint8(0)
	for _, digit := range word[2:] {
		mask |= 1 << (digit - '0')
	}
	return mask
}

// videoFields are the elements of a source, the lowest first: by default those of its own
// register, 0 to n-1 of a and n to 2n-1 of b.
func videoFields(b *Build, n, op int, typ isa.Class) []num.VideoField {
	word := b.In.Ops[op].Selector
	fields := make([]num.VideoField, n)
	for i := range fields {
		at := uint8(i + (op-1)*n)
		if word != "" {
			at = word[len(word)-1-i] - '0'
		}
		bits := uint8(32 / n)
		fields[i] = num.VideoField{Shift: at * bits, Bits: bits, Signed: b.Sel.Type(typ).Kind() == isa.Signed}
	}
	return fields
}

// video sets up a handler of three 32-bit sources.
func (b *Build) video(of func(a, b, c uint32) uint32) {
	ops := b.In.Ops
	none := ir.Operand{Kind: ir.OpImm}
	third := &none
	if len(ops) > 3 {
		third = &ops[3]
	}
	b.Out.D, b.Out.A, b.Out.B, b.Out.C = b.Dst(&ops[0], 32), b.Src(&ops[1], 32), b.Src(&ops[2], 32), b.Src(third, 32)
	b.Ext().Data = &videoOp{of: of}
	b.Does(uop.Video)
}

// videoOp is what a video instruction computes of the registers of a lane.
type videoOp struct {
	uop.Private
	of func(a, b, c uint32) uint32
}

func videoHandler(w *machine.Warp, in *machine.Inst) machine.State {
	of := in.Ext.Data.(*videoOp).of
	d, a, b, c := w.R32(in.D), w.R32(in.A), w.R32(in.B), w.R32(in.C)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = of(a[i], b[i], c[i])
	}
	return machine.Next
}
