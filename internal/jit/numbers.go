package jit

// Arithmetic on numbers: programs in general registers, once for all lanes.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// calculator runs a program on numbers.
type calculator struct {
	c    *compiler
	p    *program
	in   []source
	free []x86.Reg
	six  [6]x86.Reg // where free is
	last []int
	vals []number
}

// number is an operand: a literal, a word in memory, or a register of the calculator.
type number struct {
	reg     x86.Reg
	mem     x86.Mem
	lit     uint64
	inReg   bool
	literal bool
}

func (t typ) size() x86.Size {
	if t == tX {
		return x86.S64
	}
	return x86.S32
}

// slotNumbers computes a scalar slot.
func (c *compiler) slotNumbers(s *step) {
	c.calculator(s.prog, s.in).store(c.regs(s.dst.off))
}

func (c *compiler) calculator(p *program, in []source) *calculator {
	k := &calculator{c: c, p: p, in: in, last: lastUses(p), vals: c.mem.numbers.take(len(p.ops)),
		six: [...]x86.Reg{x86.R11, x86.R10, x86.R8, x86.RDX, x86.RCX, x86.RAX}}
	k.free = k.six[:]
	return k
}

func (k *calculator) take() x86.Reg {
	n := len(k.free) - 1
	r := k.free[n]
	k.free = k.free[:n]
	return r
}

func (k *calculator) give(r x86.Reg) { k.free = append(k.free, r) }

// store computes the result into memory.
func (k *calculator) store(to x86.Mem) {
	size := k.p.typ(k.p.result).size()
	if k.increment(to, size) {
		return
	}
	for i := range k.p.ops {
		if k.last[i] >= 0 {
			k.vals[i] = k.compute(val(i))
		}
	}
	switch v := k.vals[k.p.result]; {
	case v.literal && (size == x86.S32 || int64(v.lit) == int64(int32(v.lit))):
		k.c.MI(x86.MOV, size, to, int32(v.lit))
	case v.inReg:
		k.c.MR(x86.MOV, size, to, v.reg)
	default:
		k.c.MR(x86.MOV, size, to, k.own(k.p.result, -1))
	}
}

// increment adds a literal to what is already there.
func (k *calculator) increment(to x86.Mem, size x86.Size) bool {
	o := &k.p.ops[k.p.result]
	if o.code != cAdd || k.p.ops[o.a].code != cIn || k.p.ops[o.b].code != cConst {
		return false
	}
	v, imm := k.source(int(k.p.ops[o.a].imm)), k.p.ops[o.b].imm
	if v.literal || v.mem != to || size == x86.S64 && int64(imm) != int64(int32(imm)) {
		return false
	}
	k.c.MI(x86.ADD, size, to, int32(imm))
	return true
}

// source is operand i.
func (k *calculator) source(i int) number {
	s := &k.in[i]
	if s.known {
		return number{literal: true, lit: s.value}
	}
	return number{mem: k.c.regs(s.off)}
}

// compute evaluates an operation.
func (k *calculator) compute(v val) number {
	o := &k.p.ops[v]
	switch o.code {
	case cIn:
		return k.source(int(o.imm))
	case cConst:
		return number{literal: true, lit: o.imm}
	}
	size := o.typ.size()
	d := k.own(o.a, int(v))
	switch o.code {
	case cAdd:
		k.with(x86.ADD, size, d, o.b, int(v))
	case cSub:
		k.with(x86.SUB, size, d, o.b, int(v))
	case cAnd:
		k.with(x86.AND, size, d, o.b, int(v))
	case cOr:
		k.with(x86.OR, size, d, o.b, int(v))
	case cXor:
		k.with(x86.XOR, size, d, o.b, int(v))
	case cAndn:
		k.c.R(x86.NOT, size, d)
		k.with(x86.AND, size, d, o.b, int(v))
	case cMul:
		k.times(size, d, o.b, int(v))
	case cMulLU, cMulLS:
		k.product(o, d, int(v))
	case cShlI:
		k.c.RI(x86.SHL, size, d, int32(o.imm))
	case cShrI:
		k.c.RI(x86.SHR, size, d, int32(o.imm))
	case cSarI:
		k.c.RI(x86.SAR, size, d, int32(o.imm))
	case cRotI:
		k.c.RI(x86.ROL, size, d, int32(o.imm))
	case cZext, cSext:
		k.extend(o, d)
	case cTrunc:
		k.c.RR(x86.MOV, x86.S32, d, d)
	}
	return number{reg: d, inReg: true}
}

