package jit

// Extended precision, 9.7.2: a function of each lane whose last operand and result are the carry, bits of
// predicates. Result and carry are two programs, of which a run makes one.

import (
	"reflect"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// carryTwin is a function with a carry: the sum, or the difference, of its operands, of which two may be
// multiplied before.
type carryTwin struct {
	product  func(p *program, a, b val) val
	subtract bool
}

var carryTwins = map[string]carryTwin{
	"AddC32": {}, "AddC64": {}, "SubC32": {subtract: true}, "SubC64": {subtract: true},
	"MadLoC32":  {product: (*program).mul},
	"MadLoC64":  {product: (*program).mul},
	"MadHiCU32": {product: func(p *program, a, b val) val { return p.bin(cMulHiU, a, b) }},
	"MadHiCS32": {product: func(p *program, a, b val) val { return p.bin(cMulHiS, a, b) }},
	"MadHiCU64": {product: func(p *program, a, b val) val { return mulHiU64(p, []val{a, b}) }},
	"MadHiCS64": {product: func(p *program, a, b val) val { return mulHiS64(p, []val{a, b}) }},
}

// carry plans one; false if it is left to the interpreter.
func (r *region) carry(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	twin, ok := carryTwins[functionName(s.op.Fn)]
	if !ok || s.op.Scalar {
		return false
	}
	t := typeOf(reflect.TypeOf(s.op.Fn).Out(0))
	offs := []uint32{in.A, in.B}
	if twin.product != nil {
		offs = append(offs, in.C)
	}
	for _, off := range offs {
		s.in = append(s.in, r.source(pc, off, t, false))
	}
	if c, ok := r.consts[s.op.Masks.C]; !ok || c.Value != 0 {
		s.in = append(s.in, source{typ: tM, off: s.op.Masks.C, row: -1})
	}
	value, flag := r.newProgram(), r.newProgram()
	v, _ := twin.sum(value, r.inputs(value, s.in), len(offs))
	_, k := twin.sum(flag, r.inputs(flag, s.in), len(offs))
	if !r.settle(s, flag, k, source{}) {
		return false
	}
	s.carry = flag
	return r.settle(s, value, v, source{typ: t, off: in.D, row: -1})
}

// sum is the result and the carry of n operands and, if there are more, a carry: what leaves the highest bit.
func (c *carryTwin) sum(p *program, in []val, n int) (v, carry val) {
	a, b := in[0], in[1]
	if c.product != nil {
		a, b = c.product(p, a, b), in[2]
	}
	t := p.typ(a)
	if c.subtract {
		v = p.withCarry(p.sub(a, b), in[n:], ^uint64(0))
		carry = p.or(p.bin(cAndn, a, b), p.and(p.not(p.xor(a, b)), v))
	} else {
		v = p.withCarry(p.sum(a, b), in[n:], 1)
		carry = p.or(p.and(a, b), p.bin(cAndn, v, p.or(a, b)))
	}
	return v, p.cmp(cmpLTS, carry, p.constant(t, 0))
}

// withCarry adds one to v where there is a carry and it is set.
func (p *program) withCarry(v val, carry []val, one uint64) val {
	if len(carry) == 0 {
		return v
	}
	return p.sel(carry[0], p.sum(v, p.constant(p.typ(v), one)), v)
}

// computeCarry assembles one by itself. The carry comes first: its row may be that of an operand.
func (c *compiler) computeCarry(s *step, masked bool, use maskUse) {
	flag := source{typ: tM, row: -1}
	c.run(s.carry, s.sources(masked), &flag, false, use)
	c.run(s.prog, s.sources(masked), &s.dst, false, use)
	c.writeMask(s.op.Masks.P, x86.R8, use)
}

// carries adds one to a run.
func (g *merger) carries(s *step, masked bool) {
	v, carry := g.splice(s.prog, s.sources(masked)), g.splice(s.carry, s.sources(masked))
	g.now[s.dst.off], g.wrote[s.dst.off], g.loose[s.dst.off] = v, s.dst.typ, false
	g.set(s.op.Masks.P, carry)
}
