package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has f64 (9.7.3). A NaN operand stays, quieted: the last one by num, the first one by the other position of the assumption
// nan-order-f64. A NaN that an operation makes is the processor's.

const (
	quietF64 = 1 << 51
	signF64  = 1 << 63
	magF64   = signF64 - 1
	oneF64   = 0x3ff0000000000000
	minF64   = 1 << 52            // 2^-1022
	two52    = 0x4330000000000000 // 2^52: an integer below it is in the low bits of their sum
)

// doubles are arithmetic of f64, rounded to nearest.
var doubles = map[uop.Op]Lowering{
	uop.AddF64: lastNaN(ssa.FAdd), uop.AddFirstF64: firstNaN(ssa.FAdd), uop.SubF64: lastNaN(ssa.FSub), uop.SubFirstF64: firstNaN(ssa.FSub),
	uop.MulF64: lastNaN(ssa.FMul), uop.MulFirstF64: firstNaN(ssa.FMul), uop.DivF64: lastNaN(ssa.FDiv), uop.DivFirstF64: firstNaN(ssa.FDiv),
	uop.FmaF64: lastNaN(ssa.FFma), uop.FmaFirstF64: firstNaN(ssa.FFma), uop.SqrtF64: one(ssa.FSqrt, ssa.X),
	uop.RcpF64:      func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(ssa.FDiv, f.Wide(oneF64), in[0]) },
	uop.MinF64:      extreme64(ssa.FMin, ssa.Or),
	uop.MaxF64:      extreme64(ssa.FMax, ssa.And),
	uop.AbsF64:      magnitude,
	uop.NegF64:      turned,
	uop.AbsQuietF64: orQuiet(magnitude),
	uop.NegQuietF64: orQuiet(turned),
	uop.FiniteF64:   func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Cmp(ssa.LtS, magnitude(f, in), f.Wide(infF64)) },
	uop.InfiniteF64: func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Cmp(ssa.Eq, magnitude(f, in), f.Wide(infF64)) },
	uop.NumberF64:   func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Not(isNaN(f, in[0])) }, uop.NotANumberF64: func(f *ssa.Func, in []ssa.Value) ssa.Value { return isNaN(f, in[0]) },
	uop.NormalF64: func(f *ssa.Func, in []ssa.Value) ssa.Value { // zeros among them
		return f.AndNot(f.Cmp(ssa.LtS, magnitude(f, in), f.Wide(infF64)), subnormal64(f, in))
	},
	uop.SubnormalF64: subnormal64,
	uop.CopysignF64: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return or(f, and(f, in[0], f.Wide(signF64)), magnitude(f, in[1:]))
	},
}

func magnitude(f *ssa.Func, in []ssa.Value) ssa.Value { return and(f, in[0], f.Wide(magF64)) }

// subnormal64 tells whether an f64 is below 2^-1022, and not zero.
func subnormal64(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Cmp(ssa.LtU, f.Bin(ssa.Sub, magnitude(f, in), f.Wide(1)), f.Wide(minF64-1))
}

func turned(f *ssa.Func, in []ssa.Value) ssa.Value { return xor(f, in[0], f.Wide(signF64)) }

// firstNaN is an operation as ssa has it; of an fma's factors that may take either first.
func firstNaN(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := f.Make(c, ssa.X, 0, in...)
		if c != ssa.FFma {
			return v
		}
		return f.Sel(f.Cmp(ssa.FUnord, in[0], in[1]), f.Bin(ssa.FAdd, in[0], in[1]), v)
	}
}

// lastNaN is an operation with the last NaN operand.
func lastNaN(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := in[0], in[1]
		switch c {
		case ssa.FAdd, ssa.FMul:
			return f.Bin(c, b, a)
		case ssa.FFma:
			v := f.Make(c, ssa.X, 0, in...)
			return f.Sel(f.Cmp(ssa.FUnord, b, in[2]), f.Bin(ssa.FAdd, in[2], b), v)
		}
		return f.Sel(isNaN(f, b), or(f, b, f.Wide(quietF64)), f.Bin(c, a, b))
	}
}

// orQuiet is a function of an f64, or a NaN with its quiet bit set.
func orQuiet(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Sel(isNaN(f, in[0]), or(f, in[0], f.Wide(quietF64)), l(f, in))
	}
}

// extreme64 is extreme with the second of two NaNs, quieted.
func extreme64(c, equal ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := in[0], in[1]
		v := f.Bin(c, a, b) // b if unordered or equal
		v = f.Sel(f.Cmp(ssa.FEq, a, b), f.Bin(equal, a, b), v)
		return f.Sel(isNaN(f, b), f.Sel(isNaN(f, a), or(f, b, f.Wide(quietF64)), a), v)
	}
}

// f64FromU32 is exact.
func f64FromU32(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Bin(ssa.FSub, or(f, zext(f, a), f.Wide(two52)), f.Wide(two52))
}

// f64FromHalves adds the low half of a and high·2^32 - bias: both are exact, the sum is rounded.
func f64FromHalves(f *ssa.Func, a, high ssa.Value, bias uint64, how ssa.Rounding) ssa.Value {
	const two84, two63 = 0x4530000000000000, 0x00000400 << 21 // 2^63 in units of the last place of 2^84
	large := uint64(two84)
	if bias != 0 {
		large |= two63
	}
	low := f.Bin(ssa.FSub, or(f, and(f, a, f.Wide(0xffffffff)), f.Wide(two52)), f.Wide(two52))
	return sum(f, how, f.Bin(ssa.FSub, or(f, high, f.Wide(two84)), f.Wide(large)), low)
}

// s32FromF64 converts an integral value. What has no place, NaNs too, is 0x80000000, which is right but for what is above the range.
func s32FromF64(f *ssa.Func, a ssa.Value) ssa.Value {
	const max = 0x41dfffffffc00000 // 2^31 - 1
	return f.Make(ssa.D2I, ssa.W, 0, f.Bin(ssa.FMin, f.Wide(max), a))
}

// u32FromF64 clamps an integral value and finds it in the low bits of its sum with 2^52; a NaN is 2^31.
func u32FromF64(f *ssa.Func, a ssa.Value) ssa.Value {
	const max, two31 = 0x41efffffffe00000, 0x41e0000000000000
	v := f.Bin(ssa.FMax, f.Wide(0), f.Bin(ssa.FMin, f.Wide(max), a))
	v = f.Sel(isNaN(f, a), f.Wide(two31), v)
	return trunc(f, f.Bin(ssa.FAdd, v, f.Wide(two52)))
}