// own brings a value into a register that may be changed by operation at, -1 for the end.
func (k *calculator) own(v val, at int) x86.Reg {
	n := k.vals[v]
	if n.inReg && k.last[v] == at {
		return n.reg
	}
	d := k.take()
	switch {
	case n.literal:
		k.c.MovImm(d, n.lit)
	case n.inReg:
		k.c.RR(x86.MOV, x86.S64, d, n.reg)
	default:
		k.c.RM(x86.MOV, k.p.typ(v).size(), d, n.mem)
	}
	return d
}

// with assembles op d, v.
func (k *calculator) with(op x86.Op, size x86.Size, d x86.Reg, v val, at int) {
	switch n := k.vals[v]; {
	case n.literal && (size == x86.S32 || int64(n.lit) == int64(int32(n.lit))):
		k.c.RI(op, size, d, int32(n.lit))
	case n.literal:
		t := k.take()
		k.c.MovImm(t, n.lit)
		k.c.RR(op, size, d, t)
		k.give(t)
	case n.inReg:
		k.c.RR(op, size, d, n.reg)
		k.done(v, d, at)
	default:
		k.c.RM(op, size, d, n.mem)
	}
}

func (k *calculator) times(size x86.Size, d x86.Reg, v val, at int) {
	if n := k.vals[v]; n.literal && (size == x86.S32 || int64(n.lit) == int64(int32(n.lit))) {
		k.c.RRI(x86.IMUL, size, d, d, int32(n.lit))
		return
	}
	k.with(x86.IMUL, size, d, v, at)
}

// product multiplies lower halves.
func (k *calculator) product(o *operation, d x86.Reg, at int) {
	k.half(o.code, o.a, d)
	if o.a == o.b {
		k.c.RR(x86.IMUL, x86.S64, d, d)
		return
	}
	if n := k.vals[o.b]; n.literal && n.lit == uint64(int32(n.lit)) && (o.code == cMulLS || n.lit>>31 == 0) {
		if n.lit&(n.lit-1) == 0 && n.lit != 0 {
			k.c.RI(x86.SHL, x86.S64, d, int32(bits.TrailingZeros64(n.lit)))
		} else {
			k.c.RRI(x86.IMUL, x86.S64, d, d, int32(n.lit))
		}
		return
	}
	t := k.own(o.b, at)
	k.half(o.code, o.b, t)
	k.c.RR(x86.IMUL, x86.S64, d, t)
	k.give(t)
}

// half extends the lower half of a factor, unless it has been extended.
func (k *calculator) half(c code, v val, d x86.Reg) {
	if k.p.ops[v].code == cConst || !k.p.halves(v, c) {
		k.low(c, d)
	}
}

// done gives back the register of a value that is not needed behind an operation.
func (k *calculator) done(v val, d x86.Reg, at int) {
	if n := k.vals[v]; n.inReg && n.reg != d && k.last[v] == at {
		k.give(n.reg)
	}
}

// low extends the lower half of a register.
func (k *calculator) low(c code, d x86.Reg) {
	if c == cMulLU {
		k.c.RR(x86.MOV, x86.S32, d, d)
	} else {
		k.c.RR(x86.MOVSXD, x86.S64, d, d)
	}
}

// extend widens a number.
func (k *calculator) extend(o *operation, d x86.Reg) {
	if o.code == cSext {
		k.low(cMulLS, d)
	} else {
		k.low(cMulLU, d)
	}
}

// halves tells whether a factor of 64 bits is the extension of its lower half, so that the product
// of halves is the whole product.
func (p *program) halves(v val, c code) bool {
	o := &p.ops[v]
	switch {
	case o.code == cConst && c == cMulLU:
		return o.imm == uint64(uint32(o.imm))
	case o.code == cConst:
		return o.imm == uint64(int32(o.imm))
	case c == cMulLU:
		return o.code == cZext
	}
	return o.code == cSext
}

// numeric tells whether general registers can compute an operation (numbers.go).
func numeric(c code) bool {
	switch c {
	case cIn, cConst, cAdd, cSub, cMul, cMulLU, cMulLS, cAnd, cOr, cXor, cAndn, cShlI, cShrI, cSarI, cRotI, cZext, cSext, cTrunc:
		return true
	}
	return false
}

// maxNumbers is how many intermediate values a program may have in general registers.
const maxNumbers = 4

// numbers tells whether general registers can run a program.
func (p *program) numbers() bool {
	if p.need != nil {
		return p.numeric
	}
	return p.onlyNumbers()
}

func (p *program) onlyNumbers() bool {
	n := 0
	for i, need := range needed(p) {
		if !need {
			continue
		}
		if !numeric(p.ops[i].code) || p.ops[i].typ == tM {
			return false
		}
		if p.ops[i].code != cIn && p.ops[i].code != cConst {
			n++
		}
	}
	return n <= maxNumbers
}
