package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has loads of any lanes that test themselves. One instruction tests and says in a number how they are made:
//
//	none      no lane is on
//	together  lanes follow each other, and all from the first that is on to the last are inside
//	together  or lanes are in two pieces of which that is true (pieces.go)
//	apart     the frame has an address for each lane, or an index, with that of a lane which is on in place of those which are off
//
// Then each part is loaded, by numbers where lanes are apart: that is faster than AVX2's gathers (2.8 ns against 3.9
// for eight words, Zen 4).

const (
	howNone = iota
	howTogether
	howApart
)

// evenly says how lanes that follow each other do: lane 0 is at base + first·2^shift, first being a word that may wrap
// after limit.
type evenly struct {
	first ssa.Value // 0: the base is the address
	shift int
	step  uint32 // of words
	limit int32
}

// evenlyOf tells whether lanes of an access follow each other, unless words wrap.
func (s *selector) evenlyOf(e *ssa.Effect) (even evenly, ok bool) {
	a := e.Access
	if a.Count != 1 || a.Index == 0 {
		return even, a.Count == 1 && a.Step == int64(a.Elem)
	}
	word, shift, signed := s.f.Extended(a.Index)
	o := &s.f.Ops[word]
	if word == 0 || !signed || o.Code != ssa.Strided || o.Imm<<shift != uint64(a.Elem) {
		return even, false
	}
	limit := int64(1<<31-1) - int64(o.Imm)*int64(s.f.LanesOf(word)-1)
	return evenly{first: o.A, shift: shift, step: uint32(o.Imm), limit: int32(limit)}, limit > 0
}

// loadTested makes a load that tests itself.
func (s *selector) loadTested(e *ssa.Effect) {
	a := e.Access
	if a.Index == 0 && a.Step == 0 {
		s.loadOne(e)
		return
	}
	word, shift, signed := s.f.Extended(a.Index)
	even, together := s.evenlyOf(e)
	var l lanes
	switch {
	case together && a.Bits[0] != 0 && s.f.TypeOf(e.Results[0]).Bits() == max(8*int(a.Elem), 32):
		l = s.testTogether(e, even)
	case a.Bits[0] != 0 && s.mayBeInPieces(e, e.Results[0]):
		l = s.testPieces(e)
	case s.isa.Has(Masks) && s.gatheredAll(e):
		s.loadGathered(e, word, shift, signed)
		return
	case a.Index != 0 && word != 0 && max(int(a.Align), 1) <= 1<<shift && s.lanesIn() == 32 && !s.isa.Has(Masks):
		l = s.testWords(e, word, shift, signed)
	default:
		l = s.testWide(e)
	}
	for k, v := range e.Results {
		for i := range s.partsOf(v) {
			if a.Bits[k] != 0 && s.uses[v] > 0 {
				s.note(key{v, asPart, int16(i)}, s.loadSome(e, &l, v, k, i), s.block)
			}
		}
	}
}

// lanes is what a test has left for the loads behind it.
type lanes struct {
	how    isel.VReg // which way
	at     isel.VReg // of lane 0, if lanes may follow each other; of words, what they are added to, as the host has it
	other  isel.VReg // of lane 0 of the second piece; 0: there are no pieces
	pieces *area     // what the frame has of these
	area   *area     // what the frame has of them
	words  bool      // the frame has words, which are extended and shifted
	shift  int
	signed bool
}

// firstAddress is the address of an access's base and displacement.
func (s *selector) firstAddress(e *ssa.Effect) isel.VReg {
	base := s.num(e.Access.Base)
	if e.Access.Disp != 0 {
		base = s.plus(base, e.Access.Disp)
	}
	return base
}

// testTogether tests lanes that follow each other.
func (s *selector) testTogether(e *ssa.Effect, even evenly) lanes {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), e.Kind == ssa.Store, max(a.Align, 1))
	uses := []isel.VReg{s.bits(e.Mask), s.firstAddress(e)}
	if even.first != 0 {
		uses = append(uses, s.num(even.first))
	}
	defs, count := s.temps(2, 0), s.lanesIn()
	run := func(c *code) {
		c.together(e, &t, even, count)
	}
	at := s.area(fLanes, 8*count)
	i := &isel.Inst{Op: &op{name: "test together", run: run, areas: []touch{at.writes()}}, Defs: defs, Uses: uses,
		Temps: s.temps(4, 0), Early: true}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	return lanes{how: defs[0], at: defs[1], area: at}
}

