package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has what AVX-512 loads otherwise than AVX2: permutations of two vectors, and gathers.

// gathers are instructions that load lanes: by indices of words and of 64 bits, each of words and of 64 bits.
var gathers = [2][2]x86.Op{{x86.VPGATHERDDK, x86.VPGATHERDQK}, {x86.VPGATHERQDK, x86.VPGATHERQQK}}

// typeIndex is the place of a type in tables.
func typeIndex(t ssa.Type) int { return bit(t == ssa.X) }

// gathered tells whether an instruction gathers elements as lanes of a type.
func (s *selector) gathered(a *ssa.Access, t ssa.Type) bool {
	return s.isa.Has(Masks) && int(a.Elem)*8 == t.Bits()
}

// gather is how lanes of a vector are loaded, or stored: by one vector of indices, or by two of 64 bits for words.
type gather struct {
	of      ssa.Type
	wide    bool // indices have 64 bits
	indices []isel.VReg
	masks   []isel.VReg // of each; none: all lanes
	base    isel.VReg   // 0: where global memory begins
	scale   uint8
	disp    int32
	proof   int32
}

// uses are the registers of a gather: indices, masks, and the base.
func (g *gather) uses() []isel.VReg {
	list := append(append([]isel.VReg{}, g.indices...), g.masks...)
	if g.base != 0 {
		list = append(list, g.base)
	}
	return list
}

// at is where the lanes of index n are, from use first on.
func (c *code) at512(g *gather, n, first int) x86.Mem {
	base := rGlobal
	if g.base != 0 {
		base = c.u(first + len(g.indices) + len(g.masks))
	}
	return x86.AtVec(base, c.uv(first+n), g.scale, g.disp).By(g.proof)
}

// maskOfGather puts the mask of index n into a register that the gather changes.
func (c *code) maskOfGather(g *gather, n, first int, k x86.K) {
	if g.masks == nil {
		c.KKK(x86.KXNORW, k, k, k)
		return
	}
	c.KK(x86.KMOVW, k, c.uk(first+len(g.indices)+n))
}

// load writes a gather: into def 0, with temporaries for a mask and for the second half. Lanes that are off become 0.
func (c *code) gatherLanes(g *gather, first int) {
	for n := range g.indices {
		d := c.v(0)
		if n == 1 {
			d = c.tv(1)
		}
		c.maskOfGather(g, n, first, c.tk(0))
		c.e.isa.zero(c.Asm, d)
		c.Masked(c.tk(0)).VM(gathers[bit(g.wide)][typeIndex(g.of)], x86.W512, d, c.at512(g, n, first))
	}
	if len(g.indices) == 2 {
		c.VVVI(x86.VINSERTI64X4, x86.W512, c.v(0), c.v(0), c.tv(1), 1)
	}
}

// gatherTemps are the temporaries of a gather.
func (s *selector) gatherTemps() []isel.VReg { return append(s.masks(1), s.temps(0, 1)...) }

// emitGather makes a gather an instruction.
func (s *selector) emitGather(g *gather) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{name: "gather", run: func(c *code) { c.gatherLanes(g, 0) }}, Defs: []isel.VReg{d},
		Uses: g.uses(), Temps: s.gatherTemps(), Early: true})
	return d
}

// gatherOr makes an instruction that may load otherwise: it has uses of its own.
func (s *selector) gatherOr(g *gather, uses []isel.VReg, other func(c *code, end x86.Label)) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		end := c.NewLabel()
		other(c, end)
		c.gatherLanes(g, len(uses))
		c.Bind(end)
	}
	all := append(uses[:len(uses):len(uses)], g.uses()...)
	s.emit(&isel.Inst{Op: &op{name: "load indexed", run: run}, Defs: []isel.VReg{d}, Uses: all, Temps: s.gatherTemps(),
		Early: true})
	return d
}

