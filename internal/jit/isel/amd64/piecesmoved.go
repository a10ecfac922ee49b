package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file loads and stores lanes in pieces, vector by vector: at once where all lanes are in one of them, else under masks, and bytes and
// halves, for which AVX2 has no masks, one by one.

// wholly goes to a label where all lanes of vector i of a type are in the piece whose bits the frame has at a place, which it leaves in a
// register.
func (c *code) wholly(t ssa.Type, i, bits int, r x86.Reg, yes x86.Label) {
	n := c.e.isa.lanes(t)
	c.RM(x86.MOVZXB, x86.S32, r, c.frameAt(bits+n*i/8))
	if n == 4 && i%2 == 1 {
		c.RI(x86.SHR, x86.S32, r, 4)
	} else if n == 4 {
		c.RI(x86.AND, x86.S32, r, 15)
	}
	c.RI(x86.CMP, x86.S32, r, int32(1)<<n-1)
	c.Jcc(x86.E, yes)
}

// maskOfPiece makes the mask of vector i of lanes of a type that are in a piece.
func (c *code) maskOfPiece(t ssa.Type, i int, other bool, m x86.Vec) {
	var row isel.Const
	n := c.e.isa.lanes(t)
	for lane := range n {
		bit := uint64(1) << (n*i + lane)
		if t == ssa.W {
			k := words(uint32(bit))
			copy(row[4*lane:], k[:4])
			continue
		}
		k := wides(bit << (32 * bitOf(other)))
		copy(row[8*lane:], k[:8])
	}
	of := c.ConstRow(row[:c.e.isa.bytes()], c.e.isa.bytes())
	if t == ssa.W {
		c.VM(x86.VPBROADCASTD, x86.W256, m, c.frameAt(fOfFirst+4*bit(other)))
		c.VVM(x86.VPAND, x86.W256, m, m, of)
		c.VVM(x86.VPCMPEQD, x86.W256, m, m, of)
		return
	}
	c.VM(x86.VPBROADCASTQ, x86.W256, m, c.frameAt(fOfFirst))
	c.VVM(x86.VPAND, x86.W256, m, m, of)
	c.VVM(x86.VPCMPEQQ, x86.W256, m, m, of)
}

func bitOf(b bool) uint { return uint(bit(b)) }

// kOfPiece is the same as a mask register.
func (c *code) kOfPiece(t ssa.Type, i int, other bool, k x86.K, tmp x86.Reg) {
	c.RM(x86.MOV, x86.S32, tmp, c.frameAt(fOfFirst+4*bit(other)))
	if n := c.e.isa.lanes(t) * i; n > 0 {
		c.RI(x86.SHR, x86.S32, tmp, int32(n))
	}
	c.KR(x86.KMOVW, k, tmp)
}

var maskedMoves = [2]x86.Op{x86.VPMASKMOVD, x86.VPMASKMOVQ}

// loadPieces loads vector i of lanes that are in pieces, whose first lanes are at uses 1 and 2.
func (c *code) loadPieces(a *ssa.Access, t ssa.Type, i int, disp int32) {
	d, m := c.v(0), c.e.isa.temp()
	at := func(n int) x86.Mem { return x86.AtIndex(rGlobal, c.u(1+n), 1, disp).By(ofTested) }
	if c.e.isa.Has(Masks) {
		k, tmp := c.tk(3), c.t(4)
		c.kOfPiece(t, i, false, k, tmp)
		c.Zeroed(k).VM(contiguous(a, t), c.width(), d, at(0))
		c.kOfPiece(t, i, true, k, tmp)
		c.Masked(k).VM(contiguous(a, t), c.width(), d, at(1))
		return
	}
	first, other, end := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.wholly(t, i, fOfFirst, c.t(0), first)
	c.wholly(t, i, fOfOther, c.t(0), other)
	if a.Elem < 4 {
		op, size := loadOp(a, t)
		c.eachOfPieces(a, i, 1, disp, func(at x86.Mem) {
			c.RM(op, size, c.t(4), at)
			c.MR(x86.MOV, x86.S32, x86.AtIndex(x86.RSP, c.t(0), 4, fIndex), c.t(4))
		})
		c.VM(x86.VMOVUPS, x86.W256, d, c.frameAt(fIndex))
	} else {
		c.maskOfPiece(t, i, false, m)
		c.VVM(maskedMoves[typeIndex(t)], x86.W256, d, m, at(0))
		c.maskOfPiece(t, i, true, m)
		c.VVM(maskedMoves[typeIndex(t)], x86.W256, c.tv(2), m, at(1))
		c.VVV(x86.VPOR, x86.W256, d, d, c.tv(2))
	}
	c.Jmp(end)
	for n, l := range []x86.Label{first, other} {
		c.Bind(l)
		c.VM(contiguous(a, t), x86.W256, d, at(n))
		if n == 0 {
			c.Jmp(end)
		}
	}
	c.Bind(end)
}