// together writes the test: definitions are the way, and the address of lane 0.
func (c *code) together(e *ssa.Effect, t *tested, even evenly, count int) {
	a, mask, how, at, x, y := e.Access, c.u(0), c.g(0), c.g(1), c.t(0), c.t(1)
	apart, end := c.NewLabel(), c.NewLabel()
	c.MovImm(how, howNone)
	c.move(at, c.u(1))
	if even.first != 0 {
		c.RR(x86.MOVSXD, x86.S64, x, c.u(2))
		c.RI(x86.SHL, x86.S64, x, int32(even.shift))
		c.RR(x86.ADD, x86.S64, at, x)
	}
	c.RR(x86.TEST, x86.S32, mask, mask)
	c.Jcc(x86.E, end)
	if even.first != 0 {
		c.RI(x86.CMP, x86.S32, c.u(2), even.limit)
		c.Jcc(x86.G, apart)
	}
	if t.align > 1 {
		c.RI(x86.TEST, x86.S32, at, int32(t.align)-1)
		c.Jcc(x86.NE, apart)
	}
	if a.Elem < 4 && !c.e.isa.Has(Masks) { // there are no masked loads of these: all lanes are to be inside
		c.Zero(x)
		c.MovImm(y, uint64(count-1))
	} else {
		c.RR(x86.BSF, x86.S32, x, mask)
		c.RR(x86.BSR, x86.S32, y, mask)
	}
	scaled := func(lane x86.Reg) x86.Mem { return x86.AtIndex(at, lane, a.Elem, 0) }
	for _, lane := range []x86.Reg{x, y} { // both ends are inside of one allocation, so all between them is
		c.RM(x86.LEA, x86.S64, lane, scaled(lane))
		c.RM(x86.SUB, x86.S64, lane, c.frameAt(c.e.frame.startOf(t.bounds)))
		c.RM(x86.CMP, x86.S64, lane, c.frameAt(c.e.frame.limitOf(t.limit)))
		c.Jcc(x86.AE, apart)
	}
	c.RR(x86.CMP, x86.S64, x, y)
	c.Jcc(x86.A, apart)
	c.MovImm(how, howTogether)
	c.Jmp(end)
	c.Bind(apart)
	c.eachAddress(a, even, count)
	c.testLanes(t)
	c.fillLanes(count, 8)
	c.MovImm(how, howApart)
	c.Bind(end)
}

// eachAddress puts the addresses of lanes that follow each other into the frame, whether words wrap or not.
func (c *code) eachAddress(a *ssa.Access, even evenly, count int) {
	lane, x := c.t(0), c.t(1)
	again := c.NewLabel()
	c.Zero(lane)
	c.Bind(again)
	if even.first == 0 {
		c.RRI(x86.IMUL, x86.S64, x, lane, int32(a.Step))
	} else {
		c.RRI(x86.IMUL, x86.S32, x, lane, int32(even.step))
		c.RR(x86.ADD, x86.S32, x, c.u(2))
		c.RR(x86.MOVSXD, x86.S64, x, x)
		c.RI(x86.SHL, x86.S64, x, int32(even.shift))
	}
	c.RR(x86.ADD, x86.S64, x, c.u(1))
	c.MR(x86.MOV, x86.S64, x86.AtIndex(x86.RSP, lane, 8, fLanes), x)
	c.R(x86.INC, x86.S32, lane)
	c.RI(x86.CMP, x86.S32, lane, int32(count))
	c.Jcc(x86.B, again)
}

// fillLanes gives the frame's entries of lanes that are off what the first lane has that is on.
func (c *code) fillLanes(count, size int) {
	left, lane, x := c.t(0), c.t(1), c.t(2)
	width, scale := x86.S64, uint8(8)
	if size == 4 {
		width, scale = x86.S32, 4
	}
	c.RR(x86.BSF, x86.S32, lane, c.u(0))
	c.RM(x86.MOV, width, x, x86.AtIndex(x86.RSP, lane, scale, fLanes))
	c.RR(x86.MOV, x86.S32, c.t(3), c.u(0))
	c.R(x86.NOT, x86.S32, c.t(3))
	if count < 32 {
		c.RI(x86.AND, x86.S32, c.t(3), int32(1<<count-1))
	}
	c.eachBit(c.t(3), left, lane, func() { c.MR(x86.MOV, width, x86.AtIndex(x86.RSP, lane, scale, fLanes), x) })
}

