package sem

// The comparisons of setp and set, 9.7.6 and 9.7.7: one lane function for each operator
// and type; .lo .ls .hi .hs are other names of the unsigned order.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
)

// comparison is one operator on one group of types.
type comparison struct {
	ops  []isa.Mod
	when Cond
	do   laneDo
}

func cmps(ops ...isa.Mod) []isa.Mod { return ops }

func comparisons() []comparison {
	return []comparison{
		{cmps(isa.M_eq), of(isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32), lane(num.Eq32)},
		{cmps(isa.M_eq), of(isa.M_b64, isa.M_u64, isa.M_s64), lane(num.Eq64)},
		{cmps(isa.M_ne), of(isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32), lane(num.Ne32)},
		{cmps(isa.M_ne), of(isa.M_b64, isa.M_u64, isa.M_s64), lane(num.Ne64)},
		{cmps(isa.M_lt, isa.M_lo), of(isa.M_u16, isa.M_u32), lane(num.LtU32)},
		{cmps(isa.M_lt), of(isa.M_s16), lane(num.LtS16)},
		{cmps(isa.M_lt), of(isa.M_s32), lane(num.LtS32)},
		{cmps(isa.M_lt, isa.M_lo), of(isa.M_u64), lane(num.LtU64)},
		{cmps(isa.M_lt), of(isa.M_s64), lane(num.LtS64)},
		{cmps(isa.M_le, isa.M_ls), of(isa.M_u16, isa.M_u32), lane(num.LeU32)},
		{cmps(isa.M_le), of(isa.M_s16), lane(num.LeS16)},
		{cmps(isa.M_le), of(isa.M_s32), lane(num.LeS32)},
		{cmps(isa.M_le, isa.M_ls), of(isa.M_u64), lane(num.LeU64)},
		{cmps(isa.M_le), of(isa.M_s64), lane(num.LeS64)},
		{cmps(isa.M_gt, isa.M_hi), of(isa.M_u16, isa.M_u32), lane(num.GtU32)},
		{cmps(isa.M_gt), of(isa.M_s16), lane(num.GtS16)},
		{cmps(isa.M_gt), of(isa.M_s32), lane(num.GtS32)},
		{cmps(isa.M_gt, isa.M_hi), of(isa.M_u64), lane(num.GtU64)},
		{cmps(isa.M_gt), of(isa.M_s64), lane(num.GtS64)},
		{cmps(isa.M_ge, isa.M_hs), of(isa.M_u16, isa.M_u32), lane(num.GeU32)},
		{cmps(isa.M_ge), of(isa.M_s16), lane(num.GeS16)},
		{cmps(isa.M_ge), of(isa.M_s32), lane(num.GeS32)},
		{cmps(isa.M_ge, isa.M_hs), of(isa.M_u64), lane(num.GeU64)},
		{cmps(isa.M_ge), of(isa.M_s64), lane(num.GeS64)},

		{cmps(isa.M_eq), of(isa.M_f32), lane(num.EqF32)},
		{cmps(isa.M_ne), of(isa.M_f32), lane(num.NeF32)},
		{cmps(isa.M_lt), of(isa.M_f32), lane(num.LtF32)},
		{cmps(isa.M_le), of(isa.M_f32), lane(num.LeF32)},
		{cmps(isa.M_gt), of(isa.M_f32), lane(num.GtF32)},
		{cmps(isa.M_ge), of(isa.M_f32), lane(num.GeF32)},
		{cmps(isa.M_equ), of(isa.M_f32), lane(num.EquF32)},
		{cmps(isa.M_neu), of(isa.M_f32), lane(num.NeuF32)},
		{cmps(isa.M_ltu), of(isa.M_f32), lane(num.LtuF32)},
		{cmps(isa.M_leu), of(isa.M_f32), lane(num.LeuF32)},
		{cmps(isa.M_gtu), of(isa.M_f32), lane(num.GtuF32)},
		{cmps(isa.M_geu), of(isa.M_f32), lane(num.GeuF32)},
		{cmps(isa.M_num), of(isa.M_f32), lane(num.NumF32)},
		{cmps(isa.M_nan), of(isa.M_f32), lane(num.NanF32)},
		{cmps(isa.M_eq), of(isa.M_f32).with(isa.M_ftz), lane(eqFtzF32)},
		{cmps(isa.M_ne), of(isa.M_f32).with(isa.M_ftz), lane(neFtzF32)},
		{cmps(isa.M_lt), of(isa.M_f32).with(isa.M_ftz), lane(ltFtzF32)},
		{cmps(isa.M_le), of(isa.M_f32).with(isa.M_ftz), lane(leFtzF32)},
		{cmps(isa.M_gt), of(isa.M_f32).with(isa.M_ftz), lane(gtFtzF32)},
		{cmps(isa.M_ge), of(isa.M_f32).with(isa.M_ftz), lane(geFtzF32)},
		{cmps(isa.M_equ), of(isa.M_f32).with(isa.M_ftz), lane(equFtzF32)},
		{cmps(isa.M_neu), of(isa.M_f32).with(isa.M_ftz), lane(neuFtzF32)},
		{cmps(isa.M_ltu), of(isa.M_f32).with(isa.M_ftz), lane(ltuFtzF32)},
		{cmps(isa.M_leu), of(isa.M_f32).with(isa.M_ftz), lane(leuFtzF32)},
		{cmps(isa.M_gtu), of(isa.M_f32).with(isa.M_ftz), lane(gtuFtzF32)},
		{cmps(isa.M_geu), of(isa.M_f32).with(isa.M_ftz), lane(geuFtzF32)},
		{cmps(isa.M_num), of(isa.M_f32).with(isa.M_ftz), lane(numFtzF32)},
		{cmps(isa.M_nan), of(isa.M_f32).with(isa.M_ftz), lane(nanFtzF32)},

		{cmps(isa.M_eq), of(isa.M_f64), lane(num.EqF64)},
		{cmps(isa.M_ne), of(isa.M_f64), lane(num.NeF64)},
		{cmps(isa.M_lt), of(isa.M_f64), lane(num.LtF64)},
		{cmps(isa.M_le), of(isa.M_f64), lane(num.LeF64)},
		{cmps(isa.M_gt), of(isa.M_f64), lane(num.GtF64)},
		{cmps(isa.M_ge), of(isa.M_f64), lane(num.GeF64)},
		{cmps(isa.M_equ), of(isa.M_f64), lane(num.EquF64)},
		{cmps(isa.M_neu), of(isa.M_f64), lane(num.NeuF64)},
		{cmps(isa.M_ltu), of(isa.M_f64), lane(num.LtuF64)},
		{cmps(isa.M_leu), of(isa.M_f64), lane(num.LeuF64)},
		{cmps(isa.M_gtu), of(isa.M_f64), lane(num.GtuF64)},
		{cmps(isa.M_geu), of(isa.M_f64), lane(num.GeuF64)},
		{cmps(isa.M_num), of(isa.M_f64), lane(num.NumF64)},
		{cmps(isa.M_nan), of(isa.M_f64), lane(num.NanF64)},
	}
}

