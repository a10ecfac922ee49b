package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has accesses of any lanes that test themselves where lanes are anywhere: all addresses are compared with
// the limits as vectors, under the mask of the lanes that are on; then lanes are gathered or scattered under it.

// gatheredAll tells whether all elements of a load are gathered.
func (s *selector) gatheredAll(e *ssa.Effect) bool {
	for k, v := range e.Results {
		if t := s.f.TypeOf(v); e.Access.Bits[k] != 0 && !s.gathered(e.Access, t) && !s.gatheredNarrow(e.Access, t) {
			return false
		}
	}
	return s.lanesIn() == 32
}

// loadGathered makes a load: by words that are extended, or by addresses.
func (s *selector) loadGathered(e *ssa.Effect, word ssa.Value, shift int, signed bool) {
	a := e.Access
	g := gather{scale: 1, proof: ofTested}
	var all []isel.VReg
	byWords := word != 0 && a.Index != 0 && max(int(a.Align), 1) <= 1<<shift
	if byWords {
		g.base, g.scale = s.testWordsUnder(e, word, shift, signed), 1<<shift
	} else {
		all = s.testAddresses(e, false)
	}
	for k, v := range e.Results {
		if a.Bits[k] == 0 || s.uses[v] == 0 {
			continue
		}
		for i := range s.partsOf(v) {
			if s.gatheredNarrow(a, s.f.TypeOf(v)) {
				n := &narrow{elem: a.Elem, signed: a.Signed, wide: !byWords, index: extension{shift, signed}, based: byWords}
				n.disp, n.small = int32(k*int(a.Elem)), byWords && shift == 0 && s.f.Limit(word) < 1<<30
				s.note(key{v, asPart, int16(i)}, s.loadNarrow(n, e, word, all, g.base, i), s.block)
				continue
			}
			x := g
			if x.of, x.disp = s.f.TypeOf(v), int32(k*int(a.Elem)); byWords {
				s.byWords(&x, word, i, signed)
			} else {
				x.wide, x.indices = true, all[i:i+1]
				if x.of == ssa.W {
					x.indices = all[2*i : 2*i+2]
				}
			}
			s.masksOf(&x, e.Mask, i)
			s.note(key{v, asPart, int16(i)}, s.emitGather(&x), s.block)
		}
	}
}

// loadNarrow loads vector i of bytes or halves, by words or by addresses.
func (s *selector) loadNarrow(n *narrow, e *ssa.Effect, word ssa.Value, all []isel.VReg, base isel.VReg,
	i int) isel.VReg {
	uses := []isel.VReg{}
	if n.wide {
		uses = append(uses, all[2*i:2*i+2]...)
	} else {
		uses = append(uses, s.part(word, i))
	}
	if _, known := s.f.Known(e.Mask); !known {
		n.masked, uses = true, append(uses, s.part(e.Mask, i))
	}
	if n.based {
		uses = append(uses, base)
	}
	return s.emitNarrow(n, uses)
}

// testWordsUnder tests lanes by words, which are extended; it returns what they are added to, as the host has it.
func (s *selector) testWordsUnder(e *ssa.Effect, word ssa.Value, shift int, signed bool) isel.VReg {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), e.Kind == ssa.Store, max(a.Align, 1))
	at := s.firstAddress(e)
	reach := s.reach(at, &t, shift, signed)
	var words, outside []isel.VReg
	for i := range s.partsOf(word) {
		x, m := s.part(word, i), isel.VReg(0)
		if _, known := s.f.Known(e.Mask); !known {
			m = s.part(e.Mask, i)
		}
		o := &op{code: x86.VPCMPUD, form: formKVI, imm: comparisons[ssa.LeU].pred ^ negation}
		outside = append(outside, s.compareWith(o, m, s.vector(x86.VPSUBD, x, reach.first), reach.count))
		words = append(words, x)
	}
	uses, lanes := append(outside, s.bits(e.Mask), at, reach.ok), s.area(fLanes, 64*len(words))
	i := s.perform("test words", func(c *code) { c.wordsUnder(&t, shift, signed, len(words)) }, s.temps(4, 0),
		append(uses, words...)...)
	i.Op.(*op).areas = []touch{lanes.writes(), lanes.reads()}
	s.exit(i, e.State, e.PC+1)
	return s.plain("host", func(c *code) { c.RM(x86.LEA, x86.S64, c.g(0), x86.AtIndex(rGlobal, c.u(0), 1, 0)) }, at)
}

