// A model of cvt that shares nothing with the code but the sizes of the
// formats: operands and results are integers of math/big times powers of two,
// rounded by the definition of each mode (9.7.9.21; 9.4: 9.7.10.24).

package num

import "math/big"

// exact is the value (-1)^neg * m * 2^e, or a class that has none.
type exact struct {
	class class // zero has a sign, too
	neg   bool
	m     *big.Int
	e     int
}

func exactInt(m uint64, e int, neg bool) exact {
	if m == 0 {
		return exact{class: zero, neg: neg}
	}
	return exact{finite, neg, new(big.Int).SetUint64(m), e}
}

// top is floor(log2) of a finite value.
func (x exact) top() int { return x.m.BitLen() - 1 + x.e }

// modelDecode reads the low bits of v as the type says.
func modelDecode(t Type, v uint64) exact {
	switch t {
	case UE8M0:
		if v&0xff == 0xff {
			return exact{class: nan}
		}
		return exactInt(1, int(v&0xff)-127, false)
	case S2F6:
		n := int64(int8(v))
		return exactInt(uint64(max(n, -n)), -6, n < 0)
	}
	f := t.Format()
	if f == nil {
		return modelInteger(t, v)
	}
	code := v & (1<<(f.Exp+f.Man) - 1)
	neg := !f.Unsigned && v>>(f.Exp+f.Man)&1 != 0
	switch {
	case f.Inf != 0 && code == f.Inf:
		return exact{class: inf, neg: neg}
	case f.Inf != 0 && code > f.Inf, f.Inf == 0 && f.NaN != 0 && code == f.NaN:
		return exact{class: nan, neg: neg}
	}
	e, frac := int(code>>f.Man), code&(1<<f.Man-1)
	if e == 0 {
		return exactInt(frac, 1-int(f.Bias)-int(f.Man), neg)
	}
	return exactInt(frac|1<<f.Man, e-int(f.Bias)-int(f.Man), neg)
}

func modelInteger(t Type, v uint64) exact {
	n := new(big.Int).SetUint64(v & (1<<t.Width() - 1))
	if t.Signed() && n.Bit(int(t.Width())-1) != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), t.Width()))
	}
	if n.Sign() == 0 {
		return exact{}
	}
	return exact{finite, n.Sign() < 0, n.Abs(n), 0}
}

// quotient is the magnitude of x in units of 2^q, rounded. width is that of the random bits.
func (x exact) quotient(q int, m Mode, random uint32, width uint8) *big.Int {
	k := new(big.Int)
	if x.class == zero {
		return k
	}
	if x.e >= q {
		return k.Lsh(x.m, uint(x.e-q))
	}
	n := uint(q - x.e)
	k.Rsh(x.m, n)
	rest := new(big.Int).Sub(x.m, new(big.Int).Lsh(k, n)) // of 2^n
	half := rest.Cmp(new(big.Int).Lsh(big.NewInt(1), n-1))
	up := false
	switch m {
	case RN:
		up = half > 0 || half == 0 && k.Bit(0) != 0
	case RNA:
		up = half >= 0
	case RM:
		up = x.neg && rest.Sign() != 0
	case RP:
		up = !x.neg && rest.Sign() != 0
	case RS: // floor(rest * 2^width / 2^n) + random carries out of width bits
		rest.Rsh(rest.Lsh(rest, uint(width)), n)
		up = rest.Uint64()+uint64(random) >= 1<<width
	}
	if up {
		k.Add(k, big.NewInt(1))
	}
	return k
}

// modelCvt is what c gives for v. c.Else must be 0.
func modelCvt(c *Cvt, v uint64, scale uint8, random uint32) uint64 {
	v &= 1<<c.Src.Width() - 1
	if c.Dst == TF32 {
		return modelTF32(c, v)
	}
	return modelAny(c, v, scale, random)
}

