package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has the operations on lanes: for words, and for 64 bits.

// rules256 are operations that are one instruction with the operands in order.
var rules256 = [ssa.Codes][2]x86.Op{
	ssa.Add: {x86.VPADDD, x86.VPADDQ}, ssa.Sub: {x86.VPSUBD, x86.VPSUBQ}, ssa.Mul: {x86.VPMULLD},
	ssa.And: {x86.VPAND, x86.VPAND}, ssa.Or: {x86.VPOR, x86.VPOR}, ssa.Xor: {x86.VPXOR, x86.VPXOR},
	ssa.MinS: {x86.VPMINSD}, ssa.MaxS: {x86.VPMAXSD}, ssa.MinU: {x86.VPMINUD}, ssa.MaxU: {x86.VPMAXUD},
	ssa.FAdd: {x86.VADDPS, x86.VADDPD}, ssa.FSub: {x86.VSUBPS, x86.VSUBPD}, ssa.FMul: {x86.VMULPS,
		x86.VMULPD}, ssa.FDiv: {x86.VDIVPS, x86.VDIVPD},
	ssa.FMin: {x86.VMINPS, x86.VMINPD}, ssa.FMax: {x86.VMAXPS, x86.VMAXPD}, ssa.FSqrt: {x86.VSQRTPS, x86.VSQRTPD},
	ssa.FAdd2: {0, x86.VADDPS}, ssa.FSub2: {0, x86.VSUBPS}, ssa.FMul2: {0, x86.VMULPS},
	ssa.FRound: {x86.VROUNDPS, x86.VROUNDPD},
	ssa.I2F:    {x86.VCVTDQ2PS}, ssa.F2I: {x86.VCVTTPS2DQ}, ssa.Dot16: {x86.VPMADDWD}, ssa.MulHi16: {x86.VPMULHUW}, ssa.Eq: {x86.VPCMPEQD, x86.VPCMPEQQ},
	ssa.Shl: {x86.VPSLLVD, x86.VPSLLVQ}, ssa.Shr: {x86.VPSRLVD, x86.VPSRLVQ}, ssa.Sar: {x86.VPSRAVD},
}

// immediates256 are shifts by a constant.
var immediates256 = [ssa.Codes][2]x86.Op{ssa.Shl: {x86.VPSLLD, x86.VPSLLQ}, ssa.Shr: {x86.VPSRLD, x86.VPSRLQ},
	ssa.Sar: {x86.VPSRAD}}

// resized are operations whose result has another width than the operand.
var resized = map[ssa.Code]x86.Op{ssa.Zext: x86.VPMOVZXDQ, ssa.Sext: x86.VPMOVSXDQ, ssa.F2D: x86.VCVTPS2PD, ssa.I2D: x86.VCVTDQ2PD,
	ssa.D2F: x86.VCVTPD2PS, ssa.D2I: x86.VCVTTPD2DQ}

// floatComparisons are the immediates of vcmpps: none of them holds of a NaN but the last.
var floatComparisons = [ssa.Codes]int64{ssa.FEq: 0, ssa.FLt: 17, ssa.FLe: 18, ssa.FUnord: 3}

// greater are comparisons of integers that can be said by "greater than".
var greater = [2]x86.Op{x86.VPCMPGTD, x86.VPCMPGTQ}

// exchangeable are the operations whose first operand may be the one that is in memory; those of f64 are not, of which the first NaN
// counts.
var exchangeable = [ssa.Codes]bool{ssa.Add: true, ssa.Mul: true, ssa.And: true, ssa.Or: true, ssa.Xor: true,
	ssa.MinS: true, ssa.MaxS: true,
	ssa.MinU: true, ssa.MaxU: true, ssa.Dot16: true, ssa.MulHi16: true, ssa.FAdd: true, ssa.FMul: true, ssa.Eq: true, ssa.FAdd2: true, ssa.FMul2: true}

