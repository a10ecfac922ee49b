package lane

import "ptxvm.invalid/ptxvm/internal/uop"

// This file has the operations of halves by format, and those of mixed precision.

// Pair is an operation of one half, and that of two; zero where a format has none.
type Pair [2]uop.Op

// HalfOps are the operations of a format.
type HalfOps struct {
	Abs, Neg, AbsFtz, NegFtz                           Pair
	Arithmetic                                         [4]HalfArithmetic // add, sub, mul, fma
	FmaRelu, FmaOob, FmaOobRelu, FmaFtzRelu, FmaOobSat Pair
	Choices                                            [4]HalfChoice // min, min.NaN, max, max.NaN
}

// HalfArithmetic is an operation that rounds.
type HalfArithmetic struct{ Plain, Sat, Ftz, FtzSat Pair }

// HalfChoice is min or max, with and without .xorsign.abs.
type HalfChoice struct{ Plain, Xorsign, Ftz, FtzXorsign Pair }

// F16Ops and BF16Ops are the operations of both formats.
var (
	F16Ops = HalfOps{
		Abs: Pair{uop.AbsF16, uop.AbsF16x2}, Neg: Pair{uop.NegF16, uop.NegF16x2}, AbsFtz: Pair{uop.AbsFtzF16, uop.AbsFtzF16x2}, NegFtz: Pair{uop.NegFtzF16, uop.NegFtzF16x2},
		Arithmetic: [4]HalfArithmetic{
			{Pair{uop.AddF16, uop.AddF16x2}, Pair{uop.AddSatF16, uop.AddSatF16x2}, Pair{uop.AddFtzF16, uop.AddFtzF16x2}, Pair{uop.AddFtzSatF16, uop.AddFtzSatF16x2}},
			{Pair{uop.SubF16, uop.SubF16x2}, Pair{uop.SubSatF16, uop.SubSatF16x2}, Pair{uop.SubFtzF16, uop.SubFtzF16x2}, Pair{uop.SubFtzSatF16, uop.SubFtzSatF16x2}},
			{Pair{uop.MulF16, uop.MulF16x2}, Pair{uop.MulSatF16, uop.MulSatF16x2}, Pair{uop.MulFtzF16, uop.MulFtzF16x2}, Pair{uop.MulFtzSatF16, uop.MulFtzSatF16x2}},
			{Pair{uop.FmaF16, uop.FmaF16x2}, Pair{uop.FmaSatF16, uop.FmaSatF16x2}, Pair{uop.FmaFtzF16, uop.FmaFtzF16x2}, Pair{uop.FmaFtzSatF16, uop.FmaFtzSatF16x2}},
		},
		FmaRelu: Pair{uop.FmaReluF16, uop.FmaReluF16x2}, FmaOob: Pair{uop.FmaOobF16, uop.FmaOobF16x2}, FmaOobRelu: Pair{uop.FmaOobReluF16, uop.FmaOobReluF16x2},
		FmaFtzRelu: Pair{uop.FmaFtzReluF16, uop.FmaFtzReluF16x2}, FmaOobSat: Pair{uop.FmaOobSatF16, uop.FmaOobSatF16x2},
		Choices: [4]HalfChoice{
			{Pair{uop.MinF16, uop.MinF16x2}, Pair{uop.MinXorsignAbsF16, uop.MinXorsignAbsF16x2},
				Pair{uop.MinFtzF16, uop.MinFtzF16x2}, Pair{uop.MinFtzXorsignAbsF16, uop.MinFtzXorsignAbsF16x2}},
			{Pair{uop.MinNaNF16, uop.MinNaNF16x2}, Pair{uop.MinNaNXorsignAbsF16, uop.MinNaNXorsignAbsF16x2},
				Pair{uop.MinFtzNaNF16, uop.MinFtzNaNF16x2}, Pair{uop.MinFtzNaNXorsignAbsF16, uop.MinFtzNaNXorsignAbsF16x2}},
			{Pair{uop.MaxF16, uop.MaxF16x2}, Pair{uop.MaxXorsignAbsF16, uop.MaxXorsignAbsF16x2},
				Pair{uop.MaxFtzF16, uop.MaxFtzF16x2}, Pair{uop.MaxFtzXorsignAbsF16, uop.MaxFtzXorsignAbsF16x2}},
			{Pair{uop.MaxNaNF16, uop.MaxNaNF16x2}, Pair{uop.MaxNaNXorsignAbsF16, uop.MaxNaNXorsignAbsF16x2},
				Pair{uop.MaxFtzNaNF16, uop.MaxFtzNaNF16x2}, Pair{uop.MaxFtzNaNXorsignAbsF16, uop.MaxFtzNaNXorsignAbsF16x2}},
		},
	}
	BF16Ops = HalfOps{
		Abs: Pair{uop.AbsBF16, uop.AbsBF16x2}, Neg: Pair{uop.NegBF16, uop.NegBF16x2},
		Arithmetic: [4]HalfArithmetic{
			{Plain: Pair{uop.AddBF16, uop.AddBF16x2}},
			{Plain: Pair{uop.SubBF16, uop.SubBF16x2}},
			{Plain: Pair{uop.MulBF16, uop.MulBF16x2}},
			{Plain: Pair{uop.FmaBF16, uop.FmaBF16x2}},
		},
		FmaRelu: Pair{uop.FmaReluBF16, uop.FmaReluBF16x2}, FmaOob: Pair{uop.FmaOobBF16, uop.FmaOobBF16x2}, FmaOobRelu: Pair{uop.FmaOobReluBF16, uop.FmaOobReluBF16x2},
		Choices: [4]HalfChoice{
			{Plain: Pair{uop.MinBF16, uop.MinBF16x2}, Xorsign: Pair{uop.MinXorsignAbsBF16, uop.MinXorsignAbsBF16x2}},
			{Plain: Pair{uop.MinNaNBF16, uop.MinNaNBF16x2}, Xorsign: Pair{uop.MinNaNXorsignAbsBF16, uop.MinNaNXorsignAbsBF16x2}},
			{Plain: Pair{uop.MaxBF16, uop.MaxBF16x2}, Xorsign: Pair{uop.MaxXorsignAbsBF16, uop.MaxXorsignAbsBF16x2}},
			{Plain: Pair{uop.MaxNaNBF16, uop.MaxNaNBF16x2}, Xorsign: Pair{uop.MaxNaNXorsignAbsBF16, uop.MaxNaNXorsignAbsBF16x2}},
		},
	}
)