// eachOfPieces goes through those lanes of vector i of words that are in pieces, whose first lanes are at uses first and first+1: do has where
// the element is; temporary 0 is the lane, temporary 4 is free.
func (c *code) eachOfPieces(a *ssa.Access, i, first int, disp int32, do func(at x86.Mem)) {
	lane, host, left := c.t(0), c.t(1), c.t(3)
	for n, bits := range []int{fOfFirst, fOfOther} {
		again, end := c.NewLabel(), c.NewLabel()
		c.RM(x86.LEA, x86.S64, host, x86.AtIndex(rGlobal, c.u(first+n), 1, 0))
		c.RM(x86.MOVZXB, x86.S32, left, c.frameAt(bits+i))
		c.RR(x86.TEST, x86.S32, left, left)
		c.Jcc(x86.E, end)
		c.Bind(again)
		c.RR(x86.BSF, x86.S32, lane, left)
		do(x86.AtIndex(host, lane, a.Elem, disp).By(ofTested))
		c.RR(x86.BLSR, x86.S32, left, left)
		c.Jcc(x86.NE, again)
		c.Bind(end)
	}
}

// storePieces makes a store that tests itself by vectors where lanes are in pieces, else lane by lane.
func (s *selector) storePieces(e *ssa.Effect) bool {
	a, v := e.Access, e.Args[0]
	if a.Count != 1 || s.lanesIn() != 32 || !s.inVectors(a, v) {
		return false
	}
	var l lanes
	even, together := s.evenlyOf(e)
	switch {
	case together && s.isa.Has(Masks) && a.Index == 0:
		return false
	case together:
		l = s.testTogether(e, even)
		s.onePiece(e, &l)
	case s.mayBeInPieces(e, v):
		l = s.testPieces(e)
	default:
		return false
	}
	values := s.area(fValues, s.isa.bytes()*s.vectorsOf(32, s.f.TypeOf(v)))
	for i := range s.vectorsOf(32, s.f.TypeOf(v)) {
		s.storeArea(values, s.isa.bytes()*i, s.part(v, i))
	}
	for i := range s.vectorsOf(32, s.f.TypeOf(v)) {
		s.storeSome(e, &l, values, i)
	}
	types := []ssa.Type{s.f.TypeOf(v)}
	run := func(c *code) {
		end := c.NewLabel()
		c.RI(x86.CMP, x86.S32, c.u(1), howApart)
		c.Jcc(x86.NE, end)
		c.eachLane(e, types)
		c.Bind(end)
	}
	i := s.perform("lanes apart", run, s.temps(4, 0), s.bits(e.Mask), l.how)
	i.Op.(*op).areas = []touch{values.reads(), l.area.reads()}
	return true
}

// onePiece says that all lanes that are on are in one piece.
func (s *selector) onePiece(e *ssa.Effect, l *lanes) {
	l.pieces, l.other = s.area(fOffsets, fOfOther+4-fOffsets), l.at
	s.pieces = piecesOf{} // which it writes over
	run := func(c *code) {
		c.MR(x86.MOV, x86.S32, c.frameAt(fOfFirst), c.u(0))
		c.MI(x86.MOV, x86.S32, c.frameAt(fOfOther), 0)
	}
	i := s.perform("one piece", run, nil, s.bits(e.Mask))
	i.Op.(*op).areas = []touch{{l.pieces, fOfFirst, fOfOther + 4, true}}
}

