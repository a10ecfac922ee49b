package jit

// Extended precision, 9.7.2: a function of each lane whose last operand and result are the carry, bits of
// predicates. Result and carry are two programs, of which a run makes one.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// carryTwin is a function with a carry: the sum, or the difference, of its operands, of which two may be
// multiplied before. The flag of a difference is the borrow, or its opposite.
type carryTwin struct {
	product  func(p *program, a, b val) val
	subtract bool
	opposite bool
}

var carryTwins = map[uop.Op]carryTwin{
	uop.AddC32: {}, uop.AddC64: {},
	uop.SubBorrow32: {subtract: true}, uop.SubBorrow64: {subtract: true},
	uop.SubC32: {subtract: true, opposite: true}, uop.SubC64: {subtract: true, opposite: true},
	uop.MadLoC32:  {product: (*program).mul},
	uop.MadLoC64:  {product: (*program).mul},
	uop.MadHiCU32: {product: func(p *program, a, b val) val { return p.bin(cMulHiU, a, b) }},
	uop.MadHiCS32: {product: func(p *program, a, b val) val { return p.bin(cMulHiS, a, b) }},
	uop.MadHiCU64: {product: func(p *program, a, b val) val { return mulHiU64(p, []val{a, b}) }},
	uop.MadHiCS64: {product: func(p *program, a, b val) val { return mulHiS64(p, []val{a, b}) }},
}

// carry plans one; false if it is left to the interpreter.
func (r *region) carry(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	twin, ok := carryTwins[s.op.Fn]
	if !ok {
		return false
	}
	t := typeOf(s.op.Fn.Shape().Result)
	offs := []uint32{in.A, in.B}
	if twin.product != nil {
		offs = append(offs, in.C)
	}
	for _, off := range offs {
		s.in = append(s.in, r.source(pc, off, t, s.op.Scalar))
	}
	if c, ok := r.consts[s.op.Masks.C]; !ok || (c.Value != 0) != twin.opposite {
		s.in = append(s.in, source{typ: tM, off: s.op.Masks.C, row: -1})
	}
	value, flag := r.newProgram(), r.newProgram()
	v, _ := twin.sum(value, r.inputs(value, s.in), len(offs))
	_, k := twin.sum(flag, r.inputs(flag, s.in), len(offs))
	if !r.settle(s, flag, k, source{}) {
		return false
	}
	s.carry = flag
	return r.settle(s, value, v, source{typ: t, off: in.D, slot: s.op.Scalar, row: -1})
}

// sum is the result and the carry of n operands and, if there are more, a carry: what leaves the highest bit.
func (c *carryTwin) sum(p *program, in []val, n int) (v, carry val) {
	a, b := in[0], in[1]
	if c.product != nil {
		a, b = c.product(p, a, b), in[2]
	}
	t := p.typ(a)
	if c.subtract {
		v = c.difference(p, p.sub(a, b), in[n:])
		carry = p.or(p.bin(cAndn, a, b), p.and(p.not(p.xor(a, b)), v))
		if c.opposite {
			carry = p.not(carry)
		}
	} else {
		v = p.withCarry(p.sum(a, b), in[n:])
		carry = p.or(p.and(a, b), p.bin(cAndn, v, p.or(a, b)))
	}
	return v, p.cmp(cmpLTS, carry, p.constant(t, 0))
}

// difference takes the borrow off v, where there is one.
func (c *carryTwin) difference(p *program, v val, borrow []val) val {
	if len(borrow) == 0 {
		return v
	}
	less := p.sum(v, p.constant(p.typ(v), ^uint64(0)))
	if c.opposite {
		return p.sel(borrow[0], v, less)
	}
	return p.sel(borrow[0], less, v)
}

// withCarry adds one to v where there is a carry and it is set.
func (p *program) withCarry(v val, carry []val) val {
	if len(carry) == 0 {
		return v
	}
	return p.sel(carry[0], p.sum(v, p.constant(p.typ(v), 1)), v)
}

// computeCarry assembles one. The carry comes first: its row may be that of an operand.
func (c *compiler) computeCarry(s *step, use maskUse) {
	flag := source{typ: tM, row: -1}
	if s.op.Scalar {
		c.run(s.carry, s.in, &flag, true, allLanes)
		c.run(s.prog, s.in, &s.dst, true, allLanes)
		c.MR(x86.MOV, x86.S32, c.regs(s.op.Masks.P), x86.R8)
		return
	}
	c.run(s.carry, s.in, &flag, false, use)
	c.run(s.prog, s.in, &s.dst, false, use)
	c.writeMask(s.op.Masks.P, x86.R8, use)
}
