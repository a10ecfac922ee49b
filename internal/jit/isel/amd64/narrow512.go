package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file gathers bytes and halves, for which there is no instruction: the words of memory that they are in, at
// addresses that are multiples of four, so nothing is touched beyond the page of an element; each lane is then shifted
// down. Halves are aligned, or they would be in two words.

// narrow is a gather of elements of a vector of words: the first use has words, or the first two have addresses of 64
// bits; then a mask, if lanes are off, and the base if it is not where global memory begins.
type narrow struct {
	elem   uint8
	signed bool // elements are
	wide   bool // addresses of 64 bits
	index  extension
	small  bool // words are below 2^30, and have no shift
	masked bool
	based  bool
	disp   int32
}

// extension is how words become addresses: shifted behind it.
type extension struct {
	shift  int
	signed bool
}

// gatheredNarrow tells whether bytes or halves are gathered.
func (s *selector) gatheredNarrow(a *ssa.Access, t ssa.Type) bool {
	return s.isa.Has(Masks) && t == ssa.W && a.Elem < 4 && a.Align >= a.Elem
}

// narrowTemps are the temporaries of narrow gathers.
func (s *selector) narrowTemps() []isel.VReg { return append(s.masks(1), s.temps(2, 5)...) }

// emitNarrow makes a narrow gather an instruction.
func (s *selector) emitNarrow(g *narrow, uses []isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	s.emit(&isel.Inst{Op: &op{name: "gather narrow", run: func(c *code) { c.gatherNarrow(g, 0) }}, Defs: []isel.VReg{d},
		Uses: uses, Temps: s.narrowTemps(), Early: true})
	return d
}

// narrowOr makes an instruction that may load otherwise: uses are words, the base, and what is read for that.
func (s *selector) narrowOr(g *narrow, uses []isel.VReg, other func(c *code, end x86.Label)) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		end := c.NewLabel()
		other(c, end)
		c.gatherNarrow(g, 0)
		c.Bind(end)
	}
	s.emit(&isel.Inst{Op: &op{name: "load indexed", run: run}, Defs: []isel.VReg{d}, Uses: uses, Temps: s.narrowTemps(),
		Early: true})
	return d
}

// gatherNarrow writes one, whose uses begin with first.
func (c *code) gatherNarrow(g *narrow, first int) {
	base, at := rGlobal, c.t(1)
	next := first + 1 + bit(g.wide)
	mask := func(half int) {
		switch {
		case !g.masked:
			c.KKK(x86.KXNORW, c.tk(0), c.tk(0), c.tk(0))
		case half == 0:
			c.KK(x86.KMOVW, c.tk(0), c.uk(next))
		default:
			c.KKI(x86.KSHIFTRW, c.tk(0), c.uk(next), 8)
		}
	}
	if g.based {
		base = c.u(next + bit(g.masked))
	}
	c.RM(x86.LEA, x86.S64, at, x86.At(base, g.disp))
	if g.small {
		c.gatherSmall(g, first, mask)
	} else {
		c.VR(x86.VPBROADCASTQ, x86.W512, c.tv(4), at)
		for half := range 2 {
			mask(half)
			c.narrowHalf(g, first, half)
		}
		c.VVVI(x86.VINSERTI64X4, x86.W512, c.v(0), c.v(0), c.tv(5), 1)
		c.VVVI(x86.VINSERTI64X4, x86.W512, c.tv(6), c.tv(6), c.tv(7), 1)
	}
	c.VVV(x86.VPSRLVD, x86.W512, c.v(0), c.v(0), c.tv(6))
	if bits := 32 - 8*g.elem; g.signed {
		c.VVI(x86.VPSLLD, x86.W512, c.v(0), c.v(0), bits)
		c.VVI(x86.VPSRAD, x86.W512, c.v(0), c.v(0), bits)
	} else {
		c.VVM(x86.VPANDD, x86.W512, c.v(0), c.v(0), c.Const32(1<<(8*g.elem)-1).Bcast())
	}
}

// narrowHalf gathers eight lanes: the words into def 0 or a temporary, and by how many bits each is shifted.
func (c *code) narrowHalf(g *narrow, first, half int) {
	w, h, d, shifts := x86.W512, c.tv(3), c.v(0), c.tv(6)
	if half == 1 {
		d, shifts = c.tv(5), c.tv(7)
	}
	if g.wide {
		c.VVV(x86.VPADDQ, w, h, c.uv(first+half), c.tv(4))
	} else {
		x, extend := c.uv(first), x86.VPMOVZXDQ
		if half == 1 {
			c.VVI(x86.VEXTRACTI64X4, w, h, x, 1)
			x = h
		}
		if g.index.signed {
			extend = x86.VPMOVSXDQ
		}
		c.VV(extend, w, h, x)
		if g.index.shift != 0 {
			c.VVI(x86.VPSLLQ, w, h, h, uint8(g.index.shift))
		}
		c.VVV(x86.VPADDQ, w, h, h, c.tv(4))
	}
	c.VVM(x86.VPANDQ, w, shifts, h, c.Const64(3).Bcast())
	c.VVM(x86.VPANDQ, w, h, h, c.Const64(^uint64(3)).Bcast())
	c.VVI(x86.VPSLLQ, w, shifts, shifts, 3)
	c.VV(x86.VPMOVQD, w, shifts, shifts)
	c.e.isa.zero(c.Asm, d)
	c.Masked(c.tk(0)).VM(x86.VPGATHERQDK, w, d, x86.AtVec(x86.NoReg, h, 1, 0).By(ofTested))
}

// gatherSmall gathers sixteen lanes by words that do not wrap.
func (c *code) gatherSmall(g *narrow, first int, mask func(half int)) {
	w, h, at, low := x86.W512, c.tv(3), c.t(1), c.t(2)
	c.RR(x86.MOV, x86.S32, low, at)
	c.RI(x86.AND, x86.S32, low, 3)
	c.RI(x86.AND, x86.S64, at, -4)
	c.VR(x86.VPBROADCASTD, w, h, low)
	c.VVV(x86.VPADDD, w, h, h, c.uv(first))
	c.VVM(x86.VPANDD, w, c.tv(6), h, c.Const32(3).Bcast())
	c.VVM(x86.VPANDD, w, h, h, c.Const32(^uint32(3)).Bcast())
	c.VVI(x86.VPSLLD, w, c.tv(6), c.tv(6), 3)
	mask(0)
	c.e.isa.zero(c.Asm, c.v(0))
	c.Masked(c.tk(0)).VM(x86.VPGATHERDDK, w, c.v(0), x86.AtVec(at, h, 1, 0).By(ofTested))
}
