package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has the operations on lanes that AVX-512 has more or other instructions for.

// AVX512 is F, BW, DQ, VL, CD, VPOPCNTDQ, VBMI and VNNI.
var AVX512 = &Target{name: "AVX-512", has: Masks, width: x86.W512, vectors: 32, room: 26, rules: rules512,
	immediates: immediates512, evex: map[x86.Op]x86.Op{x86.VPAND: x86.VPANDD, x86.VPANDN: x86.VPANDND,
		x86.VPOR: x86.VPORD, x86.VPXOR: x86.VPXORD}}

// rules512 are operations that are one instruction with the operands in order.
var rules512 = with(rules256, [ssa.Codes][2]x86.Op{
	ssa.Mul: {x86.VPMULLD, x86.VPMULLQ}, ssa.Sar: {x86.VPSRAVD, x86.VPSRAVQ}, ssa.Popc: {x86.VPOPCNTD, x86.VPOPCNTQ},
	ssa.And: {x86.VPANDD, x86.VPANDQ}, ssa.Or: {x86.VPORD, x86.VPORQ}, ssa.Xor: {x86.VPXORD, x86.VPXORQ},
	ssa.MinS: {x86.VPMINSD, x86.VPMINSQ}, ssa.MaxS: {x86.VPMAXSD, x86.VPMAXSQ},
	ssa.MinU: {x86.VPMINUD, x86.VPMINUQ}, ssa.MaxU: {x86.VPMAXUD, x86.VPMAXUQ}, ssa.U2F: {x86.VCVTUDQ2PS},
	ssa.FRound: {x86.VRNDSCALEPS, x86.VRNDSCALEPD},
})

// immediates512 are shifts by a constant.
var immediates512 = with(immediates256, [ssa.Codes][2]x86.Op{ssa.Sar: {x86.VPSRAD, x86.VPSRAQ}})

// with is a table with other lines in place of some.
func with(table, other [ssa.Codes][2]x86.Op) [ssa.Codes][2]x86.Op {
	for c, ops := range other {
		if ops[0] != 0 {
			table[c] = ops
		}
	}
	return table
}

// sequence512 are operations that are several instructions; 0 if they are those of AVX2.
func (s *selector) sequence512(o *ssa.Op, w, i int) isel.VReg {
	switch o.Code {
	case ssa.Select:
		return s.blendMasked(o, w, i)
	case ssa.Canon, ssa.Canon2:
		x := s.part(o.A, i)
		nan := s.compareWith(&op{code: x86.VCMPPSK, form: formKVI, imm: comparisons[ssa.FUnord].pred}, 0, x, x)
		return s.under(x86.VPBLENDMD, nan, x, s.splat(0x7fffffff))
	case ssa.DivU, ssa.RemU:
		if w == 0 {
			return s.quotientsOfWords(o.Code, s.part(o.A, i), s.part(o.B, i))
		}
		return s.quotientsWide(o.Code, s.part(o.A, i), s.part(o.B, i))
	}
	return 0
}

// under is an instruction on vectors under a mask; the last operand may be in memory.
func (s *selector) under(code x86.Op, mask isel.VReg, uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{code: code, form: formV, size: uint8(s.isa.width), masked: true}, Defs: []isel.VReg{d},
		Uses: append(uses, mask), Fold: int8(len(uses))})
	return d
}

// maskFor is the mask of vector i of lanes of a width.
func (s *selector) maskFor(v ssa.Value, w, i int) isel.VReg {
	if w == 1 {
		return s.wide(v, i)
	}
	return s.part(v, i)
}

// blendMasked is a select; what it takes where the mask is on may be what a load has waited for.
func (s *selector) blendMasked(o *ssa.Op, w, i int) isel.VReg {
	code := [2]x86.Op{x86.VPBLENDMD, x86.VPBLENDMQ}[w]
	m, y := s.maskFor(o.A, w, i), s.part(o.C, i)
	if o.B == o.C || !s.folds(o.B, i) {
		return s.under(code, m, y, s.part(o.B, i))
	}
	e := s.loads[o.B]
	at, base := s.address(e, s.displacement(e, o.B, i))
	at.use = 1
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{code: code, form: formLoadV, size: uint8(s.isa.width), masked: true, mem: at},
		Defs: []isel.VReg{d}, Uses: []isel.VReg{y, base, m}})
	return d
}