// testWide tests lanes by addresses of 64 bits, which it leaves in the frame.
func (s *selector) testWide(e *ssa.Effect) lanes {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), false, max(a.Align, 1))
	if !s.isa.Has(Masks) {
		return s.testAll(e, &t)
	}
	at := s.addresses(e)
	how, count := s.temps(1, 0), s.lanesIn()
	run := func(c *code) {
		end := c.NewLabel()
		c.MovImm(c.g(0), howNone)
		c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
		c.Jcc(x86.E, end)
		c.testLanes(&t)
		c.fillLanes(count, 8)
		c.MovImm(c.g(0), howApart)
		c.Bind(end)
	}
	i := &isel.Inst{Op: &op{name: "test lanes", run: run, areas: []touch{at.reads(), at.writes()}}, Defs: how,
		Uses: []isel.VReg{s.bits(e.Mask)}, Temps: s.temps(4, 0), Early: true}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	return lanes{how: how[0], area: at}
}

// testAll tests the lanes' addresses as vectors: from the start of the allocation on they are to be below its limit.
// Lanes that are off get the start, which is inside if any lane is.
func (s *selector) testAll(e *ssa.Effect, t *tested) lanes {
	bound := func(name string, at func(f *frame) int) isel.VReg {
		return s.run1(name, isel.Vector, func(c *code) {
			c.VM(x86.VPBROADCASTQ, c.width(), c.v(0), c.frameAt(at(&c.e.frame)))
		})
	}
	bounds, limit := t.bounds, t.limit
	start := bound("start", func(f *frame) int { return f.startOf(bounds) })
	sign := s.splatX(1 << 63) // there are comparisons with signs alone
	least := s.vector(x86.VPXOR, bound("limit", func(f *frame) int { return f.limitOf(limit) }), sign)
	_, full := s.f.Known(e.Mask)
	of := s.addressesOf(e)
	outside, at := isel.VReg(0), s.area(fLanes, 8*s.lanesIn())
	for i := range s.vectorsOf(s.lanesIn(), ssa.X) {
		x := of(i)
		from := s.vector(x86.VPXOR, s.vector(x86.VPSUBQ, x, start), sign)
		out := s.not(s.vector(x86.VPCMPGTQ, least, from))
		if t.align > 1 {
			out = s.vector(x86.VPOR, out, s.vector(x86.VPAND, x, s.splatX(uint64(t.align)-1)))
		}
		if !full {
			m := s.wide(e.Mask, i)
			out, x = s.vector(x86.VPAND, out, m), s.vector(x86.VBLENDVPD, start, x, m)
		}
		s.storeArea(at, s.isa.bytes()*i, x)
		if outside != 0 {
			out = s.vector(x86.VPOR, outside, out)
		}
		outside = out
	}
	how, test := s.temps(1, 0), *t
	count := s.lanesIn()
	run := func(c *code) { c.anyOutside(&test, count) }
	i := &isel.Inst{Op: &op{name: "test lanes", run: run, areas: []touch{at.reads(), at.writes()}}, Defs: how,
		Uses: []isel.VReg{s.bits(e.Mask), outside}, Temps: s.temps(4, 0), Early: true}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	return lanes{how: how[0], area: at}
}

// anyOutside leaves where lanes of use 0 are outside, as use 1 says. Where they are in other allocations alone, lanes that are off have what is
// nowhere: the start of one that is not known yet.
func (c *code) anyOutside(t *tested, count int) {
	some, end := c.NewLabel(), c.NewLabel()
	c.MovImm(c.g(0), howNone)
	c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
	c.Jcc(x86.E, end)
	c.VV(x86.VPTEST, x86.W256, c.uv(1), c.uv(1))
	c.Jcc(x86.E, some)
	c.testLanes(t)
	c.fillLanes(count, 8)
	c.Bind(some)
	c.MovImm(c.g(0), howApart)
	c.Bind(end)
}

