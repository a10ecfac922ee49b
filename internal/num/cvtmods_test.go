// Conversions to the narrow formats and the modifiers of cvt against the oracle, and the
// packed forms against their elements.

package num

import (
	"math/rand/v2"
	"testing"
)

// wantNarrow is a conversion of a finite v to a format of any kind, with .satfinite, .relu,
// .pzo and .sat.
func wantNarrow(c *Cvt, v uint64) uint64 {
	f, src := c.Dst.Format(), newOracle(c.Src.Format())
	o, x := newOracle(f), src.rat(v, false)
	neg, code := src.neg(v) && !f.Unsigned, uint64(0)
	if x.Sign() != 0 {
		code = o.magnitude(x.Abs(x), neg, c.Round)
	}
	if code > f.Max {
		code = wantOverflow(c, neg)
	}
	isNaN := code == f.NaN && f.NaN != 0
	switch {
	case c.Relu && neg && !isNaN, c.Pzo && neg && code == 0, c.Sat && neg:
		return 0
	case c.Sat:
		return min(code, o.one())
	case neg && !f.Unsigned && !isNaN:
		return code | o.sign()
	}
	return code
}

// wantOverflow is the magnitude beyond the largest finite one (9.7.9.21).
func wantOverflow(c *Cvt, neg bool) uint64 {
	f := c.Dst.Format()
	switch {
	case c.Satfinite || c.Round == RZ || c.Round == RM && !neg || c.Round == RP && neg:
		return f.Max
	case f.Inf != 0:
		return f.Inf
	case f.NaN != 0:
		return f.NaN
	}
	return f.Max
}

func TestCvtModifiers(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	for _, dst := range []Type{E5M2, E4M3, E3M2, E2M3, E2M1, UE5M3, UE4M3, F16, BF16, F32} {
		for _, src := range []Type{F16, BF16, F32} {
			o := newOracle(src.Format())
			for range scale(1200) {
				v := o.sample(r)
				if r.IntN(2) == 0 { // within the range of narrow formats
					v = v&^o.inf() | (o.one()+r.Uint64N(32)<<o.man-r.Uint64N(32)<<o.man)&o.inf()
				}
				if o.isNaN(v) || o.isInf(v) {
					continue
				}
				c := Cvt{Dst: dst, Src: src, Round: modes[r.IntN(4)], Satfinite: r.IntN(2) == 0}
				switch n := r.IntN(4); {
				case c.Dst.Format().Unsigned: // takes no modifier of the sign
				case n == 0:
					c.Relu = true
				case n == 1:
					c.Pzo = true
				case n == 2:
					c.Sat = dst.Width() >= 16 && src != dst
				}
				if got, want := c.Apply(v), wantNarrow(&c, v); got != want {
					t.Fatalf("%+v of %x = %x, want %x", c, v, got, want)
				}
			}
		}
	}
}

// TestCvtNaN: .relu keeps the canonical NaN, .sat gives 0, .satfinite does not touch NaN.
func TestCvtNaN(t *testing.T) {
	for _, dst := range []Type{F16, BF16, E5M2, E4M3} {
		f := dst.Format()
		for _, v := range []uint64{0x7fc00000, 0xffc00001} {
			for c, want := range map[Cvt]uint64{
				{Dst: dst, Src: F32}:                  f.NaN,
				{Dst: dst, Src: F32, Relu: true}:      f.NaN,
				{Dst: dst, Src: F32, Pzo: true}:       f.NaN,
				{Dst: dst, Src: F32, Satfinite: true}: f.NaN,
				{Dst: dst, Src: F32, Sat: true}:       0,
			} {
				if got := c.Apply(v); got != want {
					t.Errorf("%+v of %x = %x, want %x", c, v, got, want)
				}
			}
		}
	}
}

// TestCvtPairs: a gives the upper element and b the lower one; 6 bits stand in a byte.
func TestCvtPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	o := newOracle(fmtF32)
	for range scale(2000) {
		a, b := o.sample(r), o.sample(r)
		for _, dst := range []Type{F16, BF16, E5M2, E4M3, E3M2, E2M3, E2M1} {
			c := Cvt{Dst: dst, Src: F32, Satfinite: dst.Width() < 16}
			slot := map[Type]uint{F16: 16, BF16: 16, E2M1: 4}[dst]
			if slot == 0 {
				slot = 8
			}
			want := c.Apply(a)<<slot | c.Apply(b)
			p := Packing{Cvt: c, N: 2}
			if got := uint64(p.Convert(&[4]uint32{uint32(a), uint32(b)}, 0, 0)); got != want {
				t.Fatalf("pack %v of %x %x = %x, want %x", dst, a, b, got, want)
			}
		}
	}
}

// TestCvtPack: 9.7.9.22 by the clamped value of each integer.
func TestCvtPack(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	for range scale(4000) {
		a, b, c := uint32(intOperand(r, 32)), uint32(intOperand(r, 32)), r.Uint32()
		for _, width := range []uint{2, 4, 8, 16} {
			clamp := func(v uint32, signed bool) uint32 {
				return uint32(intArgs{w: width, signed: signed}.clamp(num64(int64(int32(v)))).Int64()) & (1<<width - 1)
			}
			for signed, f := range map[bool]func(a, b, c uint32, width uint) uint32{false: CvtPackU, true: CvtPackS} {
				want := uint32(uint64(c)<<(2*width)) | clamp(a, signed)<<width | clamp(b, signed)
				if got := f(a, b, c, width); got != want {
					t.Fatalf("pack to %d bits, signed %v, of %x %x %x = %x, want %x", width, signed, a, b, c, got, want)
				}
			}
		}
	}
}
