// Arithmetic on operands of different formats (9.7.5, 9.4: 9.7.6): values are widened exactly,
// sums and products are exact, and the result is rounded once.

package num

// Mixed is the sum a + c, the product a * b or the fused multiply-add a * b + c.
type Mixed struct {
	Dst     *Format
	A, B, C *Format // of the operands; nil: there is none
	Round   Mode
	Sub     bool // c is subtracted

	Ftz         bool // subnormal operands are zeros, and so are results below the smallest normal of Dst
	FtzOperands bool // subnormal operands alone

	Narrow    bool // b is rounded to the format of Dst first
	Satfinite bool // overflow gives the largest finite value
	Relu      bool // negative results and -0 give +0
	Oob       bool // +0 where a factor is the out-of-bounds NaN, or the addend with OobAll
	OobAll    bool
}

// Apply computes one element.
func (x *Mixed) Apply(a, b, c uint64) uint64 {
	if x.Oob && (isOOB(uint32(a)) || isOOB(uint32(b)) || x.OobAll && isOOB(uint32(c))) {
		return 0
	}
	u := x.exact(a, b, c)
	d := x.Dst.encode(u, x.Round, x.Ftz)
	if x.Satfinite && u.class != nan && d&^x.Dst.signBit() > x.Dst.Max {
		return x.Dst.signed(u.neg, x.Dst.Max)
	}
	if x.Relu && u.class != nan && d&x.Dst.signBit() != 0 {
		return 0
	}
	return d
}

// exact is the result before it is rounded, with the sign of an exact zero in x's mode.
func (x *Mixed) exact(a, b, c uint64) unpacked {
	p := x.operand(x.A, a)
	w := widen(p)
	if x.B != nil {
		q := x.operand(x.B, b)
		if x.Narrow {
			q = x.Dst.decode(x.Dst.encode(q, RN, false))
		}
		if p.class == nan || q.class == nan {
			return unpacked{class: nan}
		}
		p, w = mulUnpacked(p, q)
	}
	if x.C == nil || p.class == nan {
		return p
	}
	z := x.operand(x.C, c)
	if z.class == nan {
		return z
	}
	z.neg = z.neg != x.Sub
	return addUnpacked(p, z, w, x.Round)
}

func (x *Mixed) operand(f *Format, v uint64) unpacked {
	if f == fmtUE8M0 {
		return fromUE8M0(v & 0xff)
	}
	return f.operand(v, x.Ftz || x.FtzOperands)
}
