package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has stores. What a test in front has found to be inside is stored by vectors where lanes follow each other.

func (s *selector) store(e *ssa.Effect) {
	a := e.Access
	k, known := s.f.Known(e.Mask)
	full := known && k != 0
	switch {
	case known && k == 0:
	case full && a.Check != 0 && s.f.Table(a.Index) != nil && s.storeKnown(e):
	case s.areWords(e, full):
		s.storeWords(e, full)
	case a.Check == 0 && s.storePieces(e):
	case s.isa.Has(Masks) && s.storeUnder(e, full):
	case a.Check == 0:
		s.storeTested(e)
	case a.Index != 0:
		s.storeLanes(e, false)
	case a.Step == int64(a.Elem) && a.Count == 1 && s.whole(a, e.Args[0]) && (full || a.Elem == 4 && !s.f.IsNum(e.Mask)):
		s.storeWhole(e, full)
	case full && a.Step == int64(a.Elem) && a.Count == 1 && a.Elem < 4 && s.lanesIn() == 32:
		s.storeNarrow(e)
	case full && a.Elem == 1 && a.Count == 4 && a.Step == 4:
		s.storeBytes(e)
	case full && a.Count == 1 && s.f.TypeOf(e.Args[0]) == ssa.W && a.Elem <= 4:
		s.storeApart(e)
	default:
		s.storeLanes(e, false)
	}
}

// lanesIn is how many lanes the running block's group has, of an exit that of the block where it is taken.
func (s *selector) lanesIn() int {
	if s.stub != nil {
		return s.f.LanesIn(s.stub.from.ssa)
	}
	return s.f.LanesIn(s.ssa)
}

// storeVector stores a vector behind the base of an access.
func (s *selector) storeVector(e *ssa.Effect, disp int64, v isel.VReg) {
	m, base := s.address(e, disp)
	m.use = 1
	s.emit(&isel.Inst{Op: &op{code: x86.VMOVUPS, form: formStore, size: uint8(s.isa.width), mem: m},
		Uses: []isel.VReg{v, base}})
}

// storeWhole stores words or lanes of 64 bits that follow each other: of part of the lanes, masked.
func (s *selector) storeWhole(e *ssa.Effect, full bool) {
	a, v := e.Access, e.Args[0]
	n := s.vectorsOf(s.lanesIn(), s.f.TypeOf(v))
	values, masks := make([]isel.VReg, n), make([]isel.VReg, n)
	for i := range n {
		if values[i] = s.part(v, i); !full {
			masks[i] = s.part(e.Mask, i)
		}
	}
	for i := range n {
		disp := a.Disp + int64(s.lanesIn()/n*i)*a.Step
		if full {
			s.storeVector(e, disp, values[i])
			continue
		}
		m, base := s.address(e, disp)
		m.use = 2
		run := func(c *code) { c.storeMasked(&m) }
		s.perform("store masked", run, s.temps(1, 0), values[i], masks[i], base)
	}
}

// storeMasked stores words: all at once where all are on, since masked stores take long.
func (c *code) storeMasked(m *mem) {
	some, end := c.NewLabel(), c.NewLabel()
	c.RV(x86.VMOVMSKPS, x86.W256, c.t(0), c.uv(1))
	c.RI(x86.CMP, x86.S32, c.t(0), 0xff)
	c.Jcc(x86.NE, some)
	c.MV(x86.VMOVUPS, x86.W256, c.mem(m), c.uv(0))
	c.Jmp(end)
	c.Bind(some)
	c.RR(x86.TEST, x86.S32, c.t(0), c.t(0))
	c.Jcc(x86.E, end)
	c.MVV(x86.VPMASKMOVD, x86.W256, c.mem(m), c.uv(1), c.uv(0))
	c.Bind(end)
}

// storeNarrow stores the low bytes or halves of 32 words.
func (s *selector) storeNarrow(e *ssa.Effect) {
	a, v := e.Access, e.Args[0]
	if a.Elem == 1 {
		s.storeVector(e, a.Disp, s.bytesOf(v))
		return
	}
	low := s.splat(0xffff)
	var halves [2]isel.VReg
	for i := range halves {
		x := s.vector(x86.VPACKUSDW, s.vector(x86.VPAND, s.part(v, 2*i), low), s.vector(x86.VPAND, s.part(v, 2*i+1), low))
		halves[i] = s.imm(x86.VPERMQ, 0xd8, x)
	}
	for i, x := range halves {
		s.storeVector(e, a.Disp+int64(32*i), x)
	}
}

// bytesOf is the low byte of each of 32 words.
func (s *selector) bytesOf(v ssa.Value) isel.VReg {
	low := func(i int) isel.VReg {
		if s.f.Limit(v) <= 255 {
			return s.part(v, i)
		}
		return s.vector(x86.VPAND, s.part(v, i), s.splat(255))
	}
	x := s.vector(x86.VPACKUSDW, low(0), low(1))
	x = s.vector(x86.VPACKUSWB, x, s.vector(x86.VPACKUSDW, low(2), low(3)))
	return s.vector(x86.VPERMD, s.out.Constant(isel.Vector, words(0, 4, 1, 5, 2, 6, 3, 7)), x)
}

// storeBytes stores four bytes of each lane.
func (s *selector) storeBytes(e *ssa.Effect) {
	a := e.Access
	for i := range s.vectorsOf(s.lanesIn(), ssa.W) {
		r := isel.VReg(0)
		for k, v := range e.Args {
			x := s.part(v, i)
			if k < 3 && s.f.Limit(v) > 255 {
				x = s.vector(x86.VPAND, x, s.splat(255))
			}
			if k > 0 {
				x = s.vector(x86.VPOR, r, s.imm(x86.VPSLLD, int64(8*k), x))
			}
			r = x
		}
		s.storeVector(e, a.Disp+int64(s.isa.bytes()*i), r)
	}
}

// storeApart stores all lanes, which are a constant number of bytes apart.
func (s *selector) storeApart(e *ssa.Effect) {
	a := e.Access
	n := s.isa.lanes(ssa.W)
	for i := range s.lanesIn() / n {
		m, base := s.address(e, a.Disp+int64(n*i)*a.Step)
		m.use = 1
		run := func(c *code) { c.scatter(a, m) }
		s.perform("store apart", run, s.temps(0, 1), s.part(e.Args[0], i), base)
	}
}

// scatter stores the lanes of a vector of words in ascending order.
func (c *code) scatter(a *ssa.Access, m mem) {
	extract := x86.VEXTRACTI128
	if c.e.isa.Has(Masks) {
		extract = x86.VEXTRACTI32X4
	}
	for lane := range c.e.isa.lanes(ssa.W) {
		from := c.uv(0)
		if lane >= 4 {
			from = c.tv(0)
		}
		if lane%4 == 0 && lane > 0 {
			c.VVI(extract, c.width(), c.tv(0), c.uv(0), uint8(lane/4))
		}
		at := m
		at.disp += int64(lane) * a.Step
		switch n := uint8(lane % 4); a.Elem {
		case 1:
			c.MVI(x86.VPEXTRB, x86.W128, c.mem(&at), from, 4*n)
		case 2:
			c.MVI(x86.VPEXTRW, x86.W128, c.mem(&at), from, 2*n)
		default:
			c.MVI(x86.VPEXTRD, x86.W128, c.mem(&at), from, n)
		}
	}
}
