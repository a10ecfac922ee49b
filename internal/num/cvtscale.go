// Conversions to and from ue8m0 and s2f6, scale factors, and stochastic
// rounding (9.7.9.21; 5.2.3).

package num

import "math/bits"

// fromUE8M0 unpacks a power of two: code 0 is 2^-127, 0xff NaN.
func fromUE8M0(v uint64) unpacked {
	if v == 0xff {
		return unpacked{class: nan}
	}
	return unpacked{class: finite, exp: int32(v) - unity, sig: 1 << 63}
}

// toUE8M0 is the power of two below (.rz) or above (.rp) a magnitude. There is
// no zero: what is below 2^-127 gives code 0.
func (c *Cvt) toUE8M0(u unpacked) uint64 {
	over := fmtUE8M0.NaN
	if c.Satfinite {
		over = fmtUE8M0.Max
	}
	code := u.exp + unity
	if c.Round == RP && u.sig<<1 != 0 {
		code++
	}
	switch {
	case u.class == inf || u.class == finite && code > int32(fmtUE8M0.Max):
		return over
	case u.class == zero || code < 0:
		return 0
	}
	return uint64(code)
}

// The value of an s2f6 code is its two's complement divided by 2^6.
const s2f6Shift = 6

func fromS2F6(v uint64) unpacked {
	x := int8(v)
	mag := uint64(x)
	if x < 0 {
		mag = -mag
	}
	u := wholeUnpacked(mag, x < 0)
	u.exp -= s2f6Shift
	return u
}

// toS2F6 rounds to a multiple of 1/64 and clamps to [-2, 127/64].
func (c *Cvt) toS2F6(u unpacked) uint64 {
	least := uint64(128)
	if c.is(ElseS2F6Symmetric) {
		least = 127
	}
	mag := least // of infinity and what is far out of range
	if u.exp += s2f6Shift; u.class == zero || u.class == finite && u.exp < 63 {
		mag = u.whole(c.Round)
	}
	if u.neg {
		return -min(mag, least) & 0xff
	}
	return min(mag, fmtS2F6.Max)
}

// scaled divides, or multiplies, by the value of a ue8m0 code; a NaN factor
// gives NaN.
func (u unpacked) scaled(scale uint8, divide bool) unpacked {
	n := int32(scale) - unity
	if divide {
		n = -n
	}
	if scale == 0xff {
		u.class = nan
	}
	u.exp += n
	return u
}

// encodeRandom rounds u by adding width random bits to the highest of the bits
// that are discarded: a carry enlarges the magnitude by one place. low adds
// them where a normal result would discard, subnormal or not.
func (f *Format) encodeRandom(u unpacked, random uint32, width uint8, low bool) uint64 {
	top := int32(1)<<f.Exp - f.Bias
	if u.class != finite || u.exp > top {
		return f.encode(u, RN, false)
	}
	normal := 63 - int32(f.Man)
	shift := normal + max(f.emin()-u.exp, 0)
	at := shift
	if low {
		at = normal
	}
	keep := addShifted(u.sig, uint64(random), at-int32(width), shift)
	code := uint64(max(u.exp-f.emin(), 0))<<f.Man + keep
	if code > f.Max {
		return f.overflow(u.neg, RN)
	}
	return f.signed(u.neg, code)
}

// addShifted is (sig + r*2^at) / 2^shift, at below shift. Above 63 places a sum
// of two parts below 2^shift is what may carry.
func addShifted(sig, r uint64, at, shift int32) uint64 {
	if shift > 127 {
		return 0
	}
	rhi, rlo := r<<uint32(max(at-64, 0)), uint64(0)
	if at < 64 {
		rhi, rlo = r>>uint32(64-at), r<<uint32(at)
	}
	lo, carry := bits.Add64(sig, rlo, 0)
	hi := rhi + carry
	if shift >= 64 {
		return hi >> uint32(shift-64)
	}
	return hi<<uint32(64-shift) | lo>>uint32(shift)
}
