// Conversions between any two scalar types (9.7.9.21, Table 15), in their
// general form: decode, round once, apply the modifiers. The fast forms of
// cvtfast.go are compared with it.

package num

// Cvt says what one cvt does to one element.
type Cvt struct {
	Dst, Src  Type
	Round     Mode  // to float, or to integer; ignored where the result is exact
	Integral  bool  // float to the same float, rounded to an integral value
	Ftz       bool  // f32 source or destination: flush subnormals
	Sat       bool  // clamp to the integer range, or to [0, 1]
	Satfinite bool  // overflow and infinity give the largest finite value
	Relu      bool  // negative results give +0
	Pzo       bool  // a -0 result gives +0 (9.4)
	Scaled    bool  // by a ue8m0 factor: narrow results are divided, bf16 ones multiplied
	Flush     bool  // .scaled::n1: a subnormal operand counts as +0
	Random    uint8 // .rs: the number of random bits
	Else      Else  // assumptions about hardware that are answered otherwise
}

// Else says which answers to open questions differ from the default ones; the
// rows of internal/assume name them.
type Else uint16

const (
	ElseFlushHalf     Else = 1 << iota // cvt.ftz to f16 by .rm and .rp: a subnormal operand is zero
	ElseRandomNormal                   // .rs: a subnormal result adds where a normal one does
	ElseF16Payload                     // f16 to f32: a NaN keeps its payload, quieted
	ElseHalfPayload                    // among f16 and bf16: likewise; a copy keeps its bits
	ElseTF32NaN                        // .rna: NaN gives the canonical NaN
	ElseS2F6Symmetric                  // s2f6: the smallest value is -127/64
	ElseUE5M3Zero                      // ue5m3: a negative operand gives 0
	ElseUE5M3Max                       // ue5m3 to f16: overflow gives the largest finite value
	ElseFlushSign                      // .scaled::n1: a flushed operand keeps its sign
)

func (c *Cvt) is(e Else) bool { return c.Else&e != 0 }

// unity is the ue8m0 code of 1.
const unity = 127

// Apply converts v, of which the low Src.Width() bits count. The result has
// Dst.Width() bits, zero-extended; extending it to a wider register by the
// sign of Dst (9.4.1) is the caller's.
func (c *Cvt) Apply(v uint64) uint64 { return c.ApplyWith(v, unity, 0) }

// ApplyWith is Apply with a scale factor, if c is Scaled, and c.Random random bits.
func (c *Cvt) ApplyWith(v uint64, scale uint8, random uint32) uint64 {
	src, dst := &types[c.Src], &types[c.Dst]
	v &= 1<<src.width - 1
	switch {
	case src.format == nil && dst.format == nil:
		return c.intToInt(v, src, dst)
	case src.format == nil:
		return c.finish(c.encode(dst.format, fromInt(v, src), false))
	case dst.format == nil:
		return c.floatToInt(v, src, dst)
	}
	return c.finish(c.floatToFloat(v, src.format, dst.format, scale, random))
}

// extend returns v as the two's complement int64 of its value; a u64 stays.
func extend(v uint64, t *typeInfo) uint64 {
	spare := 64 - t.width
	if t.signed {
		return uint64(int64(v<<spare) >> spare)
	}
	return v
}

// intToInt extends by the source's sign and chops, or clamps the exact value.
func (c *Cvt) intToInt(v uint64, src, dst *typeInfo) uint64 {
	x := extend(v, src)
	neg := src.signed && int64(x) < 0
	if c.Sat {
		mag := x
		if neg {
			mag = -x
		}
		return clampInt(mag, neg, dst)
	}
	return x & (1<<dst.width - 1)
}

// clampInt clamps the value of magnitude mag to the range of integer type t.
func clampInt(mag uint64, neg bool, t *typeInfo) uint64 {
	limit := uint64(1)<<t.width - 1
	if t.signed {
		limit >>= 1
	}
	if !neg {
		return min(mag, limit)
	}
	if !t.signed {
		return 0
	}
	return -min(mag, limit+1) & (1<<t.width - 1)
}

// fromInt unpacks an integer.
func fromInt(v uint64, t *typeInfo) unpacked {
	x := extend(v, t)
	neg := t.signed && int64(x) < 0
	if neg {
		x = -x
	}
	return wholeUnpacked(x, neg)
}

