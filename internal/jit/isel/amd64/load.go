package amd64

import (
	"fmt"
	"math"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has loads of which a test in front has found that all they touch is inside: they are made part by part,
// where a part is wanted.

// loadEffect makes a load that tests itself; others wait.
func (s *selector) loadEffect(e *ssa.Effect) {
	if e.Access.Check != 0 {
		s.pending = append(s.pending, e)
		return
	}
	s.loadTested(e)
}

// waits tells whether a result of a load is not in a register yet, and may still be loaded.
func (s *selector) waits(e *ssa.Effect, v ssa.Value) bool {
	if !slices.Contains(s.pending, e) {
		return false
	}
	_, there := s.look(key{v: v, kind: s.kindOf(v)})
	return !there
}

func (s *selector) kindOf(v ssa.Value) kind {
	if s.f.IsNum(v) {
		return asNum
	}
	return asPart
}

// loaded is part i of the result of an effect; any value where no lane executes that.
func (s *selector) loaded(v ssa.Value, i int) isel.VReg {
	k := key{v, s.kindOf(v), int16(i)}
	if r, ok := s.look(k); ok {
		return r
	}
	e := s.loads[v]
	if k, known := s.f.Known(e.Mask); known && k == 0 {
		if s.f.IsNum(v) {
			return s.number(0)
		}
		return s.constant(s.f.TypeOf(v), 0)
	}
	if e.Kind != ssa.Load || e.Access.Check == 0 {
		panic(fmt.Sprintf("BUG: v%d, the result of %v at pc %d, is wanted where it is not there: stub %v", v, e.Kind,
			e.PC, s.stub != nil))
	}
	before := s.because(cause{value: v, part: int16(i)})
	s.note(k, s.loadPart(e, slices.Index(e.Results, v), v, i), s.block)
	s.because(before)
	return s.mustLook(k)
}

func (s *selector) mustLook(k key) isel.VReg {
	r, ok := s.look(k)
	if !ok {
		panic("BUG: a value is not where it was put")
	}
	return r
}

// loadPart loads vector i of element n.
func (s *selector) loadPart(e *ssa.Effect, n int, v ssa.Value, i int) isel.VReg {
	a := e.Access
	switch disp := s.displacement(e, v, i); {
	case s.f.IsNum(v):
		return s.loadNumber(e, v, disp)
	case s.f.Table(a.Index) != nil:
		return s.loadKnown(e, v, i, n)
	case a.Index != 0:
		return s.loadIndexed(e, v, i, n)
	case a.Step == int64(a.Elem) && s.whole(a, v):
		return s.load(x86.VMOVUPS, e, disp)
	case a.Step == int64(a.Elem) && a.Elem < 4 && s.f.TypeOf(v) == ssa.W:
		return s.load(extensions[a.Elem-1][bit(a.Signed)], e, disp)
	case a.Step == int64(a.Elem)*int64(a.Count) && s.grouped(a, v):
		return s.loadGroup(e, n, v, i)
	default:
		if r := s.loadShuffled(e, v, i, disp); r != 0 {
			return r
		}
		return s.loadApart(e, v, i, disp)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// extensions widen bytes and halves to words, without and with sign.
var extensions = [2][2]x86.Op{{x86.VPMOVZXBD, x86.VPMOVSXBD}, {x86.VPMOVZXWD, x86.VPMOVSXWD}}

// whole tells whether elements are as wide as what holds them.
func (s *selector) whole(a *ssa.Access, v ssa.Value) bool {
	return a.Elem >= 4 && s.f.TypeOf(v).Bits() == 8*int(a.Elem)
}

// displacement is where part i of a result begins, from the access's base.
func (s *selector) displacement(e *ssa.Effect, v ssa.Value, i int) int64 {
	a := e.Access
	n := slices.Index(e.Results, v)
	if s.f.IsNum(v) {
		return a.Disp + int64(n)*int64(a.Elem)
	}
	lanes := s.f.LanesOf(v) / s.partsOf(v)
	return a.Disp + int64(n)*int64(a.Elem) + int64(i*lanes)*a.Step
}

// folds tells whether part i of a value can be read from memory by the instruction that wants it.
func (s *selector) folds(v ssa.Value, i int) bool {
	e := s.loads[v]
	if e == nil || s.uses[v] != 1 || s.f.IsNum(v) || e.Access == nil || e.Access.Index != 0 ||
		e.Access.Step != int64(e.Access.Elem) || !s.whole(e.Access, v) {
		return false
	}
	if !slices.Contains(s.pending, e) {
		return false
	}
	_, there := s.look(key{v, asPart, int16(i)})
	return !there
}

// address is a place in global memory behind the base of an access; its register is use 0.
func (s *selector) address(e *ssa.Effect, disp int64) (mem, isel.VReg) {
	return s.addressFrom(e, e.Access.Base, disp)
}

func (s *selector) addressFrom(e *ssa.Effect, base ssa.Value, disp int64) (mem, isel.VReg) {
	r := s.num(base)
	if disp < math.MinInt32+1<<12 || disp > math.MaxInt32-1<<12 {
		r, disp = s.emitALU(x86.ADD, x86.S64, 0, r, s.number(uint64(disp))), 0
	}
	return mem{kind: atHost, use: 0, disp: disp, access: s.accessed(e)}, r
}

// accessIn is an access of a group of so many lanes, and where these are if they are known (ssa.Each).
type accessIn struct {
	*ssa.Access
	lanes       int
	least, most int64
}

// accessed is the number by which an operand in memory names an access of the running block.
func (s *selector) accessed(e *ssa.Effect) int32 {
	in := accessIn{Access: e.Access, lanes: s.lanesIn()}
	if s.f.Table(e.Access.Index) != nil {
		in.least, in.most = s.f.Ends(e.Access.Index)
	}
	s.frame.accesses = append(s.frame.accesses, in)
	return int32(len(s.frame.accesses))
}

// load is an instruction that loads a vector.
func (s *selector) load(code x86.Op, e *ssa.Effect, disp int64) isel.VReg {
	m, base := s.address(e, disp)
	d := s.out.NewReg(isel.Vector)
	s.emit(s.out.NewInst(s.op(op{code: code, form: formLoad, size: uint8(s.isa.width), mem: m}), d, base))
	return d
}

// numberLoads are the instructions that load a number, by the size of its elements without and with sign.
var numberLoads = [9][2]x86.Op{1: {x86.MOVZXB, x86.MOVSXB}, 2: {x86.MOVZXW, x86.MOVSXW}, 4: {x86.MOV,
	x86.MOVSXD}, 8: {x86.MOV, x86.MOV}}

// loadOp is how an element becomes a number of a type.
func loadOp(a *ssa.Access, t ssa.Type) (x86.Op, x86.Size) {
	code, size := numberLoads[a.Elem][bit(a.Signed)], x86.S32
	switch {
	case t == ssa.X && a.Signed, a.Elem == 8 && t == ssa.X:
		size = x86.S64
	case a.Elem >= 4:
		code = x86.MOV
	}
	return code, size
}

// loadNumber loads from one address.
func (s *selector) loadNumber(e *ssa.Effect, v ssa.Value, disp int64) isel.VReg {
	m, base := s.address(e, disp)
	d := s.out.NewReg(isel.General)
	code, size := loadOp(e.Access, s.f.TypeOf(v))
	s.emit(&isel.Inst{Op: &op{code: code, form: formLoadR, size: uint8(size), mem: m}, Defs: []isel.VReg{d},
		Uses: []isel.VReg{base}})
	return d
}

// grouped tells whether the elements of all lanes are vectors that are taken apart.
func (s *selector) grouped(a *ssa.Access, v ssa.Value) bool {
	return s.f.TypeOf(v) == ssa.W && (a.Elem == 1 && a.Count == 4 || a.Elem == 4 && a.Count == 2)
}

// middle is a vector that several values are made of, by the first of them.
func (s *selector) middle(of ssa.Value, n int, make func() isel.VReg) isel.VReg {
	k := key{of, asMiddle, int16(n)}
	if r, ok := s.look(k); ok {
		return r
	}
	s.note(k, make(), s.block)
	return s.mustLook(k)
}

// loadGroup takes element n of four bytes, or of two words.
func (s *selector) loadGroup(e *ssa.Effect, n int, v ssa.Value, i int) isel.VReg {
	a := e.Access
	from := a.Disp + int64(s.isa.lanes(ssa.W)*i)*a.Step
	if a.Elem == 1 {
		x := s.middle(e.Results[0], i, func() isel.VReg { return s.load(x86.VMOVUPS, e, from) })
		if !a.Signed && n == 0 {
			return s.vector(x86.VPAND, x, s.splat(255))
		}
		if n < 3 {
			x = s.imm(x86.VPSLLD, int64(24-8*n), x)
		}
		return s.imm([2]x86.Op{x86.VPSRLD, x86.VPSRAD}[bit(a.Signed)], 24, x)
	}
	x := s.middle(e.Results[0], 2*i, func() isel.VReg { return s.load(x86.VMOVUPS, e, from) })
	y := s.middle(e.Results[0], 2*i+1, func() isel.VReg { return s.load(x86.VMOVUPS, e, from+int64(s.isa.bytes())) })
	if s.isa.Has(Masks) {
		return s.every(x, y, n)
	}
	return s.imm(x86.VPERMQ, 0xd8, s.imm(x86.VSHUFPS, [2]int64{0x88, 0xdd}[n], x, y))
}

// loadApart loads lanes that are some bytes apart, one by one.
func (s *selector) loadApart(e *ssa.Effect, v ssa.Value, i int, disp int64) isel.VReg {
	a, t := e.Access, s.f.TypeOf(v)
	if s.gathered(a, t) {
		return s.gatherApart(e, v, disp)
	}
	lanes := s.isa.lanes(t)
	m, base := s.address(e, disp)
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		c.gather(a, t, c.v(0), c.tv(1), c.t(0), func(lane int) x86.Mem {
			at := m
			at.disp += int64(lane) * a.Step
			return c.mem(&at)
		})
	}
	if last := disp + int64(lanes-1)*a.Step; last > math.MaxInt32 || last < math.MinInt32 {
		refuse("lanes %d bytes apart", a.Step)
	}
	s.emit(&isel.Inst{Op: &op{name: "load apart", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{base},
		Temps: s.temps(1, 1)})
	return d
}

// gather puts elements of lanes into a vector.
func (c *code) gather(a *ssa.Access, t ssa.Type, d, high x86.Vec, tmp x86.Reg, at func(lane int) x86.Mem) {
	insert, move := x86.VPINSRD, x86.VMOVD
	if t == ssa.X {
		insert, move = x86.VPINSRQ, x86.VMOVQ
	}
	op, size := loadOp(a, t)
	direct := int(a.Elem)*8 == t.Bits()
	c.pieces(d, high, c.e.isa.lanes(t), func(lane int, to x86.Vec, k int) {
		if direct && k == 0 {
			c.VM(move, x86.W128, to, at(lane))
			return
		}
		if direct {
			c.VVMI(insert, x86.W128, to, to, at(lane), uint8(k))
			return
		}
		c.RM(op, size, tmp, at(lane))
		if k == 0 {
			c.VR(move, x86.W128, to, tmp)
		} else {
			c.VVRI(insert, x86.W128, to, to, tmp, uint8(k))
		}
	})
}

// hostBase is an address as the host has it.
func (s *selector) hostBase(v ssa.Value) isel.VReg {
	return s.find(key{v: v, kind: asHost}, func(k key) {
		s.note(k, s.plain("host", func(c *code) { c.RM(x86.LEA, x86.S64, c.g(0), x86.AtIndex(rGlobal, c.u(0), 1, 0)) },
			s.num(v)), s.block)
	})
}

// loadIndexed loads lanes by an index of words that was extended: all together where they follow each other, else one
// by one.
func (s *selector) loadIndexed(e *ssa.Effect, v ssa.Value, i, n int) isel.VReg {
	a, t := e.Access, s.f.TypeOf(v)
	word, shift, signed := s.f.Extended(a.Index)
	if a.Disp > math.MaxInt32-1<<12 || a.Disp < math.MinInt32+1<<12 {
		refuse("an index from %d on", a.Disp)
	}
	proof := s.accessed(e)
	index, half := s.indexPart(word, t, i)
	base := s.hostBase(a.Base)
	uses := []isel.VReg{index, base}
	disp := a.Disp + int64(n)*int64(a.Elem)
	together := func(*code, x86.Label) {}
	if a.Runs != 0 && (s.whole(a, v) && t == ssa.W || a.Elem < 4 && t == ssa.W) {
		uses = append(uses, s.num(a.Runs), s.num(a.Low))
		m := mem{kind: atHost, use: 3, disp: disp + int64(s.isa.lanes(ssa.W)*i)*int64(a.Elem), access: proof}
		together = func(c *code, end x86.Label) { c.loadTogether(a, m, end) }
	}
	if s.gatheredNarrow(a, t) {
		g := &narrow{elem: a.Elem, signed: a.Signed, index: extension{shift, signed}, based: true, disp: int32(disp),
			small: shift == 0 && s.f.Limit(word) < 1<<30}
		return s.narrowOr(g, uses, together)
	}
	if s.gathered(a, t) {
		g := &gather{of: t, base: base, scale: 1 << shift, disp: int32(disp), proof: proof}
		s.byWords(g, word, i, signed)
		return s.gatherOr(g, uses, together)
	}
	run := func(c *code) {
		end := c.NewLabel()
		together(c, end)
		c.MV(x86.VMOVUPS, c.width(), c.frameAt(fIndex), c.uv(0))
		c.gather(a, t, c.v(0), c.tv(2), c.t(0), func(lane int) x86.Mem {
			from := c.frameAt(fIndex + 4*(lane+half))
			if signed {
				c.RM(x86.MOVSXD, x86.S64, c.t(1), from)
			} else {
				c.RM(x86.MOV, x86.S32, c.t(1), from)
			}
			return x86.AtIndex(c.u(1), c.t(1), 1<<shift, int32(disp)).By(proof)
		})
		c.Bind(end)
	}
	d := s.out.NewReg(isel.Vector)
	words := s.area(fIndex, s.isa.bytes())
	s.emit(&isel.Inst{Op: &op{name: "load indexed", run: run, areas: []touch{words.writes(), words.reads()}},
		Defs: []isel.VReg{d}, Uses: uses, Temps: s.temps(2, 1)})
	return d
}

// indexPart is the vector of words that part i of lanes of a type takes, from lane half on.
func (s *selector) indexPart(word ssa.Value, t ssa.Type, i int) (index isel.VReg, half int) {
	if t == ssa.X {
		return s.part(word, i/2), i % 2 * s.isa.lanes(ssa.X)
	}
	return s.part(word, i), 0
}

// loadTogether loads lanes that follow each other, where use 2 says that they do.
func (c *code) loadTogether(a *ssa.Access, m mem, end x86.Label) {
	apart := c.NewLabel()
	c.RR(x86.TEST, x86.S32, c.u(2), c.u(2))
	c.Jcc(x86.E, apart)
	load := x86.VMOVUPS
	if a.Elem < 4 {
		load = extensions[a.Elem-1][bit(a.Signed)]
	}
	c.VM(load, c.width(), c.v(0), c.mem(&m))
	c.Jmp(end)
	c.Bind(apart)
}
