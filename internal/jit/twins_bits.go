package jit

// Bit fields, packed integers, byte permutation by registers and addresses: 9.7.1, 9.7.2, 9.7.9, as
// far as no single operation does them.

import (
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var bitTwins = twins{
	uop.Brev32: func(p *program, in []val) val { return brev32(p, in[0]) },
	uop.Brev64: func(p *program, in []val) val {
		low, high := p.trunc(in[0]), p.trunc(p.shrI(in[0], 32))
		return p.or(p.shlI(p.zext(brev32(p, low)), 32), p.zext(brev32(p, high)))
	},
	uop.BfindU64:      func(p *program, in []val) val { return bfind64(p, in[0]) },
	uop.BfindS64:      func(p *program, in []val) val { return bfind64(p, p.xor(in[0], p.sarI(in[0], 63))) },
	uop.BfindShiftU32: func(p *program, in []val) val { return bfindShift(p, in[0]) },
	uop.BfindShiftS32: func(p *program, in []val) val { return bfindShift(p, p.xor(in[0], p.sarI(in[0], 31))) },
	uop.BfindShiftU64: func(p *program, in []val) val { return p.trunc(bfindShift(p, in[0])) },
	uop.BfindShiftS64: func(p *program, in []val) val { return p.trunc(bfindShift(p, p.xor(in[0], p.sarI(in[0], 63)))) },

	uop.BmskClamp32:  func(p *program, in []val) val { return bmsk(p, in[0], in[1]) },
	uop.BmskWrap32:   func(p *program, in []val) val { return bmsk(p, wrapped(p, in[0]), wrapped(p, in[1])) },
	uop.SzextWrapU32: szextU, uop.SzextClampU32: szextClamp(szextU), uop.SzextWrapS32: szextS, uop.SzextClampS32: szextClamp(szextS),
	uop.BfeS64: bfeS64, uop.Bfi64: bfi64,
	uop.Cnot64: func(p *program, in []val) val { return p.sel(p.cmp(cmpEQ, in[0], p.x(0)), p.x(1), p.x(0)) },

	uop.Prmt: prmt,
	uop.PrmtF4e: func(p *program, in []val) val {
		return funnelRight(p, in, p.shlI(p.lowBits(in[2], 2), 3))
	},
	uop.PrmtRc8: func(p *program, in []val) val {
		b := p.bin(cShr, in[0], p.shlI(p.lowBits(in[2], 2), 3))
		return p.mul(p.lowBits(b, 8), p.w(0x01010101))
	},
	uop.PrmtRc16: func(p *program, in []val) val {
		h := p.lowBits(p.bin(cShr, in[0], p.shlI(p.lowBits(in[2], 1), 4)), 16)
		return p.or(h, p.shlI(h, 16))
	},

	uop.Add16x2: swarAdd(0x80008000), uop.Add8x4: swarAdd(0x80808080), uop.Sub8x4: func(p *program, in []val) val { return swarSub(p, in[0], in[1]) },
	uop.Neg8x4:   func(p *program, in []val) val { return swarSub(p, p.w(0), in[0]) },
	uop.MaxS16x2: halves(cMaxS, true, false), uop.MinS16x2: halves(cMinS, true, false), uop.MaxU16x2: halves(cMaxU, false, false), uop.MinU16x2: halves(cMinU, false, false),
	uop.MaxReluS16x2: halves(cMaxS, true, true), uop.MinReluS16x2: halves(cMinS, true, true),
	uop.AddSatS16x2: func(p *program, in []val) val {
		return packHalves(p, in, true, func(a, b val) val {
			return p.minS(p.maxS(p.sum(a, b), p.w(0xffff8000)), p.w(0x7fff))
		})
	},
	uop.AddSatU16x2: func(p *program, in []val) val {
		return packHalves(p, in, false, func(a, b val) val { return p.minU(p.sum(a, b), p.w(0xffff)) })
	},
	uop.AbsS16: func(p *program, in []val) val {
		a := p.sext16(in[0])
		return p.lowBits(p.maxS(a, p.sext16(p.neg(a))), 16)
	},

	uop.Pack4x16: func(p *program, in []val) val {
		low, high := p.or(p.lowBits(in[0], 16), p.shlI(in[1], 16)), p.or(p.lowBits(in[2], 16), p.shlI(in[3], 16))
		return p.or(p.zext(low), p.shlI(p.zext(high), 32))
	},

	uop.Slct64S32: func(p *program, in []val) val {
		return p.sel(p.cmp(cmpLTS, p.sext(in[2]), p.x(0)), in[1], in[0])
	},
	uop.Slct32F32: func(p *program, in []val) val {
		return p.sel(p.op2(cFCmp, tM, p.w(0), in[2], fcmpLE), in[0], in[1])
	},
	uop.SlctFtz32F32: func(p *program, in []val) val {
		return p.sel(p.op2(cFCmp, tM, p.w(0), flushF32(p, in[2]), fcmpLE), in[0], in[1])
	},
	uop.Slct64F32: slct64(0), uop.SlctFtz64F32: slct64(0x7fffff),

	uop.FromShared: func(p *program, in []val) val { return p.sum(in[0], p.x(mem.SharedWindow)) },
	uop.ToShared:   func(p *program, in []val) val { return p.sub(in[0], p.x(mem.SharedWindow)) },
	uop.FromLocal:  func(p *program, in []val) val { return p.sum(in[0], p.x(mem.LocalWindow)) },
	uop.ToLocal:    func(p *program, in []val) val { return p.sub(in[0], p.x(mem.LocalWindow)) },
	uop.IsShared:   inWindow(mem.SharedWindow), uop.IsLocal: inWindow(mem.LocalWindow),
	uop.CtaRank32: func(p *program, in []val) val { return p.shrI(in[0], mem.RankShift) },
	uop.CtaRank64: func(p *program, in []val) val {
		return p.lowBits(p.shrI(p.trunc(in[0]), mem.RankShift), mem.RankBits)
	},
}

// brev32 exchanges bytes, then halves of bytes, pairs and bits.
func brev32(p *program, a val) val {
	a = p.op1(cBytes, tW, a, 0x00010203)
	for _, s := range []struct {
		n    uint64
		mask uint32
	}{{4, 0x0f0f0f0f}, {2, 0x33333333}, {1, 0x55555555}} {
		a = p.or(p.shlI(p.and(a, p.w(s.mask)), s.n), p.and(p.shrI(a, s.n), p.w(s.mask)))
	}
	return a
}

func bfind64(p *program, a val) val { return p.trunc(p.sub(p.x(63), clz(p, a))) }

func bfindShift(p *program, a val) val {
	t := p.typ(a)
	return p.sel(p.cmp(cmpEQ, a, p.constant(t, 0)), p.constant(t, ^uint64(0)), clz(p, a))
}

func bmsk(p *program, at, n val) val {
	return p.shift(cShl, p.sub(p.shift(cShl, p.w(1), n), p.w(1)), at)
}

func szextU(p *program, in []val) val {
	return p.and(in[0], p.sub(p.shift(cShl, p.w(1), wrapped(p, in[1])), p.w(1)))
}

func szextS(p *program, in []val) val {
	spare := less(p, wrapped(p, in[1]))
	return p.shift(cSar, p.shift(cShl, in[0], spare), spare)
}

// szextClamp leaves values as they are from 32 bits on.
func szextClamp(wrap twin) twin {
	return func(p *program, in []val) val {
		return p.sel(p.cmp(cmpLTU, p.w(31), in[1]), in[0], wrap(p, in))
	}
}

// fieldMask64 is 1<<(n&0xff) - 1.
func fieldMask64(p *program, n val) val {
	return p.sub(p.shift(cShl, p.x(1), p.zext(byteOf(p, n))), p.x(1))
}

func bfeS64(p *program, in []val) val {
	n := p.zext(p.minU(byteOf(p, in[2]), p.w(64)))
	spare := p.sub(p.x(64), n)
	return p.shift(cSar, p.shift(cShl, p.shift(cSar, in[0], p.zext(byteOf(p, in[1]))), spare), spare)
}

func bfi64(p *program, in []val) val {
	pos := p.zext(byteOf(p, in[2]))
	m := p.shift(cShl, fieldMask64(p, in[3]), pos)
	return p.or(p.bin(cAndn, m, in[1]), p.and(p.shift(cShl, in[0], pos), m))
}

// prmtAny permutes by a register: bytes of both sources by the low two bits of each selector, one of
// them by the third; the fourth makes eight copies of the sign.
func prmtAny(p *program, in []val) val {
	c := p.or(p.and(in[2], p.w(0xf)), p.shlI(p.and(in[2], p.w(0xf0)), 4))
	c = p.or(c, p.or(p.shlI(p.and(in[2], p.w(0xf00)), 8), p.shlI(p.and(in[2], p.w(0xf000)), 12)))
	from := p.or(p.and(c, p.w(0x03030303)), p.table(func(i int) uint32 { return uint32(i%4) * 0x04040404 }))
	a, b := p.op2(cPick, tW, in[0], from, 0), p.op2(cPick, tW, in[1], from, 0)
	v := p.xor(a, p.and(p.xor(a, b), p.eachByte(c, 2)))
	sign := p.eachByte(c, 3)
	return p.or(p.bin(cAndn, sign, v), p.and(sign, p.eachByte(v, 7)))
}

// eachByte is all ones in the bytes that have bit k.
func (p *program) eachByte(a val, k uint64) val {
	one := p.and(p.shrI(a, k), p.w(0x01010101))
	return p.sub(p.shlI(one, 8), one)
}

// swarAdd adds parts of a word whose top bits are given: without them, then those by themselves.
func swarAdd(top uint32) twin {
	return func(p *program, in []val) val {
		low := p.w(^top)
		return p.xor(p.sum(p.and(in[0], low), p.and(in[1], low)), p.and(p.xor(in[0], in[1]), p.w(top)))
	}
}

func swarSub(p *program, a, b val) val {
	top := p.w(0x80808080)
	return p.xor(p.sub(p.or(a, top), p.and(b, p.w(0x7f7f7f7f))), p.and(p.xor(a, p.not(b)), top))
}

// packHalves computes both halves of a word.
func packHalves(p *program, in []val, signed bool, f func(a, b val) val) val {
	half := func(a val) (low, high val) {
		if signed {
			return p.sext16(a), p.sarI(a, 16)
		}
		return p.lowBits(a, 16), p.shrI(a, 16)
	}
	a0, a1 := half(in[0])
	b0, b1 := half(in[1])
	return p.or(p.lowBits(f(a0, b0), 16), p.shlI(f(a1, b1), 16))
}

func halves(c code, signed, relu bool) twin {
	return func(p *program, in []val) val {
		return packHalves(p, in, signed, func(a, b val) val {
			v := p.bin(c, a, b)
			if relu {
				v = p.maxS(v, p.w(0))
			}
			return v
		})
	}
}

// slct64 chooses by the bits of an f32 that is not below zero: up to infinity, or at most tiny below -0.
func slct64(tiny uint64) twin {
	return func(p *program, in []val) val {
		c := p.zext(in[2])
		zero := p.cmp(cmpLEU, p.sub(c, p.x(signF32)), p.x(tiny))
		return p.sel(p.cmp(cmpLEU, c, p.x(infF32)), in[0], p.sel(zero, in[0], in[1]))
	}
}

func inWindow(start uint64) twin {
	return func(p *program, in []val) val {
		return p.cmp(cmpLTU, p.sub(in[0], p.x(start)), p.x(mem.WindowSize))
	}
}
