package jit

// The special function unit on amd64: the sums of package unit, and how each becomes its function's result.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// finishes are how the sums become results.
var finishes [num.NumUnits]func(e *emitter, w x86.Width, x, base, z x86.Vec) x86.Vec

func init() {
	finishes = [num.NumUnits]func(e *emitter, w x86.Width, x, base, z x86.Vec) x86.Vec{
		num.UnitRcp: (*emitter).rcpBits, num.UnitRsqrt: (*emitter).rsqrtBits, num.UnitEx2: (*emitter).ex2Bits,
		num.UnitLg2: (*emitter).lg2Float, num.UnitSin: (*emitter).sinFloat, num.UnitSqrt: (*emitter).sqrtBits,
	}
}

// How many registers a unit takes.
const (
	unitTemps512 = 9
	unitTemps256 = 6
)

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
	w := e.width(tW)
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
	d := finishes[u](e, w, v, base, z)
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
	e.above(w, base, z, unit.Of(num.UnitRcp).Shift)
	e.VVI(x86.VPSRAD, w, base, base, 2)
	e.vvx(e.opFor(cAndn, tW), w, z, x, e.constant(tW, magF32))
	e.VVV(x86.VPADDD, w, base, base, z)
	return base
}

// rsqrtBits: the square root of 1 and of 4^n is exact, where the quadratic is 1 too small.
func (e *emitter) rsqrtBits(w x86.Width, x, base, z x86.Vec) x86.Vec {
	e.above(w, base, z, unit.Of(num.UnitRsqrt).Shift)
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
	e.above(w, base, z, unit.Of(num.UnitSqrt).Shift)
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
	e.above(w, base, z, unit.Of(num.UnitEx2).Shift)
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
	e.truncFloats(w, z, high, unit.Of(num.UnitLg2).Point)
	e.release(temp(high))
	e.vvc(cAnd, w, base, base, signF32)
	e.VVV(e.opFor(cOr, tW), w, z, z, base)
	return z
}

// sinFloat: no sum is negative.
func (e *emitter) sinFloat(w x86.Width, _, base, z x86.Vec) x86.Vec {
	t, s0 := e.alloc(), unit.Of(num.UnitSin).Shift
	e.VVI(x86.VPSLLD, w, t, base, s0)
	e.VVV(x86.VPADDD, w, t, t, z)
	e.above(w, base, z, s0)
	e.VVI(x86.VPSRLD, w, base, base, 32-s0)
	e.copy(w, z, t)
	e.release(temp(t))
	e.truncFloats(w, z, base, unit.Of(num.UnitSin).Point)
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