// halfComparisons are those of one half.
func halfComparisons() []comparison {
	return []comparison{
		{cmps(isa.M_eq), of(isa.M_f16), lane(num.EqF16)},
		{cmps(isa.M_ne), of(isa.M_f16), lane(num.NeF16)},
		{cmps(isa.M_lt), of(isa.M_f16), lane(num.LtF16)},
		{cmps(isa.M_le), of(isa.M_f16), lane(num.LeF16)},
		{cmps(isa.M_gt), of(isa.M_f16), lane(num.GtF16)},
		{cmps(isa.M_ge), of(isa.M_f16), lane(num.GeF16)},
		{cmps(isa.M_equ), of(isa.M_f16), lane(num.EquF16)},
		{cmps(isa.M_neu), of(isa.M_f16), lane(num.NeuF16)},
		{cmps(isa.M_ltu), of(isa.M_f16), lane(num.LtuF16)},
		{cmps(isa.M_leu), of(isa.M_f16), lane(num.LeuF16)},
		{cmps(isa.M_gtu), of(isa.M_f16), lane(num.GtuF16)},
		{cmps(isa.M_geu), of(isa.M_f16), lane(num.GeuF16)},
		{cmps(isa.M_num), of(isa.M_f16), lane(num.NumF16)},
		{cmps(isa.M_nan), of(isa.M_f16), lane(num.NanF16)},
		{cmps(isa.M_eq), of(isa.M_f16).with(isa.M_ftz), lane(eqFtzF16)},
		{cmps(isa.M_ne), of(isa.M_f16).with(isa.M_ftz), lane(neFtzF16)},
		{cmps(isa.M_lt), of(isa.M_f16).with(isa.M_ftz), lane(ltFtzF16)},
		{cmps(isa.M_le), of(isa.M_f16).with(isa.M_ftz), lane(leFtzF16)},
		{cmps(isa.M_gt), of(isa.M_f16).with(isa.M_ftz), lane(gtFtzF16)},
		{cmps(isa.M_ge), of(isa.M_f16).with(isa.M_ftz), lane(geFtzF16)},
		{cmps(isa.M_equ), of(isa.M_f16).with(isa.M_ftz), lane(equFtzF16)},
		{cmps(isa.M_neu), of(isa.M_f16).with(isa.M_ftz), lane(neuFtzF16)},
		{cmps(isa.M_ltu), of(isa.M_f16).with(isa.M_ftz), lane(ltuFtzF16)},
		{cmps(isa.M_leu), of(isa.M_f16).with(isa.M_ftz), lane(leuFtzF16)},
		{cmps(isa.M_gtu), of(isa.M_f16).with(isa.M_ftz), lane(gtuFtzF16)},
		{cmps(isa.M_geu), of(isa.M_f16).with(isa.M_ftz), lane(geuFtzF16)},
		{cmps(isa.M_num), of(isa.M_f16).with(isa.M_ftz), lane(numFtzF16)},
		{cmps(isa.M_nan), of(isa.M_f16).with(isa.M_ftz), lane(nanFtzF16)},

		{cmps(isa.M_eq), of(isa.M_bf16), lane(num.EqBF16)},
		{cmps(isa.M_ne), of(isa.M_bf16), lane(num.NeBF16)},
		{cmps(isa.M_lt), of(isa.M_bf16), lane(num.LtBF16)},
		{cmps(isa.M_le), of(isa.M_bf16), lane(num.LeBF16)},
		{cmps(isa.M_gt), of(isa.M_bf16), lane(num.GtBF16)},
		{cmps(isa.M_ge), of(isa.M_bf16), lane(num.GeBF16)},
		{cmps(isa.M_equ), of(isa.M_bf16), lane(num.EquBF16)},
		{cmps(isa.M_neu), of(isa.M_bf16), lane(num.NeuBF16)},
		{cmps(isa.M_ltu), of(isa.M_bf16), lane(num.LtuBF16)},
		{cmps(isa.M_leu), of(isa.M_bf16), lane(num.LeuBF16)},
		{cmps(isa.M_gtu), of(isa.M_bf16), lane(num.GtuBF16)},
		{cmps(isa.M_geu), of(isa.M_bf16), lane(num.GeuBF16)},
		{cmps(isa.M_num), of(isa.M_bf16), lane(num.NumBF16)},
		{cmps(isa.M_nan), of(isa.M_bf16), lane(num.NanBF16)},
	}
}

