package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// permutations are those of bytes (9.7.9.7), and truth tables of three operands (9.7.8.6).
var permutations = map[uop.Op]Lowering{
	uop.Prmt:    permute,
	uop.PrmtF4e: around(func(f *ssa.Func, n ssa.Value) ssa.Value { return n }),
	uop.PrmtB4e: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := around(func(f *ssa.Func, n ssa.Value) ssa.Value { return f.Bin(ssa.Sub, n, f.Word(3)) })(f, in)
		return f.Make(ssa.Perm, ssa.W, 0x0123, v, v)
	},
	uop.PrmtRc8: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Mul, low(f, f.Bin(ssa.Shr, in[0], shl(f, low(f, in[2], 2), 3)), 8), f.Word(0x01010101))
	},
	uop.PrmtRc16: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Mul, low(f, f.Bin(ssa.Shr, in[0], shl(f, low(f, in[2], 1), 4)), 16), f.Word(0x00010001))
	},
	uop.PrmtEcl: within(func(f *ssa.Func, k, n ssa.Value) ssa.Value { return f.Bin(ssa.MaxU, k, n) }),
	uop.PrmtEcr: within(func(f *ssa.Func, k, n ssa.Value) ssa.Value { return f.Bin(ssa.MinU, k, n) }),

	uop.Lop3And3: table(0x80), uop.Lop3Or3: table(0xfe), uop.Lop3Xor3: table(0x96), uop.Lop3Maj: table(0xe8), uop.Lop3Sel: table(0xca),
	uop.Lop3AndOr: table(0xea), uop.Lop3OrAnd: table(0xa8), uop.Lop3AndXor: table(0x6a), uop.Lop3XorAnd: table(0x28),
	uop.Lop3: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		if k, ok := f.Known(in[3]); ok {
			return table(k)(f, in)
		}
		return 0
	},
}

// permute is one operation where the selectors are constant and copy no sign.
func permute(f *ssa.Func, in []ssa.Value) ssa.Value {
	if k, ok := f.Known(in[2]); ok && k&0x8888 == 0 {
		return f.Make(ssa.Perm, ssa.W, k&0x7777, in[0], in[1])
	}
	v := f.Word(0)
	for k := range uint64(4) {
		n := shr(f, in[2], 4*k)
		from := f.Sel(f.Cmp(ssa.Eq, and(f, n, f.Word(4)), f.Word(0)), in[0], in[1])
		octet := low(f, f.Bin(ssa.Shr, from, shl(f, low(f, n, 2), 3)), 8)
		signs := low(f, sar(f, shl(f, octet, 24), 31), 8)
		octet = f.Sel(f.Cmp(ssa.Eq, and(f, n, f.Word(8)), f.Word(0)), octet, signs)
		v = or(f, v, shl(f, octet, 8*k))
	}
	return v
}

// around is the low word of both operands, which go round, shifted down by as many bytes as the third says, changed.
func around(change func(f *ssa.Func, n ssa.Value) ssa.Value) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		n := zext(f, shl(f, low(f, change(f, low(f, in[2], 2)), 3), 3))
		v := joined(f, in[0], in[1])
		return trunc(f, or(f, f.Bin(ssa.Shr, v, n), f.Bin(ssa.Shl, v, f.Bin(ssa.Sub, f.Wide(64), n))))
	}
}

// within takes bytes whose numbers are bounded by the third operand.
func within(bound func(f *ssa.Func, k, n ssa.Value) ssa.Value) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v, n := f.Word(0), low(f, in[2], 2)
		for k := range uint32(4) {
			octet := f.Bin(ssa.Shr, in[0], shl(f, bound(f, f.Word(k), n), 3))
			v = or(f, v, shl(f, low(f, octet, 8), uint64(8*k)))
		}
		return v
	}
}

// table is a truth table: bit a<<2|b<<1|c is what becomes of those bits.
func table(lut uint64) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		of := func(bits uint64) ssa.Value { return ofOne(f, in[2], bits) }
		return choose(f, in[0], choose(f, in[1], of(lut>>6), of(lut>>4)), choose(f, in[1], of(lut>>2), of(lut)))
	}
}

// ofOne is the function of c that two bits of a truth table say.
func ofOne(f *ssa.Func, c ssa.Value, bits uint64) ssa.Value {
	switch bits & 3 {
	case 0:
		return f.Word(0)
	case 1:
		return invert(f, []ssa.Value{c})
	case 2:
		return c
	}
	return f.Word(1<<32 - 1)
}

// choose is, bit by bit, yes where a is set and no elsewhere.
func choose(f *ssa.Func, a, yes, no ssa.Value) ssa.Value {
	zero, all := f.Word(0), f.Word(1<<32-1)
	switch {
	case yes == no:
		return yes
	case no == zero:
		return and(f, a, yes)
	case yes == zero:
		return andNot(f, a, no)
	case yes == all:
		return or(f, a, no)
	case no == all:
		return or(f, invert(f, []ssa.Value{a}), yes)
	}
	return xor(f, no, and(f, a, xor(f, yes, no)))
}
