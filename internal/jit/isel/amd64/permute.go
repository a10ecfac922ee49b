package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file takes lanes of a warp in another order. By AVX-512 that is an instruction for each vector; by AVX2 it is two where the order
// is a rotation or exchanges neighbours, else that of each vector that has lanes which are meant, and of the results these.

// fromLanes is from which lane each takes, if that is known.
func (s *selector) fromLanes(v ssa.Value) (from [32]uint32, known bool) {
	if table := s.f.Table(v); table != nil {
		for i := range from {
			from[i] = uint32(table[i]) & 31
		}
		return from, true
	}
	base, step, even := s.f.AsStrided(v)
	first, ok := s.f.Known(base)
	if !even || !ok {
		return from, false
	}
	for i := range from {
		from[i] = uint32(first+uint64(i)*uint64(step)) & 31
	}
	return from, true
}

// shuffled is vector i of a shuffle.
func (s *selector) shuffled(o *ssa.Op, i int) isel.VReg {
	from, known := s.fromLanes(o.B)
	if s.isa.Has(Masks) {
		index := isel.VReg(0)
		if known {
			index = s.out.Constant(isel.Vector, ordered(func(lane int) int { return int(from[16*i+lane]) }))
		} else {
			index = s.part(o.B, i)
		}
		d, low := s.out.NewReg(isel.Vector), s.part(o.A, 0)
		s.emit(&isel.Inst{Op: &op{code: x86.VPERMT2D, form: formTied, size: uint8(s.isa.width)}, Defs: []isel.VReg{d},
			Uses: []isel.VReg{low, index, s.part(o.A, 1)}, Fold: 3})
		return d
	}
	if known && from[0] == from[1]^1 {
		if r := s.exchanged(o.A, from, i); r != 0 {
			return r
		}
	}
	if known && from[8*i] == (from[0]+uint32(8*i))&31 {
		if r := s.rotated(o.A, from, i); r != 0 {
			return r
		}
	}
	if known {
		return s.picked(o.A, [8]uint32(from[8*i:]))
	}
	return s.permuted256(o.A, s.part(o.B, i))
}

// picked is a vector of lanes that are known: of each vector that has some these in their places, and of those what is meant.
func (s *selector) picked(a ssa.Value, from [8]uint32) (r isel.VReg) {
	for k := range uint32(4) {
		var order [8]uint32
		taken, there := int64(0), true
		for lane, f := range from {
			order[lane] = uint32(lane)
			if f>>3 == k {
				order[lane] = f & 7
				taken |= 1 << lane
				there = there && f&7 == uint32(lane)
			}
		}
		if taken == 0 {
			continue
		}
		v := s.part(a, int(k))
		if !there {
			v = s.vector(x86.VPERMD, s.out.Constant(isel.Vector, words(order[:]...)), v)
		}
		if r == 0 {
			r = v
		} else {
			r = s.imm(x86.VPBLENDD, taken, r, v)
		}
	}
	return r
}

// exchanged is vector i of lanes whose numbers differ from those that they take by the same bits; 0 if they do not.
func (s *selector) exchanged(a ssa.Value, from [32]uint32, i int) isel.VReg {
	by := from[0]
	for lane := range from {
		if from[lane] != uint32(lane)^by {
			return 0
		}
	}
	v := s.part(a, i^int(by>>3))
	if by&4 != 0 {
		v = s.imm(x86.VPERMQ, 0x4e, v)
	}
	if by&3 != 0 {
		v = s.imm(x86.VPSHUFD, [...]int64{1: 0xb1, 2: 0x4e, 3: 0x1b}[by&3], v)
	}
	return v
}

// rotated is vector i of lanes that take those a number behind them, the last from the first; 0 if they do not.
func (s *selector) rotated(a ssa.Value, from [32]uint32, i int) isel.VReg {
	by := from[0]
	for lane := range from {
		if from[lane] != (uint32(lane)+by)&31 {
			return 0
		}
	}
	first, rest := (i+int(by>>3))&3, int64(by&7)
	low := s.part(a, first)
	if rest == 0 {
		return low
	}
	high := s.part(a, (first+1)&3)
	middle := s.imm(x86.VPERM2I128, 0x21, low, high)
	switch {
	case rest < 4:
		return s.imm(x86.VPALIGNR, 4*rest, middle, low)
	case rest > 4:
		return s.imm(x86.VPALIGNR, 4*(rest-4), high, middle)
	}
	return middle
}

// permuted256 takes lanes of four vectors by an index: bits 3 and 4 say of which.
func (s *selector) permuted256(a ssa.Value, index isel.VReg) isel.VReg {
	pick := func(k int) isel.VReg { return s.vector(x86.VPERMD, index, s.part(a, k)) }
	second := s.imm(x86.VPSLLD, 28, index)
	low := s.vector(x86.VBLENDVPS, pick(0), pick(1), second)
	high := s.vector(x86.VBLENDVPS, pick(2), pick(3), second)
	return s.vector(x86.VBLENDVPS, low, high, s.imm(x86.VPSLLD, 27, index))
}
