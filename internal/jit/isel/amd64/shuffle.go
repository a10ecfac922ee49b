package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has loads of lanes that are a few bytes apart: by vectors, none of which reaches beyond what was tested,
// and shuffles.

// loadShuffled loads eight words of a part, if it can.
func (s *selector) loadShuffled(e *ssa.Effect, v ssa.Value, i int, disp int64) isel.VReg {
	a := e.Access
	step, elem := a.Step, int64(a.Elem)
	switch {
	case s.f.TypeOf(v) != ssa.W:
	case s.isa.Has(Masks):
		return s.loadShuffled512(e, v, i, disp)
	case elem == 4 && step == 8:
		return s.loadEven(e, disp)
	case elem == 4 && step == 12:
		return s.loadThird(e, v, i)
	case elem == 4 && step == 16:
		return s.loadFourth(e, v, i)
	case elem < 4 && !a.Signed && step > elem && 3*step+elem <= 16 && 7*step+elem >= 16:
		return s.loadNarrowApart(e, disp)
	}
	return 0
}

// loadEven takes every other word of two vectors, the second of which ends with the last.
func (s *selector) loadEven(e *ssa.Effect, disp int64) isel.VReg {
	low := s.load(x86.VMOVUPS, e, disp)
	return s.imm(x86.VPERMQ, 0xd8, s.imm(x86.VSHUFPS, 0xd8, low, s.load(x86.VMOVUPS, e, disp+28)))
}

// loadThird takes every third word of three vectors: no two of the eight are at the same place, so two blends and one
// permutation do. The vectors are to be inside as a whole, which they are where the check is of all words of the
// structures.
func (s *selector) loadThird(e *ssa.Effect, v ssa.Value, i int) isel.VReg {
	word, start, ok := s.third(e, v)
	if !ok {
		return 0
	}
	var blend [3]int64 // which words a vector has
	var order [8]uint32
	for lane := range int64(8) {
		at := word + 3*lane
		blend[at/8] |= 1 << (at % 8)
		order[lane] = uint32(at % 8)
	}
	vector := func(k int64) isel.VReg {
		return s.structures(e, start+int64(96*i)+32*k, start)
	}
	x := s.imm(x86.VPBLENDD, blend[1], vector(0), vector(1))
	x = s.imm(x86.VPBLENDD, blend[2], x, vector(2))
	return s.vector(x86.VPERMD, s.out.Constant(isel.Vector, words(order[:]...)), x)
}

// third is which of three words an access is of, and where the first of them begins, if a check covers all three.
func (s *selector) third(e *ssa.Effect, v ssa.Value) (word, start int64, ok bool) {
	a, c := e.Access, &s.f.Checks[e.Access.Check]
	for word := range int64(3) {
		start := a.Disp - 4*word
		if start >= c.Lo && start+12*int64(s.f.LanesOf(v)) <= c.Hi && a.Count == 1 {
			return word, start, true
		}
	}
	return 0, 0, false
}

// structures loads a vector of what a check covers beside an access's own words.
func (s *selector) structures(e *ssa.Effect, disp, start int64) isel.VReg {
	whole := *e.Access
	whole.Disp, whole.Elem, whole.Count = start, 4, 3
	return s.load(x86.VMOVUPS, &ssa.Effect{Kind: e.Kind, Access: &whole, PC: e.PC}, disp)
}

// loadNarrowApart takes bytes or halves out of two times 16 bytes: the first four lanes begin with the first, the
// others end with the second.
func (s *selector) loadNarrowApart(e *ssa.Effect, disp int64) isel.VReg {
	a := e.Access
	step, elem := int(a.Step), int(a.Elem)
	second := 7*step + elem - 16
	var order isel.Const
	for lane := range 8 {
		at := lane * step
		if lane >= 4 {
			at -= second
		}
		for b := range 4 {
			if order[4*lane+b] = 0x80; b < elem {
				order[4*lane+b] = byte(at + b)
			}
		}
	}
	return s.vector(x86.VPSHUFB, s.loadHalves(e, disp, second), s.out.Constant(isel.Vector, order))
}