// mixedOps are the operations of f32 whose sources, all but the last, may have 16 bits.
var mixedOps = []struct {
	f32, f16, bf16 uop.Op
	sat            bool
}{
	{uop.AddF32, uop.AddF32F16, uop.AddF32BF16, false}, {uop.AddF32, uop.AddSatF32F16, uop.AddSatF32BF16, true},
	{uop.AddRZF32, uop.AddRZF32F16, uop.AddRZF32BF16, false}, {uop.AddRZF32, uop.AddRZSatF32F16, uop.AddRZSatF32BF16, true},
	{uop.AddRMF32, uop.AddRMF32F16, uop.AddRMF32BF16, false}, {uop.AddRMF32, uop.AddRMSatF32F16, uop.AddRMSatF32BF16, true},
	{uop.AddRPF32, uop.AddRPF32F16, uop.AddRPF32BF16, false}, {uop.AddRPF32, uop.AddRPSatF32F16, uop.AddRPSatF32BF16, true},
	{uop.SubF32, uop.SubF32F16, uop.SubF32BF16, false}, {uop.SubF32, uop.SubSatF32F16, uop.SubSatF32BF16, true},
	{uop.SubRZF32, uop.SubRZF32F16, uop.SubRZF32BF16, false}, {uop.SubRZF32, uop.SubRZSatF32F16, uop.SubRZSatF32BF16, true},
	{uop.SubRMF32, uop.SubRMF32F16, uop.SubRMF32BF16, false}, {uop.SubRMF32, uop.SubRMSatF32F16, uop.SubRMSatF32BF16, true},
	{uop.SubRPF32, uop.SubRPF32F16, uop.SubRPF32BF16, false}, {uop.SubRPF32, uop.SubRPSatF32F16, uop.SubRPSatF32BF16, true},
	{uop.FmaF32, uop.FmaF32F16, uop.FmaF32BF16, false}, {uop.FmaF32, uop.FmaSatF32F16, uop.FmaSatF32BF16, true},
	{uop.FmaRZF32, uop.FmaRZF32F16, uop.FmaRZF32BF16, false}, {uop.FmaRZF32, uop.FmaRZSatF32F16, uop.FmaRZSatF32BF16, true},
	{uop.FmaRMF32, uop.FmaRMF32F16, uop.FmaRMF32BF16, false}, {uop.FmaRMF32, uop.FmaRMSatF32F16, uop.FmaRMSatF32BF16, true},
	{uop.FmaRPF32, uop.FmaRPF32F16, uop.FmaRPF32BF16, false}, {uop.FmaRPF32, uop.FmaRPSatF32F16, uop.FmaRPSatF32BF16, true},
}
