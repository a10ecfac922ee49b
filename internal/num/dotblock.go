package num

// Products of matrices whose blocks have scale factors (9.7.14.3), and of the narrow floats of kind
// f8f6f4. No device has been asked: this is the model of published measurements (numerics 5.5).

import "math"

// Scale is a decoded scale factor: Sig * 2^Exp, without a sign.
type Scale struct {
	Sig int32
	Exp int16
	Top int16 // exponent of the format's leading bit
	NaN bool
}

// ScaleUE8M0 decodes a power of two.
func ScaleUE8M0(v uint8) Scale {
	e := int16(v) - 127
	return Scale{Sig: 1, Exp: e, Top: e, NaN: v == 0xff}
}

// ScaleUE4M3 decodes four bits of exponent and three of fraction; bit 7 does not count.
func ScaleUE4M3(v uint8) Scale {
	f := DotE4M3.Factor(uint32(v & 0x7f))
	return Scale{f.Sig, f.Exp, f.Top, f.Kind == FactorNaN}
}

// ScaleUE5M3 decodes five bits of exponent and three of fraction (9.4: 5.2.3).
func ScaleUE5M3(v uint8) Scale {
	f := dotE5M3.Factor(uint32(v))
	return Scale{f.Sig, f.Exp, f.Top, f.Kind == FactorNaN}
}

// Significand is a scale factor without its exponent, as the bits of an f32: from 1 on and below 2, or less if it is subnormal.
func (s Scale) Significand() uint32 {
	return math.Float32bits(float32(s.Sig) * math.Float32frombits(uint32(127+int32(s.Exp)-int32(s.Top))<<23))
}

// Scaled returns the factor times a power of two.
func (f Factor) Scaled(s Scale) Factor {
	f.Exp += s.Exp
	f.Top += s.Exp
	if s.NaN {
		f.Kind = FactorNaN
	}
	return f
}

// WholeRule is how sm_100 and sm_120 add up products of narrow floats in formats of their own: all at once.
func WholeRule(c, d DotFormat) DotRule {
	r := DotF16.Rule(100, c, d)
	r.group = 0
	return r
}

// BlockTerm is how many products of mxf4 and mxf4nvf4 make one term.
const BlockTerm = 16

// blockKeep is the fraction bits that their terms keep.
const blockKeep = 35

// mostTerms is how many terms a sum has at most.
const mostTerms = 8

// blockDot is how terms are added up: as the products of WholeRule, of which more bits are kept.
func blockDot() Dot {
	d := WholeRule(DotF32, DotF32).step
	d.Keep = blockKeep
	return d
}

// SumBlocks returns c + … for e2m1, in f32: each BlockTerm products are added exactly and multiplied
// by the scales of their block. A term is aligned by the exponents of its scales alone. Whether one that is
// zero counts for the largest exponent is open (zeros).
func SumBlocks(a, b []Factor, sa, sb []Scale, c uint32, zeros bool) uint32 {
	d := blockDot()
	add := DotF32.Factor(c)
	for i := range sa {
		if sa[i].NaN || sb[i].NaN {
			add.Kind = FactorNaN
		}
	}
	if add.Kind != FactorFinite {
		return d.special(add.Kind, add.Sig)
	}
	top := d.Floor
	if add.Sig != 0 {
		top = max(top, int(add.Top))
	}
	var terms [mostTerms]int64
	for i := range sa {
		terms[i] = blockSum(a[BlockTerm*i:], b[BlockTerm*i:]) * int64(sa[i].Sig) * int64(sb[i].Sig)
		if terms[i] != 0 || zeros {
			top = max(top, int(sa[i].Top)+int(sb[i].Top))
		}
	}
	q := top - d.Keep
	sum := cut(int64(add.Sig), int(add.Exp)-q)
	for i := range sa {
		sum += cut(terms[i], int(sa[i].Exp)+int(sb[i].Exp)-2-q)
	}
	return d.round(sum, q)
}

// blockSum is the sum of the products of a term, in quarters.
func blockSum(a, b []Factor) (sum int64) {
	for k := range BlockTerm {
		sum += int64(a[k].Sig*b[k].Sig) << uint(a[k].Exp+b[k].Exp+2)
	}
	return sum
}
