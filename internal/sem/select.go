package sem

// Selection, 9.7.6.3 and 9.7.6.4: one of two values by a predicate or by a sign.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var (
	types32 = []isa.Mod{isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32, isa.M_f32}
	types64 = []isa.Mod{isa.M_b64, isa.M_u64, isa.M_s64, isa.M_f64}
)

func selectLines() []Line {
	return []Line{
		{isa.Selp, Of(types32...), Plan(planSelp32).orScalar(), ""},
		{isa.Selp, Of(types64...), Plan(planSelp64).orScalar(), ""},

		{isa.Slct, At(isa.C_dtype, types32...).At(isa.C_ctype, isa.M_s32), lane(uop.Slct32S32), ""},
		{isa.Slct, At(isa.C_dtype, types64...).At(isa.C_ctype, isa.M_s32), lane(uop.Slct64S32), ""},
		{isa.Slct, At(isa.C_dtype, types32...).At(isa.C_ctype, isa.M_f32), lane(uop.Slct32F32), ""},
		{isa.Slct, At(isa.C_dtype, types64...).At(isa.C_ctype, isa.M_f32), lane(uop.Slct64F32), ""},
		{isa.Slct, At(isa.C_dtype, types32...).At(isa.C_ctype, isa.M_f32).With(isa.M_ftz), lane(uop.SlctFtz32F32), ""},
		{isa.Slct, At(isa.C_dtype, types64...).At(isa.C_ctype, isa.M_f32).With(isa.M_ftz), lane(uop.SlctFtz64F32), ""},
	}
}

// 9.7.6.4: .ftz turns a negative subnormal selector into -0, which selects a.
func slctFtz32F32(a, b, c uint32) uint32        { return num.Slct32F32(a, b, num.FtzF32(c)) }
func slctFtz64F32(a, b uint64, c uint32) uint64 { return num.Slct64F32(a, b, num.FtzF32(c)) }

func planSelp32(b *Build) { b.selp(32, uop.Select32) }
func planSelp64(b *Build) { b.selp(64, uop.Select64) }

func (b *Build) selp(width int, op uop.Op) {
	ops := b.In.Ops
	b.Out.D = b.Dst(&ops[0], width)
	b.Out.A, b.Out.B = b.Src(&ops[1], width), b.Src(&ops[2], width)
	if ops[3].Neg {
		b.Out.A, b.Out.B = b.Out.B, b.Out.A
	}
	b.Out.C = b.Src(&ops[3], 1)
	b.Does(op)
}

// pick32 and pick64 return a if bit i of p is set, else b, without a branch.
func pick32(p uint32, i int, a, b uint32) uint32 { return b ^ (a^b)&-(p>>i&1) }
func pick64(p uint32, i int, a, b uint64) uint64 { return b ^ (a^b)&-uint64(p>>i&1) }

func selp32(w *machine.Warp, in *machine.Inst) machine.State {
	d, a, b, p := w.R32(in.D), w.R32(in.A), w.R32(in.B), *w.P(in.C)
	for i := range d {
		d[i] = pick32(p, 0, a[i], b[i])
		p >>= 1
	}
	return machine.Next
}

func selpPart32(w *machine.Warp, in *machine.Inst) machine.State {
	d, a, b, p := w.R32(in.D), w.R32(in.A), w.R32(in.B), *w.P(in.C)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = pick32(p, i, a[i], b[i])
	}
	return machine.Next
}

func selp64(w *machine.Warp, in *machine.Inst) machine.State {
	d, a, b, p := w.R64(in.D), w.R64(in.A), w.R64(in.B), *w.P(in.C)
	for i := range d {
		d[i] = pick64(p, 0, a[i], b[i])
		p >>= 1
	}
	return machine.Next
}

func selpPart64(w *machine.Warp, in *machine.Inst) machine.State {
	d, a, b, p := w.R64(in.D), w.R64(in.A), w.R64(in.B), *w.P(in.C)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = pick64(p, i, a[i], b[i])
	}
	return machine.Next
}

// A uniform predicate holds for all executing lanes or for none.

func selpScalar32(w *machine.Warp, in *machine.Inst) machine.State {
	*w.S32(in.D) = pick32(Bit(*w.P(in.C)&w.Mask != 0), 0, *w.S32(in.A), *w.S32(in.B))
	return machine.Next
}

func selpScalar64(w *machine.Warp, in *machine.Inst) machine.State {
	*w.S64(in.D) = pick64(Bit(*w.P(in.C)&w.Mask != 0), 0, *w.S64(in.A), *w.S64(in.B))
	return machine.Next
}
