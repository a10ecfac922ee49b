// The special function unit with correct rounding in the place of its tables: the other
// position of the guess sfu-tables. Operands and results below 2^-126 are zero, as in the
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

// TanhCoarseF32, TanhCoarseF16 and TanhCoarseBF16 are the other position of the guess sfu-tanh:
// 12 significant bits of the result.
func TanhCoarseF32(a uint32) uint32  { return TanhApproxF32(a) &^ coarse(a) }
func TanhCoarseF16(a uint32) uint32  { return putF16(cut12(tanh(float64(fF16(a)))), false) }
func TanhCoarseBF16(a uint32) uint32 { return putBF16(cut12(tanh(float64(fBF16(a)))), false) }
func TanhCoarseF16x2(a uint32) uint32 {
	return TanhCoarseF16(a&0xffff) | TanhCoarseF16(a>>16)<<16
}
func TanhCoarseBF16x2(a uint32) uint32 {
	return TanhCoarseBF16(a&0xffff) | TanhCoarseBF16(a>>16)<<16
}

// coarse are the bits that the coarse result lacks: none of a NaN or subnormal number, which
// pass through.
func coarse(a uint32) uint32 {
	if isNaNF32(a) || belowNormal(a) {
		return 0
	}
	return 1<<12 - 1
}

// cut12 cuts a number to 12 significant bits.
func cut12(x float64) float64 {
	if x != x {
		return x
	}
	return math.Float64frombits(math.Float64bits(x) &^ (1<<41 - 1))
}

// Ex2UnitF16 is the other position of the guess sfu-half: the unit's f32 result, rounded. For
// bf16 both positions give the same bits for every operand.
func Ex2UnitF16(a uint32) uint32   { return putF16(f32(mufuEx2(putF32(fF16(a)))), false) }
func Ex2UnitF16x2(a uint32) uint32 { return Ex2UnitF16(a&0xffff) | Ex2UnitF16(a>>16)<<16 }
