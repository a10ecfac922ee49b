package lane

// This file has conversions from and to integers.

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/num"
)

// cut is an integer of a type, extended to 32 bits.
func cut(f *ssa.Func, t num.Type, a ssa.Value) ssa.Value {
	n := uint64(t.Width())
	switch {
	case n == 32:
		return a
	case t.Signed():
		return sar(f, shl(f, a, 32-n), 32-n)
	}
	return low(f, a, int(n))
}

// widened is an integer of a type, extended to 64 bits.
func widened(f *ssa.Func, t num.Type, a ssa.Value) ssa.Value {
	switch {
	case t.Width() == 64:
		return a
	case f.TypeOf(a) == ssa.X:
		a = trunc(f, a)
	}
	if a = cut(f, t, a); t.Signed() {
		return sext(f, a)
	}
	return zext(f, a)
}

// registered is an integer of the destination type as a register of so many bits has it.
func (e *converter) registered(v ssa.Value, to int) ssa.Value {
	f, dst := e.f, e.c.Dst
	if to > 32 {
		return widened(f, dst, v)
	}
	if f.TypeOf(v) == ssa.X {
		v = trunc(f, v)
	}
	if v = cut(f, dst, v); to < 32 {
		v = low(f, v, to)
	}
	return v
}

// integers extends by the source's sign, and clamps with .sat.
func (e *converter) integers(a ssa.Value, to int) ssa.Value {
	f, src, dst := e.f, e.c.Src, e.c.Dst
	if src.Width() < 64 && dst.Width() < 64 {
		if f.TypeOf(a) == ssa.X {
			a = trunc(f, a)
		}
		a = cut(f, src, a)
	} else {
		a = widened(f, src, a)
	}
	if e.c.Sat {
		a = e.clamped(a)
	}
	return e.registered(a, to)
}

// clamped clamps an integer of the source type to the range of the destination's.
func (e *converter) clamped(a ssa.Value) ssa.Value {
	f, t, n := e.f, e.f.TypeOf(a), uint64(e.c.Dst.Width())
	high := ^uint64(0) >> (64 - n)
	if e.c.Dst.Signed() {
		high >>= 1
	}
	top, whole := f.Const(t, high), int(n) == t.Bits()
	switch {
	case int(e.c.Src.Width()) == t.Bits() && !e.c.Src.Signed():
		return f.Bin(ssa.MinU, a, top)
	case e.c.Dst.Signed() && whole:
		return a
	case e.c.Dst.Signed():
		return f.Bin(ssa.MaxS, f.Bin(ssa.MinS, a, top), f.Const(t, ^high))
	case whole:
		return f.Bin(ssa.MaxS, a, f.Const(t, 0))
	}
	return f.Bin(ssa.MinS, f.Bin(ssa.MaxS, a, f.Const(t, 0)), top)
}

// fromInteger is a float's code.
func (e *converting) fromInteger(a ssa.Value) ssa.Value {
	f, src, how := e.f, e.c.Src, e.rounding()
	if src.Width() == 64 {
		return e.fromLong(a)
	}
	a = cut(f, src, a)
	signed := src.Signed() || src.Width() < 32
	switch {
	case e.c.Dst == num.F32 && how == ssa.Nearest:
		return f.Make(map[bool]ssa.Code{true: ssa.I2F, false: ssa.U2F}[signed], ssa.W, 0, a)
	case e.c.Dst != num.F64 && src.Width() < 32:
		return e.encode(f.Make(ssa.I2F, ssa.W, 0, a))
	}
	var d ssa.Value
	if signed {
		d = f.Make(ssa.I2D, ssa.X, 0, a)
	} else {
		d = f64FromU32(f, a)
	}
	switch e.c.Dst {
	case num.F64:
		return d
	case num.F32:
		return narrowed(f, how, d)
	}
	return e.encode(oddF32(f, d))
}

// fromLong is fromInteger of 64 bits: but for f64 they lose bits that only tell whether there is something.
func (e *converting) fromLong(x ssa.Value) ssa.Value {
	f, how := e.f, e.rounding()
	if e.c.Dst == num.F64 {
		if e.c.Src.Signed() {
			return f64FromHalves(f, x, shr(f, xor(f, x, f.Wide(signF64)), 32), signF64, how)
		}
		return f64FromHalves(f, x, shr(f, x, 32), 0, how)
	}
	sign := and(f, x, f.Wide(signF64))
	if e.c.Src.Signed() {
		s := sar(f, x, 63)
		x = f.Bin(ssa.Sub, xor(f, x, s), s)
	}
	const low = 1<<12 - 1
	rest := f.Sel(f.Cmp(ssa.Eq, and(f, x, f.Wide(low)), f.Wide(0)), f.Wide(0), f.Wide(1<<11))
	x = f.Sel(f.Cmp(ssa.Eq, shr(f, x, 53), f.Wide(0)), x, or(f, and(f, x, f.Wide(^uint64(low))), rest))
	d := f64FromHalves(f, x, shr(f, x, 32), 0, ssa.Nearest)
	if e.c.Src.Signed() {
		d = or(f, d, sign)
	}
	if e.c.Dst == num.F32 {
		return narrowed(f, how, d)
	}
	return e.encode(oddF32(f, d))
}

// oddF32 is an f64 as f32, with its last bit set where bits are lost: what is rounded from it to fewer bits is as from the f64.
func oddF32(f *ssa.Func, d ssa.Value) ssa.Value {
	v := narrowed(f, ssa.Zero, d)
	lost := differ(f, f.Make(ssa.F2D, ssa.X, 0, v), d)
	return or(f, v, f.Sel(lost, f.Word(1), f.Word(0)))
}

