package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file tests lanes that are anywhere, by an index of 32 bits that was extended: numbers find which indices are
// inside, and one comparison of vectors whether those of all lanes are.

// testWords tests lanes by words, which it leaves in the frame.
func (s *selector) testWords(e *ssa.Effect, word ssa.Value, shift int, signed bool) lanes {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), false, max(a.Align, 1))
	at := s.firstAddress(e)
	reach := s.reach(at, &t, shift, signed)
	n := s.vectorsOf(s.f.LanesOf(word), ssa.W) // also of a word that is the same in all lanes
	outside, words := isel.VReg(0), s.area(fLanes, s.isa.bytes()*n)
	for i := range n {
		x := s.part(word, i)
		from := s.vector(x86.VPSUBD, x, reach.first)
		in := s.vector(x86.VPCMPEQD, s.vector(x86.VPMINUD, from, reach.count), from)
		if _, known := s.f.Known(e.Mask); !known {
			m := s.part(e.Mask, i)
			in, x = s.vector(x86.VPANDN, in, m), s.vector(x86.VBLENDVPS, reach.first, x, m)
		} else {
			in = s.not(in)
		}
		s.storeArea(words, s.isa.bytes()*i, x)
		if outside != 0 {
			in = s.vector(x86.VPOR, outside, in)
		}
		outside = in
	}
	how := s.temps(1, 0)
	count := s.f.LanesOf(word)
	uses := []isel.VReg{s.bits(e.Mask), outside, reach.ok, at}
	run := func(c *code) { c.words(&t, shift, signed, count) }
	i := &isel.Inst{Op: &op{name: "test words", run: run, areas: []touch{words.reads(), words.writes()}}, Defs: how,
		Uses: uses, Temps: s.temps(4, 0), Early: true}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	host := s.plain("host", func(c *code) { c.RM(x86.LEA, x86.S64, c.g(0), x86.AtIndex(rGlobal, c.u(0), 1, 0)) }, at)
	return lanes{how: how[0], at: host, area: words, words: true, shift: shift, signed: signed}
}

// words goes by the comparison of vectors, or from lane to lane if one may be outside.
func (c *code) words(t *tested, shift int, signed bool, count int) {
	slow, end, some := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.MovImm(c.g(0), howNone)
	c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
	c.Jcc(x86.E, end)
	c.RR(x86.TEST, x86.S32, c.u(2), c.u(2))
	c.Jcc(x86.E, slow)
	c.VV(x86.VPTEST, x86.W256, c.uv(1), c.uv(1))
	c.Jcc(x86.E, some)
	c.Bind(slow)
	c.eachBit(c.u(0), c.t(0), c.t(1), func() {
		at := x86.AtIndex(x86.RSP, c.t(1), 4, fLanes)
		if signed {
			c.RM(x86.MOVSXD, x86.S64, c.t(2), at)
		} else {
			c.RM(x86.MOV, x86.S32, c.t(2), at)
		}
		c.RM(x86.LEA, x86.S64, c.t(2), x86.AtIndex(c.u(3), c.t(2), 1<<shift, 0))
		c.testAny(t, c.t(2), c.t(3), c.exit())
	})
	c.fillLanes(count, 4)
	c.Bind(some)
	c.MovImm(c.g(0), howApart)
	c.Bind(end)
}

// reach are the indices of which the elements are inside: first and count in every lane, and whether there are any.
type reach struct{ first, count, ok isel.VReg }

// reach finds them: elements from an address on, 2^shift bytes apart.
func (s *selector) reach(at isel.VReg, t *tested, shift int, signed bool) reach {
	least, most := int64(math.MinInt32), int64(math.MaxInt32)
	if !signed {
		least = 0
	}
	defs := s.temps(3, 0)
	run := func(c *code) { c.reach(t, shift, least, most) }
	s.emit(&isel.Inst{Op: &op{name: "reach", run: run}, Defs: defs, Uses: []isel.VReg{at}, Temps: s.temps(2, 0),
		Early: true})
	return reach{s.spread(defs[0], ssa.W), s.spread(defs[1], ssa.W), defs[2]}
}

func (c *code) reach(t *tested, shift int, least, most int64) {
	first, last, ok, d, x := c.g(0), c.g(1), c.g(2), c.t(0), c.t(1)
	none := c.NewLabel()
	c.Zero(ok)
	c.RR(x86.MOV, x86.S64, d, c.u(0))
	c.RM(x86.SUB, x86.S64, d, c.frameAt(c.e.frame.startOf(t.bounds)))
	c.RR(x86.MOV, x86.S64, first, d) // -(d >> shift)
	c.RI(x86.SAR, x86.S64, first, int32(shift))
	c.R(x86.NEG, x86.S64, first)
	c.RM(x86.MOV, x86.S64, last, c.frameAt(c.e.frame.limitOf(t.limit))) // (limit-1-d) >> shift
	c.RI(x86.SUB, x86.S64, last, 1)
	c.Jcc(x86.B, none)
	c.RR(x86.SUB, x86.S64, last, d)
	c.RI(x86.SAR, x86.S64, last, int32(shift))
	c.MovImm(x, uint64(least))
	c.RR(x86.CMP, x86.S64, first, x)
	c.Cmov(x86.L, x86.S64, first, x)
	c.MovImm(x, uint64(most))
	c.RR(x86.CMP, x86.S64, last, x)
	c.Cmov(x86.G, x86.S64, last, x)
	c.RR(x86.SUB, x86.S64, last, first)
	c.Jcc(x86.L, none)
	c.MovImm(x, 1<<40) // addresses that are far away wrap
	c.RR(x86.ADD, x86.S64, d, x)
	c.RI(x86.SHR, x86.S64, d, 41)
	c.Jcc(x86.NE, none)
	if t.align > 1 {
		c.RI(x86.TEST, x86.S32, c.u(0), int32(t.align)-1)
		c.Jcc(x86.NE, none)
	}
	c.MovImm(ok, 1)
	c.Bind(none)
}
