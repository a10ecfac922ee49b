package lane

// This file has conversions from float to float: what a source is as f32, and results that one instruction rounds.

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/num"
)

// read is a source of at most 32 bits as f32; of a NaN some NaN.
func (e *converter) read(a ssa.Value) ssa.Value {
	f, c := e.f, e.c
	least := uint32(minF32)
	switch c.Src {
	case num.F32:
		if c.Ftz && !c.Keeps() {
			return flushF32(f, a)
		}
	case num.BF16:
		a = shl(f, a, 16)
	case num.F16:
		h := &halfFormats[0]
		a, least = h.widen(f, low(f, a, 16)), h.min
	case num.UE8M0:
		v := low(f, a, 8)
		a = f.Sel(f.Cmp(ssa.Eq, v, f.Word(0)), f.Word(1<<22), shl(f, v, 23)) // 2^-127, which is subnormal
		return f.Sel(f.Cmp(ssa.Eq, v, f.Word(0xff)), f.Word(nanF32), a)
	case num.S2F6:
		const twoM6 = 0x3c800000
		return fmul(f, f.Make(ssa.I2F, ssa.W, 0, sign(f, a, 8)), f.Word(twoM6))
	default:
		return e.readNarrow(a)
	}
	if c.Flush {
		mag := and(f, a, f.Word(magF32))
		tiny := f.Cmp(ssa.LtU, f.Bin(ssa.Sub, mag, f.Word(1)), f.Word(least-1))
		return f.Sel(tiny, f.Word(0), a)
	}
	return a
}

// readNarrow is a float of at most 8 bits as f32.
func (e *converter) readNarrow(a ssa.Value) ssa.Value {
	f, format := e.f, e.c.Src.Format()
	at := uint64(format.Exp + format.Man)
	v := low(f, a, int(e.c.Src.Width()))
	mag := low(f, v, int(at))
	small := fmul(f, f.Make(ssa.I2F, ssa.W, 0, mag), f.Word(uint32(128-format.Bias-int32(format.Man))<<23))
	d := f.Bin(ssa.Add, shl(f, mag, 23-uint64(format.Man)), f.Word(uint32(127-format.Bias)<<23))
	d = f.Sel(f.Cmp(ssa.LtS, mag, f.Word(1<<format.Man)), small, d)
	if format.Inf != 0 {
		d = f.Sel(f.Cmp(ssa.LtS, mag, f.Word(uint32(format.Inf))), d, f.Bin(ssa.Add, shl(f, mag, 23-uint64(format.Man)), f.Word((255-31)<<23)))
	} else if format.NaN != 0 {
		d = f.Sel(f.Cmp(ssa.Eq, mag, f.Word(uint32(format.NaN))), f.Word(nanF32), d)
	}
	if format.Unsigned {
		return d
	}
	return or(f, d, shl(f, shr(f, v, at), 31))
}

// toFloat is the code of the destination for an f32.
func (e *converting) toFloat(a ssa.Value) ssa.Value {
	f, c := e.f, e.c
	switch {
	case c.Dst == num.F64:
		if c.Src == num.F32 && c.Ftz {
			a = canon(f, a)
		}
		return f.Make(ssa.F2D, ssa.X, 0, a)
	case c.Dst == num.F32:
		return e.toF32(a)
	case c.Integral:
		a = f.Make(ssa.FRound, ssa.W, e.rounding(), a)
	}
	return e.encode(a)
}

// toF32 is a move, but for .ftz, the NaNs of f16, and roundings to whole numbers.
func (e *converter) toF32(a ssa.Value) ssa.Value {
	f, c := e.f, e.c
	switch {
	case c.Integral:
		return canon(f, f.Make(ssa.FRound, ssa.W, e.rounding(), a))
	case c.Ftz:
		return canon(f, flushF32(f, a))
	case c.Src == num.F16:
		return canon(f, a)
	}
	return a
}

// fromDouble is the code of the destination for an f64.
func (e *converting) fromDouble(a ssa.Value) ssa.Value {
	f, c := e.f, e.c
	switch {
	case c.Dst == num.F32:
		return e.fromDoubleF32(a)
	case c.Dst == num.F64 && c.Integral:
		return f.Make(ssa.FRound, ssa.X, e.rounding(), a)
	case c.Dst == num.F64:
		return a
	}
	return e.encode(oddF32(f, a))
}

// fromDoubleF32 flushes by the value rounded to 24 bits: that of 2^64 times as much, but for one value (num: tinyAfterRounding).
func (e *converter) fromDoubleF32(a ssa.Value) ssa.Value {
	f, how := e.f, e.rounding()
	v := narrowed(f, how, a)
	if !e.c.Ftz {
		return v
	}
	const kept, least, two64 = 0x380fffffe0000000, 0x3810000000000000, 0x43f0000000000000
	switch how {
	case ssa.Up:
		a = f.Sel(f.Cmp(ssa.Eq, a, f.Wide(kept)), f.Wide(least), a)
	case ssa.Down:
		a = f.Sel(f.Cmp(ssa.Eq, a, f.Wide(signF64|kept)), f.Wide(least), a)
	}
	size := and(f, narrowed(f, how, f.Bin(ssa.FMul, a, f.Wide(two64))), f.Word(magF32))
	return f.Sel(f.Cmp(ssa.LtS, size, f.Word(twoM62F32)), and(f, v, f.Word(signF32)), v)
}
