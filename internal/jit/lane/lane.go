// Package lane says what the functions of a lane (packages num and sem) are as operations of ssa: an addition is one, a clamp several.
// What has no line here is not compiled by the new pipeline, unless a handler of the interpreter does it (package build).
package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Lowering builds a function of a lane from its operands; 0: it cannot, of these.
type Lowering func(f *ssa.Func, in []ssa.Value) ssa.Value

// Of is the lowering of an operation, nil if it has none.
func Of(op uop.Op) Lowering { return lowerings[op] }

// TypeOf is the type of an operand or result of so many bits.
func TypeOf(bits int) ssa.Type {
	switch {
	case bits == 1:
		return ssa.M
	case bits > 32:
		return ssa.X
	}
	return ssa.W
}

// lowerings are filled by the files of this package.
var lowerings = func() map[uop.Op]Lowering {
	all := map[uop.Op]Lowering{}
	for _, table := range []map[uop.Op]Lowering{integers, products, fields, bitwise, permutations, elements, windows, conversions, compares, floats, arithmeticForms(), choosing(), approximate, approximateForms(), doubles, singles(), compareFloats(), ofHalves()} {
		for op, l := range table {
			all[op] = l
		}
	}
	return all
}()

// basic is an operation of two operands of the result's type.
func basic(c ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(c, in[0], in[1]) }
}

// low keeps the low bits of a word.
func low(f *ssa.Func, v ssa.Value, bits int) ssa.Value {
	return f.Bin(ssa.And, v, f.Word(1<<bits-1))
}

// low16 cuts a result to 16 bits.
func low16(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return low(f, l(f, in), 16) }
}

// sign extends the low bits of a word.
func sign(f *ssa.Func, v ssa.Value, bits int) ssa.Value {
	n := f.Word(uint32(32 - bits))
	return f.Bin(ssa.Sar, f.Bin(ssa.Shl, v, n), n)
}

// Extended is the low bits of a word, extended to it.
func Extended(f *ssa.Func, v ssa.Value, bits int, signed bool) ssa.Value {
	switch {
	case bits == 32:
		return v
	case signed:
		return sign(f, v, bits)
	}
	return low(f, v, bits)
}

// signed16 extends operands of 16 bits by their sign.
func signed16(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		wide := make([]ssa.Value, len(in))
		for i, v := range in {
			wide[i] = sign(f, v, 16)
		}
		return l(f, wide)
	}
}

// plus adds the last operand to a lowering of the others.
func plus(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		n := len(in) - 1
		return f.Bin(ssa.Add, l(f, in[:n]), in[n])
	}
}

// wide multiplies words to 64 bits.
func wide(extend ssa.Code) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Bin(ssa.Mul, f.Make(extend, ssa.X, 0, in[0]), f.Make(extend, ssa.X, 0, in[1]))
	}
}

// one is an operation of one operand.
func one(c ssa.Code, t ssa.Type) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Make(c, t, 0, in[0]) }
}

func same(_ *ssa.Func, in []ssa.Value) ssa.Value { return in[0] }