// 9.7.6: .ftz flushes subnormal operands to zero before they are compared.

func eqFtzF32(a, b uint32) bool  { return num.EqF32(num.FtzF32(a), num.FtzF32(b)) }
func neFtzF32(a, b uint32) bool  { return num.NeF32(num.FtzF32(a), num.FtzF32(b)) }
func ltFtzF32(a, b uint32) bool  { return num.LtF32(num.FtzF32(a), num.FtzF32(b)) }
func leFtzF32(a, b uint32) bool  { return num.LeF32(num.FtzF32(a), num.FtzF32(b)) }
func gtFtzF32(a, b uint32) bool  { return num.GtF32(num.FtzF32(a), num.FtzF32(b)) }
func geFtzF32(a, b uint32) bool  { return num.GeF32(num.FtzF32(a), num.FtzF32(b)) }
func equFtzF32(a, b uint32) bool { return num.EquF32(num.FtzF32(a), num.FtzF32(b)) }
func neuFtzF32(a, b uint32) bool { return num.NeuF32(num.FtzF32(a), num.FtzF32(b)) }
func ltuFtzF32(a, b uint32) bool { return num.LtuF32(num.FtzF32(a), num.FtzF32(b)) }
func leuFtzF32(a, b uint32) bool { return num.LeuF32(num.FtzF32(a), num.FtzF32(b)) }
func gtuFtzF32(a, b uint32) bool { return num.GtuF32(num.FtzF32(a), num.FtzF32(b)) }
func geuFtzF32(a, b uint32) bool { return num.GeuF32(num.FtzF32(a), num.FtzF32(b)) }
func numFtzF32(a, b uint32) bool { return num.NumF32(num.FtzF32(a), num.FtzF32(b)) }
func nanFtzF32(a, b uint32) bool { return num.NanF32(num.FtzF32(a), num.FtzF32(b)) }

func eqFtzF16(a, b uint32) bool  { return num.EqF16(num.FtzF16(a), num.FtzF16(b)) }
func neFtzF16(a, b uint32) bool  { return num.NeF16(num.FtzF16(a), num.FtzF16(b)) }
func ltFtzF16(a, b uint32) bool  { return num.LtF16(num.FtzF16(a), num.FtzF16(b)) }
func leFtzF16(a, b uint32) bool  { return num.LeF16(num.FtzF16(a), num.FtzF16(b)) }
func gtFtzF16(a, b uint32) bool  { return num.GtF16(num.FtzF16(a), num.FtzF16(b)) }
func geFtzF16(a, b uint32) bool  { return num.GeF16(num.FtzF16(a), num.FtzF16(b)) }
func equFtzF16(a, b uint32) bool { return num.EquF16(num.FtzF16(a), num.FtzF16(b)) }
func neuFtzF16(a, b uint32) bool { return num.NeuF16(num.FtzF16(a), num.FtzF16(b)) }
func ltuFtzF16(a, b uint32) bool { return num.LtuF16(num.FtzF16(a), num.FtzF16(b)) }
func leuFtzF16(a, b uint32) bool { return num.LeuF16(num.FtzF16(a), num.FtzF16(b)) }
func gtuFtzF16(a, b uint32) bool { return num.GtuF16(num.FtzF16(a), num.FtzF16(b)) }
func geuFtzF16(a, b uint32) bool { return num.GeuF16(num.FtzF16(a), num.FtzF16(b)) }
func numFtzF16(a, b uint32) bool { return num.NumF16(num.FtzF16(a), num.FtzF16(b)) }
func nanFtzF16(a, b uint32) bool { return num.NanF16(num.FtzF16(a), num.FtzF16(b)) }
