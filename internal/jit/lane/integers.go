package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// integers are integer arithmetic (9.7.1).
var integers = map[uop.Op]Lowering{
	uop.Add32: basic(ssa.Add), uop.Add64: basic(ssa.Add), uop.Add16: low16(basic(ssa.Add)),
	uop.Sub32: basic(ssa.Sub), uop.Sub64: basic(ssa.Sub), uop.Sub16: low16(basic(ssa.Sub)),
	uop.MulLo32: basic(ssa.Mul), uop.MulLo64: basic(ssa.Mul), uop.MulLo16: low16(basic(ssa.Mul)),
	uop.MulHiU32: basic(ssa.MulHiU), uop.MulHiS32: basic(ssa.MulHiS),
	uop.MulWideU16: basic(ssa.Mul), uop.MulWideS16: signed16(basic(ssa.Mul)),
	uop.MulWideU32: wide(ssa.Zext), uop.MulWideS32: wide(ssa.Sext),
	uop.MadLo32: plus(basic(ssa.Mul)), uop.MadLo64: plus(basic(ssa.Mul)), uop.MadLo16: low16(plus(basic(ssa.Mul))),
	uop.MadHiU32: plus(basic(ssa.MulHiU)), uop.MadHiS32: plus(basic(ssa.MulHiS)),
	uop.MadWideU16: plus(basic(ssa.Mul)), uop.MadWideU32: plus(wide(ssa.Zext)), uop.MadWideS32: plus(wide(ssa.Sext)),

	uop.MinU32: basic(ssa.MinU), uop.MinS32: basic(ssa.MinS), uop.MaxU32: basic(ssa.MaxU), uop.MaxS32: basic(ssa.MaxS),
	uop.MinU64: basic(ssa.MinU), uop.MinS64: basic(ssa.MinS), uop.MaxU64: basic(ssa.MaxU), uop.MaxS64: basic(ssa.MaxS),
	uop.MinU16: basic(ssa.MinU), uop.MaxU16: basic(ssa.MaxU),
	uop.MinS16: low16(signed16(basic(ssa.MinS))), uop.MaxS16: low16(signed16(basic(ssa.MaxS))),
	uop.Neg32: negate, uop.Neg64: negate, uop.Neg16: low16(negate),
	uop.AbsS32: absolute, uop.AbsS64: absolute,
	uop.Popc32: one(ssa.Popc, ssa.W), uop.Popc64: func(f *ssa.Func, in []ssa.Value) ssa.Value { return trunc(f, one(ssa.Popc, ssa.X)(f, in)) },
	uop.DivU32: basic(ssa.DivU), uop.RemU32: basic(ssa.RemU), uop.DivU64: basic(ssa.DivU), uop.RemU64: basic(ssa.RemU),
}

func negate(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Bin(ssa.Sub, f.Const(f.TypeOf(in[0]), 0), in[0])
}

func absolute(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Bin(ssa.MaxS, in[0], negate(f, in))
}

// bitwise are logic and shifts (9.7.8).
var bitwise = map[uop.Op]Lowering{
	uop.And32: basic(ssa.And), uop.Or32: basic(ssa.Or), uop.Xor32: basic(ssa.Xor),
	uop.And64: basic(ssa.And), uop.Or64: basic(ssa.Or), uop.Xor64: basic(ssa.Xor),
	uop.Not32: invert, uop.Not64: invert, uop.Not16: low16(invert),
	uop.Shl32: basic(ssa.Shl), uop.ShrU32: basic(ssa.Shr), uop.ShrS32: basic(ssa.Sar),
	uop.Shl64: shift64(ssa.Shl), uop.ShrU64: shift64(ssa.Shr), uop.ShrS64: shift64(ssa.Sar),
	uop.Shl16: low16(basic(ssa.Shl)), uop.ShrU16: basic(ssa.Shr),
	uop.ShrS16:    low16(func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(ssa.Sar, sign(f, in[0], 16), in[1]) }),
	uop.Slct32S32: selectSigned, uop.Slct64S32: selectSigned,
}

// selectSigned is slct by an integer.
func selectSigned(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.LtS, in[2], f.Word(0)), in[1], in[0])
}

func invert(f *ssa.Func, in []ssa.Value) ssa.Value {
	return f.Bin(ssa.Xor, in[0], f.Const(f.TypeOf(in[0]), ^uint64(0)))
}

// shift64 shifts by a word.
func shift64(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(c, in[0], f.Make(ssa.Zext, ssa.X, 0, in[1])) }
}

// conversions are those of integers, and copies (9.7.9.21).
var conversions = map[uop.Op]Lowering{
	uop.Copy32: same, uop.Copy64: same,
	uop.Zext8: cutTo(8), uop.Zext16: cutTo(16), uop.Sext8: extend(8), uop.Sext16: extend(16), uop.Sext8to16: low16(extend(8)),
	uop.Zext8to64: then(cutTo(8), ssa.Zext), uop.Zext16to64: then(cutTo(16), ssa.Zext),
	uop.Sext8To64: then(extend(8), ssa.Sext), uop.Sext16To64: then(extend(16), ssa.Sext),
	uop.Zext32To64: one(ssa.Zext, ssa.X), uop.Sext32To64: one(ssa.Sext, ssa.X), uop.Trunc64To32: one(ssa.Trunc, ssa.W),
	uop.Trunc64to16: low16(one(ssa.Trunc, ssa.W)),
	uop.Trunc64to8:  func(f *ssa.Func, in []ssa.Value) ssa.Value { return low(f, trunc(f, in[0]), 8) },
}

func cutTo(bits int) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return low(f, in[0], bits) }
}

func extend(bits int) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return sign(f, in[0], bits) }
}

// then widens a result to 64 bits.
func then(l Lowering, c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Make(c, ssa.X, 0, l(f, in)) }
}

// compares are comparisons of integers (9.7.6).
var compares = map[uop.Op]Lowering{
	uop.Eq32: compare(ssa.Eq), uop.Ne32: compare(ssa.Ne), uop.Eq64: compare(ssa.Eq), uop.Ne64: compare(ssa.Ne),
	uop.LtS32: compare(ssa.LtS), uop.LeS32: compare(ssa.LeS), uop.GtS32: swapped(ssa.LtS), uop.GeS32: swapped(ssa.LeS),
	uop.LtU32: compare(ssa.LtU), uop.LeU32: compare(ssa.LeU), uop.GtU32: swapped(ssa.LtU), uop.GeU32: swapped(ssa.LeU),
	uop.LtS64: compare(ssa.LtS), uop.LeS64: compare(ssa.LeS), uop.GtS64: swapped(ssa.LtS), uop.GeS64: swapped(ssa.LeS),
	uop.LtU64: compare(ssa.LtU), uop.LeU64: compare(ssa.LeU), uop.GtU64: swapped(ssa.LtU), uop.GeU64: swapped(ssa.LeU),
	uop.LtS16: signed16(compare(ssa.LtS)), uop.LeS16: signed16(compare(ssa.LeS)),
	uop.GtS16: signed16(swapped(ssa.LtS)), uop.GeS16: signed16(swapped(ssa.LeS)),
}

func compare(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Cmp(c, in[0], in[1]) }
}

func swapped(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Cmp(c, in[1], in[0]) }
}

func not(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Not(l(f, in)) }
}
