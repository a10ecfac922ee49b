package jit

// Logic, shifts, byte permutation and packing: 9.7.8, 9.7.9.

import (
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var logicTwins = twins{
	uop.And32: basic(cAnd), uop.Or32: basic(cOr), uop.Xor32: basic(cXor),
	uop.And64: basic(cAnd), uop.Or64: basic(cOr), uop.Xor64: basic(cXor),
	uop.Not32: func(p *program, in []val) val { return p.not(in[0]) },
	uop.Not64: func(p *program, in []val) val { return p.not(in[0]) },
	uop.Not16: func(p *program, in []val) val { return p.lowBits(p.not(in[0]), 16) },
	uop.Cnot32: func(p *program, in []val) val {
		return p.sel(p.cmp(cmpEQ, in[0], p.w(0)), p.w(1), p.w(0))
	},

	uop.Lop3And3: lop3(0x80), uop.Lop3Or3: lop3(0xfe), uop.Lop3Xor3: lop3(0x96), uop.Lop3Maj: lop3(0xe8), uop.Lop3Sel: lop3(0xca),
	uop.Lop3AndOr: lop3(0xea), uop.Lop3OrAnd: lop3(0xa8), uop.Lop3AndXor: lop3(0x6a), uop.Lop3XorAnd: lop3(0x28), uop.Lop3: lop3Any,

	uop.Shl32: shifted(cShl), uop.ShrU32: shifted(cShr), uop.ShrS32: shifted(cSar),
	uop.Shl64: shifted64(cShl), uop.ShrU64: shifted64(cShr), uop.ShrS64: shifted64(cSar),
	uop.Shl16: low16(shifted(cShl)), uop.ShrU16: shifted(cShr),
	uop.ShrS16: func(p *program, in []val) val { return p.lowBits(p.shift(cSar, p.sext16(in[0]), in[1]), 16) },

	uop.ShfLWrap32:  func(p *program, in []val) val { return funnelLeft(p, in, wrapped(p, in[2])) },
	uop.ShfLClamp32: func(p *program, in []val) val { return funnelLeft(p, in, p.minU(in[2], p.w(32))) },
	uop.ShfRWrap32:  func(p *program, in []val) val { return funnelRight(p, in, wrapped(p, in[2])) },
	uop.ShfRClamp32: func(p *program, in []val) val { return funnelRight(p, in, p.minU(in[2], p.w(32))) },

	uop.Pack2x16: func(p *program, in []val) val { return p.or(p.lowBits(in[0], 16), p.shlI(in[1], 16)) },
	uop.Pack2x8:  func(p *program, in []val) val { return pack2x8(p, in[0], in[1]) },
	uop.Pack4x8: func(p *program, in []val) val {
		return p.or(pack2x8(p, in[0], in[1]), p.shlI(pack2x8(p, in[2], in[3]), 16))
	},
	uop.Pack2x32: func(p *program, in []val) val { return p.or(p.zext(in[0]), p.shlI(p.zext(in[1]), 32)) },

	uop.Mapa32: func(p *program, in []val) val {
		return p.or(p.lowBits(in[0], mem.RankShift), p.shlI(in[1], mem.RankShift))
	},
	uop.Mapa64: func(p *program, in []val) val {
		const ranks = (1<<mem.RankBits - 1) << mem.RankShift
		return p.sum(p.and(in[0], p.x(^uint64(ranks))), p.shlI(p.zext(in[1]), mem.RankShift))
	},

	uop.FromKernel: func(p *program, in []val) val {
		whole := p.or(in[0], p.and(in[1], p.x(^uint64(0xffffffff))))
		return p.sel(p.cmp(cmpLTU, in[0], p.x(1<<32)), whole, in[0])
	},

	uop.Slct32S32: func(p *program, in []val) val { return p.sel(p.cmp(cmpLTS, in[2], p.w(0)), in[1], in[0]) },
}

func pack2x8(p *program, a, b val) val {
	return p.or(p.lowBits(a, 8), p.shlI(p.lowBits(b, 8), 8))
}

// shifted shifts by the second source; a count of the width or more shifts everything out.
func shifted(c code) twin {
	return func(p *program, in []val) val { return p.shift(c, in[0], in[1]) }
}

// shifted64 takes a 32-bit count.
func shifted64(c code) twin {
	return func(p *program, in []val) val { return p.shift(c, in[0], p.zext(in[1])) }
}

func wrapped(p *program, n val) val {
	if k, ok := p.known(n); ok {
		return p.w(uint32(k & 31))
	}
	return p.lowBits(n, 5)
}

// funnelLeft is the upper word of in[1]:in[0] << n, n at most 32.
func funnelLeft(p *program, in []val, n val) val {
	if k, ok := p.known(n); ok && in[0] == in[1] && k > 0 && k < 32 {
		return p.rotI(in[0], k)
	}
	return p.or(p.shift(cShl, in[1], n), p.shift(cShr, in[0], less(p, n)))
}

// funnelRight is the lower word of in[1]:in[0] >> n.
func funnelRight(p *program, in []val, n val) val {
	if k, ok := p.known(n); ok && in[0] == in[1] && k > 0 && k < 32 {
		return p.rotI(in[0], 32-k)
	}
	return p.or(p.shift(cShr, in[0], n), p.shift(cShl, in[1], less(p, n)))
}

// less is 32 - n.
func less(p *program, n val) val {
	if k, ok := p.known(n); ok {
		return p.w(uint32(32 - k))
	}
	return p.sub(p.w(32), n)
}

// lop3 is a truth table known at decode.
func lop3(lut uint64) twin {
	return func(p *program, in []val) val { return logic3(p, in, lut) }
}

func lop3Any(p *program, in []val) val {
	lut, ok := p.known(in[3])
	if !ok {
		return none
	}
	return logic3(p, in, lut&0xff)
}

func logic3(p *program, in []val, lut uint64) val {
	if p.evex {
		return p.tern3(in[0], in[1], in[2], lut)
	}
	return p.choose(in[0], p.choose(in[1], p.pair(in[2], lut>>6), p.pair(in[2], lut>>4)),
		p.choose(in[1], p.pair(in[2], lut>>2), p.pair(in[2], lut)))
}

// pair is the function of c that two bits of a truth table say.
func (p *program) pair(c val, bits uint64) val {
	switch bits & 3 {
	case 0:
		return p.w(0)
	case 1:
		return p.not(c)
	case 2:
		return c
	}
	return p.w(0xffffffff)
}

// choose is, bit by bit, yes where a is set and no elsewhere.
func (p *program) choose(a, yes, no val) val {
	zero, ones := p.w(0), p.w(0xffffffff)
	switch {
	case yes == no:
		return yes
	case yes == ones && no == zero:
		return a
	case yes == zero && no == ones:
		return p.not(a)
	case no == zero:
		return p.and(a, yes)
	case yes == zero:
		return p.bin(cAndn, a, no)
	case yes == ones:
		return p.or(a, no)
	case no == ones:
		return p.or(p.not(a), yes)
	}
	return p.xor(no, p.and(a, p.xor(yes, no)))
}

// prmt is one shuffle of bytes of each source where the selectors are constant and copy no sign.
func prmt(p *program, in []val) val {
	sel, ok := p.known(in[2])
	if !ok || sel&0x8888 != 0 {
		return prmtAny(p, in)
	}
	var a, b uint64
	for k := range uint(4) {
		n := sel >> (4 * k) & 7
		if n < 4 {
			a, b = a|n<<(8*k), b|0x80<<(8*k)
		} else {
			a, b = a|0x80<<(8*k), b|(n-4)<<(8*k)
		}
	}
	switch {
	case a == 0x80808080:
		return p.op1(cBytes, tW, in[1], b)
	case b == 0x80808080:
		return p.op1(cBytes, tW, in[0], a)
	}
	return p.or(p.op1(cBytes, tW, in[0], a), p.op1(cBytes, tW, in[1], b))
}

// none is what a twin returns that does not know its function for these sources.
const none = ^val(0)
