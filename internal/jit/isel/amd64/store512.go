package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has stores under masks, of elements of any width, and scatters. Of lanes that store to one place the
// highest stays, as if they were stored one by one.

// scatters are instructions that store lanes: by indices of words and of 64 bits, each of words and of 64 bits.
var scatters = [2][2]x86.Op{{x86.VPSCATTERDD, x86.VPSCATTERDQ}, {x86.VPSCATTERQD, x86.VPSCATTERQQ}}

// narrowStores are those of the low bytes, and halves, of words; elements of 4 and 8 bytes are stored as they are.
var narrowStores = map[uint8]x86.Op{1: x86.VPMOVDB, 2: x86.VPMOVDW, 4: x86.VMOVUPS, 8: x86.VMOVUPD}

// storeUnder makes a store by vectors, if it can.
func (s *selector) storeUnder(e *ssa.Effect, full bool) bool {
	a := e.Access
	if a.Count != 1 {
		return false
	}
	t := s.f.TypeOf(e.Args[0])
	contiguous := a.Index == 0 && a.Step == int64(a.Elem) && (s.whole(a, e.Args[0]) || t == ssa.W && a.Elem < 4)
	whole := int(a.Elem)*8 == t.Bits()
	switch {
	case contiguous && a.Check != 0:
		s.storeContiguous(e, full, 0)
	case s.lanesIn() != 32:
		return false
	case contiguous:
		s.storeContiguous(e, full, s.testEnds(e))
	case whole && a.Check == 0:
		s.scatterAddresses(e)
	case whole && a.Index == 0 && s.scatterApart(e):
	case whole && a.Index != 0 && s.scatterWords(e):
	default:
		return false
	}
	return true
}

// storeContiguous stores lanes that follow each other: behind the access's base, or at an address that was tested.
func (s *selector) storeContiguous(e *ssa.Effect, full bool, at isel.VReg) {
	a, v := e.Access, e.Args[0]
	w := typeIndex(s.f.TypeOf(v))
	n := s.vectorsOf(s.lanesIn(), s.f.TypeOf(v))
	values, masks := make([]isel.VReg, n), make([]isel.VReg, n)
	for i := range n {
		if values[i] = s.part(v, i); !full {
			masks[i] = s.maskFor(e.Mask, w, i)
		}
	}
	for i := range n {
		disp := int64(s.isa.lanes(s.f.TypeOf(v))*i) * a.Step
		m, base := mem{kind: atHost, disp: disp, access: ofTested}, at
		if at == 0 {
			m, base = s.address(e, a.Disp+disp)
		}
		m.use = 1
		o := &op{code: narrowStores[a.Elem], form: formStore, size: uint8(s.isa.width), mem: m}
		uses := []isel.VReg{values[i], base}
		if !full {
			o.masked, uses = true, append(uses, masks[i])
		}
		s.emit(&isel.Inst{Op: o, Uses: uses})
	}
}

// testEnds tests the first and the last lane that are on; it returns the address of lane 0.
func (s *selector) testEnds(e *ssa.Effect) isel.VReg {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), true, max(a.Align, 1))
	at := s.firstAddress(e)
	run := func(c *code) {
		mask, first, last, end := c.u(0), c.t(0), c.t(1), c.NewLabel()
		c.RR(x86.TEST, x86.S32, mask, mask)
		c.Jcc(x86.E, end)
		c.RR(x86.BSF, x86.S32, first, mask)
		c.RR(x86.BSR, x86.S32, last, mask)
		for _, lane := range []x86.Reg{first, last} {
			c.RM(x86.LEA, x86.S64, lane, x86.AtIndex(c.u(1), lane, a.Elem, 0))
			c.test(&t, lane, c.t(2), c.exit())
		}
		c.RR(x86.CMP, x86.S64, first, last)
		c.Jcc(x86.A, c.exit())
		c.Bind(end)
	}
	s.exit(s.perform("test ends", run, s.temps(3, 0), s.bits(e.Mask), at), e.State, e.PC+1)
	return at
}

// emitScatter stores the vectors of a value by what of says of each.
func (s *selector) emitScatter(e *ssa.Effect, of func(g *gather, i int)) {
	v := e.Args[0]
	list := make([]gather, s.vectorsOf(32, s.f.TypeOf(v)))
	for i := range list {
		g := &list[i]
		g.of, g.scale = s.f.TypeOf(v), 1
		of(g, i)
		s.masksOf(g, e.Mask, i)
		s.part(v, i)
	}
	for i := range list {
		g := &list[i]
		run := func(c *code) { c.scatterLanes(g) }
		s.perform("scatter", run, s.gatherTemps(), append([]isel.VReg{s.part(v, i)}, g.uses()...)...)
	}
}

// scatterLanes writes a scatter of use 0.
func (c *code) scatterLanes(g *gather) {
	for n := range g.indices {
		v := c.uv(0)
		if n == 1 {
			v = c.tv(1)
			c.VVI(x86.VEXTRACTI64X4, x86.W512, v, c.uv(0), 1)
		}
		c.maskOfGather(g, n, 1, c.tk(0))
		c.Masked(c.tk(0)).MV(scatters[bit(g.wide)][typeIndex(g.of)], x86.W512, c.at512(g, n, 1), v)
	}
}

// scatterAddresses stores lanes anywhere, which it tests.
func (s *selector) scatterAddresses(e *ssa.Effect) {
	all := s.testAddresses(e, true)
	s.emitScatter(e, func(g *gather, i int) {
		if g.wide, g.proof, g.indices = true, ofTested, all[i:i+1]; g.of == ssa.W {
			g.indices = all[2*i : 2*i+2]
		}
	})
}

// scatterApart stores lanes that are a constant number of bytes apart.
func (s *selector) scatterApart(e *ssa.Effect) bool {
	a, lanes := e.Access, int64(s.isa.lanes(s.f.TypeOf(e.Args[0])))
	last := a.Disp + 32*a.Step
	if 32*a.Step != int64(int32(32*a.Step)) || a.Disp != int64(int32(a.Disp)) || last != int64(int32(last)) ||
		last > math.MaxInt32-1<<12 {
		return false
	}
	s.emitScatter(e, func(g *gather, i int) {
		g.indices, g.base = []isel.VReg{s.steps32(0, a.Step)}, s.hostBase(a.Base)
		g.disp, g.proof = int32(a.Disp+lanes*int64(i)*a.Step), s.accessed(e)
	})
	return true
}

// scatterWords stores lanes by an index of words that was extended.
func (s *selector) scatterWords(e *ssa.Effect) bool {
	a := e.Access
	word, shift, signed := s.f.Extended(a.Index)
	if word == 0 || a.Disp != int64(int32(a.Disp)) {
		return false
	}
	s.emitScatter(e, func(g *gather, i int) {
		g.base, g.scale, g.disp, g.proof = s.hostBase(a.Base), 1<<shift, int32(a.Disp), s.accessed(e)
		s.byWords(g, word, i, signed)
	})
	return true
}
