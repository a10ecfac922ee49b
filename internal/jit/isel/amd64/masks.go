package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has masks of targets that have registers for them: a bit for each lane of a vector, zeros above. A
// comparison is made under the mask that it is combined with:
//
//	m & (a < b)      vpcmpd k1 {k2}, a, b, lt
//	~(a < b)         vpcmpd k1, a, b, nlt

// comparison is an instruction that compares lanes into a mask: for words, and for 64 bits.
type comparison struct {
	code [2]x86.Op
	pred int64
}

// negation turns a predicate into its opposite, of integers and of floats.
const negation = 4

var (
	signedLanes   = [2]x86.Op{x86.VPCMPD, x86.VPCMPQ}
	unsignedLanes = [2]x86.Op{x86.VPCMPUD, x86.VPCMPUQ}
	floatLanes    = [2]x86.Op{x86.VCMPPSK, x86.VCMPPDK}
)

// comparisons are those of lanes.
var comparisons = map[ssa.Code]comparison{
	ssa.Eq: {signedLanes, 0}, ssa.Ne: {signedLanes, 4}, ssa.LtS: {signedLanes, 1}, ssa.LeS: {signedLanes, 2},
	ssa.LtU: {unsignedLanes, 1}, ssa.LeU: {unsignedLanes, 2},
	ssa.FEq: {floatLanes, 0}, ssa.FLt: {floatLanes, 17}, ssa.FLe: {floatLanes, 18}, ssa.FUnord: {floatLanes, 3},
}

// masksLogic are operations on masks.
var masksLogic = map[ssa.Code]x86.Op{ssa.And: x86.KANDW, ssa.Or: x86.KORW, ssa.Xor: x86.KXORW}

// maskOf is the mask of vector i of words.
func (s *selector) maskOf(o *ssa.Op, w, i int) isel.VReg {
	switch {
	case o.Code == ssa.Bcast:
		return s.part(o.A, 0)
	case o.Code == ssa.Not:
		if s.comparedOnce(o.A, i) {
			return s.compareLanes(&s.f.Ops[o.A], 0, i, negation, 0)
		}
		return s.logic(x86.KNOTW, s.part(o.A, i))
	case o.Code == ssa.And:
		return s.maskAnd(o, i)
	case masksLogic[o.Code] != 0:
		x := s.part(o.A, i)
		return s.logic(masksLogic[o.Code], x, s.part(o.B, i))
	case o.Code == ssa.Select:
		m := s.part(o.A, i)
		x, y := s.logic(x86.KANDW, m, s.part(o.B, i)), s.logic(x86.KANDNW, m, s.part(o.C, i))
		return s.logic(x86.KORW, x, y)
	case w == 1:
		low := s.compareLanes(o, 1, 2*i, 0, 0)
		return s.logic(x86.KUNPCKBW, s.compareLanes(o, 1, 2*i+1, 0, 0), low)
	}
	return s.compareLanes(o, 0, i, 0, 0)
}

// comparedOnce tells whether a mask is a comparison of words that is not made yet, and wanted here alone.
func (s *selector) comparedOnce(v ssa.Value, i int) bool {
	o := &s.f.Ops[v]
	if _, ok := comparisons[o.Code]; !ok || s.f.IsNum(v) || s.uses[v] > 1 || s.width(o) == 1 {
		return false
	}
	_, there := s.look(key{v, asPart, int16(i)})
	return !there && (s.stub != nil || s.placed[v] == nil || s.placed[v] == s.ssa)
}

// maskAnd combines masks: a comparison is made under the other, ~n is no instruction of its own.
func (s *selector) maskAnd(o *ssa.Op, i int) isel.VReg {
	for _, p := range [2][2]ssa.Value{{o.A, o.B}, {o.B, o.A}} {
		n := &s.f.Ops[p[1]]
		not := n.Code == ssa.Not && !s.f.IsNum(p[1]) && s.uses[p[1]] == 1
		if _, there := s.look(key{p[1], asPart, int16(i)}); there {
			continue
		}
		switch {
		case s.comparedOnce(p[1], i):
			return s.compareLanes(n, 0, i, 0, s.part(p[0], i))
		case not && s.comparedOnce(n.A, i):
			return s.compareLanes(&s.f.Ops[n.A], 0, i, negation, s.part(p[0], i))
		case not:
			x, y := s.part(n.A, i), s.part(p[0], i)
			s.other(n.A, p[0], i)
			return s.logic(x86.KANDNW, x, y)
		}
	}
	x := s.part(o.A, i)
	return s.logic(x86.KANDW, x, s.part(o.B, i))
}

// compareLanes compares vector i of two values, under a mask if there is one.
func (s *selector) compareLanes(o *ssa.Op, w, i int, turn int64, under isel.VReg) isel.VReg {
	how := comparisons[o.Code]
	s.operandsFirst(o, w, i)
	x := s.part(o.A, i)
	if o.A != o.B && s.folds(o.B, i) {
		e := s.loads[o.B]
		m, base := s.address(e, s.displacement(e, o.B, i))
		m.use = 1
		return s.compareWith(&op{code: how.code[w], form: formLoadKVI, imm: how.pred ^ turn, mem: m}, under, x, base)
	}
	return s.compareWith(&op{code: how.code[w], form: formKVI, imm: how.pred ^ turn}, under, x, s.part(o.B, i))
}