// permuted2 takes lanes of two vectors in the order that a constant says: from n on they are the second's.
func (s *selector) permuted2(code x86.Op, a, b isel.VReg, order isel.Const) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{code: code, form: formTied, size: uint8(s.isa.width)}, Defs: []isel.VReg{d},
		Uses: []isel.VReg{a, s.out.Constant(isel.Vector, order), b}, Fold: 3})
	return d
}

// ordered is a constant of words: what of says of each lane.
func ordered(of func(lane int) int) isel.Const {
	var k [16]uint32
	for lane := range k {
		k[lane] = uint32(of(lane))
	}
	return words(k[:]...)
}

// every takes lane n and every second behind it of two vectors.
func (s *selector) every(a, b isel.VReg, n int) isel.VReg {
	return s.permuted2(x86.VPERMT2D, a, b, ordered(func(lane int) int { return 2*lane + n }))
}

// quotientsOfWords divides by way of doubles: the quotient of two words differs from the next integer by more than
// its rounding. By 0 it is infinite or no number, of which the conversion makes all ones.
func (s *selector) quotientsOfWords(c ssa.Code, a, b isel.VReg) isel.VReg {
	half := func(high int) isel.VReg {
		x, y := a, b
		if high == 1 {
			x, y = s.imm(x86.VEXTRACTI64X4, 1, a), s.imm(x86.VEXTRACTI64X4, 1, b)
		}
		q := s.vector(x86.VDIVPD, s.vector(x86.VCVTUDQ2PD, x), s.vector(x86.VCVTUDQ2PD, y))
		return s.vector(x86.VCVTTPD2UDQ, q)
	}
	low := half(0)
	q := s.joinedHalves(low, half(1))
	if c == ssa.DivU {
		return q
	}
	rest := s.vector(x86.VPSUBD, a, s.vector(x86.VPMULLD, q, b))
	d := s.masks(1)
	s.emit(&isel.Inst{Op: &op{code: x86.VPTESTNMD, form: formKV, size: uint8(s.isa.width)}, Defs: d,
		Uses: []isel.VReg{b, b}})
	return s.under(x86.VPBLENDMD, d[0], rest, s.splat(0xffffffff))
}

// combined512 is what an operation makes of the lanes of a vector.
func (s *selector) combined512(r isel.VReg, code x86.Op) isel.VReg {
	r = s.vector(code, r, s.imm(x86.VSHUFI64X2, 0x4e, r, r))
	r = s.vector(code, r, s.imm(x86.VSHUFI64X2, 0xb1, r, r))
	r = s.vector(code, r, s.imm(x86.VPSHUFD, 0x4e, r))
	return s.low(s.vector(code, r, s.imm(x86.VPSHUFD, 0xb1, r)))
}

// runs512 tells whether each lane of a word is one more than the one before, and the last does not wrap.
func (s *selector) runs512(v ssa.Value) isel.VReg {
	first := s.low(s.part(v, 0))
	all, limit := s.spread(first, ssa.W), int32(1<<31-s.f.LanesOf(v)) // 0x7fffffff less the lanes behind the first
	var uses []isel.VReg
	for i := range s.partsOf(v) {
		want := s.vector(x86.VPADDD, all, s.steps32(i, 1))
		uses = append(uses, s.compareWith(&op{code: x86.VPCMPD, form: formKVI, imm: comparisons[ssa.Ne].pred}, 0, want,
			s.part(v, i)))
	}
	flags := flagsOf(ssa.Any, len(uses))
	d := s.out.NewReg(isel.General)
	run := func(c *code) {
		c.Zero(c.t(0))
		c.Set(flags(c).Not(), c.t(0))
		c.RI(x86.CMP, x86.S32, c.u(len(uses)), limit)
		c.set(x86.LE, c.g(0))
		c.RR(x86.AND, x86.S32, c.g(0), c.t(0))
	}
	s.emit(&isel.Inst{Op: &op{name: "runs", run: run}, Defs: []isel.VReg{d}, Uses: append(uses, first),
		Temps: s.temps(1, 0), Early: true})
	return d
}
