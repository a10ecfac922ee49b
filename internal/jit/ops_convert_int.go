package jit

// Conversions from and to integers.

import "ptxvm.invalid/ptxvm/internal/num"

// cut is an integer of a type, extended to 32 bits.
func cut(p *program, t num.Type, a val) val {
	n := uint64(t.Width())
	switch {
	case n == 32:
		return a
	case t.Signed():
		return p.sarI(p.shlI(a, 32-n), 32-n)
	}
	return p.lowBits(a, int(n))
}

// widened is an integer of a type, extended to 64 bits.
func widened(p *program, t num.Type, a val) val {
	switch {
	case t.Width() == 64:
		return a
	case p.typ(a) == tX:
		a = p.trunc(a)
	}
	if a = cut(p, t, a); t.Signed() {
		return p.sext(a)
	}
	return p.zext(a)
}

// registered is an integer of the destination type as a register of so many bits has it.
func (e *converter) registered(v val, to int) val {
	p, dst := e.p, e.c.Dst
	if to > 32 {
		return widened(p, dst, v)
	}
	if p.typ(v) == tX {
		v = p.trunc(v)
	}
	if v = cut(p, dst, v); to < 32 {
		v = p.lowBits(v, to)
	}
	return v
}

// integers extends by the source's sign, and clamps with .sat.
func (e *converter) integers(a val, to int) val {
	p, src, dst := e.p, e.c.Src, e.c.Dst
	if src.Width() < 64 && dst.Width() < 64 {
		if p.typ(a) == tX {
			a = p.trunc(a)
		}
		a = cut(p, src, a)
	} else {
		a = widened(p, src, a)
	}
	if e.c.Sat {
		a = e.clamped(a)
	}
	return e.registered(a, to)
}

// clamped clamps an integer of the source type to the range of the destination's.
func (e *converter) clamped(a val) val {
	p, t, n := e.p, e.p.typ(a), uint64(e.c.Dst.Width())
	high := ^uint64(0) >> (64 - n)
	if e.c.Dst.Signed() {
		high >>= 1
	}
	top, whole := p.constant(t, high), int(n) == t.bits()
	switch {
	case int(e.c.Src.Width()) == t.bits() && !e.c.Src.Signed():
		return p.minU(a, top)
	case e.c.Dst.Signed() && whole:
		return a
	case e.c.Dst.Signed():
		return p.maxS(p.minS(a, top), p.constant(t, ^high))
	case whole:
		return p.maxS(a, p.constant(t, 0))
	}
	return p.minS(p.maxS(a, p.constant(t, 0)), top)
}

// fromInteger is a float's code.
func (e *converting) fromInteger(a val) val {
	p, src, how := e.p, e.c.Src, e.rounding()
	if src.Width() == 64 {
		return e.fromLong(a)
	}
	a = cut(p, src, a)
	signed := src.Signed() || src.Width() < 32
	switch {
	case e.c.Dst == num.F32 && signed:
		return p.op1(cI2F, tW, a, how)
	case e.c.Dst == num.F32:
		return f32FromU32(p, a, how)
	case e.c.Dst != num.F64 && src.Width() < 32:
		return e.encode(p.op1(cI2F, tW, a, roundNear))
	}
	d := none
	if signed {
		d = p.op1(cI2F, tX, a, 0)
	} else {
		d = f64FromU32(p, a)
	}
	if e.c.Dst == num.F64 {
		return d
	}
	return e.encode(oddF32(p, d))
}

// fromLong is fromInteger of 64 bits: but for f64 they lose bits that only tell whether there is something.
func (e *converting) fromLong(x val) val {
	p, how := e.p, e.rounding()
	if e.c.Dst == num.F64 {
		if e.c.Src.Signed() {
			return f64FromHalves(p, x, p.shrI(p.xor(x, p.x(signF64)), 32), signF64, how)
		}
		return f64FromHalves(p, x, p.shrI(x, 32), 0, how)
	}
	sign := p.and(x, p.x(signF64))
	if e.c.Src.Signed() {
		s := p.sarI(x, 63)
		x = p.sub(p.xor(x, s), s)
	}
	const low = 1<<12 - 1
	rest := p.sel(p.cmp(cmpEQ, p.and(x, p.x(low)), p.x(0)), p.x(0), p.x(1<<11))
	x = p.sel(p.cmp(cmpEQ, p.shrI(x, 53), p.x(0)), x, p.or(p.and(x, p.x(^uint64(low))), rest))
	d := f64FromHalves(p, x, p.shrI(x, 32), 0, roundNear)
	if e.c.Src.Signed() {
		d = p.or(d, sign)
	}
	if e.c.Dst == num.F32 {
		return p.op1(cD2F, tW, d, how)
	}
	return e.encode(oddF32(p, d))
}

// oddF32 is an f64 as f32, with its last bit set where bits are lost: what is rounded from it to fewer bits is as from the f64.
func oddF32(p *program, d val) val {
	v := p.op1(cD2F, tW, d, roundZero)
	lost := p.op2(cFCmp, tM, p.op1(cF2D, tX, v, 0), d, fcmpNEQ)
	return p.or(v, p.trunc(p.sel(lost, p.x(1), p.x(0))))
}

