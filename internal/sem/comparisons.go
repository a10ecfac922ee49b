package sem

// The comparisons of setp and set, 9.7.6 and 9.7.7: one lane function for each operator
// and type; .lo .ls .hi .hs are other names of the unsigned order.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
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
		{cmps(isa.M_eq), Of(isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32), lane(uop.Eq32)},
		{cmps(isa.M_eq), Of(isa.M_b64, isa.M_u64, isa.M_s64), lane(uop.Eq64)},
		{cmps(isa.M_ne), Of(isa.M_b16, isa.M_u16, isa.M_s16, isa.M_b32, isa.M_u32, isa.M_s32), lane(uop.Ne32)},
		{cmps(isa.M_ne), Of(isa.M_b64, isa.M_u64, isa.M_s64), lane(uop.Ne64)},
		{cmps(isa.M_lt, isa.M_lo), Of(isa.M_u16, isa.M_u32), lane(uop.LtU32)},
		{cmps(isa.M_lt), Of(isa.M_s16), lane(uop.LtS16)},
		{cmps(isa.M_lt), Of(isa.M_s32), lane(uop.LtS32)},
		{cmps(isa.M_lt, isa.M_lo), Of(isa.M_u64), lane(uop.LtU64)},
		{cmps(isa.M_lt), Of(isa.M_s64), lane(uop.LtS64)},
		{cmps(isa.M_le, isa.M_ls), Of(isa.M_u16, isa.M_u32), lane(uop.LeU32)},
		{cmps(isa.M_le), Of(isa.M_s16), lane(uop.LeS16)},
		{cmps(isa.M_le), Of(isa.M_s32), lane(uop.LeS32)},
		{cmps(isa.M_le, isa.M_ls), Of(isa.M_u64), lane(uop.LeU64)},
		{cmps(isa.M_le), Of(isa.M_s64), lane(uop.LeS64)},
		{cmps(isa.M_gt, isa.M_hi), Of(isa.M_u16, isa.M_u32), lane(uop.GtU32)},
		{cmps(isa.M_gt), Of(isa.M_s16), lane(uop.GtS16)},
		{cmps(isa.M_gt), Of(isa.M_s32), lane(uop.GtS32)},
		{cmps(isa.M_gt, isa.M_hi), Of(isa.M_u64), lane(uop.GtU64)},
		{cmps(isa.M_gt), Of(isa.M_s64), lane(uop.GtS64)},
		{cmps(isa.M_ge, isa.M_hs), Of(isa.M_u16, isa.M_u32), lane(uop.GeU32)},
		{cmps(isa.M_ge), Of(isa.M_s16), lane(uop.GeS16)},
		{cmps(isa.M_ge), Of(isa.M_s32), lane(uop.GeS32)},
		{cmps(isa.M_ge, isa.M_hs), Of(isa.M_u64), lane(uop.GeU64)},
		{cmps(isa.M_ge), Of(isa.M_s64), lane(uop.GeS64)},

		{cmps(isa.M_eq), Of(isa.M_f32), lane(uop.EqF32)},
		{cmps(isa.M_ne), Of(isa.M_f32), lane(uop.NeF32)},
		{cmps(isa.M_lt), Of(isa.M_f32), lane(uop.LtF32)},
		{cmps(isa.M_le), Of(isa.M_f32), lane(uop.LeF32)},
		{cmps(isa.M_gt), Of(isa.M_f32), lane(uop.GtF32)},
		{cmps(isa.M_ge), Of(isa.M_f32), lane(uop.GeF32)},
		{cmps(isa.M_equ), Of(isa.M_f32), lane(uop.EquF32)},
		{cmps(isa.M_neu), Of(isa.M_f32), lane(uop.NeuF32)},
		{cmps(isa.M_ltu), Of(isa.M_f32), lane(uop.LtuF32)},
		{cmps(isa.M_leu), Of(isa.M_f32), lane(uop.LeuF32)},
		{cmps(isa.M_gtu), Of(isa.M_f32), lane(uop.GtuF32)},
		{cmps(isa.M_geu), Of(isa.M_f32), lane(uop.GeuF32)},
		{cmps(isa.M_num), Of(isa.M_f32), lane(uop.NumF32)},
		{cmps(isa.M_nan), Of(isa.M_f32), lane(uop.NanF32)},
		{cmps(isa.M_eq), Of(isa.M_f32).With(isa.M_ftz), lane(uop.EqFtzF32)},
		{cmps(isa.M_ne), Of(isa.M_f32).With(isa.M_ftz), lane(uop.NeFtzF32)},
		{cmps(isa.M_lt), Of(isa.M_f32).With(isa.M_ftz), lane(uop.LtFtzF32)},
		{cmps(isa.M_le), Of(isa.M_f32).With(isa.M_ftz), lane(uop.LeFtzF32)},
		{cmps(isa.M_gt), Of(isa.M_f32).With(isa.M_ftz), lane(uop.GtFtzF32)},
		{cmps(isa.M_ge), Of(isa.M_f32).With(isa.M_ftz), lane(uop.GeFtzF32)},
		{cmps(isa.M_equ), Of(isa.M_f32).With(isa.M_ftz), lane(uop.EquFtzF32)},
		{cmps(isa.M_neu), Of(isa.M_f32).With(isa.M_ftz), lane(uop.NeuFtzF32)},
		{cmps(isa.M_ltu), Of(isa.M_f32).With(isa.M_ftz), lane(uop.LtuFtzF32)},
		{cmps(isa.M_leu), Of(isa.M_f32).With(isa.M_ftz), lane(uop.LeuFtzF32)},
		{cmps(isa.M_gtu), Of(isa.M_f32).With(isa.M_ftz), lane(uop.GtuFtzF32)},
		{cmps(isa.M_geu), Of(isa.M_f32).With(isa.M_ftz), lane(uop.GeuFtzF32)},
		{cmps(isa.M_num), Of(isa.M_f32).With(isa.M_ftz), lane(uop.NumFtzF32)},
		{cmps(isa.M_nan), Of(isa.M_f32).With(isa.M_ftz), lane(uop.NanFtzF32)},

		{cmps(isa.M_eq), Of(isa.M_f64), lane(uop.EqF64)},
		{cmps(isa.M_ne), Of(isa.M_f64), lane(uop.NeF64)},
		{cmps(isa.M_lt), Of(isa.M_f64), lane(uop.LtF64)},
		{cmps(isa.M_le), Of(isa.M_f64), lane(uop.LeF64)},
		{cmps(isa.M_gt), Of(isa.M_f64), lane(uop.GtF64)},
		{cmps(isa.M_ge), Of(isa.M_f64), lane(uop.GeF64)},
		{cmps(isa.M_equ), Of(isa.M_f64), lane(uop.EquF64)},
		{cmps(isa.M_neu), Of(isa.M_f64), lane(uop.NeuF64)},
		{cmps(isa.M_ltu), Of(isa.M_f64), lane(uop.LtuF64)},
		{cmps(isa.M_leu), Of(isa.M_f64), lane(uop.LeuF64)},
		{cmps(isa.M_gtu), Of(isa.M_f64), lane(uop.GtuF64)},
		{cmps(isa.M_geu), Of(isa.M_f64), lane(uop.GeuF64)},
		{cmps(isa.M_num), Of(isa.M_f64), lane(uop.NumF64)},
		{cmps(isa.M_nan), Of(isa.M_f64), lane(uop.NanF64)},
	}
}

