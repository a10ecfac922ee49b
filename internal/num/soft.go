// Arithmetic on any format by integers: unpack, compute exactly, round once.
// It is the reference implementation of every fast path, and the only path of f64 in the
// directed rounding modes.

package num

import "math/bits"

// wide is a finite non-zero value (hi:lo) * 2^(exp-127) with bit 127 set. The
// lowest bit may stand for a non-zero tail: every consumer keeps it odd.
type wide struct {
	neg    bool
	exp    int32
	hi, lo uint64
}

// widen returns a finite u as wide.
func widen(u unpacked) wide { return wide{u.neg, u.exp, u.sig, 0} }

// narrow drops the lower half into the sticky bit.
func (w wide) narrow() unpacked {
	u := unpacked{class: finite, neg: w.neg, exp: w.exp, sig: w.hi}
	if w.lo != 0 {
		u.sig |= 1
	}
	return u
}

// mulWide multiplies two finite values exactly.
func mulWide(a, b unpacked) wide {
	w := wide{neg: a.neg != b.neg, exp: a.exp + b.exp + 1}
	w.hi, w.lo = bits.Mul64(a.sig, b.sig)
	return w.normalise()
}

// normalise shifts the leading one up to bit 127; w is not zero.
func (w wide) normalise() wide {
	if w.hi == 0 {
		w.hi, w.lo, w.exp = w.lo, 0, w.exp-64
	}
	n := bits.LeadingZeros64(w.hi)
	w.hi, w.lo = w.hi<<n|w.lo>>(64-n), w.lo<<n
	w.exp -= int32(n)
	return w
}

// shiftJam shifts right by n, keeping a lost tail as an odd lowest bit.
func (w wide) shiftJam(n uint32) wide {
	w.exp += int32(n)
	var lost uint64
	switch {
	case n >= 128:
		w.hi, w.lo, lost = 0, 0, 1
	case n >= 64:
		lost = w.lo | w.hi<<(128-n)
		w.hi, w.lo = 0, w.hi>>(n-64)
	default:
		lost = w.lo << (64 - n)
		w.hi, w.lo = w.hi>>n, w.lo>>n|w.hi<<(64-n)
	}
	if lost != 0 {
		w.lo |= 1
	}
	return w
}

// addWide adds two values of at most 106 significant bits. The result is
// unpacked; its class is zero on exact cancellation.
func addWide(a, b wide) unpacked {
	if a.exp < b.exp || a.exp == b.exp && (a.hi < b.hi || a.hi == b.hi && a.lo < b.lo) {
		a, b = b, a
	}
	b = b.shiftJam(uint32(a.exp-b.exp) + 1)
	a = a.shiftJam(1) // room for the carry; no bit is lost
	var c uint64
	if a.neg == b.neg {
		a.lo, c = bits.Add64(a.lo, b.lo, 0)
		a.hi, _ = bits.Add64(a.hi, b.hi, c)
	} else {
		a.lo, c = bits.Sub64(a.lo, b.lo, 0)
		a.hi, _ = bits.Sub64(a.hi, b.hi, c)
	}
	if a.hi|a.lo == 0 {
		return unpacked{}
	}
	return a.normalise().narrow()
}

// addUnpacked adds values that are not NaN, with the zero signs of IEEE 754:
// exact cancellation gives +0, or -0 under RM.
func addUnpacked(a, b unpacked, aw wide, m Mode) unpacked {
	switch {
	case a.class == inf && b.class == inf && a.neg != b.neg:
		return unpacked{class: nan}
	case a.class == inf:
		return a
	case b.class == inf:
		return b
	case a.class == zero && b.class == zero:
		return unpacked{neg: a.neg && b.neg || m == RM && a.neg != b.neg}
	case a.class == zero:
		return b
	case b.class == zero:
		return a
	}
	u := addWide(aw, widen(b))
	if u.class == zero {
		u.neg = m == RM
	}
	return u
}

// operand decodes v, flushing a subnormal to a zero of its sign if ftz.
func (f *Format) operand(v uint64, ftz bool) unpacked {
	u := f.decode(v)
	if ftz && u.class == finite && u.exp < f.emin() {
		u.class = zero
	}
	return u
}

// result encodes u; a NaN made by the operation itself is the default NaN,
// which is negative for f64 (1.3).
func (f *Format) result(u unpacked, m Mode, ftz bool) uint64 {
	if u.class == nan && f.Payload {
		return f.NaN | f.signBit()
	}
	return f.encode(u, m, ftz)
}

