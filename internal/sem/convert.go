package sem

// Conversion, 9.7.9.21.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func cvtPackSatLines() []Line {
	return []Line{
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_u16), widened(lane(uop.PackSatU16)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_s16), widened(lane(uop.PackSatS16)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_u8).Where(isa.R_c), widened(lane(uop.PackSatU8)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_s8).Where(isa.R_c), widened(lane(uop.PackSatS8)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_u4).Where(isa.R_c), widened(lane(uop.PackSatU4)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_s4).Where(isa.R_c), widened(lane(uop.PackSatS4)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_u2).Where(isa.R_c), widened(lane(uop.PackSatU2)), ""},
		{isa.CvtPackSat, At(isa.C_dtype, isa.M_s2).Where(isa.R_c), widened(lane(uop.PackSatS2)), ""},
	}
}

// scalarTypes are the types of cvt by their modifier; packed types by that of one element.
var scalarTypes = map[isa.Mod]num.Type{
	isa.M_u8: num.U8, isa.M_s8: num.S8, isa.M_u16: num.U16, isa.M_s16: num.S16,
	isa.M_u32: num.U32, isa.M_s32: num.S32, isa.M_u64: num.U64, isa.M_s64: num.S64,
	isa.M_f16: num.F16, isa.M_bf16: num.BF16, isa.M_f32: num.F32, isa.M_f64: num.F64, isa.M_tf32: num.TF32,
	isa.M_f16x2: num.F16, isa.M_bf16x2: num.BF16, isa.M_f32x2: num.F32,
	isa.M_e4m3x2: num.E4M3, isa.M_e5m2x2: num.E5M2,
	isa.M_e2m3x2: num.E2M3, isa.M_e3m2x2: num.E3M2, isa.M_e2m1x2: num.E2M1,
	isa.M_e4m3x4: num.E4M3, isa.M_e5m2x4: num.E5M2,
	isa.M_e2m3x4: num.E2M3, isa.M_e3m2x4: num.E3M2, isa.M_e2m1x4: num.E2M1,
	isa.M_ue8m0x2: num.UE8M0, isa.M_ue5m3x2: num.UE5M3, isa.M_s2f6x2: num.S2F6,
}

// FloatOf is the floating-point type of a type's elements, and how many there are; none of other types. What is .tf32 lies in
// registers as .f32.
func FloatOf(t isa.Type) (elem num.Type, n int) {
	elem, ok := scalarTypes[t.Mod()]
	switch {
	case !ok || elem.Format() == nil:
		return elem, 0
	case elem == num.TF32:
		return num.F32, 1
	}
	return elem, max(1, t.Bits()/int(elem.Width()))
}

// RoundingOf is the mode that a modifier names; where there is none, to nearest.
func RoundingOf(m isa.Mod) num.Mode { return roundings[m] }

// roundings are the rounding modifiers; those to an integer share the modes.
var roundings = map[isa.Mod]num.Mode{
	isa.M_rn: num.RN, isa.M_rz: num.RZ, isa.M_rm: num.RM, isa.M_rp: num.RP, isa.M_rna: num.RNA, isa.M_rs: num.RS,
	isa.M_rni: num.RN, isa.M_rzi: num.RZ, isa.M_rmi: num.RM, isa.M_rpi: num.RP,
}

// cvtOf reads what a statement converts.
func cvtOf(sel *isa.Sel) num.Cvt {
	c := num.Cvt{
		Dst: scalarTypes[sel.Get(isa.C_dtype)], Src: scalarTypes[sel.Get(isa.C_atype)],
		Ftz: sel.Has(isa.M_ftz), Sat: sel.Has(isa.M_sat),
		Satfinite: sel.Has(isa.M_satfinite), Relu: sel.Has(isa.M_relu), Pzo: sel.Has(isa.M_pzo),
		Scaled: sel.Has(isa.M_scaled_n1_ue8m0) || sel.Has(isa.M_scaled_n2_ue8m0),
		Flush:  sel.Has(isa.M_scaled_n1_ue8m0),
	}
	for m, mode := range roundings {
		if sel.Has(m) {
			c.Round = mode
			c.Integral = c.Dst == c.Src && c.Dst.Format() != nil && sel.Get(isa.C_irnd) == m
		}
	}
	return c
}

// cvtDo converts one value.
type cvtDo struct{ asking }

func (cvtDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	_, rounding := roundings[m]
	return rounding || inClass(sel, m, isa.C_dtype, isa.C_atype) ||
		slices.Contains(cvtModifiers, m)
}

