package jit

// Conversions from float to float: what a source is as f32, and results that the machine rounds itself.

import "ptxvm.invalid/ptxvm/internal/num"

// read is a source of at most 32 bits as f32; of a NaN some NaN.
func (e *converter) read(a val) val {
	p, c := e.p, e.c
	least := uint32(minNormF32)
	switch c.Src {
	case num.F32:
		if c.Ftz && !c.Keeps() {
			return flushF32(p, a)
		}
	case num.BF16:
		a = p.shlI(a, 16)
	case num.F16:
		h := halfOf(c.Src)
		a, least = h.widen(p, p.lowBits(a, 16)), h.min
	case num.UE8M0:
		v := p.lowBits(a, 8)
		a = p.sel(p.cmp(cmpEQ, v, p.w(0)), p.w(1<<22), p.shlI(v, 23)) // 2^-127, which is subnormal
		return p.sel(p.cmp(cmpEQ, v, p.w(0xff)), p.w(nanF32), a)
	case num.S2F6:
		const twoM6 = 0x3c800000
		return p.fmul(p.op1(cI2F, tW, p.sext8(a), roundNear), p.w(twoM6))
	default:
		return e.readNarrow(a)
	}
	if c.Flush {
		mag := p.and(a, p.w(magF32))
		tiny := p.cmp(cmpLTU, p.sub(mag, p.w(1)), p.w(least-1))
		return p.sel(tiny, p.w(0), a)
	}
	return a
}

// readNarrow is a float of at most 8 bits as f32.
func (e *converter) readNarrow(a val) val {
	p, f := e.p, e.c.Src.Format()
	at := uint64(f.Exp + f.Man)
	v := p.lowBits(a, int(e.c.Src.Width()))
	mag := p.lowBits(v, int(at))
	small := p.fmul(p.op1(cI2F, tW, mag, roundNear), p.w(uint32(128-f.Bias-int32(f.Man))<<23))
	d := p.sum(p.shlI(mag, 23-uint64(f.Man)), p.w(uint32(127-f.Bias)<<23))
	d = p.sel(p.cmp(cmpLTS, mag, p.w(1<<f.Man)), small, d)
	if f.Inf != 0 {
		d = p.sel(p.cmp(cmpLTS, mag, p.w(uint32(f.Inf))), d, p.sum(p.shlI(mag, 23-uint64(f.Man)), p.w((255-31)<<23)))
	} else if f.NaN != 0 {
		d = p.sel(p.cmp(cmpEQ, mag, p.w(uint32(f.NaN))), p.w(nanF32), d)
	}
	if f.Unsigned {
		return d
	}
	return p.or(d, p.shlI(p.shrI(v, at), 31))
}

// toFloat is the code of the destination for an f32.
func (e *converting) toFloat(a val) val {
	p, c := e.p, e.c
	switch {
	case c.Dst == num.F64:
		if c.Src == num.F32 && c.Ftz {
			a = p.canon(a)
		}
		return p.op1(cF2D, tX, a, 0)
	case c.Dst == num.F32:
		return e.toF32(a)
	case c.Integral:
		a = p.op1(cFInt, tW, a, e.rounding())
	}
	return e.encode(a)
}

// toF32 is a move, but for .ftz, the NaNs of f16, and roundings to whole numbers.
func (e *converter) toF32(a val) val {
	p, c := e.p, e.c
	switch {
	case c.Integral:
		return p.canon(p.op1(cFInt, tW, a, e.rounding()))
	case c.Ftz:
		return p.canon(flushF32(p, a))
	case c.Src == num.F16:
		return p.canon(a)
	}
	return a
}

// fromDouble is the code of the destination for an f64.
func (e *converting) fromDouble(a val) val {
	p, c := e.p, e.c
	switch {
	case c.Dst == num.F32:
		return e.fromDoubleF32(a)
	case c.Dst == num.F64 && c.Integral:
		return p.op1(cFInt, tX, a, e.rounding())
	case c.Dst == num.F64:
		return a
	}
	return e.encode(oddF32(p, a))
}

// fromDoubleF32 flushes by the value rounded to 24 bits: that of 2^64 times as much, but for one value (num: tinyAfterRounding).
func (e *converter) fromDoubleF32(a val) val {
	p, how := e.p, e.rounding()
	v := p.op1(cD2F, tW, a, how)
	if !e.c.Ftz {
		return v
	}
	const kept, least, two64 = 0x380fffffe0000000, 0x3810000000000000, 0x43f0000000000000
	switch how {
	case roundUp:
		a = p.sel(p.cmp(cmpEQ, a, p.x(kept)), p.x(least), a)
	case roundDown:
		a = p.sel(p.cmp(cmpEQ, a, p.x(signF64|kept)), p.x(least), a)
	}
	size := p.and(p.op1(cD2F, tW, p.op2(cFMul, tX, a, p.x(two64), roundNear), how), p.w(magF32))
	return p.sel(p.cmp(cmpLTS, size, p.w(twoM62F32)), p.and(v, p.w(signF32)), v)
}
