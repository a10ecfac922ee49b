package num

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// cutMad is mad.f32 of sm_1x by rational numbers (9.7.3.7).
func cutMad(o oracle, a, b, c uint64) uint64 {
	a, b, c = o.flush(a), o.flush(b), o.flush(c)
	product := o.sign() & (a ^ b)
	switch zero := o.inf() | o.man1(); {
	case o.isNaN(a) || o.isNaN(b) || o.isNaN(c):
		return nanF32
	case c&zero == 0:
		return fmtF32.Add(fmtF32.Mul(a, b, RN, true), c, RN, true)
	case o.isInf(a) || o.isInf(b):
		if a&zero == 0 || b&zero == 0 {
			return nanF32
		}
		return fmtF32.Add(product|o.inf(), c, RN, true)
	case o.isInf(c):
		return c
	case a&zero == 0 || b&zero == 0:
		return c
	}
	p := new(big.Rat).Mul(o.rat(a, false), o.rat(b, false))
	unit := pow2(ilog2(new(big.Rat).Abs(p)) - 23) // of the last of 24 bits
	n := new(big.Rat).Quo(p, unit)
	whole := new(big.Int).Quo(n.Num(), n.Denom()) // toward zero
	p.Mul(new(big.Rat).SetInt(whole), unit)
	return o.round(p.Add(p, o.rat(c, false)), false, RN, true)
}

// man1 is the bits of the fraction.
func (o oracle) man1() uint64 { return 1<<o.man - 1 }

// TestMadCut: the product is cut, not rounded, keeps its exponent beyond those of f32, and a c of zero makes it mul and add.
func TestMadCut(t *testing.T) {
	o := newOracle(fmtF32)
	check := func(a, b, c uint64) {
		have, want := MadCutFtzF32(uint32(a), uint32(b), uint32(c)), uint32(cutMad(o, a, b, c))
		if have != want {
			t.Errorf("mad %08x, %08x, %08x: %08x, want %08x", a, b, c, have, want)
		}
		if sat := slowSat(fmtF32)(want); MadCutFtzSatF32(uint32(a), uint32(b), uint32(c)) != sat {
			t.Errorf("mad.sat %08x, %08x, %08x: want %08x", a, b, c, sat)
		}
	}
	for _, c := range []struct{ a, b, c, want uint32 }{
		{0x3f800001, 0x3f800003, 0x80000000, 0x3f800004}, // c = -0: 1 + 4·2^-23 + 3·2^-46, to the nearest
		{0x3f800001, 0x3fffffff, 0xbf800000, 0x3f800000}, // (1 + 2^-23)(2 - 2^-23) is 2 + 2^-23 - 2^-46, cut to 2
		{0x7f000000, 0x40800000, 0xff7fffff, 0x7f800000}, // 2^129 - 2^128 is too much
		{0x7f000000, 0x40000000, 0xff7fffff, 0x73800000}, // 2^128 is not, before c is added
		{0x7f800000, 0x00000001, 0x3f800000, 0x7fffffff}, // a subnormal is zero
		{0x20000000, 0x1f800000, 0x00800001, 0x00c00001}, // 2^-127, which f32 has among subnormals only, counts
	} {
		if have := MadCutFtzF32(c.a, c.b, c.c); have != c.want {
			t.Errorf("mad %08x, %08x, %08x: %08x, want %08x", c.a, c.b, c.c, have, c.want)
		}
	}
	edges, r := o.edges(), rand.New(rand.NewPCG(9, 9))
	for _, a := range edges {
		for _, b := range edges {
			check(a, b, edges[r.IntN(len(edges))])
		}
	}
	for range scale(20000) {
		a, b := o.sample(r), o.sample(r)
		check(a, b, o.sample(r))
		p := uint64(MulF32(uint32(a), uint32(b))) // c near -a·b
		check(a, b, p^o.sign()^uint64(r.Uint32()&7))
	}
}