// compareWith emits a comparison into a mask.
func (s *selector) compareWith(o *op, under isel.VReg, uses ...isel.VReg) isel.VReg {
	o.size = uint8(s.isa.width)
	i := &isel.Inst{Op: o, Defs: s.masks(1), Uses: uses}
	if o.form != formLoadKVI {
		i.Fold = 2
	}
	if under != 0 {
		o.masked, i.Uses = true, append(i.Uses, under)
	}
	s.emit(i)
	return i.Defs[0]
}

// logic is an operation on masks.
func (s *selector) logic(code x86.Op, uses ...isel.VReg) isel.VReg {
	d := s.masks(1)
	s.emit(&isel.Inst{Op: &op{code: code, form: formK}, Defs: d, Uses: uses})
	return d[0]
}

// masks makes registers of masks.
func (s *selector) masks(n int) (list []isel.VReg) {
	for range n {
		list = append(list, s.out.NewReg(isel.Mask))
	}
	return list
}

// maskParts are the masks of all vectors of words.
func (s *selector) maskParts(v ssa.Value) (list []isel.VReg) {
	for i := range s.partsOf(v) {
		list = append(list, s.part(v, i))
	}
	return list
}

// bitsOfMasks is a mask of 16 or 32 lanes as bits of a number.
func (s *selector) bitsOfMasks(v ssa.Value) isel.VReg {
	low := s.part(v, 0)
	if s.f.LanesOf(v) == 16 {
		return s.plain("bits", func(c *code) { c.RK(x86.KMOVW, c.g(0), c.uk(0)) }, low)
	}
	return s.plain("bits", func(c *code) {
		c.KKK(x86.KUNPCKWD, kTemp, c.uk(1), c.uk(0))
		c.RK(x86.KMOVD, c.g(0), kTemp)
	}, low, s.part(v, 1))
}

// anyOf and allOf set flags: any where a lane of masks is on, all where all are.
func (c *code) anyOf(n int) x86.Cond {
	c.KK(x86.KORTESTW, c.uk(0), c.uk(n-1))
	return x86.NE
}

func (c *code) allOf(n int) x86.Cond {
	if n == 1 {
		c.KK(x86.KORTESTW, c.uk(0), c.uk(0))
	} else {
		c.KKK(x86.KANDW, kTemp, c.uk(0), c.uk(1))
		c.KK(x86.KORTESTW, kTemp, kTemp)
	}
	return x86.B
}

// reducedMask is the number that tells whether some or all lanes are on.
func (s *selector) reducedMask(o *ssa.Op) isel.VReg {
	parts := s.maskParts(o.A)
	flags := flagsOf(o.Code, len(parts))
	return s.plain(o.Code.String(), func(c *code) { c.set(flags(c), c.g(0)) }, parts...)
}

// flagsOf writes a test of so many masks, two at most.
func flagsOf(what ssa.Code, n int) func(c *code) x86.Cond {
	if n > 2 {
		refuse("masks of %d vectors", n)
	}
	if what == ssa.Any {
		return func(c *code) x86.Cond { return c.anyOf(n) }
	}
	return func(c *code) x86.Cond { return c.allOf(n) }
}

// maskFrom is a truth value in every lane.
func (s *selector) maskFrom(r isel.VReg) isel.VReg {
	return s.run1("kmov", isel.Mask, func(c *code) {
		if c.inMemory(0) {
			c.KM(x86.KMOVW, c.k(0), c.at(0))
			return
		}
		c.KR(x86.KMOVW, c.k(0), c.u(0))
	}, r)
}

// highMask is the mask of the second half of a vector's lanes.
func (s *selector) highMask(m isel.VReg) isel.VReg {
	d := s.masks(1)
	s.emit(&isel.Inst{Op: &op{code: x86.KSHIFTRW, form: formKI, imm: int64(s.isa.lanes(ssa.X)), has: true}, Defs: d,
		Uses: []isel.VReg{m}})
	return d[0]
}

// moveMask brings a mask from place to place.
func (e *encoder) moveMask(m regalloc.Move) {
	to := kTemp
	if m.To.IsReg() {
		to = x86.K(m.To)
	}
	k, constant := e.homes.Func.Const(m.Value)
	switch constant = constant && m.From == regalloc.Pool; {
	case m.From.IsReg() && m.To.IsReg():
		e.x.KK(x86.KMOVW, to, x86.K(m.From))
	case m.From.IsReg():
		to = x86.K(m.From)
	case constant && k == words(0):
		e.x.KKK(x86.KXORW, to, to, to)
	case constant && k == words(0xffffffff):
		e.x.KKK(x86.KXNORW, to, to, to)
	default:
		e.x.KM(x86.KMOVW, to, e.place(m.Value, m.From))
	}
	if !m.To.IsReg() {
		e.x.MK(x86.KMOVW, e.place(m.Value, m.To), to)
	}
}
