package lane

// This file has codes of fewer than 32 bits from f32, rounded once: the significand is shifted to where the last bit of the destination is, by a
// number that follows from the exponent where the result is subnormal. The result's exponent is added above.

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/num"
)

// encode is the code of an f32, rounded by the mode. What it makes of a NaN has no sign, but for one of an f64, which keeps its
// sign and upper bits.
func (e *converting) encode(a ssa.Value) ssa.Value {
	f, c := e.f, e.c
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
			a = canon(f, a)
		}
		return e.satfinite(f.Make(ssa.F2H, ssa.W, e.rounding(), a))
	case c.Dst == num.BF16 && plain && c.Src == num.F64:
		return f.Sel(isNaN(f, a), or(f, shr(f, a, 16), f.Word(0x40)), shr(f, e.cut(a, 16), 16))
	case c.Dst == num.BF16 && plain:
		return e.satfinite(f.Sel(isNaN(f, a), f.Word(nanHalf), shr(f, e.cut(a, 16), 16)))
	}
	return e.rounded(a)
}

// satfinite makes infinities of 16 bits the largest finite value.
func (e *converter) satfinite(d ssa.Value) ssa.Value {
	if !e.c.Satfinite {
		return d
	}
	f, inf := e.f, uint32(e.c.Dst.Format().Inf)
	return f.Sel(f.Cmp(ssa.Eq, low(f, d, 15), f.Word(inf)), f.Bin(ssa.Sub, d, f.Word(1)), d)
}

// cut adds to an f32 what carries into the bits above the low n where it is rounded so; what is in the low bits does not count.
func (e *converter) cut(a ssa.Value, n uint64) ssa.Value {
	f, all := e.f, uint32(1)<<n-1
	switch e.c.Round {
	case num.RN:
		return f.Bin(ssa.Add, a, f.Bin(ssa.Add, f.Word(all>>1), and(f, shr(f, a, n), f.Word(1))))
	case num.RM:
		return f.Bin(ssa.Add, a, and(f, sar(f, a, 31), f.Word(all)))
	case num.RP:
		return f.Bin(ssa.Add, a, andNot(f, sar(f, a, 31), f.Word(all)))
	case num.RNA:
		return f.Bin(ssa.Add, a, f.Word(1<<(n-1)))
	}
	return a
}

// toTF32 keeps 10 bits of the fraction. By .rna infinities and NaNs are cut alone (num: toTF32).
func (e *converter) toTF32(a ssa.Value) ssa.Value {
	const low, inf, most = 1<<13 - 1, infF32, 0x7f7fe000
	f, c := e.f, e.c
	d := and(f, e.cut(a, 13), f.Word(^uint32(low)))
	mag := and(f, a, f.Word(magF32))
	if c.Round == num.RNA {
		d = f.Sel(f.Cmp(ssa.LtS, mag, f.Word(inf)), d, and(f, a, f.Word(^uint32(low))))
		if c.Satfinite {
			d = f.Sel(f.Cmp(ssa.LtS, and(f, d, f.Word(magF32)), f.Word(inf)), d, f.Bin(ssa.Sub, d, f.Word(low+1)))
		}
		return d
	}
	if c.Satfinite {
		d = f.Sel(f.Cmp(ssa.LtS, and(f, d, f.Word(magF32)), f.Word(inf)), d, or(f, and(f, d, f.Word(signF32)), f.Word(most)))
	}
	return f.Sel(f.Cmp(ssa.LtS, f.Word(inf), mag), f.Word(nanF32&^low), d)
}

// toPower is the code of ue8m0: the power of two below a magnitude, by .rp above it.
func (e *converter) toPower(a ssa.Value) ssa.Value {
	f, format := e.f, e.c.Dst.Format()
	mag := and(f, a, f.Word(magF32))
	d := shr(f, mag, 23)
	if e.c.Round == num.RP { // 2^-127 is subnormal
		d = f.Sel(f.Cmp(ssa.LtS, f.Word(1<<22), mag), shr(f, f.Bin(ssa.Add, mag, f.Word(1<<23-1)), 23), f.Word(0))
	}
	over := format.NaN
	if e.c.Satfinite {
		over = format.Max
	}
	d = f.Sel(f.Cmp(ssa.LtS, f.Word(uint32(format.Max)), d), f.Word(uint32(over)), d)
	return f.Sel(f.Cmp(ssa.LtS, f.Word(infF32), mag), f.Word(uint32(format.NaN)), d)
}

// toFixed is the code of s2f6: 64ths, in two's complement.
func (e *converting) toFixed(a ssa.Value) ssa.Value {
	const six, most, least = 6, 0x42fe0000, 0xc3000000 // 127, -128
	f := e.f
	if e.c.Scaled { // by two powers of two, each of which an f32 holds
		n := f.Bin(ssa.Sub, f.Word(six), e.scale)
		half := sar(f, n, 1)
		a = fmul(f, fmul(f, a, powerOf(f, half)), powerOf(f, f.Bin(ssa.Sub, n, half)))
	} else {
		a = fmul(f, a, f.Word((127+six)<<23))
	}
	v := f.Bin(ssa.FMin, f.Bin(ssa.FMax, a, f.Word(least)), f.Word(most))
	d := low(f, f.Make(ssa.F2I, ssa.W, 0, f.Make(ssa.FRound, ssa.W, e.rounding(), v)), 8)
	d = f.Sel(isNaN(f, a), f.Word(uint32(e.c.Dst.Format().Max)), d)
	if e.c.Scaled {
		d = f.Sel(e.nan, f.Word(uint32(e.c.Dst.Format().Max)), d)
	}
	return d
}

