package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// fields are functions of fields of bits, of two words that are shifted as one, and of signed quotients (9.7.1). Shifts by the width or more
// shift everything out.
var fields = map[uop.Op]Lowering{
	uop.BfeU32: extract, uop.BfeU64: extract, uop.BfeS32: extractSigned, uop.BfeS64: extractSigned, uop.Bfi32: insert, uop.Bfi64: insert,
	uop.ShfLWrap32: funnel(ssa.Shl, wrapped), uop.ShfRWrap32: funnel(ssa.Shr, wrapped),
	uop.ShfLClamp32: funnel(ssa.Shl, clamped), uop.ShfRClamp32: funnel(ssa.Shr, clamped),
	uop.Clz32: leadingZeros, uop.Clz64: leadingZeros, uop.Brev32: reverse, uop.Brev64: reverse64,
	uop.BfindU32: highest, uop.BfindU64: highest, uop.BfindS32: unlikeSign(highest), uop.BfindS64: unlikeSign(highest),
	uop.BfindShiftU32: toTop, uop.BfindShiftU64: toTop, uop.BfindShiftS32: unlikeSign(toTop), uop.BfindShiftS64: unlikeSign(toTop),
	uop.BmskClamp32: ones, uop.BmskWrap32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return ones(f, []ssa.Value{wrapped(f, in[0]), wrapped(f, in[1])})
	},
	uop.SzextWrapU32: lowest, uop.SzextWrapS32: lowestSigned, uop.SzextClampU32: upTo31(lowest), uop.SzextClampS32: upTo31(lowestSigned),
	uop.Cnot32: isZero, uop.Cnot64: isZero,
	uop.DivS32: quotient(ssa.DivU), uop.RemS32: quotient(ssa.RemU), uop.DivS64: quotient(ssa.DivU), uop.RemS64: quotient(ssa.RemU),
	uop.DivU16: low16(basic(ssa.DivU)), uop.RemU16: low16(basic(ssa.RemU)),
	uop.DivS16: low16(signed16(quotient(ssa.DivU))), uop.RemS16: low16(signed16(quotient(ssa.RemU))),
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
func extract(f *ssa.Func, in []ssa.Value) ssa.Value {
	t := f.TypeOf(in[0])
	return and(f, f.Bin(ssa.Shr, in[0], count(f, in[1], t)), mask(f, count(f, in[2], t)))
}

func extractSigned(f *ssa.Func, in []ssa.Value) ssa.Value {
	t := f.TypeOf(in[0])
	bits := f.Const(t, uint64(t.Bits()))
	spare := f.Bin(ssa.Sub, bits, f.Bin(ssa.MinU, count(f, in[2], t), bits))
	none := f.Cmp(ssa.Eq, spare, bits)
	v := f.Bin(ssa.Sar, in[0], count(f, in[1], t))
	return f.Sel(none, f.Const(t, 0), f.Bin(ssa.Sar, f.Bin(ssa.Shl, v, spare), spare))
}

// insert puts a field of the first operand into the second one.
func insert(f *ssa.Func, in []ssa.Value) ssa.Value {
	t := f.TypeOf(in[0])
	at := count(f, in[2], t)
	m := f.Bin(ssa.Shl, mask(f, count(f, in[3], t)), at)
	return or(f, andNot(f, m, in[1]), and(f, f.Bin(ssa.Shl, in[0], at), m))
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
	v, t := in[0], f.TypeOf(in[0])
	for n := 1; n < t.Bits(); n *= 2 {
		v = or(f, v, shr(f, v, uint64(n)))
	}
	if v = f.Make(ssa.Popc, t, 0, v); t == ssa.X {
		v = trunc(f, v)
	}
	return f.Bin(ssa.Sub, f.Word(uint32(t.Bits())), v)
}

// highest is the place of the highest bit, all ones if there is none.
func highest(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Bin(ssa.Sub, f.Word(uint32(f.TypeOf(in[0]).Bits()-1)), leadingZeros(f, in))
}

// toTop is by how much that is shifted to the top, all ones if there is none.
func toTop(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.Eq, in[0], f.Const(f.TypeOf(in[0]), 0)), f.Word(1<<32-1), leadingZeros(f, in))
}

// unlikeSign looks for a bit that differs from the sign.
func unlikeSign(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		last := uint64(f.TypeOf(in[0]).Bits() - 1)
		return l(f, []ssa.Value{xor(f, in[0], sar(f, in[0], last))})
	}
}

// ones is as many ones as the second operand says, from the place on that the first one says.
func ones(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(ssa.Shl, mask(f, in[1]), in[0]) }

// lowest keeps as many low bits as the second operand says, modulo 32.
func lowest(f *ssa.Func, in []ssa.Value) ssa.Value { return and(f, in[0], mask(f, wrapped(f, in[1]))) }

func lowestSigned(f *ssa.Func, in []ssa.Value) ssa.Value {
	spare := f.Bin(ssa.Sub, f.Word(32), wrapped(f, in[1]))
	return f.Bin(ssa.Sar, f.Bin(ssa.Shl, in[0], spare), spare)
}

// upTo31 leaves the value as it is from 32 bits on.
func upTo31(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Sel(f.Cmp(ssa.LtU, f.Word(31), in[1]), in[0], l(f, in))
	}
}

func isZero(f *ssa.Func, in []ssa.Value) ssa.Value {
	t := f.TypeOf(in[0])
	return f.Sel(f.Cmp(ssa.Eq, in[0], f.Const(t, 0)), f.Const(t, 1), f.Const(t, 0))
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

func reverse64(f *ssa.Func, in []ssa.Value) ssa.Value {
	half := func(n uint64) ssa.Value { return reverse(f, []ssa.Value{trunc(f, shr(f, in[0], n))}) }
	return joined(f, half(32), half(0))
}

// halves are the lower of two neighbours of 1, 2, 4, 8 and 16 bits.
var halves = [5]uint32{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff}

// quotient divides without signs, which the result gets then: a quotient both, a rest the first. By 0 it is all ones.
func quotient(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b, t := in[0], in[1], f.TypeOf(in[0])
		v := f.Bin(c, absolute(f, []ssa.Value{a}), absolute(f, []ssa.Value{b}))
		sign := a
		if c == ssa.DivU {
			sign = f.Bin(ssa.Xor, a, b)
		}
		v = f.Sel(f.Cmp(ssa.LtS, sign, f.Const(t, 0)), negate(f, []ssa.Value{v}), v)
		return f.Sel(f.Cmp(ssa.Eq, b, f.Const(t, 0)), f.Const(t, ^uint64(0)), v)
	}
}
