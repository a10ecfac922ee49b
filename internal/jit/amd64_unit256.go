package jit

// The special function unit by AVX2: tables are gathered; the truncated square is eight products of
// 16 bits of which the upper halves are kept.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// quadratic256 leaves in base and z the sum of a segment at x; RAX is lost.
func (e *emitter) quadratic256(u num.Unit, w x86.Width, x x86.Vec) (base, z x86.Vec) {
	k := unit.Of(u)
	bases, coeffs := unit.Bases(u).Words(), unit.Coefficients(u).Words()
	n := uint32(len(bases))
	square := e.alloc()
	e.square256(k, w, square, x)
	index, t := e.alloc(), e.alloc()
	e.VVI(x86.VPSRLD, w, index, x, k.Fraction)
	e.vvc(cAnd, w, index, index, n-1)
	e.RM(x86.LEA, x86.S64, x86.RAX, e.unitTable(slices.Concat(bases, coeffs)))
	base, z = e.gatherWords(w, index, 0, t), e.gatherWords(w, index, int32(4*n), t)
	if k.Fraction == 17 {
		e.VVI(x86.VPSRAD, w, t, z, k.Shift)
		e.vvc(cAnd, w, t, t, -(1<<(16-k.Shift))&0xffffffff)
		e.VVI(x86.VPSLLD, w, index, x, 15)
		e.VVI(x86.VPSRAD, w, index, index, 31)
		e.VVV(x86.VPAND, w, t, t, index)
		e.VVV(x86.VPADDD, w, base, base, t)
	}
	e.VVV(x86.VPMADDWD, w, z, z, square)
	for _, v := range []x86.Vec{square, index, t} {
		e.release(temp(v))
	}
	if low := k.Low(); low != 0 {
		e.vvc(cAdd, w, z, z, low)
	}
	return base, z
}

// gatherWords reads words from the table at RAX; t is lost.
func (e *emitter) gatherWords(w x86.Width, index x86.Vec, at int32, t x86.Vec) x86.Vec {
	d := e.alloc()
	e.VVV(x86.VPCMPEQD, w, t, t, t)
	e.zero(d)
	e.VMV(x86.VPGATHERDD, w, d, x86.AtVec(x86.RAX, index, 4, at).By(inHost), t)
	return d
}

// square256: as square512. Products of B·2^6, in both halves of an element, and single bits of A·2^2.
func (e *emitter) square256(k *unit.Rule, w x86.Width, d, x x86.Vec) {
	y, b, t := x, e.alloc(), e.alloc()
	if k.Twice {
		y = e.alloc()
		e.VVV(x86.VPADDD, w, y, x, x)
	}
	both := e.constRow(tW, func(i int) uint64 { return uint64(0x01000100 + i&3*0x04040404) })
	e.VVM(x86.VPSHUFB, w, b, y, both)
	e.VVI(x86.VPSLLW, w, b, b, 6)
	e.VVI(x86.VPSRLD, w, d, y, 8)
	e.VVM(x86.VPSHUFB, w, d, d, both)
	a := y // which nobody reads any more
	if !k.Twice {
		a = e.alloc()
	}
	e.copy(w, a, d)
	e.vvc(cAnd, w, d, d, 0x7f<<2)
	e.VVV(x86.VPMADDWD, w, d, d, d)
	e.VVI(x86.VPSRLD, w, d, d, 3)
	sum := e.alloc()
	for n, bits := range []uint32{8<<16 | 4, 32<<16 | 16, 128<<16 | 64, 256} {
		s := sum
		if n > 0 {
			s = t
		}
		e.vvc(cAnd, w, s, a, bits)
		e.VVV(x86.VPMULHUW, w, s, s, b)
		if n > 0 {
			e.VVV(x86.VPADDW, w, sum, sum, t)
		}
	}
	e.vvx(x86.VPMADDWD, w, sum, sum, e.constant(tW, 1<<16|1))
	e.VVV(x86.VPADDD, w, d, d, sum)
	e.VVI(x86.VPSLLD, w, t, x, 16)
	e.vvc(cXor, w, t, t, 1<<31)
	e.VVV(x86.VPADDD, w, d, d, t)
	for _, v := range []x86.Vec{a, b, t, sum} {
		e.release(temp(v))
	}
}

// truncFloat makes the f32 of 64-bit elements, in their low halves, by way of an f64; t is lost.
func (e *emitter) truncFloat(w x86.Width, sum, t x86.Vec, point uint8) {
	const two52 = 0x4330000000000000
	e.vvx(x86.VPOR, w, t, sum, e.constant(tX, two52))
	e.vvx(x86.VSUBPD, w, t, t, e.constant(tX, two52))
	e.VVI(x86.VPSRLQ, w, t, t, 52-23)
	e.vvx(x86.VPSUBD, w, t, t, e.constant(tX, uint64(1023-127+int64(point))<<23))
	zero := e.alloc()
	e.zero(zero)
	e.VVV(x86.VPCMPEQQ, w, sum, sum, zero)
	e.VVV(x86.VPANDN, w, sum, sum, t)
	e.release(temp(zero))
}