// halfComparisons are those of one half.
func halfComparisons() []comparison {
	return []comparison{
		{cmps(isa.M_eq), Of(isa.M_f16), lane(uop.EqF16)},
		{cmps(isa.M_ne), Of(isa.M_f16), lane(uop.NeF16)},
		{cmps(isa.M_lt), Of(isa.M_f16), lane(uop.LtF16)},
		{cmps(isa.M_le), Of(isa.M_f16), lane(uop.LeF16)},
		{cmps(isa.M_gt), Of(isa.M_f16), lane(uop.GtF16)},
		{cmps(isa.M_ge), Of(isa.M_f16), lane(uop.GeF16)},
		{cmps(isa.M_equ), Of(isa.M_f16), lane(uop.EquF16)},
		{cmps(isa.M_neu), Of(isa.M_f16), lane(uop.NeuF16)},
		{cmps(isa.M_ltu), Of(isa.M_f16), lane(uop.LtuF16)},
		{cmps(isa.M_leu), Of(isa.M_f16), lane(uop.LeuF16)},
		{cmps(isa.M_gtu), Of(isa.M_f16), lane(uop.GtuF16)},
		{cmps(isa.M_geu), Of(isa.M_f16), lane(uop.GeuF16)},
		{cmps(isa.M_num), Of(isa.M_f16), lane(uop.NumF16)},
		{cmps(isa.M_nan), Of(isa.M_f16), lane(uop.NanF16)},
		{cmps(isa.M_eq), Of(isa.M_f16).With(isa.M_ftz), lane(uop.EqFtzF16)},
		{cmps(isa.M_ne), Of(isa.M_f16).With(isa.M_ftz), lane(uop.NeFtzF16)},
		{cmps(isa.M_lt), Of(isa.M_f16).With(isa.M_ftz), lane(uop.LtFtzF16)},
		{cmps(isa.M_le), Of(isa.M_f16).With(isa.M_ftz), lane(uop.LeFtzF16)},
		{cmps(isa.M_gt), Of(isa.M_f16).With(isa.M_ftz), lane(uop.GtFtzF16)},
		{cmps(isa.M_ge), Of(isa.M_f16).With(isa.M_ftz), lane(uop.GeFtzF16)},
		{cmps(isa.M_equ), Of(isa.M_f16).With(isa.M_ftz), lane(uop.EquFtzF16)},
		{cmps(isa.M_neu), Of(isa.M_f16).With(isa.M_ftz), lane(uop.NeuFtzF16)},
		{cmps(isa.M_ltu), Of(isa.M_f16).With(isa.M_ftz), lane(uop.LtuFtzF16)},
		{cmps(isa.M_leu), Of(isa.M_f16).With(isa.M_ftz), lane(uop.LeuFtzF16)},
		{cmps(isa.M_gtu), Of(isa.M_f16).With(isa.M_ftz), lane(uop.GtuFtzF16)},
		{cmps(isa.M_geu), Of(isa.M_f16).With(isa.M_ftz), lane(uop.GeuFtzF16)},
		{cmps(isa.M_num), Of(isa.M_f16).With(isa.M_ftz), lane(uop.NumFtzF16)},
		{cmps(isa.M_nan), Of(isa.M_f16).With(isa.M_ftz), lane(uop.NanFtzF16)},

		{cmps(isa.M_eq), Of(isa.M_bf16), lane(uop.EqBF16)},
		{cmps(isa.M_ne), Of(isa.M_bf16), lane(uop.NeBF16)},
		{cmps(isa.M_lt), Of(isa.M_bf16), lane(uop.LtBF16)},
		{cmps(isa.M_le), Of(isa.M_bf16), lane(uop.LeBF16)},
		{cmps(isa.M_gt), Of(isa.M_bf16), lane(uop.GtBF16)},
		{cmps(isa.M_ge), Of(isa.M_bf16), lane(uop.GeBF16)},
		{cmps(isa.M_equ), Of(isa.M_bf16), lane(uop.EquBF16)},
		{cmps(isa.M_neu), Of(isa.M_bf16), lane(uop.NeuBF16)},
		{cmps(isa.M_ltu), Of(isa.M_bf16), lane(uop.LtuBF16)},
		{cmps(isa.M_leu), Of(isa.M_bf16), lane(uop.LeuBF16)},
		{cmps(isa.M_gtu), Of(isa.M_bf16), lane(uop.GtuBF16)},
		{cmps(isa.M_geu), Of(isa.M_bf16), lane(uop.GeuBF16)},
		{cmps(isa.M_num), Of(isa.M_bf16), lane(uop.NumBF16)},
		{cmps(isa.M_nan), Of(isa.M_bf16), lane(uop.NanBF16)},
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