// powerOf is 2^n as f32.
func powerOf(f *ssa.Func, n ssa.Value) ssa.Value { return shl(f, f.Bin(ssa.Add, n, f.Word(127)), 23) }

// rounded is the code of a format by its numbers.
func (e *converting) rounded(a ssa.Value) ssa.Value {
	f, c, format := e.f, e.c, e.c.Dst.Format()
	least := f.Word(uint32(128 - format.Bias)) // the exponent of the smallest normal value, as f32 has it
	mag := and(f, a, f.Word(magF32))
	exp := f.Bin(ssa.MaxS, shr(f, mag, 23), f.Word(1))
	sig := f.Bin(ssa.Sub, mag, shl(f, f.Bin(ssa.Sub, exp, f.Word(1)), 23))
	if c.Scaled {
		if format.Exp+format.Man <= 8 {
			exp = f.Bin(ssa.Sub, exp, e.scale)
		} else {
			exp = f.Bin(ssa.Add, exp, e.scale)
		}
	}
	code := e.shifted(a, sig, f.Bin(ssa.MaxS, f.Bin(ssa.Sub, least, exp), f.Word(0)))
	code = f.Bin(ssa.Add, code, shl(f, f.Bin(ssa.MaxS, f.Bin(ssa.Sub, exp, least), f.Word(0)), uint64(format.Man)))
	if c.Scaled {
		code = f.Sel(f.Cmp(ssa.Eq, mag, f.Word(0)), f.Word(0), code)
	}
	d := e.limited(a, mag, code)
	nan := format.NaN
	if nan == 0 {
		nan = format.Max
	}
	d = f.Sel(isNaN(f, a), f.Word(uint32(nan)), d)
	if c.Scaled {
		d = f.Sel(e.nan, f.Word(uint32(nan)), d)
	}
	return d
}

// shifted cuts a significand of 24 bits, by s bits more than where the result is normal, and rounds.
func (e *converting) shifted(a, sig, s ssa.Value) ssa.Value {
	f, c, format := e.f, e.c, e.c.Dst.Format()
	drop := uint32(23 - format.Man)
	if c.Random != 0 {
		at := f.Bin(ssa.Add, s, f.Word(drop-uint32(c.Random)))
		return shr(f, f.Bin(ssa.Add, f.Bin(ssa.Shr, sig, at), e.random), uint64(c.Random))
	}
	// at 25 bits nothing of the significand is left, and less than a half
	shift := f.Bin(ssa.Add, f.Bin(ssa.MinS, s, f.Word(25-drop)), f.Word(drop))
	part := func(n ssa.Value) ssa.Value { return f.Bin(ssa.Sub, f.Bin(ssa.Shl, f.Word(1), n), f.Word(1)) }
	var up ssa.Value
	switch {
	case c.Round == num.RN:
		up = f.Bin(ssa.Add, part(f.Bin(ssa.Sub, shift, f.Word(1))), and(f, f.Bin(ssa.Shr, sig, shift), f.Word(1)))
	case c.Round == num.RP && format.Unsigned:
		up = part(shift)
	case c.Round == num.RP:
		up = andNot(f, sar(f, a, 31), part(shift))
	case c.Round == num.RM && !format.Unsigned:
		up = and(f, sar(f, a, 31), part(shift))
	default:
		return f.Bin(ssa.Shr, sig, shift)
	}
	return f.Bin(ssa.Shr, f.Bin(ssa.Add, sig, up), shift)
}

// limited gives a code its sign, and what there is beyond the largest one.
func (e *converting) limited(a, mag, code ssa.Value) ssa.Value {
	f, c, format := e.f, e.c, e.c.Dst.Format()
	neg := sar(f, a, 31)
	sign := f.Word(0)
	if !format.Unsigned {
		sign = and(f, neg, f.Word(1<<(format.Exp+format.Man)))
	}
	plus, minus, inf := e.beyond(false, c.Round), e.beyond(!format.Unsigned, c.Round), e.beyond(false, num.RN)
	over := f.Word(plus)
	if plus != minus {
		over = xor(f, over, and(f, neg, f.Word(plus^minus)))
	}
	big := f.Cmp(ssa.LtS, f.Word(uint32(format.Max)), code)
	d := f.Sel(big, over, code)
	if c.Scaled || plus != inf || minus != inf {
		d = f.Sel(f.Cmp(ssa.Eq, mag, f.Word(infF32)), f.Word(inf), d)
	}
	d = or(f, d, sign)
	if uint64(inf) == format.NaN { // which has no sign
		d = f.Sel(f.Cmp(ssa.Eq, and(f, d, f.Word(1<<(format.Exp+format.Man)-1)), f.Word(inf)), f.Word(inf), d)
	}
	return d
}

// beyond is the magnitude of what is too large, by its sign (num: overflow).
func (e *converter) beyond(neg bool, m num.Mode) uint32 {
	format := e.c.Dst.Format()
	cuts := m == num.RZ || m == num.RM && !neg || m == num.RP && neg
	switch {
	case cuts || e.c.Satfinite:
	case format.Inf != 0:
		return uint32(format.Inf)
	case format.NaN != 0:
		return uint32(format.NaN)
	}
	return uint32(format.Max)
}
