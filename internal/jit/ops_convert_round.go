package jit

// Codes of fewer than 32 bits from f32, rounded once: the significand is shifted to where the last bit of the destination is, by a
// number that follows from the exponent where the result is subnormal. The result's exponent is added above.

import "ptxvm.invalid/ptxvm/internal/num"

// encode is the code of an f32, rounded by the mode. What it makes of a NaN has no sign, but for one of an f64, which keeps its
// sign and upper bits.
func (e *converting) encode(a val) val {
	p, c := e.p, e.c
	plain := !c.Scaled && c.Random == 0
	switch {
	case c.Dst == num.UE8M0:
		return e.toPower(a)
	case c.Dst == num.S2F6:
		return e.toFixed(a)
	case c.Dst == num.TF32:
		return e.toTF32(a)
	case c.Dst == num.F16 && plain:
		if c.Src != num.F64 {
			a = p.canon(a)
		}
		return e.satfinite(p.op1(cF2H, tW, a, e.rounding()))
	case c.Dst == num.BF16 && plain && c.Src == num.F64:
		return p.sel(p.isNaN(a), p.or(p.shrI(a, 16), p.w(0x40)), p.shrI(e.cut(a, 16), 16))
	case c.Dst == num.BF16 && plain:
		return e.satfinite(p.sel(p.isNaN(a), p.w(nanHalf), p.shrI(e.cut(a, 16), 16)))
	}
	return e.rounded(a)
}

// satfinite makes infinities of 16 bits the largest finite value.
func (e *converter) satfinite(d val) val {
	if !e.c.Satfinite {
		return d
	}
	p, inf := e.p, uint32(e.c.Dst.Format().Inf)
	return p.sel(p.cmp(cmpEQ, p.lowBits(d, 15), p.w(inf)), p.sub(d, p.w(1)), d)
}

// cut adds to an f32 what carries into the bits above the low n where it is rounded so; what is in the low bits does not count.
func (e *converter) cut(a val, n uint64) val {
	p, all := e.p, uint32(1)<<n-1
	switch e.c.Round {
	case num.RN:
		return p.sum(a, p.sum(p.w(all>>1), p.and(p.shrI(a, n), p.w(1))))
	case num.RM:
		return p.sum(a, p.and(p.sarI(a, 31), p.w(all)))
	case num.RP:
		return p.sum(a, p.bin(cAndn, p.sarI(a, 31), p.w(all)))
	case num.RNA:
		return p.sum(a, p.w(1<<(n-1)))
	}
	return a
}

// toTF32 keeps 10 bits of the fraction. By .rna infinities and NaNs are cut alone (num: toTF32).
func (e *converter) toTF32(a val) val {
	const low, inf, most = 1<<13 - 1, infF32, 0x7f7fe000
	p, c := e.p, e.c
	d := p.and(e.cut(a, 13), p.w(^uint32(low)))
	mag := p.and(a, p.w(magF32))
	if c.Round == num.RNA {
		d = p.sel(p.cmp(cmpLTS, mag, p.w(inf)), d, p.and(a, p.w(^uint32(low))))
		if c.Satfinite {
			d = p.sel(p.cmp(cmpLTS, p.and(d, p.w(magF32)), p.w(inf)), d, p.sub(d, p.w(low+1)))
		}
		return d
	}
	if c.Satfinite {
		d = p.sel(p.cmp(cmpLTS, p.and(d, p.w(magF32)), p.w(inf)), d, p.or(p.and(d, p.w(signF32)), p.w(most)))
	}
	return p.sel(p.cmp(cmpLTS, p.w(inf), mag), p.w(nanF32&^low), d)
}

// toPower is the code of ue8m0: the power of two below a magnitude, by .rp above it.
func (e *converter) toPower(a val) val {
	p, f := e.p, e.c.Dst.Format()
	mag := p.and(a, p.w(magF32))
	d := p.shrI(mag, 23)
	if e.c.Round == num.RP { // 2^-127 is subnormal
		d = p.sel(p.cmp(cmpLTS, p.w(1<<22), mag), p.shrI(p.sum(mag, p.w(1<<23-1)), 23), p.w(0))
	}
	over := f.NaN
	if e.c.Satfinite {
		over = f.Max
	}
	d = p.sel(p.cmp(cmpLTS, p.w(uint32(f.Max)), d), p.w(uint32(over)), d)
	return p.sel(p.cmp(cmpLTS, p.w(infF32), mag), p.w(uint32(f.NaN)), d)
}

// toFixed is the code of s2f6: 64ths, in two's complement.
func (e *converting) toFixed(a val) val {
	const six, most, least = 6, 0x42fe0000, 0xc3000000 // 127, -128
	p := e.p
	if e.c.Scaled { // by two powers of two, each of which an f32 holds
		n := p.sub(p.w(six), e.scale)
		half := p.sarI(n, 1)
		a = p.fmul(p.fmul(a, powerOf(p, half)), powerOf(p, p.sub(n, half)))
	} else {
		a = p.fmul(a, p.w((127+six)<<23))
	}
	v := p.op2(cFMin, tW, p.op2(cFMax, tW, a, p.w(least), 0), p.w(most), 0)
	d := p.lowBits(p.op1(cF2I, tW, p.op1(cFInt, tW, v, e.rounding()), 0), 8)
	d = p.sel(p.isNaN(a), p.w(uint32(e.c.Dst.Format().Max)), d)
	if e.c.Scaled {
		d = p.sel(e.nan, p.w(uint32(e.c.Dst.Format().Max)), d)
	}
	return d
}

