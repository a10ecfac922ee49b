package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Carrying builds a function that takes a carry, and makes one.
type Carrying func(f *ssa.Func, in []ssa.Value, carry ssa.Value) (v, out ssa.Value)

// WithCarry is the lowering of an operation with a carry, nil if it has none.
func WithCarry(op uop.Op) Carrying { return carrying[op] }

// carrying are sums and differences with a carry, of which two operands may be multiplied before (9.7.2).
var carrying = map[uop.Op]Carrying{
	uop.AddC32: carried, uop.AddC64: carried, uop.SubC32: complemented, uop.SubC64: complemented, uop.SubBorrow32: borrowed, uop.SubBorrow64: borrowed,
	uop.MadLoC32: multiplied(basic(ssa.Mul)), uop.MadLoC64: multiplied(basic(ssa.Mul)), uop.MadHiCU32: multiplied(basic(ssa.MulHiU)),
	uop.MadHiCS32: multiplied(basic(ssa.MulHiS)), uop.MadHiCU64: multiplied(highU64), uop.MadHiCS64: multiplied(highS64),

	uop.AddC16: short(carried), uop.SubC16: short(complemented), uop.SubBorrow16: short(borrowed), uop.MadLoC16: short(multiplied(basic(ssa.Mul))),
	uop.MadHiCU16: short(multiplied(highU16)), uop.MadHiCS16: short(multiplied(highS16)),
}

// number is 1 for a carry.
func number(f *ssa.Func, t ssa.Type, carry ssa.Value) ssa.Value {
	return f.Sel(carry, f.Const(t, 1), f.Const(t, 0))
}

// carried is a sum: one of two additions has left the highest bit if the result is less than what was added to.
func carried(f *ssa.Func, in []ssa.Value, carry ssa.Value) (v, out ssa.Value) {
	s := f.Bin(ssa.Add, in[0], in[1])
	v = f.Bin(ssa.Add, s, number(f, f.TypeOf(s), carry))
	return v, f.Or(f.Cmp(ssa.LtU, s, in[0]), f.Cmp(ssa.LtU, v, s))
}

// complemented adds what the second operand lacks: the carry is set where nothing is borrowed.
func complemented(f *ssa.Func, in []ssa.Value, carry ssa.Value) (v, out ssa.Value) {
	return carried(f, []ssa.Value{in[0], invert(f, in[1:])}, carry)
}

// borrowed takes and gives the borrow.
func borrowed(f *ssa.Func, in []ssa.Value, borrow ssa.Value) (v, out ssa.Value) {
	d := f.Bin(ssa.Sub, in[0], in[1])
	v = f.Bin(ssa.Sub, d, number(f, f.TypeOf(d), borrow))
	return v, f.Or(f.Cmp(ssa.LtU, in[0], in[1]), f.Cmp(ssa.LtU, d, v))
}

func multiplied(l Lowering) Carrying {
	return func(f *ssa.Func, in []ssa.Value, carry ssa.Value) (v, out ssa.Value) {
		return carried(f, []ssa.Value{l(f, in[:2]), in[2]}, carry)
	}
}

// short is a function of 16 bits, whose carry nothing reads.
func short(l Carrying) Carrying {
	return func(f *ssa.Func, in []ssa.Value, carry ssa.Value) (v, out ssa.Value) {
		v, _ = l(f, in, carry)
		return low(f, v, 16), f.Truth(false)
	}
}
