// The special function unit with correct rounding in the place of its tables: the other
// position of the assumption sfu-tables. Operands and results below 2^-126 are zero, as in the
// unit; the forms around it are those of approx.go.

package num

import "math"

// toUnit rounds a result of the unit: what is too small becomes zero.
func toUnit(d float64) uint32 {
	f := float32(d)
	if math.Abs(float64(f)) < 0x1p-126 {
		f *= 0
	}
	return putF32(f)
}

// unitOperand reads an operand of the unit.
func unitOperand(a uint32) float64 { return f32(FtzF32(a)) }

func nearRcp(a uint32) uint32 { return toUnit(1 / unitOperand(a)) }

func nearRsq(a uint32) uint32 {
	if x := unitOperand(a); x != 0 {
		return toUnit(1 / math.Sqrt(x))
	}
	return a&signF32 | infF32
}

func nearEx2(a uint32) uint32 { return toUnit(exp2(unitOperand(a))) }

func nearLg2(a uint32) uint32 { return toUnit(log2(unitOperand(a))) }

func nearSin(a uint32) uint32 { return toUnit(sinTurns(unitOperand(a), 0)) }
func nearCos(a uint32) uint32 { return toUnit(sinTurns(unitOperand(a), 1)) }

// log2 returns the binary logarithm of x to about 1e-15.
func log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// ln m = 2 atanh z
	z := (m - 1) / (m + 1)
	s, z2 := 0.0, float64(z*z)
	for n := 23; n >= 1; n -= 2 {
		s = float64(s*z2) + 1/float64(n)
	}
	return float64(e) + float64(float64(2*z)*s)*(1/math.Ln2)
}

// sinTurns returns the sine of x turns plus so many quarters, to about 1e-15.
func sinTurns(x float64, quarters int) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	sign := 1.0
	if quarters == 0 { // the sine is odd, the cosine even
		sign = math.Copysign(1, x)
	}
	x = math.Abs(x)
	x -= math.Trunc(x)
	q := math.RoundToEven(4 * x) // |4x - q| <= 1/2: an eighth of a turn at most
	y := float64((4*x - q) * (math.Pi / 2))
	quarters += int(q)
	first := 1
	if quarters&1 != 0 {
		first = 0 // a cosine
	}
	if quarters&2 != 0 {
		sign = -sign
	}
	return sign * series(y, first)
}

// series is the Taylor series of the sine (first 1) or cosine (first 0) for |y| <= π/4.
func series(y float64, first int) float64 {
	y2, s := float64(y*y), 0.0
	for n := 18 + first; n > first; n -= 2 {
		s = float64(-y2/float64(n*(n-1))) * (1 + s)
	}
	if first == 1 {
		return float64(y * (1 + s))
	}
	return 1 + s
}

// The forms.
func RcpNearestF32(a uint32) uint32           { return rcpApprox(a, nearRcp) }
func RcpNearestFtzF32(a uint32) uint32        { return nearRcp(a) }
func RsqrtNearestF32(a uint32) uint32         { return rsqrtApprox(a, nearRsq) }
func RsqrtNearestFtzF32(a uint32) uint32      { return nearRsq(a) }
func Ex2NearestF32(a uint32) uint32           { return ex2Approx(a, nearEx2) }
func Ex2NearestFtzF32(a uint32) uint32        { return nearEx2(a) }
func Lg2NearestF32(a uint32) uint32           { return lg2Approx(a, nearLg2) }
func Lg2NearestFtzF32(a uint32) uint32        { return nearLg2(a) }
func SinNearestF32(a uint32) uint32           { return nearSin(turns(a)) }
func SinNearestFtzF32(a uint32) uint32        { return nearSin(turnsFtz(a)) }
func CosNearestF32(a uint32) uint32           { return nearCos(turns(a)) }
func CosNearestFtzF32(a uint32) uint32        { return nearCos(turnsFtz(a)) }
func DivNearestF32(a, b uint32) uint32        { return divApprox(a, b, nearRcp) }
func DivNearestFtzF32(a, b uint32) uint32     { return MulFtzF32(a, nearRcp(b)) }
func DivFullNearestF32(a, b uint32) uint32    { return divFull(a, b, nearRcp) }
func DivFullNearestFtzF32(a, b uint32) uint32 { return divFullFtz(a, b, nearRcp) }

