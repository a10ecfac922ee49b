package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file finds out while code runs whether lanes that may be anywhere follow each other, in one piece or in two: then each vector is
// loaded or stored at once, or under masks. Of a loop that nvcc has unrolled by four, the lanes of a row's last warp have gone round another
// one once or three times before, so they are in two pieces as long as it runs:
//
//	lanes 0 … 7        a[0 … 7]
//	lanes 8 … 31       a[104 … 127]
//
// What is found of an index holds for all accesses of a block by it, and is kept in the frame.

// piecesOf is what an area of the frame has the pieces of.
type piecesOf struct {
	index, mask ssa.Value
	elem        uint8
	block       *block
	at          *area
}

// mayBeInPieces tells whether lanes of an access by any index are looked at for pieces; v is what it loads or stores. Of an index that is
// another one in each turn of a loop it is not worth it, as lanes that are anywhere then pay for it each time; but for stores by places that are
// known to be in two, since lanes are stored one by one otherwise: two rows of a block of 16 threads are such.
func (s *selector) mayBeInPieces(e *ssa.Effect, v ssa.Value) bool {
	a := e.Access
	return a.Index != 0 && a.Count == 1 && s.lanesIn() == 32 && s.f.Table(a.Index) == nil && s.inVectors(a, v) && s.byPieces(a.Index) &&
		(s.f.Info[a.Index].Level < s.block.Level || e.Kind == ssa.Store && s.hasTable(a.Index, 12))
}

// hasTable tells whether a value is made of known lanes, by so many operations one behind the other.
func (s *selector) hasTable(v ssa.Value, depth int) bool {
	o := &s.f.Ops[v]
	return o.Code == ssa.Each || depth > 0 && !s.f.IsNum(v) && slices.ContainsFunc(o.Operands(), func(a ssa.Value) bool { return s.hasTable(a, depth-1) })
}

// inTwo tells whether lanes of a table grow by the same from one to the next, but for one place.
func inTwo(table []uint64) bool {
	others := 0
	for i := 2; i < len(table); i++ {
		if table[i]-table[i-1] != table[1]-table[0] {
			others++
		}
	}
	return others <= 1
}

// byPieces tells whether a value is what strided values, and known lanes in two pieces, are made to by sums, by scaling, by keeping them within
// limits, and by selecting one for some lanes. Lanes of other
// indices mostly are anywhere: those that are loaded, or counted.
func (s *selector) byPieces(v ssa.Value) bool {
	if s.f.IsNum(v) {
		return true
	}
	if is, known := s.inPieces[v]; known {
		return is
	}
	if s.inPieces == nil {
		s.inPieces = map[ssa.Value]bool{}
	}
	s.inPieces[v] = true // what leads back to it says nothing of it
	is := false
	switch o := &s.f.Ops[v]; o.Code {
	case ssa.Const, ssa.Strided, ssa.Bcast:
		is = true
	case ssa.Each:
		is = inTwo(s.f.Tables[o.Imm])
	case ssa.Add, ssa.Sub, ssa.Mul, ssa.Shl, ssa.Sext, ssa.Zext, ssa.Trunc, ssa.MinS, ssa.MaxS, ssa.MinU, ssa.MaxU:
		is = s.allByPieces(o.Operands())
	case ssa.Select:
		is = s.allByPieces(o.Operands()[1:])
	case ssa.Param:
		is = s.allByPieces(s.entering(v))
	}
	s.inPieces[v] = is
	return is
}

func (s *selector) allByPieces(list []ssa.Value) bool {
	return !slices.ContainsFunc(list, func(v ssa.Value) bool { return !s.byPieces(v) })
}

// entering are the arguments of a parameter.
func (s *selector) entering(param ssa.Value) (args []ssa.Value) {
	to := s.f.Blocks[s.f.Info[param].Block]
	n := slices.Index(to.Params, param)
	for _, b := range s.dom.Preds[to.ID] {
		for _, e := range b.Out {
			if e.To == to {
				args = append(args, e.Args[n])
			}
		}
	}
	return args
}

// inVectors tells whether elements that follow each other are loaded or stored together.
func (s *selector) inVectors(a *ssa.Access, v ssa.Value) bool {
	return s.whole(a, v) || a.Elem < 4 && s.f.TypeOf(v) == ssa.W
}