// cvtModifiers are the modifiers that are neither types nor roundings.
var cvtModifiers = []isa.Mod{
	isa.M_ftz, isa.M_sat, isa.M_satfinite, isa.M_relu, isa.M_pzo, isa.M_scaled_n1_ue8m0, isa.M_scaled_n2_ue8m0,
}

func (cvtDo) Scalar() bool { return true }

// Plan takes a lane function where there is one for these types and register widths, else
// the general conversion.
func (do cvtDo) Plan(b *Build) {
	d, a, c := &b.In.Ops[0], &b.In.Ops[1], cvtOf(b.Sel)
	c.Else = do.otherwise(b)
	p := &conversion{Cvt: c, srcBits: b.OperandBits(a, int(c.Src.Width())), dstBits: b.OperandBits(d, int(c.Dst.Width()))}
	if p.dstBits > 64 {
		p.dstBits = 64
		defer func() { b.ExtendHigh([]uint32{b.Out.D}, p.Dst.Format() == nil && p.Dst.Signed()) }()
	}
	if l, ok := p.lane(); ok {
		b.operands(l.op, d, b.In.Ops[1:2])
		b.Does(l.op)
		return
	}
	p.rows = p.Rows()
	b.Out.D, b.Out.A = b.Dst(d, p.dstBits), b.Src(a, p.srcBits)
	b.Ext().Data = p
	b.Does(uop.Convert)
}

// OperandBits is the width of a register operand; that of the type for anything else.
func (b *Build) OperandBits(o *ir.Operand, typeBits int) int {
	if o.Kind == ir.OpReg {
		return b.Bits(o.Reg)
	}
	return typeBits
}

// conversion is a cvt between registers that may be wider than the types (tables 27, 28):
// the source is cut to its type, the result extended by the sign of its own.
type conversion struct {
	uop.Private
	num.Cvt
	rows             *num.Rows
	srcBits, dstBits int // of the registers
}

func (p *conversion) apply(v uint64) uint64 {
	r := p.rows.Quick.Convert(v)
	if n := p.Dst.Width(); p.Dst.Format() == nil && p.Dst.Signed() && uint(p.dstBits) > n {
		r = uint64(int64(r<<(64-n))>>(64-n)) & (^uint64(0) >> (64 - uint(p.dstBits)))
	}
	return r
}

// fewLanes is how many lanes are converted one by one: a whole row takes as long.
const fewLanes = 6

func convertRow(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*conversion)
	switch {
	case w.Mask == ^uint32(0):
		p.rows.Convert(rowLanes(w, in.D, p.dstBits), rowLanes(w, in.A, p.srcBits), uint(p.dstBits))
	case bits.OnesCount32(w.Mask) <= fewLanes:
		for m := w.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			StoreElem(w, in.D, p.dstBits, i, p.apply(LoadElem(w, in.A, p.srcBits, i)))
		}
	case p.dstBits > 32:
		var d [32]uint64
		p.rows.Convert(num.Lanes{W64: &d}, rowLanes(w, in.A, p.srcBits), uint(p.dstBits))
		part1(w.Mask, w.R64(in.D), &d, copy64)
	default:
		var d [32]uint32
		p.rows.Convert(num.Lanes{W32: &d}, rowLanes(w, in.A, p.srcBits), uint(p.dstBits))
		part1(w.Mask, w.R32(in.D), &d, copy32)
	}
	return machine.Next
}

// rowLanes is a row of registers of so many bits.
func rowLanes(w *machine.Warp, off uint32, bits int) num.Lanes {
	if bits > 32 {
		return num.Lanes{W64: w.R64(off)}
	}
	return num.Lanes{W32: w.R32(off)}
}

func convertScalar(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*conversion)
	v := uint64(*w.S32(in.A))
	if p.srcBits > 32 {
		v = *w.S64(in.A)
	}
	if r := p.apply(v); p.dstBits > 32 {
		*w.S64(in.D) = r
	} else {
		*w.S32(in.D) = uint32(r)
	}
	return machine.Next
}

// lane returns the lane function for this conversion, if there is one.
func (p *conversion) lane() (laneDo, bool) {
	src, dst := int(p.Src.Width()), int(p.Dst.Width())
	if p.Src.Format() == nil && p.Dst.Format() == nil {
		return p.intLane()
	}
	if p.srcBits != src || p.dstBits != dst {
		return laneDo{}, false
	}
	l, ok := floatLanes[p.Cvt]
	return l, ok
}