// storeSome stores vector i of lanes that are in pieces.
func (s *selector) storeSome(e *ssa.Effect, l *lanes, values *area, i int) {
	a, v := e.Access, e.Args[0]
	t := s.f.TypeOf(v)
	disp := int32(s.isa.lanes(t)*i) * int32(a.Elem)
	temps := s.temps(5, 1)
	if s.isa.Has(Masks) {
		temps = append(s.temps(2, 0), s.masks(1)...)
	}
	run := func(c *code) {
		end := c.NewLabel()
		c.RI(x86.CMP, x86.S32, c.u(0), howTogether)
		c.Jcc(x86.NE, end)
		c.storeSome(a, t, i, disp, end)
		c.Bind(end)
	}
	s.perform("store some", run, temps, l.how, l.at, l.other, s.part(v, i)).Op.(*op).areas = []touch{bitsIn(l.pieces), values.reads()}
}

// storeSome stores use 3, of which the first lanes of pieces are at uses 1 and 2.
func (c *code) storeSome(a *ssa.Access, t ssa.Type, i int, disp int32, end x86.Label) {
	v, m := c.uv(3), c.e.isa.temp()
	at := func(n int) x86.Mem { return x86.AtIndex(rGlobal, c.u(1+n), 1, disp).By(ofTested) }
	if c.e.isa.Has(Masks) {
		for n, other := range []bool{false, true} {
			c.kOfPiece(t, i, other, c.tk(2), c.t(0))
			c.Masked(c.tk(2)).MV(narrowStores[a.Elem], c.width(), at(n), v)
		}
		return
	}
	first, other := c.NewLabel(), c.NewLabel()
	c.wholly(t, i, fOfFirst, c.t(0), first)
	c.wholly(t, i, fOfOther, c.t(1), other)
	c.RR(x86.OR, x86.S32, c.t(0), c.t(1)) // masked stores take long
	c.Jcc(x86.E, end)
	if a.Elem < 4 {
		size := [...]x86.Size{1: x86.S8, 2: x86.S16}[a.Elem]
		c.eachOfPieces(a, i, 1, disp, func(at x86.Mem) {
			c.RM(x86.MOV, x86.S32, c.t(4), x86.AtIndex(x86.RSP, c.t(0), 4, int32(fValues+32*i)))
			c.MR(x86.MOV, size, at, c.t(4))
		})
	} else {
		for n, other := range []bool{false, true} {
			c.maskOfPiece(t, i, other, m)
			c.MVV(maskedMoves[typeIndex(t)], x86.W256, at(n), m, v)
		}
	}
	c.Jmp(end)
	for n, l := range []x86.Label{first, other} {
		c.Bind(l)
		c.storeElements(a, at(n), v, c.tv(5))
		if n == 0 {
			c.Jmp(end)
		}
	}
}

// storeElements stores lanes that follow each other: words and lanes of 64 bits, or the low bytes and halves of words.
func (c *code) storeElements(a *ssa.Access, at x86.Mem, v, low x86.Vec) {
	if a.Elem >= 4 {
		c.MV(x86.VMOVUPS, x86.W256, at, v)
		return
	}
	high, kept := c.e.isa.temp(), words(1<<(8*a.Elem)-1)
	c.VVM(x86.VPAND, x86.W256, low, v, c.ConstRow(kept[:32], 32))
	c.VVI(x86.VEXTRACTI128, x86.W256, high, low, 1)
	c.VVV(x86.VPACKUSDW, x86.W128, low, low, high)
	if a.Elem == 2 {
		c.MV(x86.VMOVUPS, x86.W128, at, low)
		return
	}
	c.VVV(x86.VPACKUSWB, x86.W128, low, low, low)
	c.MV(x86.VMOVQ, x86.W128, at, low)
}