// bitsIn says that an instruction reads which lanes are in which piece.
func bitsIn(r *area) touch { return touch{r, fOfFirst, fOfOther + 4, false} }

// findPieces finds the pieces of an access's index, unless the frame has them.
func (s *selector) findPieces(e *ssa.Effect) *area {
	a := e.Access
	p := piecesOf{index: a.Index, mask: e.Mask, elem: a.Elem, block: s.block}
	if p.at = s.pieces.at; p.at != nil && p == s.pieces {
		return p.at
	}
	p.at = s.area(fOffsets, fOfOther+4-fOffsets)
	for i := range s.vectorsOf(32, ssa.X) {
		x := s.vector(x86.VPSUBQ, s.part(a.Index, i), s.steps64(i, int64(a.Elem)))
		s.storeArea(p.at, s.isa.bytes()*i, x)
	}
	temps := s.temps(5, 4)
	if s.isa.Has(Masks) {
		temps = append(s.temps(5, 1), s.masks(2)...)
	}
	i := s.perform("find pieces", func(c *code) { c.findPieces(int32(a.Elem)) }, temps, s.bits(e.Mask))
	i.Op.(*op).areas = []touch{{p.at, fOffsets, fFirst, false}, {p.at, fFirst, fOfOther + 4, true}}
	s.pieces = p
	return p.at
}

// findPieces writes which lanes of use 0 are in the piece of the first of them, and which in that of the last: none, if there are others.
func (c *code) findPieces(elem int32) {
	bits, lane, first, second, own, other := c.u(0), c.t(0), c.t(1), c.t(2), c.t(3), c.t(4)
	look, one, end := c.NewLabel(), c.NewLabel(), c.NewLabel()
	offset := x86.AtIndex(x86.RSP, lane, 8, fOffsets)
	c.MI(x86.MOV, x86.S64, c.frameAt(fOfFirst), 0)
	c.RR(x86.TEST, x86.S32, bits, bits)
	c.Jcc(x86.E, end)
	c.RR(x86.BSF, x86.S32, lane, bits)
	c.RM(x86.MOV, x86.S64, first, offset)
	c.RR(x86.BSR, x86.S32, lane, bits)
	c.RM(x86.MOV, x86.S64, second, offset)
	c.RR(x86.BLSR, x86.S32, own, bits)
	c.Jcc(x86.E, look)
	c.RR(x86.BSF, x86.S32, lane, own) // the second lane: most of what is anywhere ends here
	c.RM(x86.MOV, x86.S64, lane, offset)
	c.RR(x86.CMP, x86.S64, lane, first)
	c.Jcc(x86.E, look)
	c.RR(x86.CMP, x86.S64, lane, second)
	c.Jcc(x86.NE, end)
	c.Bind(look)
	c.lanesOfPiece(own, first)
	c.RR(x86.AND, x86.S32, own, bits)
	c.RR(x86.MOV, x86.S32, other, bits)
	c.RR(x86.XOR, x86.S32, other, own)
	c.Jcc(x86.E, one)
	c.lanesOfPiece(lane, second)
	c.RR(x86.AND, x86.S32, lane, other)
	c.RR(x86.CMP, x86.S32, lane, other)
	c.Jcc(x86.NE, end)
	c.RR(x86.BLSI, x86.S32, lane, other) // the second piece is behind the first, whose stores it may write over
	c.RR(x86.CMP, x86.S32, own, lane)
	c.Jcc(x86.AE, end)
	if elem > 1 {
		c.RR(x86.MOV, x86.S32, lane, first)
		c.RR(x86.XOR, x86.S32, lane, second)
		c.RI(x86.TEST, x86.S32, lane, elem-1)
		c.Jcc(x86.NE, end)
	}
	c.Bind(one)
	c.MR(x86.MOV, x86.S64, c.frameAt(fFirst), first)
	c.MR(x86.MOV, x86.S64, c.frameAt(fSecond), second)
	c.MR(x86.MOV, x86.S32, c.frameAt(fOfFirst), own)
	c.MR(x86.MOV, x86.S32, c.frameAt(fOfOther), other)
	c.endsOfPieces(elem)
	c.Bind(end)
}

