// The oracle: exact values as math/big rationals, rounded by the definition of
// each mode. Shares nothing with the code under test but the format sizes.

package num

import (
	"math/big"
	"math/rand/v2"
)

// oracle is a format by its sizes alone, with IEEE infinities and NaN.
type oracle struct {
	f        *Format
	exp, man uint
}

func newOracle(f *Format) oracle { return oracle{f, uint(f.Exp), uint(f.Man)} }

func (o oracle) sign() uint64 { return 1 << (o.exp + o.man) }
func (o oracle) inf() uint64  { return (1<<o.exp - 1) << o.man }
func (o oracle) emin() int    { return 2 - 1<<(o.exp-1) }

func (o oracle) isNaN(v uint64) bool { return v&(o.sign()-1) > o.inf() }
func (o oracle) isInf(v uint64) bool { return v&(o.sign()-1) == o.inf() }
func (o oracle) neg(v uint64) bool   { return v&o.sign() != 0 }

// rat returns the value of a finite v; ftz reads subnormals as zero.
func (o oracle) rat(v uint64, ftz bool) *big.Rat {
	frac, e := v&(1<<o.man-1), int(v>>o.man&(1<<o.exp-1))
	switch {
	case e != 0:
		frac |= 1 << o.man
	case ftz:
		return new(big.Rat)
	default:
		e = 1
	}
	r := pow2(e - 1 + o.emin() - int(o.man))
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).SetUint64(frac)))
	if o.neg(v) {
		r.Neg(r)
	}
	return r
}

// pow2 returns 2^n.
func pow2(n int) *big.Rat {
	one, p := big.NewInt(1), new(big.Int)
	if n < 0 {
		return new(big.Rat).SetFrac(one, p.Lsh(one, uint(-n)))
	}
	return new(big.Rat).SetInt(p.Lsh(one, uint(n)))
}

// ilog2 returns floor(log2 x) of a positive x.
func ilog2(x *big.Rat) int {
	n := x.Num().BitLen() - x.Denom().BitLen()
	if x.Cmp(pow2(n)) < 0 {
		n--
	}
	return n
}

// round rounds x, or a zero of the given sign, to a code.
func (o oracle) round(x *big.Rat, zeroNeg bool, m Mode, ftz bool) uint64 {
	var sign uint64
	if x.Sign() < 0 || x.Sign() == 0 && zeroNeg {
		sign = o.sign()
	}
	if x.Sign() == 0 {
		return sign
	}
	a := new(big.Rat).Abs(x)
	if ftz && ilog2(a) < o.emin() {
		return sign
	}
	code := o.magnitude(a, sign != 0, m)
	if code >= o.inf() {
		code = o.inf()
		if m == RZ || m == RP && sign != 0 || m == RM && sign == 0 {
			code--
		}
	}
	return sign | code
}

// magnitude rounds a positive a, the magnitude of a value of that sign, to a code without an
// upper limit.
func (o oracle) magnitude(a *big.Rat, neg bool, m Mode) uint64 {
	e := max(ilog2(a), o.emin())
	a = new(big.Rat).Mul(a, pow2(int(o.man)-e))
	n, rem := new(big.Int).DivMod(a.Num(), a.Denom(), new(big.Int))
	inexact := rem.Sign() > 0
	twice := rem.Lsh(rem, 1).Cmp(a.Denom()) // 0 on a tie
	q := n.Uint64()
	switch {
	case m == RN && (twice > 0 || twice == 0 && n.Bit(0) == 1), m == RP && inexact && !neg, m == RM && inexact && neg:
		q++
	}
	return uint64(e-o.emin())<<o.man + q
}

// zeroSign is the sign of an exact zero sum of terms with these signs.
func zeroSign(a, b bool, m Mode) bool { return a && b || a != b && m == RM }