// loadSome loads part i of element k, as a test has said.
func (s *selector) loadSome(e *ssa.Effect, l *lanes, v ssa.Value, k, i int) isel.VReg {
	a, t, n := e.Access, s.f.TypeOf(v), s.isa.lanes(s.f.TypeOf(v))
	uses := []isel.VReg{l.how}
	if l.at != 0 {
		uses = append(uses, l.at)
	}
	areas := []touch{l.area.reads()}
	if l.other != 0 {
		uses, areas = append(uses, l.other), append(areas, bitsIn(l.pieces))
	} else if l.at != 0 && !l.words && !s.f.IsNum(e.Mask) && (a.Elem >= 4 || s.isa.Has(Masks)) {
		if t == ssa.X {
			uses = append(uses, s.wide(e.Mask, i))
		} else {
			uses = append(uses, s.part(e.Mask, i))
		}
	}
	disp := int32(k * int(a.Elem))
	way, gathered, temps := *l, s.gathered(a, t), s.temps(2, 1)
	if gathered {
		temps = append(s.masks(1), s.temps(0, 2)...)
	}
	if l.other != 0 && s.isa.Has(Masks) {
		temps = append(append(temps, s.masks(1)...), s.temps(1, 0)...) // from 3 on
	} else if l.other != 0 && a.Elem < 4 {
		words := s.area(fIndex, 32)
		temps, areas = append(temps, s.temps(2, 0)...), append(areas, words.writes(), words.reads())
	}
	run := func(c *code) {
		end, apart := c.NewLabel(), c.NewLabel()
		if way.at != 0 && !way.words {
			c.RI(x86.CMP, x86.S32, c.u(0), howTogether)
			c.Jcc(x86.NE, apart)
			if disp := int32(n*i) * int32(a.Elem); way.other != 0 {
				c.loadPieces(a, t, i, disp)
			} else {
				c.someTogether(a, t, disp)
			}
			c.Jmp(end)
			c.Bind(apart)
		}
		c.e.isa.zero(c.Asm, c.v(0))
		c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
		c.Jcc(x86.E, end)
		if gathered {
			c.gatherFrame(t, i, disp)
			c.Bind(end)
			return
		}
		c.gather(a, t, c.v(0), c.tv(2), c.t(0), func(lane int) x86.Mem { return c.laneAt(&way, n*i+lane, disp) })
		c.Bind(end)
	}
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{name: "load some", run: run, areas: areas}, Defs: []isel.VReg{d}, Uses: uses,
		Temps: temps, Early: true})
	return d
}

// someTogether loads lanes that follow each other: masked by use 2, if there is one.
func (c *code) someTogether(a *ssa.Access, t ssa.Type, disp int32) {
	at := x86.AtIndex(rGlobal, c.u(1), 1, disp).By(ofTested)
	masked := len(c.Uses) > 2
	if c.e.isa.Has(Masks) {
		if masked {
			c.Zeroed(c.uk(2))
		}
		c.VM(contiguous(a, t), c.width(), c.v(0), at)
		return
	}
	switch {
	case a.Elem < 4:
		c.VM(extensions[a.Elem-1][bit(a.Signed)], c.width(), c.v(0), at)
	case masked && t == ssa.X:
		c.VVM(x86.VPMASKMOVQ, x86.W256, c.v(0), c.uv(2), at)
	case masked:
		c.VVM(x86.VPMASKMOVD, x86.W256, c.v(0), c.uv(2), at)
	default:
		c.VM(x86.VMOVUPS, c.width(), c.v(0), at)
	}
}

// laneAt is where a lane's element is, by what the frame has of the lane.
func (c *code) laneAt(l *lanes, lane int, disp int32) x86.Mem {
	x := c.t(1)
	if !l.words {
		c.RM(x86.MOV, x86.S64, x, c.frameAt(fLanes+8*lane))
		return x86.AtIndex(rGlobal, x, 1, disp).By(ofTested)
	}
	if l.signed {
		c.RM(x86.MOVSXD, x86.S64, x, c.frameAt(fLanes+4*lane))
	} else {
		c.RM(x86.MOV, x86.S32, x, c.frameAt(fLanes+4*lane))
	}
	return x86.AtIndex(c.u(1), x, 1<<l.shift, disp).By(ofTested)
}

// contiguous is the instruction that loads elements which follow each other as lanes of a type.
func contiguous(a *ssa.Access, t ssa.Type) x86.Op {
	switch {
	case a.Elem < 4:
		return extensions[a.Elem-1][bit(a.Signed)]
	case t == ssa.X:
		return x86.VMOVUPD
	}
	return x86.VMOVUPS
}