// nanOf returns the NaN result of an operation with the given operands, the
// one of highest priority first, and whether there is one.
func (f *Format) nanOf(ops ...uint64) (uint64, bool) {
	for _, v := range ops {
		if f.isNaN(v & (f.signBit() - 1)) {
			if f.Payload {
				return v | 1<<(f.Man-1), true
			}
			return f.NaN, true
		}
	}
	return 0, false
}

// Add returns a + b rounded once. ftz flushes subnormal operands and results.
func (f *Format) Add(a, b uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(b, a); ok {
		return n
	}
	x, y := f.operand(a, ftz), f.operand(b, ftz)
	return f.result(addUnpacked(x, y, widen(x), m), m, ftz)
}

// Sub returns a - b rounded once. A NaN b keeps its sign.
func (f *Format) Sub(a, b uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(b, a); ok {
		return n
	}
	return f.Add(a, b^f.signBit(), m, ftz)
}

// mulUnpacked multiplies values that are not NaN; the wide product is set only
// when both are finite.
func mulUnpacked(a, b unpacked) (unpacked, wide) {
	p := unpacked{neg: a.neg != b.neg, class: max(a.class, b.class)}
	switch {
	case a.class == zero || b.class == zero:
		p.class = zero
		if a.class == inf || b.class == inf {
			p.class = nan
		}
	case p.class == finite:
		w := mulWide(a, b)
		return w.narrow(), w
	}
	return p, wide{}
}

// Mul returns a * b rounded once.
func (f *Format) Mul(a, b uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(b, a); ok {
		return n
	}
	p, _ := mulUnpacked(f.operand(a, ftz), f.operand(b, ftz))
	return f.result(p, m, ftz)
}

// Fma returns a*b + c rounded once.
func (f *Format) Fma(a, b, c uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(c, b, a); ok {
		return n
	}
	p, w := mulUnpacked(f.operand(a, ftz), f.operand(b, ftz))
	if p.class == nan {
		return f.result(p, m, ftz)
	}
	return f.result(addUnpacked(p, f.operand(c, ftz), w, m), m, ftz)
}

// Div returns a / b rounded once; x/0 is infinite, 0/0 and inf/inf invalid.
func (f *Format) Div(a, b uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(b, a); ok {
		return n
	}
	return f.result(divUnpacked(f.operand(a, ftz), f.operand(b, ftz)), m, ftz)
}

// divUnpacked divides values that are not NaN, to 64 bits and a sticky bit.
func divUnpacked(a, b unpacked) unpacked {
	q := unpacked{neg: a.neg != b.neg, class: finite, exp: a.exp - b.exp}
	switch {
	case a.class == b.class && a.class != finite:
		q.class = nan
		return q
	case a.class == inf || b.class == zero:
		q.class = inf
		return q
	case b.class == inf || a.class == zero:
		q.class = zero
		return q
	}
	hi, lo := a.sig>>1, a.sig<<63
	if a.sig < b.sig {
		hi, lo, q.exp = a.sig, 0, q.exp-1
	}
	quo, rem := bits.Div64(hi, lo, b.sig)
	if rem != 0 {
		quo |= 1
	}
	q.sig = quo
	return q
}

// Sqrt returns the square root of a rounded once; a negative operand other
// than -0 is invalid.
func (f *Format) Sqrt(a uint64, m Mode, ftz bool) uint64 {
	if n, ok := f.nanOf(a); ok {
		return n
	}
	u := f.operand(a, ftz)
	switch {
	case u.class == zero:
	case u.neg:
		u.class = nan
	case u.class == finite:
		u = sqrtUnpacked(u)
	}
	return f.result(u, m, ftz)
}

// sqrtUnpacked takes the root of a positive finite value to 64 bits and a
// sticky bit.
func sqrtUnpacked(u unpacked) unpacked {
	hi, lo := u.sig>>1, u.sig<<63
	if u.exp&1 != 0 {
		hi, lo = u.sig, 0
	}
	var r uint64
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		if h, l := bits.Mul64(r|bit, r|bit); h < hi || h == hi && l <= lo {
			r |= bit
		}
	}
	if h, l := bits.Mul64(r, r); h != hi || l != lo {
		r |= 1
	}
	return unpacked{class: finite, exp: u.exp >> 1, sig: r}
}
