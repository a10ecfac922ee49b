package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file divides lanes of 64 bits by way of doubles. Three roundings make the quotient wrong by less than
// q·3·2^-53: by less than a half where the divisor is at least 2^14, so what is cut off is wrong by one at most, which
// the rest tells, if the divisor is below 2^62. Where both are below 2^53 it is right, and by 0 all ones. A vector with
// other lanes is divided lane by lane.

const (
	leastDivisor = 1 << 14
	mostDivisor  = 1 << 62
	exactDoubles = 1 << 53
)

// quotientsWide divides lanes of 64 bits.
func (s *selector) quotientsWide(c ssa.Code, a, b isel.VReg) isel.VReg {
	q := s.vector(x86.VDIVPD, s.vector(x86.VCVTUQQ2PD, a), s.vector(x86.VCVTUQQ2PD, b))
	q = s.vector(x86.VCVTTPD2UQQ, q)
	rest := s.vector(x86.VPSUBQ, a, s.vector(x86.VPMULLQ, q, b))
	some := s.into(x86.VPTESTMQ, b, b) // lanes that are not divided by 0
	large := s.comparedX(x86.VPCMPQ, ssa.LtS, 0, some, rest, s.splatX(0))
	rest = s.under(x86.VPBLENDMQ, large, rest, s.vector(x86.VPADDQ, rest, b))
	small := s.comparedX(x86.VPCMPUQ, ssa.LtU, negation, some, rest, b)
	var result isel.VReg
	if c == ssa.RemU {
		rest = s.under(x86.VPBLENDMQ, small, rest, s.vector(x86.VPSUBQ, rest, b))
		result = s.under(x86.VPBLENDMQ, some, s.splatX(^uint64(0)), rest)
	} else {
		q = s.under(x86.VPBLENDMQ, large, q, s.vector(x86.VPADDQ, q, s.splatX(^uint64(0))))
		result = s.under(x86.VPBLENDMQ, small, q, s.vector(x86.VPADDQ, q, s.splatX(1)))
	}
	within := s.comparedX(x86.VPCMPUQ, ssa.LtU, 0, 0, s.vector(x86.VPSUBQ, b, s.splatX(leastDivisor)),
		s.splatX(mostDivisor-leastDivisor))
	exact := s.comparedX(x86.VPCMPUQ, ssa.LtU, 0, 0, s.vector(x86.VPOR, a, b), s.splatX(exactDoubles))
	return s.orEach(c, result, s.logic(x86.KORW, within, exact), a, b)
}

// into is a test of vectors into a mask.
func (s *selector) into(code x86.Op, a, b isel.VReg) isel.VReg {
	d := s.masks(1)
	s.emit(&isel.Inst{Op: &op{code: code, form: formKV, size: uint8(s.isa.width)}, Defs: d, Uses: []isel.VReg{a, b}})
	return d[0]
}

// comparedX compares lanes of 64 bits, under a mask if there is one.
func (s *selector) comparedX(code x86.Op, how ssa.Code, turn int64, under, a, b isel.VReg) isel.VReg {
	return s.compareWith(&op{code: code, form: formKVI, imm: comparisons[how].pred ^ turn}, under, a, b)
}

// orEach is a result where a mask has all lanes, else what lanes are divided one by one.
func (s *selector) orEach(c ssa.Code, result, all, a, b isel.VReg) isel.VReg {
	terms := s.area(fTerms, 2*s.isa.bytes())
	d := s.out.NewReg(isel.Vector)
	run := func(x *code) {
		end := x.NewLabel()
		x.moveVector(x.v(0), x.uv(0))
		x.KK(x86.KORTESTB, x.uk(1), x.uk(1))
		x.Jcc(x86.B, end)
		x.MV(x86.VMOVUPS, x.width(), x.frameAt(fTerms), x.uv(2))
		x.MV(x86.VMOVUPS, x.width(), x.frameAt(fTerms+x.e.isa.bytes()), x.uv(3))
		x.divideLanes(x86.S64, c == ssa.RemU)
		x.Bind(end)
	}
	s.emit(&isel.Inst{Op: &op{name: "or each", run: run, areas: []touch{terms.writes(), terms.reads()}},
		Defs: []isel.VReg{d}, Uses: []isel.VReg{result, all, a, b}, Temps: s.temps(0, 1), Early: true})
	return d
}