// width is the place of an operation in the tables: by its operands, where they are wider than its result.
func (s *selector) width(o *ssa.Op) int {
	if o.Type == ssa.X || o.N > 0 && !o.Code.Narrows() && s.f.TypeOf(o.Operands()[o.N-1]) == ssa.X {
		return 1
	}
	return 0
}

// computeLanes selects part of an operation on lanes.
func (s *selector) computeLanes(k key) {
	o, i := &s.f.Ops[k.v], int(k.part)
	w := s.width(o)
	r := isel.VReg(0)
	switch {
	case o.Type == ssa.M && s.isa.Has(Masks):
		r = s.maskOf(o, w, i)
	case o.Code == ssa.Bcast:
		r = s.part(o.A, 0)
	case o.Code == ssa.Shuffle:
		r = s.shuffled(o, i)
	case o.Code.Widens():
		r = s.half(resized[o.Code], s.part(o.A, i/2), i%2)
	case o.Code == ssa.Trunc:
		r = s.even(s.part(o.A, 2*i), s.part(o.A, 2*i+1))
	case o.Code.Narrows():
		low := s.vector(resized[o.Code], s.part(o.A, 2*i))
		r = s.joinedHalves(low, s.vector(resized[o.Code], s.part(o.A, 2*i+1)))
	case o.Type == ssa.M && w == 1:
		r = s.even(s.vectorOf(o, 1, 2*i), s.vectorOf(o, 1, 2*i+1))
	default:
		r = s.vectorOf(o, w, i)
	}
	s.note(k, r, s.block)
}

// even is the low words of the lanes of two vectors.
func (s *selector) even(a, b isel.VReg) isel.VReg {
	if s.isa.Has(Masks) {
		return s.every(a, b, 0)
	}
	return s.imm(x86.VPERMQ, 0xd8, s.imm(x86.VSHUFPS, 0x88, a, b))
}

// joinedHalves puts the second low half behind the first.
func (s *selector) joinedHalves(low, high isel.VReg) isel.VReg {
	if s.isa.Has(Masks) {
		return s.imm(x86.VINSERTI64X4, 1, low, high)
	}
	return s.imm(x86.VINSERTI128, 1, low, high)
}

// vectorOf is one vector of an operation.
func (s *selector) vectorOf(o *ssa.Op, w, i int) isel.VReg {
	if r := s.masked(o, w, i); r != 0 {
		return r
	}
	s.operandsFirst(o, w, i)
	if k, ok := s.f.Known(o.B); ok && s.isa.immediates[o.Code][w] != 0 && k < uint64(o.Type.Bits()) {
		return s.imm(s.isa.immediates[o.Code][w], int64(k), s.part(o.A, i))
	}
	if o.Code >= ssa.FEq && o.Code <= ssa.FUnord {
		return s.imm([2]x86.Op{x86.VCMPPS, x86.VCMPPD}[w], floatComparisons[o.Code], s.part(o.A, i), s.part(o.B, i))
	}
	if o.Code == ssa.Mul && w == 1 {
		if r := s.productOfWords(o, i); r != 0 {
			return r
		}
	}
	if code := s.isa.rules[o.Code][w]; code != 0 {
		switch {
		case o.Code == ssa.FRound:
			return s.imm(code, int64(o.Imm), s.part(o.A, i))
		case o.N == 1:
			return s.vector(code, s.part(o.A, i))
		}
		return s.binary(code, o, i)
	}
	if r := s.sequence(o, w, i); r != 0 {
		return r
	}
	refuse("there is no rule for %v.%v of lanes", o.Code, o.Type)
	return 0
}