// wholeUnpacked unpacks the integer of magnitude mag.
func wholeUnpacked(mag uint64, neg bool) unpacked {
	if mag == 0 {
		return unpacked{neg: neg}
	}
	n := leading(mag)
	return unpacked{class: finite, neg: neg, exp: 63 - n, sig: mag << n}
}

// floatToInt rounds to an integer and clamps. NaN gives 0 if neither type is
// 64 bits wide, else the top bit alone.
func (c *Cvt) floatToInt(v uint64, src, dst *typeInfo) uint64 {
	u := src.format.operand(v, c.Ftz && c.Src == F32)
	switch {
	case u.class == nan && src.width < 64 && dst.width < 64:
		return 0
	case u.class == nan:
		return 1 << (dst.width - 1)
	case u.class == inf || u.class == finite && u.exp > 63:
		return clampInt(1<<64-1, u.neg, dst)
	}
	return clampInt(u.whole(c.Round), u.neg, dst)
}

// whole rounds a value below 2^64 to the magnitude of an integer.
func (u unpacked) whole(m Mode) uint64 {
	if u.class == zero {
		return 0
	}
	return roundShift(u.sig, uint32(63-u.exp), u.neg, m)
}

// floatToFloat rounds once from the exact value and treats NaN by 2.10 of the
// fact sheet: per pair of types it is kept, quieted or replaced.
func (c *Cvt) floatToFloat(v uint64, src, dst *Format, scale uint8, random uint32) uint64 {
	if c.Dst == TF32 {
		return c.toTF32(v)
	}
	u := c.operand(v, src)
	if c.Scaled {
		u = u.scaled(scale, dst.Exp+dst.Man <= 8)
	}
	switch {
	case u.class == nan:
		return c.nan(v, src, dst)
	case c.Integral:
		return dst.encode(u.integral(c.Round), RZ, false) // exact
	case c.Dst == UE8M0:
		return c.toUE8M0(u)
	case c.Dst == S2F6:
		return c.toS2F6(u)
	case c.Round == RS:
		return c.saturate(dst, u, dst.encodeRandom(u, random, c.Random, c.is(ElseRandomNormal)))
	case c.Ftz && c.Dst == F32 && c.Src == F64:
		return c.encode(dst, u, u.class == finite && tinyAfterRounding(u, c.Round))
	}
	return c.encode(dst, u, c.Ftz && c.Dst == F32)
}

// operand decodes v. The sign of a value that becomes unsigned is dropped first, so
// that .rp rounds magnitudes.
func (c *Cvt) operand(v uint64, src *Format) unpacked {
	u := c.decode(v, src)
	if u.class == finite && u.exp < src.emin() && c.flushes() {
		u.class, u.neg = zero, u.neg && (!c.Flush || c.is(ElseFlushSign))
	}
	if types[c.Dst].format.Unsigned {
		if u.neg && u.class != nan && c.Dst == UE5M3 && c.is(ElseUE5M3Zero) {
			u.class = zero
		}
		u.neg = false
	}
	return u
}

// decode unpacks v of the source type.
func (c *Cvt) decode(v uint64, src *Format) unpacked {
	switch c.Src {
	case UE8M0:
		return fromUE8M0(v)
	case S2F6:
		return fromS2F6(v)
	}
	return src.decode(v)
}

// flushes reports whether a subnormal operand counts as zero. 9.7.9.21 has no
// exception for .rm and .rp to f16; the machine code for them has no flush, nor has an H100.
func (c *Cvt) flushes() bool {
	return c.Flush || c.Ftz && c.Src == F32 && !c.Keeps()
}

// Keeps reports whether .ftz does nothing: to f16 by .rm and .rp (assumption cvt-ftz-half).
func (c *Cvt) Keeps() bool {
	return c.Src == F32 && c.Dst == F16 && (c.Round == RM || c.Round == RP) && !c.is(ElseFlushHalf)
}

// encode rounds u in c's mode; .satfinite keeps overflow and infinity finite.
func (c *Cvt) encode(dst *Format, u unpacked, flush bool) uint64 {
	return c.saturate(dst, u, dst.encode(u, c.Round, flush))
}

// saturate applies .satfinite to the code d that u was rounded to.
func (c *Cvt) saturate(dst *Format, u unpacked, d uint64) uint64 {
	limited := c.Satfinite || c.Src == UE5M3 && c.Dst == F16 && c.is(ElseUE5M3Max)
	if limited && u.class != nan && d&^dst.signBit() > dst.Max {
		return dst.signed(u.neg, dst.Max)
	}
	return d
}

