package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has stores of all lanes to known places behind a base (ssa.Each): what follows each other in memory and in a register is stored
// together. Lanes are stored in ascending order: of those that store to one place the highest stays.

// storeKnown makes such a store, if it can.
func (s *selector) storeKnown(e *ssa.Effect) bool {
	a, t := e.Access, s.f.TypeOf(e.Args[0])
	for _, v := range e.Args {
		if s.f.TypeOf(v) != t || a.Elem >= 4 && !s.whole(a, v) {
			return false
		}
	}
	switch {
	case a.Count == 1 && t == ssa.X && a.Elem < 8:
		return false
	case a.Count == 1:
		for i := range s.vectorsOf(s.lanesIn(), t) {
			s.storePlaces(e, s.part(e.Args[0], i), s.places(e, t, 0, i), int(a.Elem))
		}
	case a.Count == 2 && a.Elem == 4:
		for i := range s.vectorsOf(s.lanesIn(), t) {
			s.storePairsAt(e, i)
		}
	default:
		return false
	}
	return true
}

// storePairsAt stores two words of each lane of part i.
func (s *selector) storePairsAt(e *ssa.Effect, i int) {
	x, y, at := s.part(e.Args[0], i), s.part(e.Args[1], i), s.places(e, ssa.W, 0, i)
	low, high := s.vector(x86.VPUNPCKLDQ, x, y), s.vector(x86.VPUNPCKHDQ, x, y) // in each quarter two lanes
	var first, second []int64
	for k := 0; k < len(at); k += 4 {
		first, second = append(first, at[k], at[k+1]), append(second, at[k+2], at[k+3])
	}
	if !s.isa.Has(Masks) && apartBy(at[:4], 8) && apartBy(at[4:], 8) {
		low, high = s.imm(x86.VPERM2I128, 0x20, low, high), s.imm(x86.VPERM2I128, 0x31, low, high)
		first, second = at[:4], at[4:]
	}
	s.storePlaces(e, low, first, 8)
	s.storePlaces(e, high, second, 8)
}

// storePlaces stores units of a register.
func (s *selector) storePlaces(e *ssa.Effect, r isel.VReg, at []int64, unit int) {
	m, base := s.address(e, 0)
	m.use = 1
	s.perform("store known", func(c *code) {
		c.storeUnits(c.uv(0), c.tv(0), unit, at, func(off int64) x86.Mem {
			one := m
			one.disp = off
			return c.mem(&one)
		})
	}, s.temps(0, 1), r, base)
}

// unitStores store the first unit of a register and any other, by its bytes.
var unitStores = map[int][2]x86.Op{1: {x86.VPEXTRB, x86.VPEXTRB}, 2: {x86.VPEXTRW, x86.VPEXTRW}, 4: {x86.VMOVSS, x86.VPEXTRD},
	8: {x86.VMOVLPS, x86.VMOVHPS}}

// storeUnits stores the units of a register: words whose low bytes or halves they are, words, or 64 bits.
func (c *code) storeUnits(from, tmp x86.Vec, unit int, at []int64, mem func(off int64) x86.Mem) {
	wide := max(unit, 4)
	n := 16 / wide // units of a quarter
	if unit == wide && apartBy(at, int64(unit)) {
		c.MV(x86.VMOVUPS, c.width(), mem(at[0]), from)
		return
	}
	extract := x86.VEXTRACTI128
	if c.e.isa.Has(Masks) {
		extract = x86.VEXTRACTI32X4
	}
	for quarter, k := range chunks(at, n) {
		src := from
		if unit == wide && apartBy(k, int64(unit)) {
			if quarter == 0 {
				c.MV(x86.VMOVUPS, x86.W128, mem(k[0]), from)
			} else {
				c.MVI(extract, c.width(), mem(k[0]), from, uint8(quarter))
			}
			continue
		}
		if quarter > 0 {
			c.VVI(extract, c.width(), tmp, from, uint8(quarter))
			src = tmp
		}
		c.storeQuarter(src, unit, k, mem)
	}
}

// storeQuarter stores the units of 16 bytes one by one, or words by two.
func (c *code) storeQuarter(src x86.Vec, unit int, at []int64, mem func(off int64) x86.Mem) {
	for i := 0; i < len(at); i++ {
		switch pair := unit == 4 && i%2 == 0 && apartBy(at[i:i+2], 4); {
		case pair:
			c.MV(unitStores[8][i/2], x86.W128, mem(at[i]), src)
			i++
		case unit == 8 || unit == 4 && i == 0:
			c.MV(unitStores[unit][i], x86.W128, mem(at[i]), src)
		default:
			c.MVI(unitStores[unit][1], x86.W128, mem(at[i]), src, uint8(i*max(unit, 4)/unit))
		}
	}
}

// chunks parts places into as many as a quarter has.
func chunks(at []int64, n int) (list [][]int64) {
	for c := range slices.Chunk(at, n) {
		list = append(list, c)
	}
	return list
}