// masked: m & ~n is one instruction, where ~n has not been wanted for anything else so far. What is made by turning another comparison
// is such a ~n, too, if nothing else wants it.
func (s *selector) masked(o *ssa.Op, w, i int) isel.VReg {
	if o.Code != ssa.And || o.Type != ssa.M {
		return 0
	}
	for _, p := range [2][2]ssa.Value{{o.A, o.B}, {o.B, o.A}} {
		n := &s.f.Ops[p[1]]
		if s.f.IsNum(p[1]) {
			continue
		}
		if _, there := s.look(key{p[1], asPart, int16(i)}); there {
			continue
		}
		switch turned := s.uses[p[1]] == 1 && s.width(n) == 0 && s.open(p[1]); {
		case n.Code == ssa.Not:
			x, y := s.part(n.A, i), s.part(p[0], i)
			s.other(n.A, p[0], i)
			return s.vector(x86.VPANDN, x, y)
		case n.Code == ssa.Ne && turned:
			x := s.part(n.A, i)
			return s.vector(x86.VPANDN, s.vector(x86.VPCMPEQD, x, s.part(n.B, i)), s.part(p[0], i))
		case n.Code == ssa.LeS && turned:
			x := s.part(n.A, i)
			return s.vector(x86.VPANDN, s.vector(x86.VPCMPGTD, x, s.part(n.B, i)), s.part(p[0], i))
		}
	}
	return 0
}

// other computes part i of what two masks have both, when what only one of them has is computed: where lanes part each arm takes
// one of these, and the first two are wanted no more.
func (s *selector) other(m, n ssa.Value, i int) {
	v := s.both[[2]ssa.Value{min(m, n), max(m, n)}]
	if v != 0 && s.wanted[v] > 0 && s.placed[v] == s.ssa && s.stub == nil {
		s.part(v, i)
	}
}

// binary is an instruction of two operands, of which the second may be what a load has waited for.
func (s *selector) binary(code x86.Op, o *ssa.Op, i int) isel.VReg {
	a, b := o.A, o.B
	either := exchangeable[o.Code] && !(o.Type == ssa.X && o.Code >= ssa.FAdd && o.Code <= ssa.FMul)
	if either && !s.folds(b, i) && s.folds(a, i) {
		a, b = b, a
	}
	if a == b || !s.folds(b, i) {
		x := s.part(a, i)
		return s.vector(code, x, s.part(b, i))
	}
	x, e := s.part(a, i), s.loads[b]
	if !s.folds(b, i) { // it was loaded on the way
		return s.vector(code, x, s.part(b, i))
	}
	m, base := s.address(e, s.displacement(e, b, i))
	d := s.out.NewReg(isel.Vector)
	m.use = 1
	s.emit(&isel.Inst{Op: &op{code: code, form: formLoadV, size: uint8(s.isa.width), mem: m}, Defs: []isel.VReg{d},
		Uses: []isel.VReg{x, base}})
	return d
}

// sequence are operations that are several instructions.
func (s *selector) sequence(o *ssa.Op, w, i int) isel.VReg {
	if s.isa.Has(Masks) {
		if r := s.sequence512(o, w, i); r != 0 {
			return r
		}
	}
	a := func() isel.VReg { return s.part(o.A, i) }
	b := func() isel.VReg { return s.part(o.B, i) }
	switch o.Code {
	case ssa.Not:
		return s.vector(x86.VPXOR, a(), s.splat(0xffffffff))
	case ssa.Ne:
		return s.not(s.vector(rules256[ssa.Eq][w], a(), b()))
	case ssa.LtS:
		x := a()
		return s.vector(greater[w], b(), x)
	case ssa.LeS:
		x := a()
		return s.not(s.vector(greater[w], x, b()))
	case ssa.LtU, ssa.LeU:
		return s.unsigned(o.Code, w, a(), b())
	case ssa.Select:
		return s.blend(o, w, i)
	case ssa.FFma:
		return s.fma(o, w, i)
	case ssa.FFma2:
		return s.fma(o, 0, i)
	case ssa.Canon, ssa.Canon2:
		x := a()
		return s.vector(x86.VBLENDVPS, x, s.splat(0x7fffffff), s.imm(x86.VCMPPS, 3, x, x))
	case ssa.MinS, ssa.MaxS, ssa.MinU, ssa.MaxU:
		return s.extreme(o.Code, a(), b())
	case ssa.Sar:
		sign := s.vector(x86.VPCMPGTQ, s.splat(0), a())
		return s.vector(x86.VPXOR, s.vector(x86.VPSRLVQ, s.vector(x86.VPXOR, a(), sign), b()), sign)
	case ssa.Mul:
		return s.wideProduct(a(), b())
	case ssa.MulHiU, ssa.MulHiS:
		return s.highProducts(o.Code, a(), b())
	case ssa.Popc:
		return s.counted(w, a())
	case ssa.U2F:
		return s.fromUnsigned(a())
	case ssa.H2F:
		return s.vector(x86.VCVTPH2PS, s.halvesPacked(a()))
	case ssa.F2H:
		return s.vector(x86.VPMOVZXWD, s.imm(x86.VCVTPS2PH, int64(o.Imm), a()))
	case ssa.Perm:
		return s.permuted(o, i)
	case ssa.Lookup:
		return s.lookup(o, i)
	case ssa.DivU, ssa.RemU:
		if w == 0 {
			return s.quotientsByDoubles(o.Code, a(), b())
		}
		return s.quotients(o, w, a(), b())
	}
	return 0
}