// The tanh forms, and ex2 of the 16-bit formats, whose ftz form flushes operands and results.
func TanhNearestF32(a uint32) uint32    { return putF32(float32(tanh(f32(a)))) }
func TanhNearestF16(a uint32) uint32    { return putF16(tanh(float64(fF16(a))), false) }
func TanhNearestBF16(a uint32) uint32   { return putBF16(tanh(float64(fBF16(a))), false) }
func Ex2NearestF16(a uint32) uint32     { return putF16(exp2(float64(fF16(a))), false) }
func Ex2NearestFtzBF16(a uint32) uint32 { return putBF16(exp2(float64(fBF16(a))), true) }
func TanhNearestF16x2(a uint32) uint32  { return TanhNearestF16(a&0xffff) | TanhNearestF16(a>>16)<<16 }
func TanhNearestBF16x2(a uint32) uint32 {
	return TanhNearestBF16(a&0xffff) | TanhNearestBF16(a>>16)<<16
}
func Ex2NearestF16x2(a uint32) uint32 { return Ex2NearestF16(a&0xffff) | Ex2NearestF16(a>>16)<<16 }
func Ex2NearestFtzBF16x2(a uint32) uint32 {
	return Ex2NearestFtzBF16(a&0xffff) | Ex2NearestFtzBF16(a>>16)<<16
}

// RcpNearestFtzF64 and RsqrtNearestFtzF64 round the upper word to nearest, RsqrtNearestF64
// refines that.
func RcpNearestFtzF64(a uint64) uint64 {
	x := upper(a)
	if d, ok := rcpSpecial(x); ok {
		return d
	}
	d := math.Float64bits(1 / f64(x))
	if d&infF64 == 0 { // below 2^-1022
		return x & signF64
	}
	return roundUpper(d)
}
func RsqrtNearestFtzF64(a uint64) uint64 {
	x := upper(a)
	if d, ok := rsqrtSpecial(x); ok {
		return d
	}
	return roundUpper(math.Float64bits(1 / math.Sqrt(f64(x))))
}
func RsqrtNearestF64(a uint64) uint64 { return rsqrtF64(a, RsqrtNearestFtzF64) }

// roundUpper rounds to 20 fraction bits, ties to even; what has a lower word of zero stays.
func roundUpper(u uint64) uint64 { return (u + 1<<31 - 1 + u>>32&1) &^ (1<<32 - 1) }

// Series in float64 for the functions that are rounded to short formats. Each
// product is rounded by itself, so every host gives the same bits.

// inverse holds 1/n for the series.
var inverse = func() (t [19]float64) {
	for n := 1; n < len(t); n++ {
		t[n] = 1 / float64(n)
	}
	return t
}()

// expm1Small returns e^t - 1 for |t| <= 0.7 by its Taylor series.
func expm1Small(t float64) float64 {
	s := 0.0
	for n := len(inverse) - 1; n >= 1; n-- {
		s = float64(float64(t*inverse[n]) * (1 + s))
	}
	return s
}

// exp2 returns 2^x to about 1e-15.
func exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 1024:
		return math.Inf(1)
	case x < -1100:
		return 0
	}
	n := math.RoundToEven(x)
	return math.Ldexp(1+expm1Small(float64((x-n)*math.Ln2)), int(n))
}

// tanh returns the hyperbolic tangent of x to about 1e-15.
func tanh(x float64) float64 {
	switch a := math.Abs(x); {
	case a > 22:
		return math.Copysign(1, x)
	case a <= 0.35:
		e := expm1Small(2 * x)
		return e / (e + 2)
	default:
		return math.Copysign(1-2/(exp2(float64(2*math.Log2E*a))+1), x)
	}
}