// byWords gives a gather the indices of vector i of lanes of its type: words that are extended.
func (s *selector) byWords(g *gather, word ssa.Value, i int, signed bool) {
	g.wide = !signed && s.f.Limit(word) > math.MaxInt32
	of := func(i int) isel.VReg { // as words, those of 64 bits from i on
		if x := s.part(word, i/2); i%2 == 0 {
			return x
		}
		return s.imm(x86.VEXTRACTI64X4, 1, s.part(word, i/2))
	}
	switch {
	case g.wide && g.of == ssa.X:
		g.indices = []isel.VReg{s.vector(x86.VPMOVZXDQ, of(i))}
	case g.wide:
		g.indices = []isel.VReg{s.vector(x86.VPMOVZXDQ, of(2*i)), s.vector(x86.VPMOVZXDQ, of(2*i+1))}
	case g.of == ssa.X:
		g.indices = []isel.VReg{of(i)}
	default:
		g.indices = []isel.VReg{s.part(word, i)}
	}
}

// under gives a gather the masks of vector i of its lanes.
func (s *selector) masksOf(g *gather, mask ssa.Value, i int) {
	switch _, known := s.f.Known(mask); {
	case known:
	case len(g.indices) == 2:
		g.masks = []isel.VReg{s.wide(mask, 2*i), s.wide(mask, 2*i+1)}
	case g.of == ssa.X:
		g.masks = []isel.VReg{s.wide(mask, i)}
	default:
		g.masks = []isel.VReg{s.part(mask, i)}
	}
}

// loadShuffled512 loads a part of words that are a few bytes apart; 0 if it cannot.
func (s *selector) loadShuffled512(e *ssa.Effect, v ssa.Value, i int, disp int64) isel.VReg {
	a := e.Access
	step, elem := a.Step, int64(a.Elem)
	if elem < step && step < 4 && !a.Signed && a.Count == 1 {
		if r := s.loadStructured(e, v, i); r != 0 {
			return r
		}
	}
	switch {
	case elem == 4 && step == 8:
		low := s.load(x86.VMOVUPS, e, disp)
		order := ordered(func(lane int) int { return 2*lane + bit(lane >= 8) })
		return s.permuted2(x86.VPERMT2D, low, s.load(x86.VMOVUPS, e, disp+60), order)
	case elem == 4 && step == 12:
		return s.loadThird512(e, v, i)
	case elem == 4 && step == 16 && a.Count == 4:
		return s.loadFourth512(e, v, i)
	case elem < 4 && !a.Signed && step > elem && 3*step+elem <= 16 && 7*step+elem >= 16:
		return s.loadQuarters(e, disp)
	}
	return 0
}

// loadThird512 takes every third word of three vectors (see loadThird).
func (s *selector) loadThird512(e *ssa.Effect, v ssa.Value, i int) isel.VReg {
	word, start, ok := s.third(e, v)
	if !ok {
		return 0
	}
	vector := func(k int64) isel.VReg { return s.structures(e, start+int64(192*i)+64*k, start) }
	at := func(lane int) int { return int(word) + 3*lane }
	x := s.permuted2(x86.VPERMT2D, vector(0), vector(1), ordered(func(lane int) int { return at(lane) % 32 }))
	return s.permuted2(x86.VPERMT2D, x, vector(2), ordered(func(lane int) int {
		if at(lane) < 32 {
			return lane
		}
		return at(lane) - 16
	}))
}

// structureOf is where the structures begin that lanes have an element of, if a check covers all their bytes.
func (s *selector) structureOf(e *ssa.Effect, v ssa.Value) (start int64, ok bool) {
	a, c := e.Access, &s.f.Checks[e.Access.Check]
	for off := range a.Step - int64(a.Elem) + 1 {
		if start = a.Disp - off; start >= c.Lo && start+a.Step*int64(s.f.LanesOf(v)) <= c.Hi {
			return start, true
		}
	}
	return 0, false
}