func (s *selector) not(v isel.VReg) isel.VReg { return s.vector(x86.VPXOR, v, s.splat(0xffffffff)) }

// unsigned compares without sign: signed, with the highest bits turned.
func (s *selector) unsigned(c ssa.Code, w int, a, b isel.VReg) isel.VReg {
	if w == 0 && c == ssa.LeU {
		return s.vector(x86.VPCMPEQD, s.vector(x86.VPMINUD, a, b), a)
	}
	turn := s.splat(1 << 31)
	if w == 1 {
		turn = s.splatX(1 << 63)
	}
	a, b = s.vector(x86.VPXOR, a, turn), s.vector(x86.VPXOR, b, turn)
	if c == ssa.LtU {
		return s.vector(greater[w], b, a)
	}
	return s.not(s.vector(greater[w], a, b))
}

// blend is a select.
func (s *selector) blend(o *ssa.Op, w, i int) isel.VReg {
	m := isel.VReg(0)
	if w == 1 {
		m = s.wide(o.A, i)
	} else {
		m = s.part(o.A, i)
	}
	x := s.part(o.B, i)
	return s.vector(x86.VBLENDVPS, s.part(o.C, i), x, m)
}

// fma is a·b + c; one factor may be what a load has waited for.
func (s *selector) fma(o *ssa.Op, w, i int) isel.VReg {
	a, b := o.A, o.B
	if !s.folds(b, i) && s.folds(a, i) {
		a, b = b, a
	}
	x, c := s.part(a, i), s.part(o.C, i)
	d := s.out.NewReg(isel.Vector)
	inst := &isel.Inst{Op: &op{code: x86.VFMADD213PS, form: formFMA, size: uint8(s.isa.width), imm: int64(w)},
		Defs: []isel.VReg{d}}
	if a != b && s.folds(b, i) {
		e := s.loads[b]
		m, base := s.address(e, s.displacement(e, b, i))
		m.use = 2
		inst.Op.(*op).mem = m
		inst.Uses = []isel.VReg{x, c, base}
	} else {
		inst.Uses, inst.Fold = []isel.VReg{x, c, s.part(b, i)}, 3
	}
	s.emit(inst)
	return d
}

// extreme is the least or the largest of lanes of 64 bits.
func (s *selector) extreme(c ssa.Code, a, b isel.VReg) isel.VReg {
	var more isel.VReg // where a is larger
	if c == ssa.MinS || c == ssa.MaxS {
		more = s.vector(x86.VPCMPGTQ, a, b)
	} else {
		more = s.unsigned(ssa.LtU, 1, b, a)
	}
	if c == ssa.MinS || c == ssa.MinU {
		return s.vector(x86.VBLENDVPD, a, b, more)
	}
	return s.vector(x86.VBLENDVPD, b, a, more)
}