// extension is what an integer conversion without .sat comes to: the low bits of a row
// element, extended by sign, into a register of so many bits.
type extension struct {
	bits     int
	signed   bool
	src, dst int // 32 or 64: the rows
	keep     int // bits of the destination register below 32
}

// intLane finds the extension that the conversion is: chop to the narrower of the types
// and extend by the sign of whichever type widens.
func (p *conversion) intLane() (laneDo, bool) {
	src, dst := int(p.Src.Width()), int(p.Dst.Width())
	if p.Sat {
		return laneDo{}, false
	}
	e := extension{bits: min(src, dst), src: rowBits(p.srcBits), dst: rowBits(p.dstBits), keep: min(p.dstBits, 32)}
	switch {
	case src < dst && dst < p.dstBits && p.Src.Signed() != p.Dst.Signed():
		return laneDo{}, false // two extensions of different signs
	case src < dst:
		e.signed = p.Src.Signed()
	default:
		e.signed = p.Dst.Signed()
	}
	if e.bits >= p.dstBits {
		e.signed, e.keep = false, 32 // nothing is extended
	}
	if !e.signed {
		e.keep = 32 // rows hold zero-extended values
	}
	l, ok := extensions[e]
	return l, ok
}

var extensions = map[extension]laneDo{
	{8, false, 32, 32, 32}:  lane(uop.Zext8),
	{8, true, 32, 32, 16}:   lane(uop.Sext8to16),
	{8, true, 32, 32, 32}:   lane(uop.Sext8),
	{16, false, 32, 32, 32}: lane(uop.Zext16),
	{16, true, 32, 32, 32}:  lane(uop.Sext16),
	{32, false, 32, 32, 32}: lane(uop.Copy32),
	{8, false, 32, 64, 32}:  lane(uop.Zext8to64),
	{8, true, 32, 64, 32}:   lane(uop.Sext8To64),
	{16, false, 32, 64, 32}: lane(uop.Zext16to64),
	{16, true, 32, 64, 32}:  lane(uop.Sext16To64),
	{32, false, 32, 64, 32}: lane(uop.Zext32To64),
	{32, true, 32, 64, 32}:  lane(uop.Sext32To64),
	{32, false, 64, 32, 32}: lane(uop.Trunc64To32),
	{16, false, 64, 32, 32}: lane(uop.Trunc64to16),
	{8, false, 64, 32, 32}:  lane(uop.Trunc64to8),
	{64, false, 64, 64, 32}: lane(uop.Copy64),
}

func copy32(a uint32) uint32      { return a }
func copy64(a uint64) uint64      { return a }
func sext8to16(a uint32) uint32   { return num.Zext16(num.Sext8(a)) }
func zext8to64(a uint32) uint64   { return uint64(num.Zext8(a)) }
func zext16to64(a uint32) uint64  { return uint64(num.Zext16(a)) }
func trunc64to16(a uint64) uint32 { return uint32(uint16(a)) }
func trunc64to8(a uint64) uint32  { return uint32(uint8(a)) }

func f32FromS8(a uint32) uint32  { return num.CvtF32S32(num.Sext8(a)) }
func f32FromS16(a uint32) uint32 { return num.CvtF32S32(num.Sext16(a)) }
func f64FromS8(a uint32) uint64  { return num.CvtF64S32(num.Sext8(a)) }
func f64FromS16(a uint32) uint64 { return num.CvtF64S32(num.Sext16(a)) }

