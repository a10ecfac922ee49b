package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// fields are functions of fields of bits, of two words that are shifted as one, and of signed quotients (9.7.1). Shifts by the width or more
// shift everything out.
var fields = map[uop.Op]Lowering{
	uop.BfeU32: extract(ssa.W), uop.BfeU64: extract(ssa.X), uop.BfeS32: extractSigned, uop.Bfi32: insert,
	uop.ShfLWrap32: funnel(ssa.Shl, wrapped), uop.ShfRWrap32: funnel(ssa.Shr, wrapped),
	uop.ShfLClamp32: funnel(ssa.Shl, clamped), uop.ShfRClamp32: funnel(ssa.Shr, clamped),
	uop.Clz32: leadingZeros, uop.Brev32: reverse,
	uop.BfindU32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Sub, f.Word(31), leadingZeros(f, in)) // all ones for 0
	},
	uop.DivS32: quotient(ssa.DivU), uop.RemS32: quotient(ssa.RemU),
}

// count is a count of bits, of which 8 count, as a type.
func count(f *ssa.Func, v ssa.Value, t ssa.Type) ssa.Value {
	if v = low(f, v, 8); t == ssa.X {
		return f.Make(ssa.Zext, ssa.X, 0, v)
	}
	return v
}

// mask has so many low bits.
func mask(f *ssa.Func, n ssa.Value) ssa.Value {
	one := f.Const(f.TypeOf(n), 1)
	return f.Bin(ssa.Sub, f.Bin(ssa.Shl, one, n), one)
}

// extract takes a field: the value, its place, its length.
func extract(t ssa.Type) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.And, f.Bin(ssa.Shr, in[0], count(f, in[1], t)), mask(f, count(f, in[2], t)))
	}
}

func extractSigned(f *ssa.Func, in []ssa.Value) ssa.Value {
	spare := f.Bin(ssa.Sub, f.Word(32), f.Bin(ssa.MinU, count(f, in[2], ssa.W), f.Word(32)))
	none := f.Cmp(ssa.Eq, spare, f.Word(32))
	v := f.Bin(ssa.Sar, in[0], count(f, in[1], ssa.W))
	return f.Sel(none, f.Word(0), f.Bin(ssa.Sar, f.Bin(ssa.Shl, v, spare), spare))
}

// insert puts a field of the first operand into the second one.
func insert(f *ssa.Func, in []ssa.Value) ssa.Value {
	at := count(f, in[2], ssa.W)
	m := f.Bin(ssa.Shl, mask(f, count(f, in[3], ssa.W)), at)
	rest := f.Bin(ssa.And, in[1], f.Bin(ssa.Xor, m, f.Word(1<<32-1)))
	return f.Bin(ssa.Or, rest, f.Bin(ssa.And, f.Bin(ssa.Shl, in[0], at), m))
}

func wrapped(f *ssa.Func, v ssa.Value) ssa.Value { return low(f, v, 5) }

func clamped(f *ssa.Func, v ssa.Value) ssa.Value { return f.Bin(ssa.MinU, v, f.Word(32)) }

// funnel shifts the second operand and the first one behind it as one number: to the left the upper half counts, to the right the lower.
func funnel(c ssa.Code, counted func(*ssa.Func, ssa.Value) ssa.Value) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		n := counted(f, in[2])
		rest := f.Bin(ssa.Sub, f.Word(32), n)
		if c == ssa.Shl {
			return f.Bin(ssa.Or, f.Bin(ssa.Shl, in[1], n), f.Bin(ssa.Shr, in[0], rest))
		}
		return f.Bin(ssa.Or, f.Bin(ssa.Shr, in[0], n), f.Bin(ssa.Shl, in[1], rest))
	}
}

// leadingZeros counts the bits that are not below the highest.
func leadingZeros(f *ssa.Func, in []ssa.Value) ssa.Value {
	v := in[0]
	for _, n := range []uint32{1, 2, 4, 8, 16} {
		v = f.Bin(ssa.Or, v, f.Bin(ssa.Shr, v, f.Word(n)))
	}
	return f.Bin(ssa.Sub, f.Word(32), f.Make(ssa.Popc, ssa.W, 0, v))
}

// reverse exchanges neighbours: bits, pairs, and so on.
func reverse(f *ssa.Func, in []ssa.Value) ssa.Value {
	v := in[0]
	for n, m := range halves {
		by, ones := f.Word(1<<n), f.Word(m)
		v = f.Bin(ssa.Or, f.Bin(ssa.And, f.Bin(ssa.Shr, v, by), ones), f.Bin(ssa.Shl, f.Bin(ssa.And, v, ones), by))
	}
	return v
}

// halves are the lower of two neighbours of 1, 2, 4, 8 and 16 bits.
var halves = [5]uint32{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff}

// quotient divides without signs, which the result gets then: a quotient both, a rest the first. By 0 it is all ones.
func quotient(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b := in[0], in[1]
		v := f.Bin(c, absolute(f, []ssa.Value{a}), absolute(f, []ssa.Value{b}))
		sign := a
		if c == ssa.DivU {
			sign = f.Bin(ssa.Xor, a, b)
		}
		v = f.Sel(f.Cmp(ssa.LtS, sign, f.Word(0)), negate(f, []ssa.Value{v}), v)
		return f.Sel(f.Cmp(ssa.Eq, b, f.Word(0)), f.Word(1<<32-1), v)
	}
}
