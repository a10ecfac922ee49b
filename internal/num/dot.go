package num

// Sums of products as tensor cores make them. The manual leaves order and rounding open (9.7.14.5);
// what stands here reproduces every result of an H100 that internal/num/testdata/hw has, and is
// the model that public measurements agree on (docs/explanation/exactness.md): all terms of a group
// are brought to the largest exponent, cut, added exactly and rounded once.

import (
	"math"
	"math/bits"
)

// Factor is a decoded element of a matrix: Sig * 2^Exp. Subnormal numbers keep the exponent of
// the least normal one.
type Factor struct {
	Sig  int32 // with sign; NaN and infinity are specials
	Exp  int16 // weight of the lowest bit of Sig
	Top  int16 // exponent of the format's leading bit, by which terms are aligned
	Kind FactorKind
}

// FactorKind tells numbers from specials.
type FactorKind uint8

// The kinds of factors.
const (
	FactorFinite FactorKind = iota
	FactorInf               // its sign is that of Sig
	FactorNaN
)

// DotFormat is a floating-point format of matrix elements.
type DotFormat struct {
	exponent, frac uint
	last           specials
	low            uint // bits below the fraction that do not count
}

// specials says what a format has besides numbers.
type specials uint8

const (
	infAndNaN specials = iota // all ones in the exponent
	oneNaN                    // the last pattern
	none
)

// The formats of elements and accumulators.
var (
	DotF16  = DotFormat{5, 10, infAndNaN, 0}
	DotBF16 = DotFormat{8, 7, infAndNaN, 0}
	DotTF32 = DotFormat{8, 10, infAndNaN, 13}
	DotF32  = DotFormat{8, 23, infAndNaN, 0}
	DotE4M3 = DotFormat{4, 3, oneNaN, 0}
	dotE5M3 = DotFormat{5, 3, oneNaN, 0} // of scale factors alone
	DotE5M2 = DotFormat{5, 2, infAndNaN, 0}
	DotE3M2 = DotFormat{3, 2, none, 0}
	DotE2M3 = DotFormat{2, 3, none, 0}
	DotE2M1 = DotFormat{2, 1, none, 0} // two in a byte
	// DotE2M1Byte is e2m1 in bits 5 to 2 of a byte (9.7.14.5.14).
	DotE2M1Byte = DotFormat{2, 1, none, 2}
)

// Factor decodes the bits of an element.
func (f DotFormat) Factor(v uint32) Factor {
	v >>= f.low
	ones := uint32(1)<<f.exponent - 1
	field, frac := v>>f.frac&ones, v&(1<<f.frac-1)
	sign := int32(1) - int32(v>>(f.frac+f.exponent)&1)*2
	bias := int16(ones >> 1)
	switch {
	case field == ones && f.last == infAndNaN && frac == 0:
		return Factor{Sig: sign, Kind: FactorInf}
	case field == ones && (f.last == infAndNaN || f.last == oneNaN && frac == 1<<f.frac-1):
		return Factor{Kind: FactorNaN}
	case field == 0:
		field++
	default:
		frac |= 1 << f.frac
	}
	top := int16(field) - bias
	return Factor{Sig: sign * int32(frac), Exp: top - int16(f.frac), Top: top}
}

// DotResult is the format that sums are rounded to.
type DotResult uint8

// The results: f32 toward zero, f32 with 13 fraction bits toward zero, f16 to nearest even.
const (
	DotToF32 DotResult = iota
	DotToE8M13
	DotToF16
)

// Dot is how a tensor core adds one group of products to an accumulator.
type Dot struct {
	Keep   int // fraction bits kept below the largest exponent
	Floor  int // the largest exponent counts as at least this
	Result DotResult
}

// Sum returns c + a[0]*b[0] + a[1]*b[1] + …, rounded once, as the bits of the result.
func (d Dot) Sum(a, b []Factor, c Factor) uint32 {
	if k, sign := specialSum(a, b, c); k != FactorFinite {
		return d.special(k, sign)
	}
	top := d.Floor
	for i := range a {
		if a[i].Sig != 0 && b[i].Sig != 0 {
			top = max(top, int(a[i].Top)+int(b[i].Top))
		}
	}
	if c.Sig != 0 {
		top = max(top, int(c.Top))
	}
	q := top - d.Keep // weight of the last bit that is kept
	sum := cut(int64(c.Sig), int(c.Exp)-q)
	for i := range a {
		sum += cut(int64(a[i].Sig)*int64(b[i].Sig), int(a[i].Exp)+int(b[i].Exp)-q)
	}
	return d.round(sum, q)
}

// cut returns v * 2^shift, cut toward zero.
func cut(v int64, shift int) int64 {
	switch {
	case shift >= 0:
		return v << uint(min(shift, 62))
	case v < 0:
		return -(-v >> uint(min(-shift, 63)))
	}
	return v >> uint(min(-shift, 63))
}

// specialSum looks for NaN and infinity among the terms.
func specialSum(a, b []Factor, c Factor) (k FactorKind, sign int32) {
	k = c.Kind
	if k == FactorInf {
		sign = c.Sig
	}
	for i := range a {
		p, s := specialProduct(a[i], b[i])
		switch {
		case p == FactorFinite:
		case p == FactorNaN || k == FactorNaN || k == FactorInf && s != sign:
			k = FactorNaN
		default:
			k, sign = p, s
		}
	}
	return k, sign
}

