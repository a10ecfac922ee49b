package jit

// Integer arithmetic, 9.7.1.

import "ptxvm.invalid/ptxvm/internal/uop"

var intTwins = twins{
	uop.Add32: basic(cAdd), uop.Add64: basic(cAdd), uop.Add16: low16(basic(cAdd)),
	uop.Sub32: basic(cSub), uop.Sub64: basic(cSub), uop.Sub16: low16(basic(cSub)),
	uop.MulLo32: basic(cMul), uop.MulLo64: basic(cMul), uop.MulLo16: low16(basic(cMul)),
	uop.MulWideU16: basic(cMul), uop.MulWideS16: signed16(basic(cMul)),
	uop.MulHiU32: basic(cMulHiU), uop.MulHiS32: basic(cMulHiS),
	uop.MulHiU16:   func(p *program, in []val) val { return p.shrI(p.mul(in[0], in[1]), 16) },
	uop.MulHiS16:   func(p *program, in []val) val { return p.shrI(signed16(basic(cMul))(p, in), 16) },
	uop.MulWideU32: wide(cMulLU, (*program).zext), uop.MulWideS32: wide(cMulLS, (*program).sext),
	uop.MadLo32: plus(basic(cMul)), uop.MadLo64: plus(basic(cMul)), uop.MadLo16: low16(plus(basic(cMul))),
	uop.MadHiU32: plus(basic(cMulHiU)), uop.MadHiS32: plus(basic(cMulHiS)),
	uop.MadWideU16: plus(basic(cMul)), uop.MadWideS16: madWideS16,
	uop.MadWideU32: plus(wide(cMulLU, (*program).zext)), uop.MadWideS32: plus(wide(cMulLS, (*program).sext)),
	uop.Mul24LoU32: func(p *program, in []val) val { return p.mul(p.lowBits(in[0], 24), p.lowBits(in[1], 24)) },
	uop.Mul24LoS32: func(p *program, in []val) val { return p.mul(sext24(p, in[0]), sext24(p, in[1])) },
	uop.Mad24LoU32: func(p *program, in []val) val {
		return p.sum(p.mul(p.lowBits(in[0], 24), p.lowBits(in[1], 24)), in[2])
	},
	uop.Mad24LoS32: func(p *program, in []val) val { return p.sum(p.mul(sext24(p, in[0]), sext24(p, in[1])), in[2]) },

	uop.SadU32: func(p *program, in []val) val { return sad(p, in, cMaxU, cMinU) },
	uop.SadS32: func(p *program, in []val) val { return sad(p, in, cMaxS, cMinS) },

	uop.MinU32: basic(cMinU), uop.MinS32: basic(cMinS), uop.MaxU32: basic(cMaxU), uop.MaxS32: basic(cMaxS),
	uop.MinU64: basic(cMinU), uop.MinS64: basic(cMinS), uop.MaxU64: basic(cMaxU), uop.MaxS64: basic(cMaxS),
	uop.MinU16: basic(cMinU), uop.MaxU16: basic(cMaxU),
	uop.MinS16: low16(signed16(basic(cMinS))), uop.MaxS16: low16(signed16(basic(cMaxS))),
	uop.MinReluS32: relu(cMinS), uop.MaxReluS32: relu(cMaxS),
	uop.Neg32:     func(p *program, in []val) val { return p.neg(in[0]) },
	uop.Neg64:     func(p *program, in []val) val { return p.neg(in[0]) },
	uop.Neg16:     func(p *program, in []val) val { return p.lowBits(p.neg(in[0]), 16) },
	uop.AbsS32:    func(p *program, in []val) val { return p.maxS(in[0], p.neg(in[0])) },
	uop.AbsS64:    func(p *program, in []val) val { return p.maxS(in[0], p.neg(in[0])) },
	uop.AddSatS32: addSat, uop.SubSatS32: subSat,
	uop.AddSatU32: func(p *program, in []val) val { return p.sum(p.minU(in[0], p.not(in[1])), in[1]) },

	uop.Popc32:   func(p *program, in []val) val { return p.op1(cPopc, tW, in[0], 0) },
	uop.Popc64:   func(p *program, in []val) val { return p.trunc(p.op1(cPopc, tX, in[0], 0)) },
	uop.Clz32:    func(p *program, in []val) val { return clz(p, in[0]) },
	uop.Clz64:    func(p *program, in []val) val { return p.trunc(clz(p, in[0])) },
	uop.BfindU32: func(p *program, in []val) val { return bfind(p, in[0]) },
	uop.BfindS32: func(p *program, in []val) val { return bfind(p, p.xor(in[0], p.sarI(in[0], 31))) },
	uop.BfeU32:   bfeU32, uop.BfeS32: bfeS32, uop.BfeU64: bfeU64, uop.Bfi32: bfi32,
}