// floatLanes are the conversions from and to floats that programs use most.
var floatLanes = map[num.Cvt]laneDo{
	{Dst: num.F32, Src: num.U8}:   lane(uop.CvtF32U32),
	{Dst: num.F32, Src: num.U16}:  lane(uop.CvtF32U32),
	{Dst: num.F32, Src: num.S8}:   lane(uop.F32FromS8),
	{Dst: num.F32, Src: num.S16}:  lane(uop.F32FromS16),
	{Dst: num.F64, Src: num.S8}:   lane(uop.F64FromS8),
	{Dst: num.F64, Src: num.S16}:  lane(uop.F64FromS16),
	{Dst: num.F32, Src: num.S32}:  lane(uop.CvtF32S32),
	{Dst: num.F32, Src: num.U32}:  lane(uop.CvtF32U32),
	{Dst: num.F32, Src: num.S64}:  lane(uop.CvtF32S64),
	{Dst: num.F32, Src: num.U64}:  lane(uop.CvtF32U64),
	{Dst: num.F64, Src: num.U8}:   lane(uop.CvtF64U32),
	{Dst: num.F64, Src: num.U16}:  lane(uop.CvtF64U32),
	{Dst: num.F64, Src: num.S32}:  lane(uop.CvtF64S32),
	{Dst: num.F64, Src: num.U32}:  lane(uop.CvtF64U32),
	{Dst: num.F64, Src: num.S64}:  lane(uop.CvtF64S64),
	{Dst: num.F64, Src: num.U64}:  lane(uop.CvtF64U64),
	{Dst: num.F64, Src: num.F32}:  lane(uop.CvtF64F32),
	{Dst: num.F32, Src: num.F64}:  lane(uop.CvtF32F64),
	{Dst: num.F32, Src: num.F16}:  lane(uop.CvtF32F16),
	{Dst: num.F32, Src: num.BF16}: lane(uop.CvtF32BF16),

	{Dst: num.S32, Src: num.F32, Round: num.RN}: lane(uop.CvtRniS32F32),
	{Dst: num.S32, Src: num.F32, Round: num.RZ}: lane(uop.CvtRziS32F32),
	{Dst: num.S32, Src: num.F32, Round: num.RM}: lane(uop.CvtRmiS32F32),
	{Dst: num.S32, Src: num.F32, Round: num.RP}: lane(uop.CvtRpiS32F32),
	{Dst: num.U32, Src: num.F32, Round: num.RN}: lane(uop.CvtRniU32F32),
	{Dst: num.U32, Src: num.F32, Round: num.RZ}: lane(uop.CvtRziU32F32),
	{Dst: num.U32, Src: num.F32, Round: num.RM}: lane(uop.CvtRmiU32F32),
	{Dst: num.U32, Src: num.F32, Round: num.RP}: lane(uop.CvtRpiU32F32),
	{Dst: num.S64, Src: num.F32, Round: num.RZ}: lane(uop.CvtRziS64F32),
	{Dst: num.U64, Src: num.F32, Round: num.RZ}: lane(uop.CvtRziU64F32),
	{Dst: num.S32, Src: num.F64, Round: num.RN}: lane(uop.CvtRniS32F64),
	{Dst: num.S32, Src: num.F64, Round: num.RZ}: lane(uop.CvtRziS32F64),
	{Dst: num.S32, Src: num.F64, Round: num.RM}: lane(uop.CvtRmiS32F64),
	{Dst: num.S32, Src: num.F64, Round: num.RP}: lane(uop.CvtRpiS32F64),
	{Dst: num.U32, Src: num.F64, Round: num.RZ}: lane(uop.CvtRziU32F64),
	{Dst: num.S64, Src: num.F64, Round: num.RZ}: lane(uop.CvtRziS64F64),
	{Dst: num.U64, Src: num.F64, Round: num.RZ}: lane(uop.CvtRziU64F64),

	{Dst: num.S32, Src: num.F32, Round: num.RN, Ftz: true}: lane(uop.CvtRniFtzS32F32),
	{Dst: num.S32, Src: num.F32, Round: num.RZ, Ftz: true}: lane(uop.CvtRziFtzS32F32),
	{Dst: num.U32, Src: num.F32, Round: num.RZ, Ftz: true}: lane(uop.CvtRziFtzU32F32),
	{Dst: num.S64, Src: num.F32, Round: num.RZ, Ftz: true}: lane(uop.CvtRziFtzS64F32),
	{Dst: num.U64, Src: num.F32, Round: num.RZ, Ftz: true}: lane(uop.CvtRziFtzU64F32),

	{Dst: num.F32, Src: num.F32, Round: num.RN, Integral: true}: lane(uop.CvtRniF32F32),
	{Dst: num.F32, Src: num.F32, Round: num.RZ, Integral: true}: lane(uop.CvtRziF32F32),
	{Dst: num.F32, Src: num.F32, Round: num.RM, Integral: true}: lane(uop.CvtRmiF32F32),
	{Dst: num.F32, Src: num.F32, Round: num.RP, Integral: true}: lane(uop.CvtRpiF32F32),
	{Dst: num.F64, Src: num.F64, Round: num.RN, Integral: true}: lane(uop.CvtRniF64F64),
	{Dst: num.F64, Src: num.F64, Round: num.RZ, Integral: true}: lane(uop.CvtRziF64F64),
	{Dst: num.F64, Src: num.F64, Round: num.RM, Integral: true}: lane(uop.CvtRmiF64F64),
	{Dst: num.F64, Src: num.F64, Round: num.RP, Integral: true}: lane(uop.CvtRpiF64F64),
}
