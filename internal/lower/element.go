package lower

// This file lowers name[i], the address of element i of an array (6.4.2), as the machine code of ptxas 13.5 has it: the index counts
// elements of the type, also where they are of a vector type or of rows; of an array without a size it counts bytes.

import (
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// accessElements makes name[i] an access where the form wants an address, as [name+n] is;
// elsewhere, in mov, it stays the address itself.
func accessElements(in *ir.Inst, list []syntax.Operand) {
	for i := range in.Sel.Roles {
		at := &in.Sel.Roles[i]
		if at.Align != 0 && at.Part < 0 && list[at.Op].Kind == syntax.OperandIndex {
			in.Ops[at.Op].Kind = ir.OpMem
		}
	}
}

// element lowers name[i]: a symbol with a displacement, or a register that holds the address.
func (b *bodyLowerer) element(s *syntax.Operand, o *ir.Operand) {
	u, _ := b.info.Use(s.Name)
	if u.Object == nil {
		return
	}
	b.symbol(u.Object, o)
	if len(s.Elems) != 1 {
		return
	}
	step := uint64(elementStep(u.Object))
	if e := s.Elems[0].Constant(); e != nil {
		o.Imm = b.displacement(e) * step
		return
	}
	b.indexed(&s.Elems[0], step, o)
}

// elementStep is the bytes that an index counts.
func elementStep(array *check.Object) int {
	if len(array.Dims) > 0 && array.Dims[0] == 0 {
		return 1
	}
	return max(array.Type.Bytes(), 1)
}

// indexed puts the computation of an element's address in front of the statement: the low 32 bits of the register and the constant,
// times the step, all in 32 bits, are added to the array's address as a number without a sign.
func (b *bodyLowerer) indexed(index *syntax.Operand, step uint64, o *ir.Operand) {
	u, _ := b.info.Use(index.Name)
	if u.Object == nil {
		return
	}
	at, whole, low := ir.Operand{}, b.temporary(bitsType(64)), b.temporary(bitsType(32))
	b.registerOperand(u, index, &at)
	if t := u.Object.Type; t.Bits() != 32 {
		b.emit(toIndex(t), low, at)
		at = low
	}
	if n := b.displacement(index.Expr); n != 0 {
		b.emit(form(isa.AddInt, bitsType(32), isa.ShapeReg, isa.ShapeReg, isa.ShapeImm), low, at, ir.Operand{Kind: ir.OpImm, Imm: n & (1<<32 - 1)})
		at = low
	}
	if step > 1 {
		log := ir.Operand{Kind: ir.OpImm, Imm: uint64(bits.TrailingZeros64(step))}
		b.emit(form(isa.Shl, bitsType(32), isa.ShapeReg, isa.ShapeReg, isa.ShapeImm), low, at, log)
		at = low
	}
	b.emit(form(isa.Cvt, bitsType(64), isa.ShapeReg, isa.ShapeReg), whole, at)
	start := b.temporary(bitsType(64))
	b.emit(form(isa.Mov, bitsType(64), isa.ShapeReg, isa.ShapeReg), start, *o)
	b.emit(form(isa.AddInt, bitsType(64), isa.ShapeReg, isa.ShapeReg, isa.ShapeReg), whole, start, whole)
	*o = whole
}

// toIndex makes 32 bits of a register of another width, by its sign.
func toIndex(t isa.Type) *isa.Sel {
	if t.Bits() == 64 {
		return form(isa.Cvt, bitsType(32), isa.ShapeReg, isa.ShapeReg)
	}
	sign := "u"
	if t.Kind() == isa.Signed {
		sign = "s"
	}
	return matched([]isa.Shape{{Kind: isa.ShapeReg, Type: bitsType(32)}, {Kind: isa.ShapeReg, Type: t}}, isa.Table().Entry(isa.Cvt).Opcode[0],
		fmt.Sprintf(".%s32", sign), fmt.Sprintf(".%s%d", sign, t.Bits()))
}

// narrowElements cuts the addresses of elements where a statement takes 32 bits of them.
func (b *bodyLowerer) narrowElements(in *ir.Inst, list []syntax.Operand) {
	for i := range in.Sel.Roles {
		at := &in.Sel.Roles[i]
		o := &in.Ops[at.Op]
		if at.Part >= 0 || list[at.Op].Kind != syntax.OperandIndex || o.Kind != ir.OpReg || at.Type == 0 || at.Type.Bits() > 32 {
			continue
		}
		low := b.temporary(bitsType(32))
		b.emit(form(isa.Cvt, bitsType(32), isa.ShapeReg, isa.ShapeReg), low, *o)
		low.Access, low.Type = o.Access, o.Type
		*o = low
	}
}