// wide multiplies 32-bit sources to 64 bits.
func wide(c code, extend func(*program, val) val) twin {
	return func(p *program, in []val) val {
		return p.bin(c, extend(p, in[0]), extend(p, in[1]))
	}
}

func madWideS16(p *program, in []val) val {
	return p.sum(p.mul(p.sext16(in[0]), p.sext16(in[1])), in[2])
}

func sext24(p *program, a val) val { return p.sarI(p.shlI(a, 8), 8) }

func sad(p *program, in []val, hi, lo code) val {
	return p.sum(in[2], p.sub(p.bin(hi, in[0], in[1]), p.bin(lo, in[0], in[1])))
}

func relu(c code) twin {
	return func(p *program, in []val) val { return p.maxS(p.bin(c, in[0], in[1]), p.w(0)) }
}

// addSat: the sum has overflowed if its sign differs from that of both sources; then it is the
// limit on the side of a.
func addSat(p *program, in []val) val {
	a, b := in[0], in[1]
	s := p.sum(a, b)
	over := p.and(p.xor(a, s), p.xor(b, s))
	return limit(p, over, a, s)
}

func subSat(p *program, in []val) val {
	a, b := in[0], in[1]
	s := p.sub(a, b)
	over := p.and(p.xor(a, b), p.xor(a, s))
	return limit(p, over, a, s)
}

// limit is s, or where the sign bit of over is set the limit on the side of a.
func limit(p *program, over, a, s val) val {
	return p.sel(p.cmp(cmpLTS, over, p.w(0)), p.xor(p.sarI(a, 31), p.w(0x7fffffff)), s)
}

// clz without AVX-512: the bits below the highest one are set and the others counted.
func clz(p *program, a val) val {
	t := p.typ(a)
	if p.evex {
		return p.op1(cClz, t, a, 0)
	}
	for k := uint64(1); k < uint64(t.bits()); k *= 2 {
		a = p.or(a, p.shrI(a, k))
	}
	return p.op1(cPopc, t, p.not(a), 0)
}

// bfind: 31 - clz, all ones if there is no bit.
func bfind(p *program, a val) val { return p.sub(p.w(31), clz(p, a)) }

// fieldMask is 1<<(n&0xff) - 1.
func fieldMask(p *program, n val) val {
	return p.sub(p.shift(cShl, p.w(1), byteOf(p, n)), p.w(1))
}

// byteOf is the low byte of a count.
func byteOf(p *program, n val) val {
	if k, ok := p.known(n); ok {
		return p.w(uint32(k & 0xff))
	}
	return p.lowBits(n, 8)
}

func bfeU32(p *program, in []val) val {
	return p.and(p.shift(cShr, in[0], byteOf(p, in[1])), fieldMask(p, in[2]))
}

func bfeU64(p *program, in []val) val {
	m := p.sub(p.shift(cShl, p.x(1), p.zext(byteOf(p, in[2]))), p.x(1))
	return p.and(p.shift(cShr, in[0], p.zext(byteOf(p, in[1]))), m)
}

// bfeS32: the field goes to the top and comes down with its sign. A shift by 32 or more leaves
// nothing, so length 0 gives 0 through the logical shift up.
func bfeS32(p *program, in []val) val {
	n := p.minU(byteOf(p, in[2]), p.w(32))
	spare := p.sub(p.w(32), n)
	field := p.shift(cSar, in[0], p.minU(byteOf(p, in[1]), p.w(31)))
	return p.shift(cSar, p.shift(cShl, field, spare), spare)
}

func bfi32(p *program, in []val) val {
	pos := byteOf(p, in[2])
	m := p.shift(cShl, fieldMask(p, in[3]), pos)
	return p.or(p.bin(cAndn, m, in[1]), p.and(p.shift(cShl, in[0], pos), m))
}
