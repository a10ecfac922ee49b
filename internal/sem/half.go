package sem

// Half precision and bfloat16, scalar and packed, 9.7.4.

import (
	"ptxvm/internal/isa"
	"ptxvm/internal/num"
)

var halfLines = []Line{
	{isa.AddHalf, of(isa.M_f16), lane(num.AddF16), ""},
	{isa.AddHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.AddFtzF16), ""},
	{isa.AddHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_sat), lane(num.AddFtzSatF16), ""},
	{isa.AddHalf, of(isa.M_f16).with(isa.M_sat), lane(num.AddSatF16), ""},
	{isa.AddHalf, of(isa.M_f16x2), lane(num.AddF16x2), ""},
	{isa.AddHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.AddFtzF16x2), ""},
	{isa.AddHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_sat), lane(num.AddFtzSatF16x2), ""},
	{isa.AddHalf, of(isa.M_f16x2).with(isa.M_sat), lane(num.AddSatF16x2), ""},
	{isa.AddHalf, of(isa.M_bf16), lane(num.AddBF16), ""},
	{isa.AddHalf, of(isa.M_bf16x2), lane(num.AddBF16x2), ""},

	{isa.SubHalf, of(isa.M_f16), lane(num.SubF16), ""},
	{isa.SubHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.SubFtzF16), ""},
	{isa.SubHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_sat), lane(num.SubFtzSatF16), ""},
	{isa.SubHalf, of(isa.M_f16).with(isa.M_sat), lane(num.SubSatF16), ""},
	{isa.SubHalf, of(isa.M_f16x2), lane(num.SubF16x2), ""},
	{isa.SubHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.SubFtzF16x2), ""},
	{isa.SubHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_sat), lane(num.SubFtzSatF16x2), ""},
	{isa.SubHalf, of(isa.M_f16x2).with(isa.M_sat), lane(num.SubSatF16x2), ""},
	{isa.SubHalf, of(isa.M_bf16), lane(num.SubBF16), ""},
	{isa.SubHalf, of(isa.M_bf16x2), lane(num.SubBF16x2), ""},

	{isa.MulHalf, of(isa.M_f16), lane(num.MulF16), ""},
	{isa.MulHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.MulFtzF16), ""},
	{isa.MulHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_sat), lane(num.MulFtzSatF16), ""},
	{isa.MulHalf, of(isa.M_f16).with(isa.M_sat), lane(num.MulSatF16), ""},
	{isa.MulHalf, of(isa.M_f16x2), lane(num.MulF16x2), ""},
	{isa.MulHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.MulFtzF16x2), ""},
	{isa.MulHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_sat), lane(num.MulFtzSatF16x2), ""},
	{isa.MulHalf, of(isa.M_f16x2).with(isa.M_sat), lane(num.MulSatF16x2), ""},
	{isa.MulHalf, of(isa.M_bf16), lane(num.MulBF16), ""},
	{isa.MulHalf, of(isa.M_bf16x2), lane(num.MulBF16x2), ""},

	{isa.FmaHalf, of(isa.M_f16), lane(num.FmaF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.FmaFtzF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_sat), lane(num.FmaFtzSatF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_relu), lane(num.FmaFtzReluF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_sat), lane(num.FmaSatF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_relu), lane(num.FmaReluF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_oob), lane(num.FmaOobF16), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_oob, isa.M_relu), lane(num.FmaOobReluF16), ""},
	{isa.FmaHalf, of(isa.M_f16x2), lane(num.FmaF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.FmaFtzF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_sat), lane(num.FmaFtzSatF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_relu), lane(num.FmaFtzReluF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_sat), lane(num.FmaSatF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_relu), lane(num.FmaReluF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_oob), lane(num.FmaOobF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_oob, isa.M_relu), lane(num.FmaOobReluF16x2), ""},
	{isa.FmaHalf, of(isa.M_bf16), lane(num.FmaBF16), ""},
	{isa.FmaHalf, of(isa.M_bf16).with(isa.M_relu), lane(num.FmaReluBF16), ""},
	{isa.FmaHalf, of(isa.M_bf16).with(isa.M_oob), lane(num.FmaOobBF16), ""},
	{isa.FmaHalf, of(isa.M_bf16).with(isa.M_oob, isa.M_relu), lane(num.FmaOobReluBF16), ""},
	{isa.FmaHalf, of(isa.M_bf16x2), lane(num.FmaBF16x2), ""},
	{isa.FmaHalf, of(isa.M_bf16x2).with(isa.M_relu), lane(num.FmaReluBF16x2), ""},
	{isa.FmaHalf, of(isa.M_bf16x2).with(isa.M_oob), lane(num.FmaOobBF16x2), ""},
	{isa.FmaHalf, of(isa.M_bf16x2).with(isa.M_oob, isa.M_relu), lane(num.FmaOobReluBF16x2), ""},
	{isa.FmaHalf, of(isa.M_f16).with(isa.M_sat, isa.M_oob), lane(fmaOobSatF16), ""},
	{isa.FmaHalf, of(isa.M_f16x2).with(isa.M_sat, isa.M_oob), lane(fmaOobSatF16x2), ""},

	{isa.NegHalf, of(isa.M_f16), lane(num.NegF16), ""},
	{isa.NegHalf, of(isa.M_bf16), lane(num.NegBF16), ""},
	{isa.NegHalf, of(isa.M_f16x2), lane(num.NegF16x2), ""},
	{isa.NegHalf, of(isa.M_bf16x2), lane(num.NegBF16x2), ""},
	{isa.NegHalf, of(isa.M_f16).with(isa.M_ftz), lane(negFtzF16), ""},
	{isa.NegHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(negFtzF16x2), ""},
	{isa.AbsHalf, of(isa.M_f16), lane(num.AbsF16), ""},
	{isa.AbsHalf, of(isa.M_bf16), lane(num.AbsBF16), ""},
	{isa.AbsHalf, of(isa.M_f16x2), lane(num.AbsF16x2), ""},
	{isa.AbsHalf, of(isa.M_bf16x2), lane(num.AbsBF16x2), ""},
	{isa.AbsHalf, of(isa.M_f16).with(isa.M_ftz), lane(absFtzF16), ""},
	{isa.AbsHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(absFtzF16x2), ""},

	{isa.MinHalf, of(isa.M_f16), lane(num.MinF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.MinFtzF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_NaN), lane(num.MinFtzNaNF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinFtzNaNXorsignAbsF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_xorsign, isa.M_abs), lane(num.MinFtzXorsignAbsF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_NaN), lane(num.MinNaNF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinNaNXorsignAbsF16), ""},
	{isa.MinHalf, of(isa.M_f16).with(isa.M_xorsign, isa.M_abs), lane(num.MinXorsignAbsF16), ""},
	{isa.MinHalf, of(isa.M_f16x2), lane(num.MinF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.MinFtzF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_NaN), lane(num.MinFtzNaNF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinFtzNaNXorsignAbsF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_xorsign, isa.M_abs), lane(num.MinFtzXorsignAbsF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_NaN), lane(num.MinNaNF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinNaNXorsignAbsF16x2), ""},
	{isa.MinHalf, of(isa.M_f16x2).with(isa.M_xorsign, isa.M_abs), lane(num.MinXorsignAbsF16x2), ""},
	{isa.MinHalf, of(isa.M_bf16), lane(num.MinBF16), ""},
	{isa.MinHalf, of(isa.M_bf16).with(isa.M_NaN), lane(num.MinNaNBF16), ""},
	{isa.MinHalf, of(isa.M_bf16).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinNaNXorsignAbsBF16), ""},
	{isa.MinHalf, of(isa.M_bf16).with(isa.M_xorsign, isa.M_abs), lane(num.MinXorsignAbsBF16), ""},
	{isa.MinHalf, of(isa.M_bf16x2), lane(num.MinBF16x2), ""},
	{isa.MinHalf, of(isa.M_bf16x2).with(isa.M_NaN), lane(num.MinNaNBF16x2), ""},
	{isa.MinHalf, of(isa.M_bf16x2).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MinNaNXorsignAbsBF16x2), ""},
	{isa.MinHalf, of(isa.M_bf16x2).with(isa.M_xorsign, isa.M_abs), lane(num.MinXorsignAbsBF16x2), ""},

	{isa.MaxHalf, of(isa.M_f16), lane(num.MaxF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_ftz), lane(num.MaxFtzF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_NaN), lane(num.MaxFtzNaNF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxFtzNaNXorsignAbsF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_ftz, isa.M_xorsign, isa.M_abs), lane(num.MaxFtzXorsignAbsF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_NaN), lane(num.MaxNaNF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxNaNXorsignAbsF16), ""},
	{isa.MaxHalf, of(isa.M_f16).with(isa.M_xorsign, isa.M_abs), lane(num.MaxXorsignAbsF16), ""},
	{isa.MaxHalf, of(isa.M_f16x2), lane(num.MaxF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_ftz), lane(num.MaxFtzF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_NaN), lane(num.MaxFtzNaNF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxFtzNaNXorsignAbsF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_ftz, isa.M_xorsign, isa.M_abs), lane(num.MaxFtzXorsignAbsF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_NaN), lane(num.MaxNaNF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxNaNXorsignAbsF16x2), ""},
	{isa.MaxHalf, of(isa.M_f16x2).with(isa.M_xorsign, isa.M_abs), lane(num.MaxXorsignAbsF16x2), ""},
	{isa.MaxHalf, of(isa.M_bf16), lane(num.MaxBF16), ""},
	{isa.MaxHalf, of(isa.M_bf16).with(isa.M_NaN), lane(num.MaxNaNBF16), ""},
	{isa.MaxHalf, of(isa.M_bf16).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxNaNXorsignAbsBF16), ""},
	{isa.MaxHalf, of(isa.M_bf16).with(isa.M_xorsign, isa.M_abs), lane(num.MaxXorsignAbsBF16), ""},
	{isa.MaxHalf, of(isa.M_bf16x2), lane(num.MaxBF16x2), ""},
	{isa.MaxHalf, of(isa.M_bf16x2).with(isa.M_NaN), lane(num.MaxNaNBF16x2), ""},
	{isa.MaxHalf, of(isa.M_bf16x2).with(isa.M_NaN, isa.M_xorsign, isa.M_abs), lane(num.MaxNaNXorsignAbsBF16x2), ""},
	{isa.MaxHalf, of(isa.M_bf16x2).with(isa.M_xorsign, isa.M_abs), lane(num.MaxXorsignAbsBF16x2), ""},

	{isa.TanhHalf, of(isa.M_f16).with(isa.M_approx), lane(num.TanhApproxF16), ""},
	{isa.TanhHalf, of(isa.M_f16x2).with(isa.M_approx), lane(num.TanhApproxF16x2), ""},
	{isa.TanhHalf, of(isa.M_bf16).with(isa.M_approx), lane(num.TanhApproxBF16), ""},
	{isa.TanhHalf, of(isa.M_bf16x2).with(isa.M_approx), lane(num.TanhApproxBF16x2), ""},

	{isa.Ex2Half, of(isa.M_f16).with(isa.M_approx), lane(num.Ex2ApproxF16), ""},
	{isa.Ex2Half, of(isa.M_f16x2).with(isa.M_approx), lane(num.Ex2ApproxF16x2), ""},
	{isa.Ex2Half, of(isa.M_bf16).with(isa.M_approx, isa.M_ftz), lane(num.Ex2ApproxFtzBF16), ""},
	{isa.Ex2Half, of(isa.M_bf16x2).with(isa.M_approx, isa.M_ftz), lane(num.Ex2ApproxFtzBF16x2), ""},
}

// 9.7.4.5, 9.7.4.6: .ftz flushes a subnormal operand to a zero of its sign.
func absFtzF16(a uint32) uint32   { return num.AbsF16(num.FtzF16(a)) }
func negFtzF16(a uint32) uint32   { return num.NegF16(num.FtzF16(a)) }
func absFtzF16x2(a uint32) uint32 { return num.AbsF16x2(num.FtzF16x2(a)) }
func negFtzF16x2(a uint32) uint32 { return num.NegF16x2(num.FtzF16x2(a)) }

// 9.7.4.4: the saturated result of a lane that is out of bounds is +0 as well.
func fmaOobSatF16(a, b, c uint32) uint32 { return num.SatF16(num.FmaOobF16(a, b, c)) }
func fmaOobSatF16x2(a, b, c uint32) uint32 {
	return fmaOobSatF16(a&0xffff, b&0xffff, c&0xffff) | fmaOobSatF16(a>>16, b>>16, c>>16)<<16
}
