package jit

// The special function unit on amd64. A quadratic c0·2^s0 + c1·r + c2·square (num/sfu.go) has up to 39
// bits, but only what is above 2^s0 is wanted, and c0 is a whole number of those. So the rest is a sum of
// products of 16-bit numbers in 32 bits:
//
//	c1·r = c1'·r' + k·r + (what the segment knows)   c1' = c1 - k, r' = r - 2^15, both with 16 bits
//
// k is ±2^15, which makes k·r a shift of the operand; parts that follow from the segment are in its base.
// The remainder's 17th bit, where there is one, adds a multiple of c1' to the base.

import (
	"encoding/binary"
	"sync"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// unit is how one function's sum becomes its result.
type unit struct {
	fraction uint8 // bits of the remainder: 16 or 17
	twice    bool  // the square is of twice the remainder
	s0, s2   uint8 // shifts of c0 and c2
	k        int64
	bias     int64
	fold     func(segment int64) int64 // added to a segment's base
	point    uint8                     // if not 0: the result is the float sum·2^-point, truncated
	finish   func(e *emitter, w x86.Width, x, base, z x86.Vec) x86.Vec
}

var units [num.NumUnits]unit

func init() {
	units = [num.NumUnits]unit{
		num.UnitRcp:   {fraction: 16, twice: true, s0: 13, k: -1 << 15, bias: 0x47e7, fold: func(i int64) int64 { return 4*(i<<16) - (1<<27 - 4) }, finish: (*emitter).rcpBits},
		num.UnitRsqrt: {fraction: 17, s0: 14, s2: 2, k: -1 << 15, bias: 0x7fff, fold: rsqrtFold, finish: (*emitter).rsqrtBits},
		num.UnitEx2:   {fraction: 17, s0: 13, k: 1 << 15, bias: 0x77e2, fold: func(i int64) int64 { return -4 * (i << 17) }, finish: (*emitter).ex2Bits},
		num.UnitLg2:   {fraction: 17, s0: 12, s2: 1, k: 1 << 15, bias: 0x3345, fold: func(i int64) int64 { return -8 * (i << 17) }, point: 36, finish: (*emitter).lg2Float},
		num.UnitSin:   {fraction: 17, s0: 11, fold: func(int64) int64 { return 0 }, point: 37, finish: (*emitter).sinFloat},
		num.UnitSqrt:  {fraction: 17, s0: 15, s2: 1, k: 1 << 16, bias: 0xffff, fold: sqrtFold, finish: (*emitter).sqrtBits},
	}
}

// rsqrtFold: twice the operand's bits are taken off; of an exponent's halves they take 2^24 too little or
// too much by its lowest bit, which is the segment's highest; 62·2^25 keep the sum below 2^32.
func rsqrtFold(i int64) int64 {
	return 2*(i&63<<17) + (378-i>>6)<<24 - 62<<25
}

// sqrtFold: twice the operand's bits are added; of an exponent's halves they give 2^25 for the hidden bit
// and 2^24 by its lowest bit too much or too little; 63·2^25 keep the sum below 2^32.
func sqrtFold(i int64) int64 {
	return i>>6<<24 - 1<<25 - 2*(i&63<<17)
}

// How many registers a unit takes.
const (
	unitTemps512 = 9
	unitTemps256 = 6
)

// segments has base and packed coefficients (c2' below c1') of each segment, by the bits of the operand
// above its remainder. They are computed once.
func (k *unit) segments(u num.Unit) (base, coeffs []uint32) {
	t := &unitTables[u]
	t.once.Do(func() { t.base, t.coeffs = k.computed(u) })
	return t.base, t.coeffs
}

var unitTables [num.NumUnits]struct {
	once         sync.Once
	base, coeffs []uint32
}

// computed computes them.
func (k *unit) computed(u num.Unit) (base, coeffs []uint32) {
	list := u.Segments()
	for i := range list {
		s := list[i]
		if u == num.UnitRsqrt || u == num.UnitSqrt { // the lowest bit of the exponent is that of e-127 there
			s = list[i^64]
		}
		c1, c2 := s.C1-k.k, s.C2<<k.s2
		if c1 != int64(int16(c1)) || c2 != int64(int16(c2)) {
			panic("a coefficient has more than 16 bits")
		}
		base = append(base, uint32(s.C0+c1<<(15-k.s0)+k.bias>>k.s0+k.fold(int64(i))))
		coeffs = append(coeffs, uint32(c1)<<16|uint32(uint16(c2)))
	}
	return base, coeffs
}

// unitTable is where words are behind the code.
func (e *emitter) unitTable(list []uint32) x86.Mem {
	var row []byte
	for _, v := range list {
		row = binary.LittleEndian.AppendUint32(row, v)
	}
	return e.ConstRow(row, 64)
}

// unit assembles cUnit; RAX is lost.
func (e *emitter) unit(o *operation, a loc) loc {
	u := num.Unit(o.imm)
	k, w := &units[u], e.width(tW)
	x := e.load(a, tW)
	v := x.v
	if e.evex {
		w = x86.W512 // tables are read in whole registers
	}
	if u == num.UnitEx2 {
		v = e.ex2Operand(w, v)
	}
	var base, z x86.Vec
	if e.evex {
		base, z = e.quadratic512(u, v)
	} else {
		base, z = e.quadratic256(u, w, v)
	}
	d := k.finish(e, w, v, base, z)
	for _, r := range []x86.Vec{base, z} {
		if r != d {
			e.release(temp(r))
		}
	}
	if v != x.v {
		e.release(temp(v))
	}
	e.unload(x, a)
	return done(d)
}

// vvc is an operation on a vector and a constant.
func (e *emitter) vvc(c code, w x86.Width, d, a x86.Vec, v uint32) {
	e.vvx(e.opFor(c, tW), w, d, a, e.constant(tW, uint64(v)))
}

// above adds to the base what of z is above 2^s0.
func (e *emitter) above(w x86.Width, base, z x86.Vec, s0 uint8) {
	e.VVI(x86.VPSRAD, w, z, z, s0)
	e.VVV(x86.VPADDD, w, base, base, z)
}

// rcpBits: the exponent is that of 253 less the operand's, whose remainder k·r takes off with it.
func (e *emitter) rcpBits(w x86.Width, x, base, z x86.Vec) x86.Vec {
	e.above(w, base, z, units[num.UnitRcp].s0)
	e.VVI(x86.VPSRAD, w, base, base, 2)
	e.vvx(e.opFor(cAndn, tW), w, z, x, e.constant(tW, magF32))
	e.VVV(x86.VPADDD, w, base, base, z)
	return base
}

// rsqrtBits: the square root of 1 and of 4^n is exact, where the quadratic is 1 too small.
func (e *emitter) rsqrtBits(w x86.Width, x, base, z x86.Vec) x86.Vec {
	e.above(w, base, z, units[num.UnitRsqrt].s0)
	e.VVV(x86.VPADDD, w, z, x, x)
	e.VVV(x86.VPSUBD, w, base, base, z)
	e.VVI(x86.VPSRLD, w, base, base, 2)
	e.vvc(cAdd, w, base, base, 62<<23)
	e.VVI(x86.VPSLLD, w, z, x, 8)
	if e.evex {
		k := e.allocK()
		e.KVMI(x86.VPCMPD, w, k, z, e.Const32(1<<31).Bcast(), 0)
		e.Masked(k).VVM(x86.VPADDD, w, base, base, e.Const32(1).Bcast())
		e.release(loc{kind: inK, k: k, owned: true})
		return base
	}
	e.vvx(x86.VPCMPEQD, w, z, z, e.constant(tW, 1<<31))
	e.VVV(x86.VPSUBD, w, base, base, z)
	return base
}

// sqrtBits: half of the operand's exponent, and half of its remainder with it.
func (e *emitter) sqrtBits(w x86.Width, x, base, z x86.Vec) x86.Vec {
	e.above(w, base, z, units[num.UnitSqrt].s0)
	e.VVV(x86.VPADDD, w, z, x, x)
	e.VVV(x86.VPADDD, w, base, base, z)
	e.VVI(x86.VPSRLD, w, base, base, 2)
	e.vvc(cAdd, w, base, base, 63<<23)
	return base
}

// ex2Operand complements what is below zero and not whole, and adds the exponent of a half.
func (e *emitter) ex2Operand(w x86.Width, x x86.Vec) x86.Vec {
	const exponent = 126 << 23
	d := e.alloc()
	if e.evex {
		k := e.allocK()
		e.KVM(x86.VPTESTMD, w, k, x, e.Const32(fracF32).Bcast())
		e.Masked(k).KVM(x86.VPTESTMD, w, k, x, e.Const32(1<<31).Bcast())
		e.vvc(cAdd, w, d, x, exponent)
		e.Masked(k).VVM(x86.VPADDD, w, d, d, e.Const32(1<<32-1).Bcast())
		e.release(loc{kind: inK, k: k, owned: true})
		return d
	}
	t := e.alloc()
	e.vvc(cAnd, w, d, x, fracF32)
	e.zero(t)
	e.VVV(x86.VPCMPEQD, w, d, d, t)
	e.VVI(x86.VPSRAD, w, t, x, 31)
	e.VVV(x86.VPANDN, w, d, d, t)
	e.VVV(x86.VPADDD, w, d, d, x)
	e.vvc(cAdd, w, d, d, exponent)
	e.release(temp(t))
	return d
}

func (e *emitter) ex2Bits(w x86.Width, x, base, z x86.Vec) x86.Vec {
	e.above(w, base, z, units[num.UnitEx2].s0)
	e.VVI(x86.VPSRAD, w, base, base, 2)
	e.VVV(x86.VPADDD, w, base, base, x)
	return base
}

// lg2Float: the sum, of which the lowest two bits are cut, and 2^38 for each power of two; k·r makes the
// bits of the operand less those of 1 of it, times 2^15. The complement of what is below zero is negated.
func (e *emitter) lg2Float(w x86.Width, x, base, z x86.Vec) x86.Vec {
	t := e.alloc()
	e.VVI(x86.VPSLLD, w, t, base, 12)
	e.VVV(x86.VPADDD, w, t, t, z)
	e.VVI(x86.VPSRLD, w, t, t, 2) // its low 13 bits
	e.VVI(x86.VPSRAD, w, z, z, 12)
	e.VVV(x86.VPADDD, w, z, z, base)
	e.VVI(x86.VPSRAD, w, z, z, 3)
	e.vvc(cSub, w, base, x, oneF32)
	e.VVV(x86.VPADDD, w, base, base, z) // the bits above them
	e.VVI(x86.VPSRAD, w, z, base, 31)
	e.VVV(e.opFor(cXor, tW), w, t, t, z)
	e.vvc(cAnd, w, t, t, 1<<13-1)
	e.VVV(e.opFor(cXor, tW), w, z, z, base)
	high := e.alloc()
	e.VVI(x86.VPSRLD, w, high, z, 19)
	e.VVI(x86.VPSLLD, w, z, z, 13)
	e.VVV(e.opFor(cOr, tW), w, z, z, t)
	e.release(temp(t))
	e.truncFloats(w, z, high, units[num.UnitLg2].point)
	e.release(temp(high))
	e.vvc(cAnd, w, base, base, signF32)
	e.VVV(e.opFor(cOr, tW), w, z, z, base)
	return z
}

// sinFloat: no sum is negative.
func (e *emitter) sinFloat(w x86.Width, _, base, z x86.Vec) x86.Vec {
	t, s0 := e.alloc(), units[num.UnitSin].s0
	e.VVI(x86.VPSLLD, w, t, base, s0)
	e.VVV(x86.VPADDD, w, t, t, z)
	e.above(w, base, z, s0)
	e.VVI(x86.VPSRLD, w, base, base, 32-s0)
	e.copy(w, z, t)
	e.release(temp(t))
	e.truncFloats(w, z, base, units[num.UnitSin].point)
	return z
}

// truncFloats makes in low the f32 nearest to zero of the numbers low + 2^32·high, below 2^52, times
// 2^-point; high is lost.
func (e *emitter) truncFloats(w x86.Width, low, high x86.Vec, point uint8) {
	if e.evex {
		e.truncFloats512(low, high)
		e.vvx(x86.VMULPS, w, low, low, e.constant(tW, uint64(127-uint32(point))<<23))
		return
	}
	t := e.alloc()
	e.VVV(x86.VPUNPCKHDQ, w, t, low, high)
	e.VVV(x86.VPUNPCKLDQ, w, low, low, high)
	e.truncFloat(w, low, high, point)
	e.truncFloat(w, t, high, point)
	e.VVVI(x86.VSHUFPS, w, low, low, t, 0x88)
	e.release(temp(t))
}