// toInteger rounds a float and clamps.
func (e *converting) toInteger(a ssa.Value, to int) ssa.Value {
	f, how, n := e.f, e.rounding(), int(e.c.Dst.Width())
	double := e.c.Src == num.F64
	if !double {
		if f.TypeOf(a) == ssa.X {
			a = trunc(f, a)
		}
		a = e.read(a)
		if n == 64 {
			a = f.Make(ssa.F2D, ssa.X, 0, a)
		}
	}
	var v ssa.Value
	switch {
	case n == 64:
		v = longFromF64(f, f.Make(ssa.FRound, ssa.X, how, a), e.c.Dst.Signed())
	case double && n == 32 && e.c.Dst.Signed():
		v = s32FromF64(f, f.Make(ssa.FRound, ssa.X, how, a))
	case double && n == 32:
		v = u32FromF64(f, f.Make(ssa.FRound, ssa.X, how, a))
	case double:
		v = e.shortFromF64(f.Make(ssa.FRound, ssa.X, how, a))
	case n == 32 && e.c.Dst.Signed():
		v = s32FromF32(f, a, how)
	case n == 32:
		v = u32FromF32(f, f.Make(ssa.FRound, ssa.W, how, a))
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
func (e *converter) shortFromF32(a ssa.Value, how ssa.Rounding) ssa.Value {
	f := e.f
	low, high := e.limits()
	v := f.Make(ssa.FRound, ssa.W, how, a)
	v = f.Bin(ssa.FMax, v, f.Word(num.CvtF32S32(uint32(low)))) // of a NaN the least value
	v = f.Make(ssa.F2I, ssa.W, 0, f.Bin(ssa.FMin, v, f.Word(num.CvtF32S32(uint32(high)))))
	if low != 0 {
		v = f.Sel(isNaN(f, a), f.Word(0), v)
	}
	return v
}

// shortFromF64 is the same of an integral f64, where a NaN gives the top bit alone: of signed numbers the least one.
func (e *converter) shortFromF64(a ssa.Value) ssa.Value {
	f := e.f
	low, high := e.limits()
	v := f.Bin(ssa.FMax, a, f.Wide(num.CvtF64S32(uint32(low))))
	v = f.Bin(ssa.FMin, v, f.Wide(num.CvtF64S32(uint32(high))))
	if low == 0 {
		v = f.Sel(isNaN(f, a), f.Wide(num.CvtF64S32(1<<(e.c.Dst.Width()-1))), v)
	}
	return f.Make(ssa.D2I, ssa.W, 0, v)
}

// u32FromF32 converts an integral f32 and clamps; a NaN gives 0.
func u32FromF32(f *ssa.Func, a ssa.Value) ssa.Value {
	const two31, two32 = 0x4f000000, 0x4f800000
	v := f.Bin(ssa.FMax, a, f.Word(0))
	upper := f.Cmp(ssa.FLe, f.Word(two31), v)
	low := f.Make(ssa.F2I, ssa.W, 0, f.Sel(upper, f.Bin(ssa.FSub, v, f.Word(two31)), v))
	low = xor(f, low, f.Sel(upper, f.Word(1<<31), f.Word(0)))
	return f.Sel(f.Cmp(ssa.FLe, f.Word(two32), v), f.Word(^uint32(0)), low)
}

// s32FromF32 rounds and clamps: what has no place is 0x80000000, which is right below the range; at 2^31 and above the result is the largest
// integer, for a NaN 0.
func s32FromF32(f *ssa.Func, a ssa.Value, how ssa.Rounding) ssa.Value {
	if how != ssa.Zero {
		a = f.Make(ssa.FRound, ssa.W, how, a)
	}
	v := f.Make(ssa.F2I, ssa.W, 0, a)
	v = f.Sel(f.Cmp(ssa.FLe, f.Word(0x4f000000), a), f.Word(1<<31-1), v)
	return f.Sel(isNaN(f, a), f.Word(0), v)
}

// longFromF64 converts an integral f64 and clamps; a NaN gives the top bit alone. The upper half of the number is its quotient by
// 2^32, rounded down, the lower half the rest; both are found in the low bits of sums.
func longFromF64(f *ssa.Func, a ssa.Value, signed bool) ssa.Value {
	const least, two63, two64 = 0xc3e0000000000000, 0x43e0000000000000, 0x43f0000000000000
	const two32, twoM32, middle = 0x41f0000000000000, 0x3df0000000000000, 0x4338000000000000 // middle: 1.5·2^52
	low, over, all := uint64(0), uint64(two64), ^uint64(0)
	if signed {
		low, over, all = least, two63, 1<<63-1
	}
	v := f.Bin(ssa.FMax, a, f.Wide(low)) // of a NaN the least value
	upper := f.Make(ssa.FRound, ssa.X, ssa.Down, f.Bin(ssa.FMul, v, f.Wide(twoM32)))
	rest := f.Bin(ssa.FSub, v, f.Bin(ssa.FMul, upper, f.Wide(two32)))
	upper = shl(f, f.Bin(ssa.FAdd, upper, f.Wide(middle)), 32)
	rest = and(f, f.Bin(ssa.FAdd, rest, f.Wide(two52)), f.Wide(1<<32-1))
	d := f.Sel(f.Cmp(ssa.FLe, f.Wide(over), v), f.Wide(all), or(f, upper, rest))
	if !signed {
		d = f.Sel(isNaN(f, a), f.Wide(1<<63), d)
	}
	return d
}