// endsOfPieces writes the least index of a lane that is on, and the largest; there are no pieces if one goes from positive to negative.
func (c *code) endsOfPieces(elem int32) {
	lane, first, second, own, other := c.t(0), c.t(1), c.t(2), c.t(3), c.t(4)
	one, wraps, end := c.NewLabel(), c.NewLabel(), c.NewLabel()
	at := func(lane, start x86.Reg) { c.RM(x86.LEA, x86.S64, lane, x86.AtIndex(start, lane, uint8(elem), 0)) }
	c.RR(x86.BSF, x86.S32, lane, own)
	at(lane, first)
	c.RR(x86.BSR, x86.S32, own, own)
	at(own, first)
	c.RR(x86.CMP, x86.S64, own, lane)
	c.Jcc(x86.L, wraps)
	c.RR(x86.TEST, x86.S32, other, other)
	c.Jcc(x86.E, one)
	c.RR(x86.BSF, x86.S32, first, other)
	at(first, second)
	c.RR(x86.BSR, x86.S32, other, other)
	at(other, second)
	c.RR(x86.CMP, x86.S64, other, first)
	c.Jcc(x86.L, wraps)
	c.RR(x86.CMP, x86.S64, first, lane)
	c.Cmov(x86.L, x86.S64, lane, first)
	c.RR(x86.CMP, x86.S64, other, own)
	c.Cmov(x86.G, x86.S64, own, other)
	c.Bind(one)
	c.MR(x86.MOV, x86.S64, c.frameAt(fLeast), lane)
	c.MR(x86.MOV, x86.S64, c.frameAt(fMost), own)
	c.Jmp(end)
	c.Bind(wraps)
	c.MI(x86.MOV, x86.S64, c.frameAt(fOfFirst), 0)
	c.Bind(end)
}

// lanesOfPiece sets the bits of all lanes whose offset is a number.
func (c *code) lanesOfPiece(to, offset x86.Reg) {
	at := func(i int) x86.Mem { return c.frameAt(fOffsets + c.e.isa.bytes()*i) }
	if c.e.isa.Has(Masks) {
		all, low, high := c.tv(5), c.tk(6), c.tk(7)
		c.VR(x86.VPBROADCASTQ, c.width(), all, offset)
		same := func(k x86.K, i int) { c.KVMI(x86.VPCMPQ, c.width(), k, all, at(i), 0) }
		same(low, 0)
		same(high, 1)
		c.KKK(x86.KUNPCKBW, low, high, low)
		same(high, 2)
		same(kTemp, 3)
		c.KKK(x86.KUNPCKBW, high, kTemp, high)
		c.KKK(x86.KUNPCKWD, low, high, low)
		c.RK(x86.KMOVD, to, low)
		return
	}
	all, x, y, z, last := c.tv(5), c.tv(6), c.tv(7), c.tv(8), c.e.isa.temp()
	c.VR(x86.VMOVQ, x86.W128, all, offset)
	c.VV(x86.VPBROADCASTQ, x86.W256, all, all)
	same := func(v x86.Vec, i int) { c.VVM(x86.VPCMPEQQ, x86.W256, v, all, at(i)) }
	pack := func(op x86.Op, d, s x86.Vec) { c.VVV(op, x86.W256, d, d, s) }
	four := func(d, a, b x86.Vec, i int) { // 16 lanes of 16 bits
		same(d, i)
		same(a, i+1)
		pack(x86.VPACKSSDW, d, a)
		same(a, i+2)
		same(b, i+3)
		pack(x86.VPACKSSDW, a, b)
		pack(x86.VPACKSSDW, d, a)
	}
	four(x, y, z, 0)
	four(y, z, last, 4)
	pack(x86.VPACKSSWB, x, y)
	c.VVI(x86.VEXTRACTI128, x86.W256, y, x, 1) // lanes 2 and 3 of each vector
	c.VVV(x86.VPUNPCKLWD, x86.W128, z, x, y)
	c.VVV(x86.VPUNPCKHWD, x86.W128, x, x, y)
	c.VVVI(x86.VINSERTI128, x86.W256, z, z, x, 1)
	c.RV(x86.VPMOVMSKB, x86.W256, to, z)
}
