package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has min, max, tests and selections of f32 (9.7.3, 9.7.6), which choose among operands.

// choice is min or max in its forms: of two and of three sources; as it is, .NaN, .xorsign.abs or .abs, and both; without and with .ftz.
type choice struct {
	less, equal                  ssa.Code
	two, twoFtz, three, threeFtz [4]uop.Op
}

var choices = []choice{
	{ssa.FMin, ssa.Or, [4]uop.Op{uop.MinF32, uop.MinNaNF32, uop.MinXorsignAbsF32, uop.MinNaNXorsignAbsF32},
		[4]uop.Op{uop.MinFtzF32, uop.MinFtzNaNF32, uop.MinFtzXorsignAbsF32, uop.MinFtzNaNXorsignAbsF32},
		[4]uop.Op{uop.Min3F32, uop.Min3NaNF32, uop.Min3AbsF32, uop.Min3NaNAbsF32},
		[4]uop.Op{uop.Min3FtzF32, uop.Min3FtzNaNF32, uop.Min3FtzAbsF32, uop.Min3FtzNaNAbsF32}},
	{ssa.FMax, ssa.And, [4]uop.Op{uop.MaxF32, uop.MaxNaNF32, uop.MaxXorsignAbsF32, uop.MaxNaNXorsignAbsF32},
		[4]uop.Op{uop.MaxFtzF32, uop.MaxFtzNaNF32, uop.MaxFtzXorsignAbsF32, uop.MaxFtzNaNXorsignAbsF32},
		[4]uop.Op{uop.Max3F32, uop.Max3NaNF32, uop.Max3AbsF32, uop.Max3NaNAbsF32},
		[4]uop.Op{uop.Max3FtzF32, uop.Max3FtzNaNF32, uop.Max3FtzAbsF32, uop.Max3FtzNaNAbsF32}},
}

// choosing are min and max, tests of floats, and selections by them.
func choosing() map[uop.Op]Lowering {
	all := map[uop.Op]Lowering{
		uop.NegFtzF32: flushing(floats[uop.NegF32]), uop.AbsFtzF32: flushing(floats[uop.AbsF32]),
		uop.CopysignF32: func(f *ssa.Func, in []ssa.Value) ssa.Value { return signed(f, sizeF32(f, in[1]), in[0]) },
		uop.FiniteF32:   unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return f.Cmp(ssa.LtS, sizeF32(f, a), f.Word(infF32)) }),
		uop.InfiniteF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return f.Cmp(ssa.Eq, sizeF32(f, a), f.Word(infF32)) }),
		uop.NumberF32:   unary(func(f *ssa.Func, a ssa.Value) ssa.Value { return f.Not(isNaN(f, a)) }), uop.NotANumberF32: unary(isNaN),
		uop.NormalF32: unary(func(f *ssa.Func, a ssa.Value) ssa.Value { // zeros among them
			return f.AndNot(f.Cmp(ssa.LtS, sizeF32(f, a), f.Word(infF32)), isSubnormal(f, a))
		}),
		uop.SubnormalF32: unary(isSubnormal),
		uop.Slct32F32:    selecting(unchanged), uop.Slct64F32: selecting(unchanged), uop.SlctFtz32F32: selecting(flushF32), uop.SlctFtz64F32: selecting(flushF32),
	}
	for i := range choices {
		choices[i].put(all)
	}
	return all
}

func isSubnormal(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Cmp(ssa.LtU, f.Bin(ssa.Sub, sizeF32(f, a), f.Word(1)), f.Word(minF32-1))
}

// selecting is slct by a float.
func selecting(before change) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Sel(f.Cmp(ssa.FLe, f.Word(0), before(f, in[2])), in[0], in[1])
	}
}

// put makes all forms.
func (c *choice) put(all map[uop.Op]Lowering) {
	l := extreme(c.less, c.equal)
	strict := strictly(l)
	for i, of := range []Lowering{l, strict, xorsign(l), xorsign(strict)} {
		all[c.two[i]], all[c.twoFtz[i]] = of, flushing(of)
	}
	for i, of := range []Lowering{ofThree(l), ofThree(strict), ofSizes(ofThree(l)), ofSizes(ofThree(strict))} {
		all[c.three[i]], all[c.threeFtz[i]] = of, flushing(of)
	}
}

// strictly is min or max where any NaN wins.
func strictly(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Sel(f.Cmp(ssa.FUnord, in[0], in[1]), f.Word(nanF32), l(f, in))
	}
}

// ofSizes passes the sources without their signs.
func ofSizes(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		list := make([]ssa.Value, len(in))
		for i, v := range in {
			list[i] = sizeF32(f, v)
		}
		return l(f, list)
	}
}

// xorsign gives min or max of the magnitudes the signs' difference.
func xorsign(l Lowering) Lowering {
	l = ofSizes(l)
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return canon(f, signed(f, l(f, in), xor(f, in[0], in[1])))
	}
}

// ofThree applies a function of two sources from the left.
func ofThree(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return l(f, []ssa.Value{l(f, in[:2]), in[2]}) }
}