// specialProduct is the kind of a product that is not finite, and its sign.
func specialProduct(a, b Factor) (FactorKind, int32) {
	switch {
	case a.Kind == FactorFinite && b.Kind == FactorFinite:
		return FactorFinite, 0
	case a.Kind == FactorNaN || b.Kind == FactorNaN || a.Sig == 0 || b.Sig == 0: // infinity times zero, too
		return FactorNaN, 0
	case a.Sig^b.Sig < 0: // of different signs
		return FactorInf, -1
	}
	return FactorInf, 1
}

// special returns NaN or an infinity.
func (d Dot) special(k FactorKind, sign int32) uint32 {
	inf, nan, minus := uint32(0x7f800000), uint32(0x7fffffff), uint32(1<<31)
	if d.Result == DotToF16 {
		inf, nan, minus = 0x7c00, 0x7fff, 1<<15
	}
	switch {
	case k == FactorNaN:
		return nan
	case sign < 0:
		return inf | minus
	}
	return inf
}

// round returns sum * 2^q in the format of the result.
func (d Dot) round(sum int64, q int) uint32 {
	if d.Result == DotToF16 {
		return roundDot(sum, q, DotF16, 10, true)
	}
	if d.Result == DotToE8M13 {
		return roundDot(sum, q, DotF32, 13, false)
	}
	return roundDot(sum, q, DotF32, 23, false)
}

// roundDot rounds sum * 2^q to frac fraction bits of a format, to nearest even or toward zero.
// What is too large is infinite, also toward zero.
func roundDot(sum int64, q int, f DotFormat, frac uint, nearest bool) uint32 {
	sign := uint32(0)
	if sum < 0 {
		sign, sum = 1<<(f.exponent+f.frac), -sum
	}
	if sum == 0 {
		return 0
	}
	bias := 1<<(f.exponent-1) - 1
	top := q + bits.Len64(uint64(sum)) - 1
	last := max(top, 1-bias) - int(frac) // weight of the result's last bit
	v := uint64(sum)
	if shift := last - q; shift > 0 {
		rest := v & (1<<uint(min(shift, 63)) - 1)
		half := uint64(1) << uint(min(shift, 63)-1)
		v >>= uint(min(shift, 63))
		if nearest && (rest > half || rest == half && v&1 != 0) {
			v++
		}
	} else {
		v <<= uint(-shift)
	}
	// v has frac+1 bits, or fewer of a subnormal; a carry goes into the exponent by itself
	field := uint64(last + int(frac) + bias - 1)
	v = (v + field<<frac) << (f.frac - frac)
	if infinite := uint64(1<<f.exponent-1) << f.frac; v >= infinite {
		v = infinite
	}
	if v == 0 {
		return 0
	}
	return sign | uint32(v)
}

// DotF64 returns c + a[0]*b[0] + a[1]*b[1] + … of f64, each product added as by fma in turn. Of several
// NaN operands the second factor's is the result, then that of the sum, then the first factor's,
// quieted (on sm_90).
func DotF64(a, b []uint64, c uint64, m Mode) uint64 {
	if m == RN {
		sum := math.Float64frombits(c)
		for i := range a {
			sum = math.FMA(math.Float64frombits(a[i]), math.Float64frombits(b[i]), sum)
		}
		if sum == sum {
			return math.Float64bits(sum)
		}
	}
	for i := range a {
		c = nanOf(FmaModeF64(a[i], b[i], c, m), b[i], c, a[i])
	}
	return c
}

// DotF64Lanes is how many columns DotF64Row computes.
const DotF64Lanes = 8

// DotF64Row adds to each element of c what DotF64, its reference implementation, does, rounding to nearest: a is a row of the
// left matrix, b the rows of the right one. The chains of the columns go side by side.
func DotF64Row(a []uint64, b [][DotF64Lanes]uint64, c *[DotF64Lanes]uint64) {
	f := math.Float64frombits
	s0, s1, s2, s3, s4, s5, s6, s7 := f(c[0]), f(c[1]), f(c[2]), f(c[3]), f(c[4]), f(c[5]), f(c[6]), f(c[7])
	for k := range b {
		x, r := f(a[k]), &b[k]
		s0, s1, s2, s3 = math.FMA(x, f(r[0]), s0), math.FMA(x, f(r[1]), s1), math.FMA(x, f(r[2]), s2), math.FMA(x, f(r[3]), s3)
		s4, s5, s6, s7 = math.FMA(x, f(r[4]), s4), math.FMA(x, f(r[5]), s5), math.FMA(x, f(r[6]), s6), math.FMA(x, f(r[7]), s7)
	}
	for i, s := range [...]float64{s0, s1, s2, s3, s4, s5, s6, s7} {
		if s == s {
			c[i] = math.Float64bits(s)
			continue
		}
		var room [16]uint64
		column := room[:0]
		for k := range b {
			column = append(column, b[k][i])
		}
		c[i] = DotF64(a[:len(b)], column, c[i], RN)
	}
}

// nanOf is v, and the first NaN of the operands, quieted, where v is NaN because of one.
func nanOf(v uint64, operands ...uint64) uint64 {
	if !isNaNF64(v) {
		return v
	}
	for _, x := range operands {
		if isNaNF64(x) {
			return x | 1<<51
		}
	}
	return v
}
