// Floating-point formats as data, and the one place that decodes and rounds.

package num

import "math/bits"

// Mode is a rounding mode. The float modes .rn .rz .rm .rp and the integer
// ones .rni .rzi .rmi .rpi share the first four.
type Mode uint8

const (
	RN  Mode = iota // nearest, ties to even
	RZ              // toward zero
	RM              // toward minus infinity
	RP              // toward plus infinity
	RNA             // nearest, ties away from zero (tf32 only)
	RS              // stochastic: away from zero where random bits carry (cvt only)
)

// away reports whether a directed mode enlarges the magnitude of an inexact
// value of that sign.
func (m Mode) away(neg bool) bool { return m == RP && !neg || m == RM && neg }

// A Format describes a binary floating-point format of at most 64 bits: sign,
// Exp exponent bits, Man fraction bits. Codes are magnitudes, without the sign.
type Format struct {
	Exp, Man uint8
	Bias     int32
	Max      uint64 // code of the largest finite value
	Inf      uint64 // code of infinity; 0 if the format has none
	NaN      uint64 // canonical NaN code; 0 if the format has none
	Unsigned bool   // no sign bit: the magnitude is converted
	Payload  bool   // operations keep NaN payloads (f64 alone)
}

// class orders what a decoded value is.
type class uint8

const (
	zero class = iota
	finite
	inf
	nan
)

// unpacked is a decoded value: for a finite one, sig * 2^(exp-63) with bit 63
// of sig set.
type unpacked struct {
	class class
	neg   bool
	exp   int32
	sig   uint64
}

// signBit returns the position mask of the sign, 0 for unsigned formats.
func (f *Format) signBit() uint64 {
	if f.Unsigned {
		return 0
	}
	return 1 << (f.Exp + f.Man)
}

// emin is the exponent of the smallest normal value.
func (f *Format) emin() int32 { return 1 - f.Bias }

// isNaN reports whether the magnitude code c is a NaN.
func (f *Format) isNaN(c uint64) bool {
	return f.Inf != 0 && c > f.Inf || f.Inf == 0 && f.NaN != 0 && c == f.NaN
}

// IsNaN reports whether bits are a NaN; those above the format are ignored.
func (f *Format) IsNaN(v uint64) bool { return f.isNaN(v & (1<<(f.Exp+f.Man) - 1)) }

// IsInf reports whether bits are an infinity; those above the format are ignored.
func (f *Format) IsInf(v uint64) bool { return f.Inf != 0 && v&(1<<(f.Exp+f.Man)-1) == f.Inf }

// decode unpacks v; bits above the format are ignored.
func (f *Format) decode(v uint64) unpacked {
	c := v & (1<<(f.Exp+f.Man) - 1)
	u := unpacked{neg: v&f.signBit() != 0}
	switch {
	case c == 0:
		return u
	case f.isNaN(c):
		u.class = nan
		return u
	case f.Inf != 0 && c == f.Inf:
		u.class = inf
		return u
	}
	e, sig := int32(c>>f.Man), c&(1<<f.Man-1)
	if e == 0 {
		e = 1
	} else {
		sig |= 1 << f.Man
	}
	lead := bits.LeadingZeros64(sig)
	u.class, u.sig = finite, sig<<lead
	u.exp = e - f.Bias + 63 - int32(f.Man) - int32(lead)
	return u
}

// signed returns code with the sign of neg.
func (f *Format) signed(neg bool, code uint64) uint64 {
	if neg {
		return code | f.signBit()
	}
	return code
}

// overflow is the result beyond Max: infinity, or for formats without one NaN
// or Max, when the mode rounds away from zero; else Max (3.2, IEEE 754).
func (f *Format) overflow(neg bool, m Mode) uint64 {
	if m == RZ || (m == RM || m == RP) && !m.away(neg) {
		return f.signed(neg, f.Max)
	}
	switch {
	case f.Inf != 0:
		return f.signed(neg, f.Inf)
	case f.NaN != 0:
		return f.NaN
	}
	return f.signed(neg, f.Max)
}

// roundShift divides sig by 2^shift and rounds the quotient to an integer. The
// count is capped before it is used: Go 1.26.8 on amd64 shares a later
// comparison of the count with 64 with the one inside the shift, and loses its
// flags.
func roundShift(sig uint64, shift uint32, neg bool, m Mode) uint64 {
	if shift > 64 {
		sig, shift = 1, 64 // below one half, not zero
	}
	keep, rest := sig>>shift, sig<<(64-shift)
	const half = 1 << 63
	up := false
	switch m {
	case RN:
		up = rest > half || rest == half && keep&1 != 0
	case RNA:
		up = rest >= half
	default:
		up = rest != 0 && m.away(neg)
	}
	if up {
		keep++
	}
	return keep
}

// encode rounds u once to the format. The lowest bit of u.sig may stand for
// any non-zero tail below it. With flush, a value whose exact magnitude is
// below the smallest normal becomes a zero of its sign (1.4: tininess is
// decided before rounding). NaN gives the canonical code, without sign.
func (f *Format) encode(u unpacked, m Mode, flush bool) uint64 {
	switch {
	case u.class == nan:
		return f.NaN
	case u.class == inf:
		return f.overflow(u.neg, RN)
	case u.class == zero || flush && u.exp < f.emin():
		return f.signed(u.neg, 0)
	case u.exp > int32(1)<<f.Exp-f.Bias:
		return f.overflow(u.neg, m)
	}
	shift, e := 63-int32(f.Man), u.exp
	if e < f.emin() {
		shift, e = shift+f.emin()-e, f.emin()
	}
	keep := roundShift(u.sig, uint32(shift), u.neg, m)
	code := uint64(e-f.emin())<<f.Man + keep
	if code > f.Max {
		return f.overflow(u.neg, m)
	}
	return f.signed(u.neg, code)
}

// Convert rounds the value v of format src once to format dst. flush makes
// results below the smallest normal of dst zeros of their sign. NaN becomes
// the canonical NaN of dst (0 if dst has none).
func Convert(dst, src *Format, v uint64, m Mode, flush bool) uint64 {
	return dst.encode(src.decode(v), m, flush)
}

// leading counts the leading zeros of a non-zero x.
func leading(x uint64) int32 { return int32(bits.LeadingZeros64(x)) }