// loadStructured takes an element of two or three bytes each, which are loaded with zeros behind them and permuted; 0
// if a check does not cover them.
func (s *selector) loadStructured(e *ssa.Effect, v ssa.Value, i int) isel.VReg {
	start, ok := s.structureOf(e, v)
	if !ok {
		return 0
	}
	whole := *e.Access
	step, off := int(whole.Step), int(whole.Disp-start)
	var order isel.Const
	for at := range order {
		if order[at] = 63; at%4 < int(whole.Elem) {
			order[at] = byte(at/4*step + off + at%4)
		}
	}
	whole.Disp, whole.Elem, whole.Count = start, 1, uint8(step)
	m, base := s.address(&ssa.Effect{Kind: e.Kind, Access: &whole, PC: e.PC}, start+int64(16*step*i))
	some := s.out.Constant(isel.Mask, words(1<<(4*step)-1))
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{code: x86.VMOVDQU32, form: formLoad, size: uint8(x86.W512), masked: true, zero: true,
		mem: m}, Defs: []isel.VReg{d}, Uses: []isel.VReg{base, some}})
	return s.vector(x86.VPERMB, s.out.Constant(isel.Vector, order), d)
}

// loadQuarters takes bytes or halves out of four times 16 bytes, of which the last ends with the last lane.
func (s *selector) loadQuarters(e *ssa.Effect, disp int64) isel.VReg {
	step, elem := int(e.Access.Step), int(e.Access.Elem)
	starts := [4]int{0, 4 * step, 8 * step, 15*step + elem - 16}
	var order isel.Const
	for lane := range 16 {
		for b := range 4 {
			if order[4*lane+b] = 0x80; b < elem {
				order[4*lane+b] = byte(lane*step - starts[lane/4] + b)
			}
		}
	}
	m, base := s.address(e, disp)
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		c.VM(x86.VMOVUPS, x86.W128, c.v(0), c.mem(&m))
		for q := 1; q < 4; q++ {
			at := m
			at.disp += int64(starts[q])
			c.VVMI(x86.VINSERTI32X4, x86.W512, c.v(0), c.v(0), c.mem(&at), uint8(q))
		}
	}
	s.emit(&isel.Inst{Op: &op{name: "four quarters", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{base}})
	return s.vector(x86.VPSHUFB, d, s.out.Constant(isel.Vector, order))
}

// gatherApart loads lanes that are some bytes apart.
func (s *selector) gatherApart(e *ssa.Effect, v ssa.Value, disp int64) isel.VReg {
	a := e.Access
	if disp > math.MaxInt32 || disp < math.MinInt32 || 16*a.Step > math.MaxInt32 || 16*a.Step < math.MinInt32 {
		refuse("lanes %d bytes apart", a.Step)
	}
	return s.emitGather(&gather{of: s.f.TypeOf(v), indices: []isel.VReg{s.steps32(0, a.Step)}, base: s.hostBase(a.Base),
		scale: 1, disp: int32(disp), proof: s.accessed(e)})
}

// gatherFrame loads vector i of lanes by addresses in the frame.
func (c *code) gatherFrame(t ssa.Type, i int, disp int32) {
	n := 2 - typeIndex(t) // vectors of addresses
	for half := range n {
		d, at := c.v(0), c.tv(1)
		if half == 1 {
			d = c.tv(2)
		}
		c.VM(x86.VMOVUPS, x86.W512, at, c.frameAt(fLanes+64*(n*i+half)))
		c.KKK(x86.KXNORW, c.tk(0), c.tk(0), c.tk(0))
		c.e.isa.zero(c.Asm, d)
		m := x86.AtVec(rGlobal, at, 1, disp).By(ofTested)
		c.Masked(c.tk(0)).VM(gathers[1][typeIndex(t)], x86.W512, d, m)
	}
	if n == 2 {
		c.VVVI(x86.VINSERTI64X4, x86.W512, c.v(0), c.v(0), c.tv(2), 1)
	}
}