// modelTF32 is an f32 without its low 13 bits. The .rna form clears those of a NaN, without
// rounding (facts, appendix to 2.7), and .satfinite then takes the next lower value.
func modelTF32(c *Cvt, v uint64) uint64 {
	if c.Round == RNA && v&0x7fffffff > 0x7f800000 {
		v &^= 0x1fff
		if c.Satfinite {
			v -= 0x2000
		}
		return v
	}
	return modelAny(c, v, 0, 0) << 13
}

func modelAny(c *Cvt, v uint64, scale uint8, random uint32) uint64 {
	x := modelDecode(c.Src, v)
	src, dst := c.Src.Format(), c.Dst.Format()
	kept := c.Dst == F16 && (c.Round == RM || c.Round == RP) && c.Else&ElseFlushHalf == 0 // U21, measured
	if src != nil && x.class == finite && x.top() < 1-int(src.Bias) && (c.Flush || c.Ftz && c.Src == F32 && !kept) {
		x = exact{class: zero, neg: x.neg && !c.Flush}
	}
	if dst == nil {
		return modelToInteger(c, x)
	}
	if c.Scaled && scale == 0xff {
		x.class = nan
	} else if c.Scaled && x.class == finite {
		if c.Dst == BF16 {
			x.e += int(scale) - 127
		} else {
			x.e -= int(scale) - 127
		}
	}
	if x.class == nan {
		return modelNaN(c, v)
	}
	return modelClamp(c, modelRound(c, x, random))
}

