package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has loads of words that are four apart: of structures of four words, or of a row of a tile of which each lane takes four
// elements. Eight structures are four vectors, each of two of them; eight shuffles make a vector of each word of all. Loads of the other
// words of the same structures share vectors and half of the shuffles, unless memory may have changed in between.

// structure names eight structures of four words, in a block, between effects that may change memory.
type structure struct {
	base  ssa.Value
	start int64
	block *ssa.Block
	epoch int
}

// loadFourth takes one word of each of eight structures, if a check covers all four, or the access is of all.
func (s *selector) loadFourth(e *ssa.Effect, v ssa.Value, i int) isel.VReg {
	a, c := e.Access, &s.f.Checks[e.Access.Check]
	word := (a.Disp - c.Lo) / 4 % 4
	start := a.Disp - 4*word
	if a.Count == 4 {
		word, start = int64(slices.Index(e.Results, v)), a.Disp
	} else if a.Count != 1 || (a.Disp-c.Lo)%4 != 0 || start < c.Lo || start+16*int64(s.lanesIn()) > c.Hi {
		return 0
	}
	at := structure{a.Base, start + int64(128*i), s.ssa, s.epoch}
	if s.structs == nil {
		s.structs = map[structure]ssa.Value{}
	}
	of, known := s.structs[at]
	if !known {
		of = v
		s.structs[at] = of
	}
	whole := *a
	whole.Disp, whole.Count = start, 4
	all := &ssa.Effect{Kind: e.Kind, Access: &whole, PC: e.PC}
	share := func(n int, make func() isel.VReg) isel.VReg { return s.middle(of, 16*i+n, make) }
	two := func(k int) isel.VReg { // structures k and k+4
		return share(k, func() isel.VReg { return s.loadHalves(all, at.start+int64(16*k), 64) })
	}
	half := int(word / 2)
	pair := func(k int) isel.VReg { // words 0 and 1, or 2 and 3, of structures k, k+1, k+4 and k+5
		return share(4+2*half+k/2, func() isel.VReg {
			return s.vector([2]x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ}[half], two(k), two(k+1))
		})
	}
	return s.vector([2]x86.Op{x86.VPUNPCKLQDQ, x86.VPUNPCKHQDQ}[word%2], pair(0), pair(2))
}

// loadHalves loads 16 bytes, and 16 that are some bytes behind them.
func (s *selector) loadHalves(e *ssa.Effect, disp int64, second int) isel.VReg {
	m, base := s.address(e, disp)
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		high := m
		high.disp += int64(second)
		c.VM(x86.VMOVDQU, x86.W128, c.v(0), c.mem(&m))
		c.VVMI(x86.VINSERTI128, x86.W256, c.v(0), c.v(0), c.mem(&high), 1)
	}
	s.emit(&isel.Inst{Op: &op{name: "two halves", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{base}})
	return d
}

// loadFourth512 takes a word of each of sixteen structures, of which an access is of all words.
func (s *selector) loadFourth512(e *ssa.Effect, v ssa.Value, i int) isel.VReg {
	n, start := slices.Index(e.Results, v), e.Access.Disp+int64(256*i)
	vector := func(k int) isel.VReg {
		return s.middle(e.Results[0], 4*i+k, func() isel.VReg { return s.load(x86.VMOVUPS, e, start+int64(64*k)) })
	}
	order := ordered(func(lane int) int { return 4*(lane%8) + n })
	half := func(k int) isel.VReg { return s.permuted2(x86.VPERMT2D, vector(k), vector(k+1), order) }
	return s.imm(x86.VINSERTI64X4, 1, half(0), half(2))
}
