package sem

// Mixed precision: halves widened into f32 arithmetic, 9.7.5.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func mixedLines() []Line {
	return []Line{
		{isa.AddMixed, Of(isa.M_f16), lane(uop.AddF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rm), lane(uop.AddRMF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rm, isa.M_sat), lane(uop.AddRMSatF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rp), lane(uop.AddRPF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rp, isa.M_sat), lane(uop.AddRPSatF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rz), lane(uop.AddRZF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_rz, isa.M_sat), lane(uop.AddRZSatF32F16), ""},
		{isa.AddMixed, Of(isa.M_f16).With(isa.M_sat), lane(uop.AddSatF32F16), ""},
		{isa.AddMixed, Of(isa.M_bf16), lane(uop.AddF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rm), lane(uop.AddRMF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rm, isa.M_sat), lane(uop.AddRMSatF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rp), lane(uop.AddRPF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rp, isa.M_sat), lane(uop.AddRPSatF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rz), lane(uop.AddRZF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_rz, isa.M_sat), lane(uop.AddRZSatF32BF16), ""},
		{isa.AddMixed, Of(isa.M_bf16).With(isa.M_sat), lane(uop.AddSatF32BF16), ""},

		{isa.SubMixed, Of(isa.M_f16), lane(uop.SubF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rm), lane(uop.SubRMF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rm, isa.M_sat), lane(uop.SubRMSatF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rp), lane(uop.SubRPF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rp, isa.M_sat), lane(uop.SubRPSatF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rz), lane(uop.SubRZF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_rz, isa.M_sat), lane(uop.SubRZSatF32F16), ""},
		{isa.SubMixed, Of(isa.M_f16).With(isa.M_sat), lane(uop.SubSatF32F16), ""},
		{isa.SubMixed, Of(isa.M_bf16), lane(uop.SubF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rm), lane(uop.SubRMF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rm, isa.M_sat), lane(uop.SubRMSatF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rp), lane(uop.SubRPF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rp, isa.M_sat), lane(uop.SubRPSatF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rz), lane(uop.SubRZF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_rz, isa.M_sat), lane(uop.SubRZSatF32BF16), ""},
		{isa.SubMixed, Of(isa.M_bf16).With(isa.M_sat), lane(uop.SubSatF32BF16), ""},

		{isa.FmaMixed, Of(isa.M_f16), lane(uop.FmaF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rm), lane(uop.FmaRMF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rm, isa.M_sat), lane(uop.FmaRMSatF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rp), lane(uop.FmaRPF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rp, isa.M_sat), lane(uop.FmaRPSatF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rz), lane(uop.FmaRZF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_rz, isa.M_sat), lane(uop.FmaRZSatF32F16), ""},
		{isa.FmaMixed, Of(isa.M_f16).With(isa.M_sat), lane(uop.FmaSatF32F16), ""},
		{isa.FmaMixed, Of(isa.M_bf16), lane(uop.FmaF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rm), lane(uop.FmaRMF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rm, isa.M_sat), lane(uop.FmaRMSatF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rp), lane(uop.FmaRPF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rp, isa.M_sat), lane(uop.FmaRPSatF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rz), lane(uop.FmaRZF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_rz, isa.M_sat), lane(uop.FmaRZSatF32BF16), ""},
		{isa.FmaMixed, Of(isa.M_bf16).With(isa.M_sat), lane(uop.FmaSatF32BF16), ""},
	}
}
