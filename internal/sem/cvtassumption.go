package sem

// The assumptions about hardware that conversions depend on.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
)

// asking is part of a Do that asks for the positions of assumptions.
type asking []assume.Assumption

func (a asking) assumptions() []assume.Assumption { return a }

// position is the launch's position of an assumption; 0 where the line does not depend on it.
func (a asking) position(b *Build, g assume.Assumption) int {
	if !slices.Contains(a, g) {
		return 0
	}
	return b.Assumptions.At(g)
}

// cvtElse are the assumptions whose second position is one flag of package num.
var cvtElse = map[assume.Assumption]num.Else{
	assume.CvtFtzHalf:      num.ElseFlushHalf,
	assume.RandomSubnormal: num.ElseRandomNormal,
	assume.CvtF16NaN:       num.ElseF16Payload,
	assume.CvtHalfNaN:      num.ElseHalfPayload,
	assume.CvtTF32NaN:      num.ElseTF32NaN,
	assume.CvtS2F6Min:      num.ElseS2F6Symmetric,
	assume.CvtUE5M3Sign:    num.ElseUE5M3Zero,
	assume.CvtUE5M3Half:    num.ElseUE5M3Max,
	assume.CvtFlushSign:    num.ElseFlushSign,
}

// otherwise collects the flags of the assumptions that the launch answers otherwise.
func (a asking) otherwise(b *Build) (e num.Else) {
	for _, g := range a {
		if flag := cvtElse[g]; b.Assumptions.At(g) == 1 {
			e |= flag
		}
	}
	return e
}

// cvtLine is a line of scalar conversions, packLine one of packed ones, with their assumptions.
func cvtLine(id isa.ID, when Cond, g ...assume.Assumption) Line { return Line{id, when, cvtDo{g}, ""} }
func packLine(when Cond, g ...assume.Assumption) Line {
	return Line{isa.CvtPack, when, cvtPackDo{g}, ""}
}

// The most specific line of a statement lists all assumptions that it depends on.
func convertLines() []Line {
	return slices.Concat(cvtPackSatLines(), []Line{
		cvtLine(isa.Cvt, nil),
		cvtLine(isa.Cvt, At(isa.C_dtype, isa.M_f32).At(isa.C_atype, isa.M_f16), assume.CvtF16NaN),
		cvtLine(isa.Cvt, At(isa.C_dtype, isa.M_f16, isa.M_bf16).At(isa.C_atype, isa.M_f16, isa.M_bf16), assume.CvtHalfNaN),
		cvtLine(isa.Cvt, At(isa.C_dtype, isa.M_f16).At(isa.C_atype, isa.M_f32).With(isa.M_ftz).At(isa.C_frnd, isa.M_rm, isa.M_rp), assume.CvtFtzHalf),

		packLine(nil),
		cvtLine(isa.CvtPack, At(isa.C_dtype, isa.M_tf32)),
		cvtLine(isa.CvtPack, At(isa.C_dtype, isa.M_tf32).With(isa.M_rna), assume.CvtTF32NaN),
		packLine(At(isa.C_dtype, isa.M_f16x2, isa.M_bf16x2).With(isa.M_rs), assume.RandomSubnormal),
		packLine(At(isa.C_dtype, isa.M_e2m1x4), assume.RandomE2M1),
		packLine(At(isa.C_dtype, isa.M_e5m2x4, isa.M_e2m3x4, isa.M_e3m2x4), assume.RandomNarrow),
		packLine(At(isa.C_dtype, isa.M_s2f6x2), assume.CvtS2F6Min),
		packLine(Of(isa.M_scaled_n1_ue8m0), assume.CvtFlushSign),
		packLine(At(isa.C_dtype, isa.M_ue5m3x2), assume.CvtUE5M3Sign),
		packLine(At(isa.C_dtype, isa.M_ue5m3x2).With(isa.M_scaled_n1_ue8m0), assume.CvtUE5M3Sign, assume.CvtFlushSign),
		packLine(At(isa.C_dtype, isa.M_f16x2).At(isa.C_atype, isa.M_ue5m3x2), assume.CvtUE5M3Half),
	})
}
