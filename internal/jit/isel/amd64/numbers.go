package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has the operations on numbers. A number of 32 bits has zeros above them in its register; a truth value is
// 0 or 1.

// alu are operations of two numbers that are one instruction, which changes its first operand.
var alu = [ssa.Codes]x86.Op{ssa.Add: x86.ADD, ssa.Sub: x86.SUB, ssa.Mul: x86.IMUL, ssa.And: x86.AND,
	ssa.Or: x86.OR, ssa.Xor: x86.XOR}

// conditions are those of comparisons.
var conditions = [ssa.Codes]x86.Cond{ssa.Eq: x86.E, ssa.Ne: x86.NE, ssa.LtS: x86.L, ssa.LeS: x86.LE,
	ssa.LtU: x86.B, ssa.LeU: x86.BE}

// choices are the conditions on which the first of two numbers is the result.
var choices = [ssa.Codes]x86.Cond{ssa.MinS: x86.L, ssa.MaxS: x86.G, ssa.MinU: x86.B, ssa.MaxU: x86.A}

// shifts are those by a constant, and by another number.
var shifts = [ssa.Codes][2]x86.Op{ssa.Shl: {x86.SHL, x86.SHLX}, ssa.Shr: {x86.SHR, x86.SHRX},
	ssa.Sar: {x86.SAR, x86.SARX}}

// sizeOf is the size of a number's operations.
func sizeOf(t ssa.Type) x86.Size {
	if t == ssa.X {
		return x86.S64
	}
	return x86.S32
}

// small is a constant that an instruction can have as an immediate.
func (s *selector) small(v ssa.Value) (int64, bool) {
	k, ok := s.f.Known(v)
	if s.f.TypeOf(v) != ssa.X {
		return int64(int32(k)), ok
	}
	return int64(k), ok && int64(k) >= math.MinInt32 && int64(k) <= math.MaxInt32
}

// computeNumber selects the operation of a number.
func (s *selector) computeNumber(k key) {
	o := &s.f.Ops[k.v]
	if r := s.numberOf(k.v, o); r != 0 {
		s.note(k, r, s.block)
		return
	}
	refuse("there is no rule for %v of a number", o.Code)
}

func (s *selector) numberOf(v ssa.Value, o *ssa.Op) isel.VReg {
	size := sizeOf(o.Type)
	switch {
	case alu[o.Code] != 0:
		return s.arithmetic(alu[o.Code], size, o)
	case choices[o.Code] != 0:
		return s.choice(choices[o.Code], size, s.num(o.A), s.num(o.B))
	case shifts[o.Code][0] != 0:
		return s.shift(o, size)
	case o.Code.Comparison() && conditions[o.Code] != 0:
		return s.compared(o)
	}
	switch o.Code {
	case ssa.Field:
		return s.loadState(uintptr(o.Imm), size)
	case ssa.Arg:
		return s.argument(o, size)
	case ssa.Zext:
		return s.num(o.A) // has zeros above already
	case ssa.Trunc:
		return s.number1(x86.MOV, x86.S32, s.num(o.A))
	case ssa.Sext:
		return s.number1(x86.MOVSXD, x86.S64, s.num(o.A))
	case ssa.Popc:
		return s.number1(x86.POPCNT, sizeOf(s.f.TypeOf(o.A)), s.num(o.A))
	case ssa.Not:
		return s.emitALU(x86.XOR, x86.S32, 1, s.num(o.A))
	case ssa.Select:
		return s.selected(s.num(o.A), s.num(o.B), s.num(o.C))
	case ssa.MulHiU, ssa.MulHiS:
		return s.highProduct(o)
	case ssa.DivU, ssa.RemU:
		return s.divided(o, size)
	case ssa.Perm:
		return s.permutedNumber(o)
	case ssa.Inside:
		return s.inside(o)
	case ssa.Rows:
		return s.rows(o)
	}
	return s.reduced(o)
}

// number1 is an instruction with one operand.
func (s *selector) number1(code x86.Op, size x86.Size, from isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.General)
	s.emit(s.out.NewInst(s.op(op{code: code, form: formRR, size: uint8(size)}), d, from)).Fold = 1
	return d
}

// arithmetic is one of two operands, the second of which may be an immediate.
func (s *selector) arithmetic(code x86.Op, size x86.Size, o *ssa.Op) isel.VReg {
	a := s.num(o.A)
	if k, ok := s.small(o.B); ok {
		return s.emitALU(code, size, k, a)
	}
	return s.emitALU(code, size, 0, a, s.num(o.B))
}

// emitALU emits one: of two registers, or of one and an immediate.
func (s *selector) emitALU(code x86.Op, size x86.Size, imm int64, uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.General)
	fold := int8(0)
	if len(uses) == 2 {
		fold = 2
	}
	o := s.op(op{code: code, form: formALU, size: uint8(size), has: len(uses) == 1, imm: imm})
	s.emit(s.out.NewInst(o, d, uses...)).Fold = fold
	return d
}