// powerOf is 2^n as f32.
func powerOf(p *program, n val) val { return p.shlI(p.sum(n, p.w(127)), 23) }

// rounded is the code of a format by its numbers.
func (e *converting) rounded(a val) val {
	p, c, f := e.p, e.c, e.c.Dst.Format()
	least := p.w(uint32(128 - f.Bias)) // the exponent of the smallest normal value, as f32 has it
	mag := p.and(a, p.w(magF32))
	exp := p.maxS(p.shrI(mag, 23), p.w(1))
	sig := p.sub(mag, p.shlI(p.sub(exp, p.w(1)), 23))
	if c.Scaled {
		if f.Exp+f.Man <= 8 {
			exp = p.sub(exp, e.scale)
		} else {
			exp = p.sum(exp, e.scale)
		}
	}
	code := e.shifted(a, sig, p.maxS(p.sub(least, exp), p.w(0)))
	code = p.sum(code, p.shlI(p.maxS(p.sub(exp, least), p.w(0)), uint64(f.Man)))
	if c.Scaled {
		code = p.sel(p.cmp(cmpEQ, mag, p.w(0)), p.w(0), code)
	}
	d := e.limited(a, mag, code)
	nan := f.NaN
	if nan == 0 {
		nan = f.Max
	}
	d = p.sel(p.isNaN(a), p.w(uint32(nan)), d)
	if c.Scaled {
		d = p.sel(e.nan, p.w(uint32(nan)), d)
	}
	return d
}

// shifted cuts a significand of 24 bits, by s bits more than where the result is normal, and rounds.
func (e *converting) shifted(a, sig, s val) val {
	p, c, f := e.p, e.c, e.c.Dst.Format()
	drop := uint32(23 - f.Man)
	if c.Random != 0 {
		at := p.sum(s, p.w(drop-uint32(c.Random)))
		return p.shrI(p.sum(p.bin(cShr, sig, at), e.random), uint64(c.Random))
	}
	// at 25 bits nothing of the significand is left, and less than a half
	shift := p.sum(p.minS(s, p.w(25-drop)), p.w(drop))
	part := func(n val) val { return p.sub(p.bin(cShl, p.w(1), n), p.w(1)) }
	up := none
	switch {
	case c.Round == num.RN:
		up = p.sum(part(p.sub(shift, p.w(1))), p.and(p.bin(cShr, sig, shift), p.w(1)))
	case c.Round == num.RP && f.Unsigned:
		up = part(shift)
	case c.Round == num.RP:
		up = p.bin(cAndn, p.sarI(a, 31), part(shift))
	case c.Round == num.RM && !f.Unsigned:
		up = p.and(p.sarI(a, 31), part(shift))
	default:
		return p.bin(cShr, sig, shift)
	}
	return p.bin(cShr, p.sum(sig, up), shift)
}

// limited gives a code its sign, and what there is beyond the largest one.
func (e *converting) limited(a, mag, code val) val {
	p, c, f := e.p, e.c, e.c.Dst.Format()
	neg := p.sarI(a, 31)
	sign := p.w(0)
	if !f.Unsigned {
		sign = p.and(neg, p.w(1<<(f.Exp+f.Man)))
	}
	plus, minus, inf := e.beyond(false, c.Round), e.beyond(!f.Unsigned, c.Round), e.beyond(false, num.RN)
	over := p.w(plus)
	if plus != minus {
		over = p.xor(over, p.and(neg, p.w(plus^minus)))
	}
	big := p.cmp(cmpLTS, p.w(uint32(f.Max)), code)
	d := p.sel(big, over, code)
	if c.Scaled || plus != inf || minus != inf {
		d = p.sel(p.cmp(cmpEQ, mag, p.w(infF32)), p.w(inf), d)
	}
	d = p.or(d, sign)
	if uint64(inf) == f.NaN { // which has no sign
		d = p.sel(p.cmp(cmpEQ, p.and(d, p.w(1<<(f.Exp+f.Man)-1)), p.w(inf)), p.w(inf), d)
	}
	return d
}

// beyond is the magnitude of what is too large, by its sign (num: overflow).
func (e *converter) beyond(neg bool, m num.Mode) uint32 {
	f := e.c.Dst.Format()
	cuts := m == num.RZ || m == num.RM && !neg || m == num.RP && neg
	switch {
	case cuts || e.c.Satfinite:
	case f.Inf != 0:
		return uint32(f.Inf)
	case f.NaN != 0:
		return uint32(f.NaN)
	}
	return uint32(f.Max)
}