// modelToInteger rounds, clamps, and gives NaN the value of the section's integer notes.
func modelToInteger(c *Cvt, x exact) uint64 {
	width := c.Dst.Width()
	most := new(big.Int).Lsh(big.NewInt(1), width)
	least := new(big.Int)
	if c.Dst.Signed() {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	most.Sub(most, big.NewInt(1))
	var n *big.Int
	switch {
	case x.class == nan && c.Src != F64 && width < 64:
		return 0
	case x.class == nan:
		return 1 << (width - 1)
	case x.class == inf:
		n = new(big.Int).Lsh(big.NewInt(1), 70)
	default:
		n = x.quotient(0, c.Round, 0, 0)
	}
	if x.neg {
		n.Neg(n)
	}
	if c.Src.Format() != nil || c.Sat {
		if n.Cmp(most) > 0 {
			n = most
		}
		if n.Cmp(least) < 0 {
			n = least
		}
	}
	mask := new(big.Int).SetUint64(1<<width - 1)
	return new(big.Int).And(n, mask).Uint64() // two's complement
}

// modelRound rounds a number to the destination: its sign and its code.
func modelRound(c *Cvt, x exact, random uint32) uint64 {
	f := c.Dst.Format()
	switch {
	case c.Dst == UE8M0:
		return modelPower(c, x)
	case c.Dst == S2F6:
		return modelFixed(c, x)
	case f.Unsigned:
		x.neg = false
	}
	var sign uint64
	if x.neg {
		sign = 1 << (f.Exp + f.Man)
	}
	least := 1 - int(f.Bias)
	over := func() uint64 {
		switch {
		case c.Satfinite && x.class != nan:
			return sign | f.Max
		case f.Inf != 0:
			return sign | f.Inf
		case f.NaN != 0:
			return f.NaN
		}
		return sign | f.Max
	}
	switch x.class {
	case zero:
		return sign
	case inf:
		return over()
	}
	if c.Integral {
		n := x.quotient(0, c.Round, 0, 0)
		if n.Sign() == 0 {
			return sign
		}
		x.m, x.e = n, 0
	}
	if c.Ftz && c.Dst == F32 && modelTiny(c, x) {
		return sign
	}
	e := max(x.top(), least)
	k := x.quotient(e-int(f.Man), c.Round, random, c.Random)
	code := new(big.Int).Lsh(big.NewInt(int64(e-least)), uint(f.Man))
	code.Add(code, k)
	if code.Cmp(new(big.Int).SetUint64(f.Max)) <= 0 {
		return sign | code.Uint64()
	}
	if c.Round == RZ || c.Round == RM && !x.neg || c.Round == RP && x.neg {
		return sign | f.Max
	}
	return over()
}

// modelTiny decides the flush of an f32 result (facts 1.4): on the exact value, but from f64
// on the value rounded to 24 bits; 2^-126 - 2^-150 rounded away from zero stays.
func modelTiny(c *Cvt, x exact) bool {
	if c.Src != F64 || x.top() != -127 {
		return x.top() < -126
	}
	k := x.quotient(-127-23, c.Round, 0, 0)
	if k.BitLen() > 24 {
		return false // 2^-126 itself
	}
	ones := big.NewInt(1<<24 - 1)
	whole := new(big.Int).Lsh(ones, uint(max(0, -150-x.e))).Cmp(x.m) == 0 && x.e <= -150
	return !(whole && (c.Round == RP && !x.neg || c.Round == RM && x.neg))
}

// modelPower is the power of two at or above (.rp), or at or below, a magnitude.
func modelPower(c *Cvt, x exact) uint64 {
	code := 255
	switch x.class {
	case zero:
		return 0
	case finite:
		code = x.top() + 127
		one := x.m.TrailingZeroBits() == uint(x.m.BitLen()-1)
		if c.Round == RP && !one {
			code++
		}
	}
	if code > 254 {
		code = 255
		if c.Satfinite {
			code = 254
		}
	}
	return uint64(max(code, 0))
}

// modelFixed is a multiple of 1/64 from -2 to 127/64 as two's complement.
func modelFixed(c *Cvt, x exact) uint64 {
	n := int64(1 << 20)
	if x.class != inf {
		if k := x.quotient(-6, c.Round, 0, 0); k.IsInt64() {
			n = min(k.Int64(), n)
		}
	}
	if x.neg {
		n = -n
	}
	return uint64(min(max(n, -128), 127)) & 0xff
}

// modelClamp applies the modifiers of the sign and of the range to a code.
func modelClamp(c *Cvt, code uint64) uint64 {
	f := c.Dst.Format()
	if f.Unsigned {
		return code
	}
	sign := uint64(1) << (f.Exp + f.Man)
	neg := code&sign != 0
	if neg && (c.Relu || c.Sat || c.Pzo && code == sign) {
		return 0
	}
	if one := uint64(f.Bias) << f.Man; c.Sat && code > one {
		return one
	}
	return code
}

// modelNaN is the table 2.10 of the fact sheet, with the appendix where it looked closer.
func modelNaN(c *Cvt, v uint64) uint64 {
	src, dst := c.Src.Format(), c.Dst.Format()
	neg := !src.Unsigned && v>>(src.Exp+src.Man)&1 != 0
	payload := v & (1<<src.Man - 1)
	keep := func() uint64 {
		p := payload << (52 - src.Man) // as if of f64
		code := dst.Inf | 1<<(dst.Man-1) | p>>(52-dst.Man)
		if neg {
			code |= 1 << (dst.Exp + dst.Man)
		}
		return code
	}
	switch {
	case c.Sat:
		return 0
	case c.Dst == S2F6 || dst.NaN == 0:
		return dst.Max
	case c.Integral && c.Src == F64, c.Src == F64 && c.Dst != F64, c.Dst == F64 && c.Src.Width() == 16:
		return keep()
	case c.Src == F32 && c.Dst == F64 && c.Ftz:
		return 0x7fffffffe0000000
	case c.Src == F32 && c.Dst == F64:
		return keep()
	case c.Integral:
		return dst.NaN
	case c.Src == F64, c.Src == F32 && c.Dst == F32 && !c.Ftz:
		return v
	case c.Src == BF16 && c.Dst == F32 && !c.Ftz:
		return v << 16
	}
	return dst.NaN
}