// wordsUnder leaves if one of n masks has a lane; where the comparison says nothing, or lanes may be elsewhere, it tests lane by lane.
func (c *code) wordsUnder(t *tested, shift int, signed bool, n int) {
	slow, end := c.NewLabel(), c.NewLabel()
	bits, at, ok := c.u(n), c.u(n+1), c.u(n+2)
	c.RR(x86.TEST, x86.S32, ok, ok)
	c.Jcc(x86.E, slow)
	outside := slow
	if len(c.e.frame.others[t.limit]) == 0 {
		outside = c.exit()
	}
	c.Jcc(c.anyOf(n), outside)
	c.Jmp(end)
	c.Bind(slow)
	for i := range n {
		c.MV(x86.VMOVUPS, c.width(), c.frameAt(fLanes+64*i), c.uv(n+3+i))
	}
	c.eachBit(bits, c.t(0), c.t(1), func() {
		word := x86.AtIndex(x86.RSP, c.t(1), 4, fLanes)
		if signed {
			c.RM(x86.MOVSXD, x86.S64, c.t(2), word)
		} else {
			c.RM(x86.MOV, x86.S32, c.t(2), word)
		}
		c.RM(x86.LEA, x86.S64, c.t(2), x86.AtIndex(at, c.t(2), 1<<shift, 0))
		c.testAny(t, c.t(2), c.t(3), c.exit())
	})
	c.Bind(end)
}

// testAddresses tests lanes by addresses of 64 bits, which it returns.
func (s *selector) testAddresses(e *ssa.Effect, store bool) (list []isel.VReg) {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), store, max(a.Align, 1))
	all := s.spread(s.firstAddress(e), ssa.X)
	outside := isel.VReg(0)
	for i := range s.vectorsOf(s.lanesIn(), ssa.X) {
		x := isel.VReg(0)
		if a.Index != 0 {
			x = s.vector(x86.VPADDQ, all, s.part(a.Index, i))
		} else {
			x = s.vector(x86.VPADDQ, all, s.steps64(i, a.Step))
		}
		list = append(list, x)
		m := s.outsideOf(&t, x, e.Mask, i)
		if outside != 0 {
			m = s.logic(x86.KORW, outside, m)
		}
		outside = m
	}
	if !slices.Contains(s.f.Chosen, a.Bounds) {
		i := s.perform("leave if outside", func(c *code) { c.leave(c.anyOf(1)) }, nil, outside)
		s.exit(i, e.State, e.PC+1)
		return list
	}
	at := s.area(fLanes, s.isa.bytes()*len(list))
	i := s.perform("look elsewhere if outside", func(c *code) { c.addressesElsewhere(&t, len(list)) }, s.temps(4, 0), append([]isel.VReg{s.bits(e.Mask), outside}, list...)...)
	i.Op.(*op).areas = []touch{at.writes(), at.reads()}
	s.exit(i, e.State, e.PC+1)
	return list
}

// addressesElsewhere leaves if one of n vectors of addresses has a lane that is in none of several allocations.
func (c *code) addressesElsewhere(t *tested, n int) {
	end := c.NewLabel()
	c.KK(x86.KORTESTW, c.uk(1), c.uk(1))
	c.Jcc(x86.E, end)
	for i := range n {
		c.MV(x86.VMOVUPS, c.width(), c.frameAt(fLanes+c.e.isa.bytes()*i), c.uv(2+i))
	}
	c.testLanes(t)
	c.Bind(end)
}

// outsideOf is the mask of addresses that are outside, of lanes that are on.
func (s *selector) outsideOf(t *tested, x isel.VReg, mask ssa.Value, i int) isel.VReg {
	inst := &isel.Inst{Defs: s.masks(1), Uses: []isel.VReg{x}, Early: true}
	_, known := s.f.Known(mask)
	if !known {
		inst.Uses = append(inst.Uses, s.wide(mask, i))
	}
	mistaken := int32(t.align) - 1
	if mistaken > 0 {
		inst.Uses = append(inst.Uses, s.splatX(uint64(mistaken)))
	}
	inst.Op = &op{name: "outside", run: func(c *code) {
		under := func() *x86.Asm {
			if known {
				return c.Asm
			}
			return c.Masked(c.uk(1))
		}
		c.VVM(x86.VPSUBQ, c.width(), c.e.isa.temp(), c.uv(0), c.frameAt(c.e.frame.startOf(t.bounds)).Bcast())
		limit := c.frameAt(c.e.frame.limitOf(t.limit)).Bcast()
		under().KVMI(x86.VPCMPUQ, c.width(), c.k(0), c.e.isa.temp(), limit, uint8(comparisons[ssa.LtU].pred^negation))
		if mistaken > 0 {
			under().KVV(x86.VPTESTMQ, c.width(), kTemp, c.uv(0), c.uv(len(c.Uses)-1))
			c.KKK(x86.KORW, c.k(0), c.k(0), kTemp)
		}
	}}
	s.emit(inst)
	return inst.Defs[0]
}
