package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// products are high halves, products of 24 bits, dot products, distances and saturated sums (9.7.1).
var products = map[uop.Op]Lowering{
	uop.MulHiS16: highS16, uop.MadHiU16: low16(plus(highU16)), uop.MadHiS16: low16(plus(highS16)), uop.MulHiU16: highU16,
	uop.MadWideS16: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Add, signed16(basic(ssa.Mul))(f, in[:2]), in[2])
	},
	uop.MulHiU64: highU64, uop.MulHiS64: highS64, uop.MadHiU64: plus(highU64), uop.MadHiS64: plus(highS64),
	uop.Mul24LoU32: low24(cutTo(24)), uop.Mul24LoS32: low24(extend(24)), uop.Mad24LoU32: plus(low24(cutTo(24))), uop.Mad24LoS32: plus(low24(extend(24))),
	uop.Mul24HiU32: high24(cutTo(24), ssa.Zext), uop.Mul24HiS32: high24(extend(24), ssa.Sext),
	uop.Mad24HiU32: plus(high24(cutTo(24), ssa.Zext)), uop.Mad24HiS32: plus(high24(extend(24), ssa.Sext)),
	uop.MadHiSatS32: plusSaturated(basic(ssa.MulHiS)), uop.Mad24HiSatS32: plusSaturated(high24(extend(24), ssa.Sext)),

	uop.SadU16: low16(distance(ssa.MaxU, ssa.MinU)), uop.SadU32: distance(ssa.MaxU, ssa.MinU), uop.SadU64: distance(ssa.MaxU, ssa.MinU),
	uop.SadS16: low16(signed16(distance(ssa.MaxS, ssa.MinS))), uop.SadS32: distance(ssa.MaxS, ssa.MinS), uop.SadS64: distance(ssa.MaxS, ssa.MinS),

	uop.AddSatS32: addSaturated, uop.SubSatS32: subSaturated,
	uop.AddSatU32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Add, f.Bin(ssa.MinU, in[0], invert(f, in[1:])), in[1])
	},

	uop.Dp4aUU: dot(8, 0, cutTo(8), cutTo(8)), uop.Dp4aUS: dot(8, 0, cutTo(8), extend(8)),
	uop.Dp4aSU: dot(8, 0, extend(8), cutTo(8)), uop.Dp4aSS: dot(8, 0, extend(8), extend(8)),
	uop.Dp2aLoUU: dot(16, 0, cutTo(16), cutTo(8)), uop.Dp2aLoUS: dot(16, 0, cutTo(16), extend(8)),
	uop.Dp2aLoSU: dot(16, 0, extend(16), cutTo(8)), uop.Dp2aLoSS: dot(16, 0, extend(16), extend(8)),
	uop.Dp2aHiUU: dot(16, 2, cutTo(16), cutTo(8)), uop.Dp2aHiUS: dot(16, 2, cutTo(16), extend(8)),
	uop.Dp2aHiSU: dot(16, 2, extend(16), cutTo(8)), uop.Dp2aHiSS: dot(16, 2, extend(16), extend(8)),
}

func highU16(f *ssa.Func, in []ssa.Value) ssa.Value { return shr(f, f.Bin(ssa.Mul, in[0], in[1]), 16) }

func highS16(f *ssa.Func, in []ssa.Value) ssa.Value {
	return shr(f, signed16(basic(ssa.Mul))(f, in), 16)
}

// highU64 is the high half of a product, from products of halves.
func highU64(f *ssa.Func, in []ssa.Value) ssa.Value {
	half := func(v ssa.Value) ssa.Value { return and(f, v, f.Wide(1<<32-1)) }
	mul := func(a, b ssa.Value) ssa.Value { return f.Bin(ssa.Mul, a, b) }
	add := func(a, b ssa.Value) ssa.Value { return f.Bin(ssa.Add, a, b) }
	a, b, al, bl := shr(f, in[0], 32), shr(f, in[1], 32), half(in[0]), half(in[1])
	m, n := mul(a, bl), mul(al, b)
	middle := add(shr(f, mul(al, bl), 32), add(half(m), half(n)))
	return add(add(mul(a, b), shr(f, middle, 32)), add(shr(f, m, 32), shr(f, n, 32)))
}

// highS64 takes from it what a negative factor counts too much.
func highS64(f *ssa.Func, in []ssa.Value) ssa.Value {
	a, b := in[0], in[1]
	v := f.Bin(ssa.Sub, highU64(f, in), and(f, b, sar(f, a, 63)))
	return f.Bin(ssa.Sub, v, and(f, a, sar(f, b, 63)))
}

// each changes the first two operands.
func each(f *ssa.Func, in []ssa.Value, l Lowering) (a, b ssa.Value) {
	return l(f, in[:1]), l(f, in[1:])
}

func low24(cut Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := each(f, in, cut)
		return f.Bin(ssa.Mul, a, b)
	}
}

// high24 is bits 16 to 47 of a product of 24 bits each.
func high24(cut Lowering, widen ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := each(f, in, then(cut, widen))
		return trunc(f, shr(f, f.Bin(ssa.Mul, a, b), 16))
	}
}

// distance is the third operand and how far the others are apart.
func distance(high, low ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Add, in[2], f.Bin(ssa.Sub, f.Bin(high, in[0], in[1]), f.Bin(low, in[0], in[1])))
	}
}

// addSaturated: a sum has overflowed if its sign differs from that of both operands.
func addSaturated(f *ssa.Func, in []ssa.Value) ssa.Value {
	a, b := in[0], in[1]
	s := f.Bin(ssa.Add, a, b)
	return limited(f, and(f, xor(f, a, s), xor(f, b, s)), a, s)
}

func subSaturated(f *ssa.Func, in []ssa.Value) ssa.Value {
	a, b := in[0], in[1]
	s := f.Bin(ssa.Sub, a, b)
	return limited(f, and(f, xor(f, a, b), xor(f, a, s)), a, s)
}

// limited is v, or where over is negative the limit on the side of a.
func limited(f *ssa.Func, over, a, v ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.LtS, over, f.Word(0)), xor(f, sar(f, a, 31), f.Word(1<<31-1)), v)
}

func plusSaturated(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return addSaturated(f, []ssa.Value{l(f, in[:2]), in[2]})
	}
}

// dot is the third operand and the products of parts of the first, of so many bits, and bytes of the second from one on.
func dot(bits, first uint64, part, octet Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := in[2]
		for k := range 32 / bits {
			a := part(f, []ssa.Value{shr(f, in[0], k*bits)})
			v = f.Bin(ssa.Add, v, f.Bin(ssa.Mul, a, octet(f, []ssa.Value{shr(f, in[1], 8*(first+k))})))
		}
		return v
	}
}