// fma returns a*b + c, for operands that are not NaN, or that it is invalid.
func (o oracle) fma(a, b, c uint64, m Mode, ftz bool) (d uint64, invalid bool) {
	pNeg := o.neg(a) != o.neg(b)
	if o.isInf(a) || o.isInf(b) {
		x, y := o.ratOrInf(a, ftz), o.ratOrInf(b, ftz)
		if x.Sign() == 0 || y.Sign() == 0 || o.isInf(c) && o.neg(c) != pNeg {
			return 0, true
		}
		return o.signed(pNeg, o.inf()), false
	}
	if o.isInf(c) {
		return c, false
	}
	p := o.rat(a, ftz)
	p.Mul(p, o.rat(b, ftz))
	z := o.rat(c, ftz)
	both := p.Sign() == 0 && z.Sign() == 0
	p.Add(p, z)
	neg := m == RM // exact cancellation
	if both {
		neg = zeroSign(pNeg, o.neg(c), m)
	}
	return o.round(p, neg, m, ftz), false
}

// ratOrInf reads an infinity as some non-zero value.
func (o oracle) ratOrInf(v uint64, ftz bool) *big.Rat {
	if o.isInf(v) {
		return big.NewRat(1, 1)
	}
	return o.rat(v, ftz)
}

func (o oracle) signed(neg bool, code uint64) uint64 {
	if neg {
		return code | o.sign()
	}
	return code
}

// one is the code of 1.0.
func (o oracle) one() uint64 { return (1<<(o.exp-1) - 1) << o.man }

// add and mul are fma with a neutral operand; the neutral addend of mul is a
// zero of the product's sign, which changes no result.
func (o oracle) add(a, b uint64, m Mode, ftz bool) (uint64, bool) {
	return o.fma(a, o.one(), b, m, ftz)
}
func (o oracle) mul(a, b uint64, m Mode, ftz bool) (uint64, bool) {
	return o.fma(a, b, (a^b)&o.sign(), m, ftz)
}

// div returns a / b.
func (o oracle) div(a, b uint64, m Mode, ftz bool) (d uint64, invalid bool) {
	neg := o.neg(a) != o.neg(b)
	x, y := o.ratOrInf(a, ftz), o.ratOrInf(b, ftz)
	switch {
	case o.isInf(a) && o.isInf(b) || x.Sign() == 0 && y.Sign() == 0:
		return 0, true
	case o.isInf(a) || y.Sign() == 0:
		return o.signed(neg, o.inf()), false
	case o.isInf(b):
		return o.signed(neg, 0), false
	}
	return o.round(x.Quo(x, y), neg, m, ftz), false
}

// sqrt returns the root of a. The root to 400 bits stands for the exact one:
// an irrational root of a number this short is far from any tie.
func (o oracle) sqrt(a uint64, m Mode, ftz bool) (d uint64, invalid bool) {
	x := o.ratOrInf(a, ftz)
	switch {
	case x.Sign() == 0:
		return a & o.sign(), false
	case o.neg(a):
		return 0, true
	case o.isInf(a):
		return a, false
	}
	f := new(big.Float).SetPrec(400).SetRat(x)
	r, _ := f.Sqrt(f).Rat(nil)
	return o.round(r, false, m, ftz), false
}

// edges are the codes that matter of a format: both signs of zero, subnormal
// and normal limits, ones and their neighbours, infinity, NaN quiet and not.
func (o oracle) edges() (v []uint64) {
	one, unit := o.one(), uint64(1)<<o.man
	for _, c := range []uint64{
		0, 1, 2, unit - 1, unit, unit + 1, unit << 1,
		one - unit, one - 1, one, one + 1, one + unit/2, one + unit, one + unit + unit/2,
		one + uint64(o.man)*unit, one - uint64(o.man+1)*unit, one + uint64(o.man+1)*unit + 1,
		o.inf() - 1, o.inf() - unit, o.inf(), o.inf() + 1, o.inf() + unit/2, o.inf() + unit - 1,
	} {
		v = append(v, c, c|o.sign())
	}
	return v
}

// sample returns a random code, often with special structure: exponents near
// another's, few fraction bits, all ones.
func (o oracle) sample(r *rand.Rand) uint64 {
	v := r.Uint64() & (o.sign()<<1 - 1)
	switch r.IntN(6) {
	case 0:
		v &^= 1<<(o.man*3/4) - 1
	case 1:
		v |= 1<<(o.man*3/4) - 1
	case 2: // close to one
		v = v&(o.sign()|1<<o.man-1) | o.one() + uint64(r.IntN(5))<<o.man - 2<<o.man
	case 3: // subnormal or just normal
		v &= o.sign() | 1<<(o.man+1) - 1
	case 4:
		e := o.edges()
		v = e[r.IntN(len(e))]
	}
	return v
}