// toInteger rounds a float and clamps.
func (e *converting) toInteger(a val, to int) val {
	p, how, n := e.p, e.rounding(), int(e.c.Dst.Width())
	double := e.c.Src == num.F64
	if !double {
		if p.typ(a) == tX {
			a = p.trunc(a)
		}
		a = e.read(a)
		if n == 64 {
			a = p.op1(cF2D, tX, a, 0)
		}
	}
	v := none
	switch {
	case n == 64:
		v = longFromF64(p, p.op1(cFInt, tX, a, how), e.c.Dst.Signed())
	case double && n == 32 && e.c.Dst.Signed():
		v = s32FromF64(p, p.op1(cFInt, tX, a, how))
	case double && n == 32:
		v = u32FromF64(p, p.op1(cFInt, tX, a, how))
	case double:
		v = e.shortFromF64(p.op1(cFInt, tX, a, how))
	case n == 32 && e.c.Dst.Signed():
		v = s32FromF32(p, a, how)
	case n == 32:
		v = u32FromF32(p, p.op1(cFInt, tW, a, how))
	default:
		v = e.shortFromF32(a, how)
	}
	return e.registered(v, to)
}

// limits are the least and the largest integer of the destination type, of fewer than 32 bits.
func (e *converter) limits() (low, high int32) {
	n := e.c.Dst.Width()
	if e.c.Dst.Signed() {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, 1<<n - 1
}

// shortFromF32 rounds and clamps to fewer than 32 bits; a NaN gives 0.
func (e *converter) shortFromF32(a val, how uint64) val {
	p := e.p
	low, high := e.limits()
	v := p.op1(cFInt, tW, a, how)
	v = p.op2(cFMax, tW, v, p.w(num.CvtF32S32(uint32(low))), 0) // of a NaN the least value
	v = p.op1(cF2I, tW, p.op2(cFMin, tW, v, p.w(num.CvtF32S32(uint32(high))), 0), 0)
	if low != 0 {
		v = p.sel(p.isNaN(a), p.w(0), v)
	}
	return v
}

// shortFromF64 is the same of an integral f64, where a NaN gives the top bit alone: of signed numbers the least one.
func (e *converter) shortFromF64(a val) val {
	p := e.p
	low, high := e.limits()
	v := p.op2(cFMax, tX, a, p.x(num.CvtF64S32(uint32(low))), 0)
	v = p.op2(cFMin, tX, v, p.x(num.CvtF64S32(uint32(high))), 0)
	if low == 0 {
		v = p.sel(p.isNaN(a), p.x(num.CvtF64S32(1<<(e.c.Dst.Width()-1))), v)
	}
	return p.op1(cD2I, tW, v, 0)
}

// u32FromF32 converts an integral f32 and clamps; a NaN gives 0.
func u32FromF32(p *program, a val) val {
	const two31, two32 = 0x4f000000, 0x4f800000
	v := p.op2(cFMax, tW, a, p.w(0), 0)
	upper := p.op2(cFCmp, tM, p.w(two31), v, fcmpLE)
	low := p.op1(cF2I, tW, p.sel(upper, p.op2(cFSub, tW, v, p.w(two31), roundNear), v), 0)
	low = p.xor(low, p.sel(upper, p.w(1<<31), p.w(0)))
	return p.sel(p.op2(cFCmp, tM, p.w(two32), v, fcmpLE), p.w(^uint32(0)), low)
}

// longFromF64 converts an integral f64 and clamps; a NaN gives the top bit alone. The upper half of the number is its quotient by
// 2^32, rounded down, the lower half the rest; both are found in the low bits of sums.
func longFromF64(p *program, a val, signed bool) val {
	const least, two63, two64 = 0xc3e0000000000000, 0x43e0000000000000, 0x43f0000000000000
	const two32, twoM32, middle = 0x41f0000000000000, 0x3df0000000000000, 0x4338000000000000 // middle: 1.5·2^52
	low, over, all := uint64(0), uint64(two64), ^uint64(0)
	if signed {
		low, over, all = least, two63, 1<<63-1
	}
	v := p.op2(cFMax, tX, a, p.x(low), 0) // of a NaN the least value
	upper := p.op1(cFInt, tX, p.op2(cFMul, tX, v, p.x(twoM32), roundNear), roundDown)
	rest := p.op2(cFSub, tX, v, p.op2(cFMul, tX, upper, p.x(two32), roundNear), roundNear)
	upper = p.shlI(p.op2(cFAdd, tX, upper, p.x(middle), roundNear), 32)
	rest = p.and(p.op2(cFAdd, tX, rest, p.x(two52), roundNear), p.x(1<<32-1))
	d := p.sel(p.op2(cFCmp, tM, p.x(over), v, fcmpLE), p.x(all), p.or(upper, rest))
	if !signed {
		d = p.sel(p.isNaN(a), p.x(1<<63), d)
	}
	return d
}
