package sem

// Mixed precision: halves widened into f32 arithmetic, 9.7.5.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
)

func mixedLines() []Line {
	return []Line{
		{isa.AddMixed, of(isa.M_f16), lane(num.AddF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rm), lane(num.AddRMF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rm, isa.M_sat), lane(num.AddRMSatF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rp), lane(num.AddRPF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rp, isa.M_sat), lane(num.AddRPSatF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rz), lane(num.AddRZF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_rz, isa.M_sat), lane(num.AddRZSatF32F16), ""},
		{isa.AddMixed, of(isa.M_f16).with(isa.M_sat), lane(num.AddSatF32F16), ""},
		{isa.AddMixed, of(isa.M_bf16), lane(num.AddF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rm), lane(num.AddRMF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rm, isa.M_sat), lane(num.AddRMSatF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rp), lane(num.AddRPF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rp, isa.M_sat), lane(num.AddRPSatF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rz), lane(num.AddRZF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_rz, isa.M_sat), lane(num.AddRZSatF32BF16), ""},
		{isa.AddMixed, of(isa.M_bf16).with(isa.M_sat), lane(num.AddSatF32BF16), ""},

		{isa.SubMixed, of(isa.M_f16), lane(num.SubF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rm), lane(num.SubRMF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rm, isa.M_sat), lane(num.SubRMSatF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rp), lane(num.SubRPF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rp, isa.M_sat), lane(num.SubRPSatF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rz), lane(num.SubRZF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_rz, isa.M_sat), lane(num.SubRZSatF32F16), ""},
		{isa.SubMixed, of(isa.M_f16).with(isa.M_sat), lane(num.SubSatF32F16), ""},
		{isa.SubMixed, of(isa.M_bf16), lane(num.SubF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rm), lane(num.SubRMF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rm, isa.M_sat), lane(num.SubRMSatF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rp), lane(num.SubRPF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rp, isa.M_sat), lane(num.SubRPSatF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rz), lane(num.SubRZF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_rz, isa.M_sat), lane(num.SubRZSatF32BF16), ""},
		{isa.SubMixed, of(isa.M_bf16).with(isa.M_sat), lane(num.SubSatF32BF16), ""},

		{isa.FmaMixed, of(isa.M_f16), lane(num.FmaF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rm), lane(num.FmaRMF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rm, isa.M_sat), lane(num.FmaRMSatF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rp), lane(num.FmaRPF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rp, isa.M_sat), lane(num.FmaRPSatF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rz), lane(num.FmaRZF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_rz, isa.M_sat), lane(num.FmaRZSatF32F16), ""},
		{isa.FmaMixed, of(isa.M_f16).with(isa.M_sat), lane(num.FmaSatF32F16), ""},
		{isa.FmaMixed, of(isa.M_bf16), lane(num.FmaF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rm), lane(num.FmaRMF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rm, isa.M_sat), lane(num.FmaRMSatF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rp), lane(num.FmaRPF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rp, isa.M_sat), lane(num.FmaRPSatF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rz), lane(num.FmaRZF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_rz, isa.M_sat), lane(num.FmaRZSatF32BF16), ""},
		{isa.FmaMixed, of(isa.M_bf16).with(isa.M_sat), lane(num.FmaSatF32BF16), ""},
	}
}
