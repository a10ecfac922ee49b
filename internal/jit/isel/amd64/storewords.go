package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has stores of two or four words of each lane that follow each other, as do those of all lanes: vectors in the order of memory are
// made of those that have one word of each lane, and stored, under what their lanes' masks say of each word.

// areWords tells whether a store is one of these, of all lanes or of some.
func (s *selector) areWords(e *ssa.Effect, full bool) bool {
	a := e.Access
	return a.Check != 0 && a.Index == 0 && a.Elem == 4 && (a.Count == 2 || a.Count == 4) && a.Step == 4*int64(a.Count) &&
		(full || !s.f.IsNum(e.Mask)) && !slices.ContainsFunc(e.Args, func(v ssa.Value) bool { return s.f.TypeOf(v) != ssa.W })
}

// storeWords makes it.
func (s *selector) storeWords(e *ssa.Effect, full bool) {
	n, count := s.isa.lanes(ssa.W), len(e.Args)
	for i := range s.lanesIn() / n {
		var v [4]isel.VReg
		for k, a := range e.Args {
			v[k] = s.part(a, i)
		}
		var list []isel.VReg
		if count == 2 {
			list = s.pairsInOrder(v[0], v[1])
		} else {
			list = s.foursInOrder(v)
		}
		at := e.Access.Disp + int64(4*count*n*i)
		switch {
		case !full && s.isa.Has(Masks):
			for k, x := range list {
				s.storeWordsUnder(e, at+int64(s.isa.bytes()*k), x, n*i+n/count*k)
			}
		case !full:
			s.storeWordsMasked(e, at, list, s.part(e.Mask, i))
		default:
			for k, x := range list {
				s.storeVector(e, at+int64(s.isa.bytes()*k), x)
			}
		}
	}
}

// storeWordsMasked stores vectors of words of eight lanes: all at once where all lanes are on, since masked stores take long.
func (s *selector) storeWordsMasked(e *ssa.Effect, at int64, list []isel.VReg, mask isel.VReg) {
	m, base := s.address(e, at)
	count := len(list)
	m.use = int8(count + 1)
	run := func(c *code) {
		some, end := c.NewLabel(), c.NewLabel()
		c.RV(x86.VMOVMSKPS, x86.W256, c.t(0), c.uv(count))
		c.RI(x86.CMP, x86.S32, c.t(0), 0xff)
		c.Jcc(x86.NE, some)
		to := func(k int) x86.Mem {
			at := m
			at.disp += int64(32 * k)
			return c.mem(&at)
		}
		for k := range count {
			c.MV(x86.VMOVUPS, x86.W256, to(k), c.uv(k))
		}
		c.Jmp(end)
		c.Bind(some)
		c.RR(x86.TEST, x86.S32, c.t(0), c.t(0))
		c.Jcc(x86.E, end)
		for k := range count {
			lanes := ordered(func(word int) int { return (8*k + word) / count })
			c.VM(x86.VMOVAPS, x86.W256, c.tv(1), c.ConstRow(lanes[:32], 32))
			c.VVV(x86.VPERMD, x86.W256, c.tv(1), c.tv(1), c.uv(count))
			c.MVV(x86.VPMASKMOVD, x86.W256, to(k), c.tv(1), c.uv(k))
		}
		c.Bind(end)
	}
	s.perform("store words masked", run, s.temps(1, 1), append(slices.Clone(list), mask, base)...)
}

// storeWordsUnder stores a vector of words of the lanes from one on, under the bits of these.
func (s *selector) storeWordsUnder(e *ssa.Effect, at int64, x isel.VReg, lane int) {
	m, base := s.address(e, at)
	m.use = 1
	count := int32(len(e.Args))
	first, all := map[int32]uint64{2: 0x5555, 4: 0x1111}[count], int32(1)<<count-1 // a bit for the first word of each lane; for all words of one
	run := func(c *code) {
		bits, places := c.t(0), c.t(1)
		c.RR(x86.MOV, x86.S32, bits, c.u(2))
		c.RI(x86.SHR, x86.S32, bits, int32(lane))
		c.MovImm(places, first)
		c.RRR(x86.PDEP, x86.S32, bits, bits, places)
		c.RRI(x86.IMUL, x86.S32, bits, bits, all)
		c.KR(x86.KMOVW, c.tk(2), bits)
		c.Masked(c.tk(2)).MV(x86.VMOVUPS, x86.W512, c.mem(&m), c.uv(0))
	}
	s.perform("store words under bits", run, append(s.temps(2, 0), s.masks(1)...), x, base, s.bits(e.Mask))
}

// pairsInOrder makes of a word of each lane, and another, vectors of both of each.
func (s *selector) pairsInOrder(x, y isel.VReg) []isel.VReg {
	if s.isa.Has(Masks) {
		half := func(n int) isel.VReg {
			return s.permuted2(x86.VPERMT2D, x, y, ordered(func(lane int) int { return 8*n + lane/2 + lane%2*16 }))
		}
		return []isel.VReg{half(0), half(1)}
	}
	low, high := s.vector(x86.VPUNPCKLDQ, x, y), s.vector(x86.VPUNPCKHDQ, x, y)
	return []isel.VReg{s.imm(x86.VPERM2I128, 0x20, low, high), s.imm(x86.VPERM2I128, 0x31, low, high)}
}

// foursInOrder makes of four words of each lane vectors of all of each: two steps of shuffles make those that have the words of lanes 128 bits
// apart, of which each 128 bits are one lane's; then these are put in order.
func (s *selector) foursInOrder(v [4]isel.VReg) []isel.VReg {
	var of [4]isel.VReg // k has lanes k, k+4 and so on
	for k, code := range [2]x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ} {
		x, y := s.vector(code, v[0], v[1]), s.vector(code, v[2], v[3])
		of[2*k], of[2*k+1] = s.vector(x86.VPUNPCKLQDQ, x, y), s.vector(x86.VPUNPCKHQDQ, x, y)
	}
	return s.inOrder(of)
}

// inOrder transposes 128 bits.
func (s *selector) inOrder(v [4]isel.VReg) []isel.VReg {
	if !s.isa.Has(Masks) {
		two := func(half int64, a, b isel.VReg) isel.VReg { return s.imm(x86.VPERM2I128, half, a, b) }
		return []isel.VReg{two(0x20, v[0], v[1]), two(0x20, v[2], v[3]), two(0x31, v[0], v[1]), two(0x31, v[2], v[3])}
	}
	var of [4]isel.VReg
	for k, half := range [2]int64{0x44, 0xee} {
		x, y := s.imm(x86.VSHUFI64X2, half, v[0], v[1]), s.imm(x86.VSHUFI64X2, half, v[2], v[3])
		of[2*k], of[2*k+1] = s.imm(x86.VSHUFI64X2, 0x88, x, y), s.imm(x86.VSHUFI64X2, 0xdd, x, y)
	}
	return of[:]
}
