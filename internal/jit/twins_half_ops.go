package jit

// The operations of mixed precision.

import "ptxvm.invalid/ptxvm/internal/uop"

// mixedOps are the operations of f32 whose sources, all but the last, may have 16 bits.
var mixedOps = []struct{ f32, f16, bf16 byRounding }{
	{byRounding{uop.AddF32, uop.AddRZF32, uop.AddRMF32, uop.AddRPF32},
		byRounding{uop.AddF32F16, uop.AddRZF32F16, uop.AddRMF32F16, uop.AddRPF32F16},
		byRounding{uop.AddF32BF16, uop.AddRZF32BF16, uop.AddRMF32BF16, uop.AddRPF32BF16}},
	{byRounding{uop.AddSatF32, uop.AddRZSatF32, uop.AddRMSatF32, uop.AddRPSatF32},
		byRounding{uop.AddSatF32F16, uop.AddRZSatF32F16, uop.AddRMSatF32F16, uop.AddRPSatF32F16},
		byRounding{uop.AddSatF32BF16, uop.AddRZSatF32BF16, uop.AddRMSatF32BF16, uop.AddRPSatF32BF16}},
	{byRounding{uop.SubF32, uop.SubRZF32, uop.SubRMF32, uop.SubRPF32},
		byRounding{uop.SubF32F16, uop.SubRZF32F16, uop.SubRMF32F16, uop.SubRPF32F16},
		byRounding{uop.SubF32BF16, uop.SubRZF32BF16, uop.SubRMF32BF16, uop.SubRPF32BF16}},
	{byRounding{uop.SubSatF32, uop.SubRZSatF32, uop.SubRMSatF32, uop.SubRPSatF32},
		byRounding{uop.SubSatF32F16, uop.SubRZSatF32F16, uop.SubRMSatF32F16, uop.SubRPSatF32F16},
		byRounding{uop.SubSatF32BF16, uop.SubRZSatF32BF16, uop.SubRMSatF32BF16, uop.SubRPSatF32BF16}},
	{byRounding{uop.FmaF32, uop.FmaRZF32, uop.FmaRMF32, uop.FmaRPF32},
		byRounding{uop.FmaF32F16, uop.FmaRZF32F16, uop.FmaRMF32F16, uop.FmaRPF32F16},
		byRounding{uop.FmaF32BF16, uop.FmaRZF32BF16, uop.FmaRMF32BF16, uop.FmaRPF32BF16}},
	{byRounding{uop.FmaSatF32, uop.FmaRZSatF32, uop.FmaRMSatF32, uop.FmaRPSatF32},
		byRounding{uop.FmaSatF32F16, uop.FmaRZSatF32F16, uop.FmaRMSatF32F16, uop.FmaRPSatF32F16},
		byRounding{uop.FmaSatF32BF16, uop.FmaRZSatF32BF16, uop.FmaRMSatF32BF16, uop.FmaRPSatF32BF16}},
}