// shift shifts a number; counts from the width on shift everything out.
func (s *selector) shift(o *ssa.Op, size x86.Size) isel.VReg {
	a, width := s.num(o.A), uint64(o.Type.Bits())
	if k, ok := s.f.Known(o.B); ok {
		switch {
		case k < width:
			return s.emitALU(shifts[o.Code][0], size, int64(k), a)
		case o.Code == ssa.Sar:
			return s.emitALU(x86.SAR, size, int64(width-1), a)
		}
		return s.number(0)
	}
	d := s.out.NewReg(isel.General)
	variable, arithmetic := shifts[o.Code][1], o.Code == ssa.Sar
	run := func(c *code) {
		c.move(c.t(0), c.u(1))
		c.RI(x86.CMP, size, c.t(0), int32(width))
		if arithmetic {
			c.MovImm(c.g(0), width-1)
			c.Cmov(x86.AE, size, c.t(0), c.g(0))
			c.RRR(variable, size, c.g(0), c.u(0), c.t(0))
			return
		}
		c.RRR(variable, size, c.g(0), c.u(0), c.t(0))
		c.RR(x86.SBB, x86.S64, c.t(0), c.t(0)) // all ones below the width
		c.RR(x86.AND, x86.S64, c.g(0), c.t(0))
	}
	s.emit(&isel.Inst{Op: &op{name: variable.String(), run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{a,
		s.num(o.B)}, Temps: s.temps(1, 0), Early: true})
	return d
}

// choice is a where comparing it with b has a condition, else b.
func (s *selector) choice(cond x86.Cond, size x86.Size, a, b isel.VReg) isel.VReg {
	return s.plain("choice", func(c *code) {
		c.RR(x86.CMP, size, c.u(0), c.u(1))
		c.choose(cond, c.g(0), c.u(0), c.u(1))
	}, a, b)
}

// selected is a where m is not 0, else b.
func (s *selector) selected(m, a, b isel.VReg) isel.VReg {
	return s.plain("select", func(c *code) {
		c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
		c.choose(x86.NE, c.g(0), c.u(1), c.u(2))
	}, m, a, b)
}

// plain is an instruction on numbers in registers that a function writes.
func (s *selector) plain(name string, run func(c *code), uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.General)
	s.emit(s.out.NewInst(s.op(op{name: name, run: run}), d, uses...))
	return d
}

// compared is a comparison as a number.
func (s *selector) compared(o *ssa.Op) isel.VReg {
	size, cond := sizeOf(s.f.TypeOf(o.A)), conditions[o.Code]
	if k, ok := s.small(o.B); ok {
		return s.plain("compare", func(c *code) {
			c.RI(x86.CMP, size, c.u(0), int32(k))
			c.set(cond, c.g(0))
		}, s.num(o.A))
	}
	return s.plain("compare", func(c *code) {
		c.RR(x86.CMP, size, c.u(0), c.u(1))
		c.set(cond, c.g(0))
	}, s.num(o.A), s.num(o.B))
}

// highProduct is the high half of a product of words.
func (s *selector) highProduct(o *ssa.Op) isel.VReg {
	a, b := s.num(o.A), s.num(o.B)
	if o.Code == ssa.MulHiS {
		a, b = s.number1(x86.MOVSXD, x86.S64, a), s.number1(x86.MOVSXD, x86.S64, b)
	}
	return s.emitALU(x86.SHR, x86.S64, 32, s.emitALU(x86.IMUL, x86.S64, 0, a, b))
}

// divided is a quotient or a rest; by 0 it has all ones. The instruction has fixed registers, which it gives back.
func (s *selector) divided(o *ssa.Op, size x86.Size) isel.VReg {
	rest := o.Code == ssa.RemU
	return s.plain(o.Code.String(), func(c *code) { c.divide(size, rest) }, s.num(o.A), s.num(o.B))
}

// permutedNumber puts bytes of two words together.
func (s *selector) permutedNumber(o *ssa.Op) isel.VReg {
	r := s.number(0)
	for i := range 4 {
		from, n := s.num(o.A), o.Imm>>(4*i)&7
		if n > 3 {
			from, n = s.num(o.B), n-4
		}
		b := s.emitALU(x86.AND, x86.S32, 255, s.emitALU(x86.SHR, x86.S32, int64(8*n), from))
		r = s.emitALU(x86.OR, x86.S32, 0, s.emitALU(x86.SHL, x86.S32, int64(8*i), b), r)
	}
	return r
}

// loadState reads the state of compiled code.
func (s *selector) loadState(off uintptr, size x86.Size) isel.VReg {
	d := s.out.NewReg(isel.General)
	s.emit(&isel.Inst{Op: &op{code: x86.MOV, form: formLoadR, size: uint8(size), mem: stateAt(off)}, Defs: []isel.VReg{d}})
	return d
}

// argument reads the kernel's parameters.
func (s *selector) argument(o *ssa.Op, size x86.Size) isel.VReg {
	base := s.loadState(sParams, x86.S64)
	d := s.out.NewReg(isel.General)
	m := mem{kind: atHost, use: 0, disp: int64(o.Imm), access: ofParams}
	s.emit(&isel.Inst{Op: &op{code: x86.MOV, form: formLoadR, size: uint8(size), mem: m}, Defs: []isel.VReg{d},
		Uses: []isel.VReg{base}})
	return d
}

// inside tells what a check says of an address.
func (s *selector) inside(o *ssa.Op) isel.VReg {
	t := s.testOf(o)
	d := s.out.NewReg(isel.General)
	run := func(c *code) {
		no := c.NewLabel()
		c.Zero(c.g(0))
		c.test(&t, c.u(0), c.t(0), no)
		c.MovImm(c.g(0), 1)
		c.Bind(no)
	}
	s.emit(&isel.Inst{Op: &op{name: "inside", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{s.num(o.A)},
		Temps: s.temps(1, 0), Early: true})
	return d
}

// rows is a place behind the start of a warp's register block, from where global memory begins.
func (s *selector) rows(o *ssa.Op) isel.VReg {
	off := int32(o.Imm)
	return s.plain("rows", func(c *code) {
		c.atWarp(c.g(0), c.u(0))
		c.RM(x86.MOV, x86.S64, c.g(0), x86.At(c.g(0), int32(wRegs)).By(ofWarp))
		c.RI(x86.ADD, x86.S64, c.g(0), off)
		c.RR(x86.SUB, x86.S64, c.g(0), rGlobal)
	}, s.num(o.A))
}
