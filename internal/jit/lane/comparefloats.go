package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// floatCompares are the comparisons of floats by format, with .ftz too (9.7.6). What is not ordered fails the plain ones and holds for those
// with u.
var floatCompares = []struct {
	lowering                         Lowering
	f32, f64, ftz, f16, ftzF16, bf16 uop.Op
}{
	{compare(ssa.FEq), uop.EqF32, uop.EqF64, uop.EqFtzF32, uop.EqF16, uop.EqFtzF16, uop.EqBF16},
	{compare(ssa.FLt), uop.LtF32, uop.LtF64, uop.LtFtzF32, uop.LtF16, uop.LtFtzF16, uop.LtBF16},
	{compare(ssa.FLe), uop.LeF32, uop.LeF64, uop.LeFtzF32, uop.LeF16, uop.LeFtzF16, uop.LeBF16},
	{swapped(ssa.FLt), uop.GtF32, uop.GtF64, uop.GtFtzF32, uop.GtF16, uop.GtFtzF16, uop.GtBF16},
	{swapped(ssa.FLe), uop.GeF32, uop.GeF64, uop.GeFtzF32, uop.GeF16, uop.GeFtzF16, uop.GeBF16},
	{not(compare(ssa.FEq)), uop.NeuF32, uop.NeuF64, uop.NeuFtzF32, uop.NeuF16, uop.NeuFtzF16, uop.NeuBF16},
	{not(compare(ssa.FLt)), uop.GeuF32, uop.GeuF64, uop.GeuFtzF32, uop.GeuF16, uop.GeuFtzF16, uop.GeuBF16},
	{not(compare(ssa.FLe)), uop.GtuF32, uop.GtuF64, uop.GtuFtzF32, uop.GtuF16, uop.GtuFtzF16, uop.GtuBF16},
	{not(swapped(ssa.FLt)), uop.LeuF32, uop.LeuF64, uop.LeuFtzF32, uop.LeuF16, uop.LeuFtzF16, uop.LeuBF16},
	{not(swapped(ssa.FLe)), uop.LtuF32, uop.LtuF64, uop.LtuFtzF32, uop.LtuF16, uop.LtuFtzF16, uop.LtuBF16},
	{not(compare(ssa.FUnord)), uop.NumF32, uop.NumF64, uop.NumFtzF32, uop.NumF16, uop.NumFtzF16, uop.NumBF16},
	{compare(ssa.FUnord), uop.NanF32, uop.NanF64, uop.NanFtzF32, uop.NanF16, uop.NanFtzF16, uop.NanBF16},
	{unequal, uop.NeF32, uop.NeF64, uop.NeFtzF32, uop.NeF16, uop.NeFtzF16, uop.NeBF16},
	{not(unequal), uop.EquF32, uop.EquF64, uop.EquFtzF32, uop.EquF16, uop.EquFtzF16, uop.EquBF16},
}

func unequal(f *ssa.Func, in []ssa.Value) ssa.Value { return differ(f, in[0], in[1]) }

// compareFloats are those of f32 and f64.
func compareFloats() map[uop.Op]Lowering {
	all := map[uop.Op]Lowering{}
	for _, c := range floatCompares {
		all[c.f32], all[c.f64] = c.lowering, c.lowering
		all[c.ftz] = func(f *ssa.Func, in []ssa.Value) ssa.Value {
			return c.lowering(f, []ssa.Value{flushF32(f, in[0]), flushF32(f, in[1])})
		}
	}
	return all
}
