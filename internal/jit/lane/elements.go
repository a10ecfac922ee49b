package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// elements are functions of the parts of a word: two halves or four bytes (9.7.1), and words made of parts (9.7.9).
var elements = map[uop.Op]Lowering{
	uop.Add16x2: addParts(0x80008000), uop.Add8x4: addParts(0x80808080), uop.Sub8x4: subBytes,
	uop.Neg8x4:      func(f *ssa.Func, in []ssa.Value) ssa.Value { return subBytes(f, []ssa.Value{f.Word(0), in[0]}) },
	uop.MinS16x2:    parts(16, extend(16), basic(ssa.MinS)),
	uop.MaxS16x2:    parts(16, extend(16), basic(ssa.MaxS)),
	uop.MinU16x2:    parts(16, cutTo(16), basic(ssa.MinU)),
	uop.MaxU16x2:    parts(16, cutTo(16), basic(ssa.MaxU)),
	uop.MinS8x4:     parts(8, extend(8), basic(ssa.MinS)),
	uop.MaxS8x4:     parts(8, extend(8), basic(ssa.MaxS)),
	uop.MinU8x4:     parts(8, cutTo(8), basic(ssa.MinU)),
	uop.MaxU8x4:     parts(8, cutTo(8), basic(ssa.MaxU)),
	uop.MinReluS32:  notNegative(basic(ssa.MinS)),
	uop.MaxReluS32:  notNegative(basic(ssa.MaxS)),
	uop.AddSatS16x2: parts(16, extend(16), bounded(basic(ssa.Add), -1<<15, 1<<15-1)), uop.AddSatU16x2: parts(16, cutTo(16), bounded(basic(ssa.Add), 0, 1<<16-1)),
	uop.AddSatS8x4: parts(8, extend(8), bounded(basic(ssa.Add), -1<<7, 1<<7-1)), uop.AddSatU8x4: parts(8, cutTo(8), bounded(basic(ssa.Add), 0, 1<<8-1)),
	uop.SubSatS8x4: parts(8, extend(8), bounded(basic(ssa.Sub), -1<<7, 1<<7-1)), uop.SubSatU8x4: parts(8, cutTo(8), bounded(basic(ssa.Sub), 0, 1<<8-1)),
	uop.MinReluS16x2: parts(16, extend(16), notNegative(basic(ssa.MinS))), uop.MaxReluS16x2: parts(16, extend(16), notNegative(basic(ssa.MaxS))),
	uop.MinReluS8x4: parts(8, extend(8), notNegative(basic(ssa.MinS))), uop.MaxReluS8x4: parts(8, extend(8), notNegative(basic(ssa.MaxS))),
	uop.AbsS16: low16(func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.MaxS, sign(f, in[0], 16), sign(f, negate(f, in), 16))
	}),

	uop.Pack2x8: packed(8), uop.Pack4x8: packed(8), uop.Pack2x16: packed(16),
	uop.Pack4x16: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return joined(f, packed(16)(f, in[:2]), packed(16)(f, in[2:]))
	},
	uop.Pack2x32:   func(f *ssa.Func, in []ssa.Value) ssa.Value { return joined(f, in[0], in[1]) },
	uop.PackSatU16: packClamped(16, 0, 1<<16-1), uop.PackSatS16: packClamped(16, -1<<15, 1<<15-1), uop.PackSatU8: packClamped(8, 0, 1<<8-1),
	uop.PackSatS8: packClamped(8, -1<<7, 1<<7-1), uop.PackSatU4: packClamped(4, 0, 1<<4-1), uop.PackSatS4: packClamped(4, -1<<3, 1<<3-1),
	uop.PackSatU2: packClamped(2, 0, 1<<2-1), uop.PackSatS2: packClamped(2, -1<<1, 1<<1-1),
}

// addParts adds parts of a word whose highest bits are given: without them, then those by themselves.
func addParts(top uint32) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		rest := f.Word(^top)
		return xor(f, f.Bin(ssa.Add, and(f, in[0], rest), and(f, in[1], rest)), and(f, xor(f, in[0], in[1]), f.Word(top)))
	}
}

func subBytes(f *ssa.Func, in []ssa.Value) ssa.Value {
	top := f.Word(0x80808080)
	d := f.Bin(ssa.Sub, or(f, in[0], top), and(f, in[1], f.Word(0x7f7f7f7f)))
	return xor(f, d, and(f, xor(f, in[0], invert(f, in[1:])), top))
}

// parts computes each part of a word by itself.
func parts(bits uint64, extend, l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := f.Word(0)
		for at := uint64(0); at < 32; at += bits {
			var list []ssa.Value
			for _, a := range in {
				list = append(list, extend(f, []ssa.Value{shr(f, a, at)}))
			}
			v = or(f, v, shl(f, low(f, l(f, list), int(bits)), at))
		}
		return v
	}
}

func notNegative(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(ssa.MaxS, l(f, in), f.Word(0)) }
}

// bounded is a result between two limits.
func bounded(l Lowering, least, most int32) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.MinS, f.Bin(ssa.MaxS, l(f, in), f.Word(uint32(least))), f.Word(uint32(most)))
	}
}

// packed has the low bits of its operands, the first ones lowest.
func packed(bits int) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := f.Word(0)
		for k, a := range in {
			v = or(f, v, shl(f, low(f, a, bits), uint64(k*bits)))
		}
		return v
	}
}

// joined is two words as one number.
func joined(f *ssa.Func, lower, upper ssa.Value) ssa.Value {
	return or(f, zext(f, lower), shl(f, zext(f, upper), 32))
}

// packClamped puts two clamped numbers, the second one lowest, below the low bits of a third (9.7.9.22).
func packClamped(bits int, least, most int32) Lowering {
	l := bounded(same, least, most)
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := packed(bits)(f, []ssa.Value{l(f, in[1:2]), l(f, in[:1])})
		if len(in) == 3 {
			v = or(f, v, shl(f, in[2], uint64(2*bits)))
		}
		return v
	}
}