// integral rounds u to an integral value; a zero keeps the sign.
func (u unpacked) integral(m Mode) unpacked {
	if u.class != finite || u.exp >= 63 {
		return u
	}
	return wholeUnpacked(u.whole(m), u.neg)
}

// tinyAfterRounding decides the flush of cvt.ftz.f32.f64: on the value rounded
// to 24 bits with an unbounded exponent. 2^-126 - 2^-150 rounded away from
// zero is the one value below 2^-126 that stays.
func tinyAfterRounding(u unpacked, m Mode) bool {
	if u.exp != -127 {
		return u.exp < -126
	}
	const ones24 = 1<<24 - 1
	if u.sig == ones24<<40 && m.away(u.neg) {
		return false
	}
	return roundShift(u.sig, 40, u.neg, m) <= ones24
}

// nan is the result for a NaN operand of a float-to-float conversion.
func (c *Cvt) nan(v uint64, src, dst *Format) uint64 {
	neg := v&src.signBit() != 0
	switch {
	case c.Integral && c.Src == F64, c.Dst == F64 && c.Src != F32 && c.Src != F64:
		// quieted below
	case c.Integral:
		return dst.NaN
	case c.Src == c.Dst && (c.Src == F64 || c.Src == F32 && !c.Ftz):
		return v // a move
	case c.Src == BF16 && c.Dst == F32 && !c.Ftz:
		return v << 16
	case c.Src == F16 && c.Dst == F32 && !c.Ftz && c.is(ElseF16Payload):
		// quieted below
	case (c.Src == F16 || c.Src == BF16) && (c.Dst == F16 || c.Dst == BF16) && c.is(ElseHalfPayload):
		if c.Src == c.Dst {
			return v
		}
	case c.Src == F32 && c.Dst == F64:
		if c.Ftz { // a flushing multiply comes first
			v, neg = nanF32, false
		}
	case c.Src != F64:
		return c.narrowNaN(dst)
	}
	man := v & (1<<src.Man - 1)
	if dst.Man >= src.Man {
		man <<= dst.Man - src.Man
	} else {
		man >>= src.Man - dst.Man
	}
	return dst.signed(neg, dst.Inf|1<<(dst.Man-1)|man)
}

// narrowNaN is the canonical NaN, or for formats without one the largest value.
func (c *Cvt) narrowNaN(dst *Format) uint64 {
	if dst.NaN == 0 {
		return dst.Max
	}
	return dst.NaN
}

// toTF32 rounds an f32 to 10 fraction bits in its container. The .rna form is
// arithmetic on the magnitude: it leaves infinity and NaN unrounded (sm_80 and
// later skip the addition) and clears the low bits alone.
func (c *Cvt) toTF32(v uint64) uint64 {
	const low = 1<<13 - 1
	sign, mag := v&signF32, v&magF32
	if c.Round != RNA || mag > infF32 && c.is(ElseTF32NaN) {
		return c.encode(fmtTF32, fmtF32.decode(v), false) << 13
	}
	if mag < infF32 {
		mag += 1 << 12
	}
	mag &^= low
	if c.Satfinite && mag >= infF32 {
		mag -= low + 1
	}
	return sign | mag
}

// finish applies .relu, .pzo and .sat to a result, in this order.
func (c *Cvt) finish(d uint64) uint64 {
	if !c.Relu && !c.Pzo && !c.Sat {
		return d
	}
	f, shift := types[c.Dst].format, uint8(0)
	if c.Dst == TF32 {
		shift = 13
	}
	return f.clamp(d>>shift, c) << shift
}

// clamp is finish on a code of format f.
func (f *Format) clamp(d uint64, c *Cvt) uint64 {
	sign := d & f.signBit()
	mag := d &^ sign
	isNaN := f.isNaN(mag)
	if sign != 0 && (c.Relu || c.Pzo && mag == 0) && !isNaN {
		sign, mag = 0, 0
	}
	if c.Relu && isNaN {
		return f.NaN
	}
	if c.Sat {
		one := uint64(f.Bias) << f.Man
		if isNaN || sign != 0 {
			return 0
		}
		return min(mag, one)
	}
	return sign | mag
}
