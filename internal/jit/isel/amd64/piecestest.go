package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file tests whether lanes in pieces are inside: both ends of all that is touched, or if one is not, lane by lane.

// testPieces tests lanes that are where an index says.
func (s *selector) testPieces(e *ssa.Effect) lanes {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), e.Kind == ssa.Store, max(a.Align, 1))
	pieces, at := s.findPieces(e), s.area(fLanes, 256)
	defs, temps := s.temps(3, 0), s.temps(4, 4)
	if s.isa.Has(Masks) {
		temps = append(s.temps(4, 3), s.masks(1)...)
	}
	i := &isel.Inst{Op: &op{name: "test pieces", run: func(c *code) { c.testPieces(&t, a.Elem) },
		areas: []touch{pieces.reads(), at.writes(), at.reads()}}, Defs: defs, Uses: []isel.VReg{s.bits(e.Mask), s.firstAddress(e)},
		Temps: temps, Early: true}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	return lanes{how: defs[0], at: defs[1], other: defs[2], area: at, pieces: pieces}
}

// testPieces writes the test: definitions are the way, and where lane 0 of each piece is.
func (c *code) testPieces(t *tested, elem uint8) {
	mask, base, how, first, other, x, y := c.u(0), c.u(1), c.g(0), c.g(1), c.g(2), c.t(0), c.t(1)
	apart, end := c.NewLabel(), c.NewLabel()
	c.MovImm(how, howNone)
	c.RR(x86.TEST, x86.S32, mask, mask)
	c.Jcc(x86.E, end)
	c.MI(x86.CMP, x86.S32, c.frameAt(fOfFirst), 0)
	c.Jcc(x86.E, apart)
	for _, p := range []struct {
		r   x86.Reg
		off int
	}{{first, fFirst}, {other, fSecond}, {x, fLeast}, {y, fMost}} {
		c.RM(x86.MOV, x86.S64, p.r, c.frameAt(p.off))
		c.RR(x86.ADD, x86.S64, p.r, base)
	}
	if t.align > 1 {
		c.RI(x86.TEST, x86.S32, x, int32(t.align)-1)
		c.Jcc(x86.NE, apart)
	}
	for _, lane := range []x86.Reg{x, y} { // both ends are inside of one allocation, so all between them is
		c.RM(x86.SUB, x86.S64, lane, c.frameAt(c.e.frame.startOf(t.bounds)))
		c.RM(x86.CMP, x86.S64, lane, c.frameAt(c.e.frame.limitOf(t.limit)))
		c.Jcc(x86.AE, apart)
	}
	c.RR(x86.CMP, x86.S64, x, y)
	c.Jcc(x86.A, apart)
	c.MovImm(how, howTogether)
	c.Jmp(end)
	c.Bind(apart)
	c.lanesInside(t, elem, x, y)
	c.R(x86.NOT, x86.S32, x)
	c.RR(x86.TEST, x86.S32, x, mask)
	if inside := c.NewLabel(); len(c.e.frame.others[t.limit]) > 0 {
		c.Jcc(x86.E, inside)
		c.testLanes(t)
		c.Bind(inside)
	} else {
		c.Jcc(x86.NE, c.exit())
	}
	c.fillLanes(32, 8)
	c.MovImm(how, howApart)
	c.Bind(end)
}

// lanesInside puts the addresses of lanes into the frame, and sets the bits of those that are inside.
func (c *code) lanesInside(t *tested, elem uint8, to, tmp x86.Reg) {
	isa := c.e.isa
	n := isa.lanes(ssa.X)
	c.Zero(to)
	base, x := c.tv(4), c.tv(5)
	if isa.Has(Masks) {
		c.VR(x86.VPBROADCASTQ, c.width(), base, c.u(1))
	} else {
		c.VR(x86.VMOVQ, x86.W128, base, c.u(1))
		c.VV(x86.VPBROADCASTQ, x86.W256, base, base)
		c.VM(x86.VPBROADCASTQ, x86.W256, c.tv(6), c.frameAt(c.e.frame.startOf(t.bounds)))
		c.VM(x86.VPBROADCASTQ, x86.W256, c.tv(7), c.frameAt(c.e.frame.limitOf(t.limit)))
		c.VVM(x86.VPXOR, x86.W256, c.tv(7), c.tv(7), c.wide(1<<63))
	}
	for i := range 32 / n {
		var steps isel.Const
		for lane := range n {
			k := wides(uint64(elem) * uint64(n*i+lane))
			copy(steps[8*lane:], k[:8])
		}
		c.VVM(x86.VPADDQ, c.width(), x, base, c.frameAt(fOffsets+isa.bytes()*i))
		c.VVM(x86.VPADDQ, c.width(), x, x, c.ConstRow(steps[:isa.bytes()], isa.bytes()))
		c.MV(x86.VMOVUPS, c.width(), c.frameAt(fLanes+isa.bytes()*i), x)
		c.vectorInside(t, x, tmp)
		if i > 0 {
			c.RI(x86.SHL, x86.S32, tmp, int32(n*i))
		}
		c.RR(x86.OR, x86.S32, to, tmp)
	}
}

// wide is a constant in every lane of 64 bits.
func (c *code) wide(k uint64) x86.Mem {
	row := wides(k)
	return c.ConstRow(row[:c.e.isa.bytes()], c.e.isa.bytes())
}

// vectorInside sets the bits of addresses that are inside; there are comparisons with signs alone where there are no masks.
func (c *code) vectorInside(t *tested, x x86.Vec, to x86.Reg) {
	tmp, mistaken := c.e.isa.temp(), uint64(t.align)-1
	if c.e.isa.Has(Masks) {
		k := c.tk(7)
		c.VVM(x86.VPSUBQ, c.width(), tmp, x, c.frameAt(c.e.frame.startOf(t.bounds)).Bcast())
		c.KVMI(x86.VPCMPUQ, c.width(), k, tmp, c.frameAt(c.e.frame.limitOf(t.limit)).Bcast(), uint8(comparisons[ssa.LtU].pred))
		if mistaken > 0 {
			c.VM(x86.VMOVUPS, c.width(), tmp, c.wide(mistaken))
			c.KVV(x86.VPTESTMQ, c.width(), kTemp, x, tmp)
			c.KKK(x86.KANDNW, k, kTemp, k)
		}
		c.RK(x86.KMOVW, to, k)
		return
	}
	c.VVV(x86.VPSUBQ, x86.W256, tmp, x, c.tv(6))
	c.VVM(x86.VPXOR, x86.W256, tmp, tmp, c.wide(1<<63))
	c.VVV(x86.VPCMPGTQ, x86.W256, tmp, c.tv(7), tmp)
	if mistaken > 0 {
		c.VVM(x86.VPAND, x86.W256, x, x, c.wide(mistaken))
		c.VVM(x86.VPCMPEQQ, x86.W256, x, x, c.wide(0))
		c.VVV(x86.VPAND, x86.W256, tmp, tmp, x)
	}
	c.RV(x86.VMOVMSKPD, x86.W256, to, tmp)
}
