package value

// This file reads and prints floating-point values of every format.

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/num"
)

func (t Type) parseFloat(text string) ([]byte, error) {
	if bits, ok, err := t.floatBits(text); ok || err != nil {
		return t.bytes(bits), err
	}
	if bits, ok, err := t.special(strings.ToLower(text)); ok || err != nil {
		return t.bytes(bits), err
	}
	f, err := t.nearest(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no %s value: want a number, inf, nan or bits as 0x…", text, t.row.name)
	}
	if bits, err := t.FromFloat(f); err == nil {
		return t.bytes(bits), nil
	}
	return nil, fmt.Errorf("%q does not fit %s: the largest finite value is %s", text, t.row.name, layout(t.toFloat(t.row.format.Max<<t.row.shift), 64))
}

// nearest reads a number as a float64 from which one more rounding, to the type, gives what
// one rounding of the number would. f32 has strconv's own rounding; a tie of a narrower
// format that only a digit behind the 360th breaks stays a tie.
func (t Type) nearest(text string) (float64, error) {
	switch t.row.format {
	case num.F64.Format(), num.F32.Format():
		f, err := strconv.ParseFloat(text, t.row.bits)
		if err != nil && math.IsInf(f, 0) {
			return f, nil // out of range, which FromFloat reports
		}
		return f, err
	}
	exact, _, err := big.ParseFloat(text, 0, 1200, big.ToNearestEven)
	if err != nil {
		return 0, err
	}
	return roundToOdd(exact), nil
}

// roundToOdd cuts x to 53 bits and sets the last one if anything was lost: a second
// rounding to at most 51 bits then gives what one rounding of x would.
func roundToOdd(x *big.Float) float64 {
	cut := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(x)
	f, acc := cut.Float64()
	if cut.Cmp(x) != 0 || acc != big.Exact {
		return math.Float64frombits(math.Float64bits(f) | 1)
	}
	return f
}

// FromFloat rounds f to the type, to nearest even, and returns its bits. It is an error if f
// is no finite number or rounds beyond the largest of the type.
func (t Type) FromFloat(f float64) (uint64, error) {
	if t.row.format == num.F64.Format() {
		return math.Float64bits(f), finite(f)
	}
	bits := num.Convert(t.row.format, num.F64.Format(), math.Float64bits(f), num.RN, false) << t.row.shift
	// A format without inf and nan has Max in their place.
	if limit := t.toFloat(t.row.format.Max << t.row.shift); t.row.format.NaN == 0 && math.Abs(f) > limit {
		return 0, fmt.Errorf("%v exceeds %v", f, limit)
	}
	return bits, finite(t.toFloat(bits))
}

func finite(f float64) error {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return fmt.Errorf("%v is not finite", f)
	}
	return nil
}

// special reads inf and nan, which not every format has; nan is the canonical one of PTX.
func (t Type) special(text string) (bits uint64, ok bool, err error) {
	word, negative := strings.CutPrefix(text, "-")
	word = strings.TrimPrefix(word, "+")
	f := t.row.format
	if pattern, given := strings.CutPrefix(word, "nan:"); given && !negative {
		bits, ok, err := t.floatBits(pattern)
		if err == nil && (!ok || !math.IsNaN(t.toFloat(bits))) {
			err = fmt.Errorf("%q holds no NaN of %s", text, t.row.name)
		}
		return bits, ok, err
	}
	switch word {
	case "nan":
		bits = f.NaN
	case "inf", "infinity":
		bits = f.Inf
	default:
		return 0, false, nil
	}
	if bits == 0 {
		return 0, false, fmt.Errorf("%s has no %s", t.row.name, word)
	}
	if negative {
		bits |= 1 << (f.Exp + f.Man)
	}
	return bits << t.row.shift, true, nil
}

// floatBits reads the spellings that give bits: 0x… without an exponent, and PTX's
// own 0f (32 bits) and 0d (64 bits) literals (4.5.2).
func (t Type) floatBits(text string) (uint64, bool, error) {
	if len(text) < 3 || text[0] != '0' {
		return 0, false, nil
	}
	width := t.row.bits
	switch text[1] {
	case 'x', 'X':
		if strings.ContainsAny(text, "pP.") {
			return 0, false, nil
		}
	case 'f', 'F':
		width = 32
	case 'd', 'D':
		width = 64
	default:
		return 0, false, nil
	}
	bits, err := strconv.ParseUint(text[2:], 16, width)
	if err != nil || width != t.row.bits {
		return 0, false, fmt.Errorf("%q is no bit pattern of %s (%d bits)", text, t.row.name, t.row.bits)
	}
	return bits, true, nil
}

// toFloat is a value's number; every format is a subset of f64.
func (t Type) toFloat(bits uint64) float64 {
	if t.row.format == num.F64.Format() {
		return math.Float64frombits(bits)
	}
	return math.Float64frombits(num.Convert(num.F64.Format(), t.row.format, bits>>t.row.shift, num.RN, false))
}

// formatFloat prints a number with the fewest digits that read back. What no number reads
// back to, such as a NaN with a payload or a code with unused bits set, prints as bits.
func (t Type) formatFloat(bits uint64) string {
	f := t.toFloat(bits)
	text := ""
	switch {
	case math.IsNaN(f):
		if text = "nan"; bits>>t.row.shift&(1<<(t.row.format.Exp+t.row.format.Man)) != 0 {
			text = "-nan"
		}
	case math.IsInf(f, 0):
		text = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	default:
		text = t.shortest(f, bits)
	}
	if t.readsBack(text, bits) {
		return text
	}
	pattern := fmt.Sprintf("0x%0*x", t.row.bits/4, bits)
	if math.IsNaN(f) {
		return "nan:" + pattern
	}
	return pattern
}

func (t Type) readsBack(text string, bits uint64) bool {
	data, err := t.parseFloat(text)
	return err == nil && string(data) == string(t.bytes(bits))
}

// shortest has strconv's algorithm for the host's formats and tries for the others.
func (t Type) shortest(f float64, bits uint64) string {
	switch t.row.format {
	case num.F64.Format(), num.F32.Format():
		return layout(f, t.row.bits)
	}
	for digits := range 17 {
		short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits, 64), 64)
		if text := layout(short, 64); err == nil && t.readsBack(text, bits) {
			return text
		}
	}
	return layout(f, 64)
}

// layout writes out numbers of usual size and gives others an exponent.
func layout(f float64, bits int) string {
	if m := math.Abs(f); m == 0 || m >= 1e-5 && m < 1e16 {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'e', -1, bits)
}

// parsePower reads ue8m0: a power of two, nan, or the code as 0x….
func (t Type) parsePower(text string) ([]byte, error) {
	if text == "nan" {
		return []byte{powerNaN}, nil
	}
	if strings.HasPrefix(text, "0x") && !strings.ContainsAny(text, "pP.") {
		code, err := strconv.ParseUint(text[2:], 16, 8)
		return []byte{byte(code)}, err
	}
	f, err := strconv.ParseFloat(text, 64)
	fraction, exp := math.Frexp(f)
	if code := exp - 1 + powerBias; err == nil && fraction == 0.5 && code >= 0 && code < powerNaN {
		return []byte{byte(code)}, nil
	}
	return nil, fmt.Errorf("%q is no ue8m0 value: want a power of two from 2^-127 to 2^127, nan or bits as 0x…", text)
}

// The codes of ue8m0 (5.2.3).
const (
	powerBias = 127
	powerNaN  = 0xff
)

func formatPower(code uint64) string {
	if code == powerNaN {
		return "nan"
	}
	return layout(math.Ldexp(1, int(code)-powerBias), 64)
}
