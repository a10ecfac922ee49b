package jit

// The special function unit by AVX-512: tables are permutations of registers; the truncated square is
// eight products of bytes.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// quadratic512 leaves in base and z the sum of a segment at x.
func (e *emitter) quadratic512(u num.Unit, x x86.Vec) (base, z x86.Vec) {
	k, w := unit.Of(u), x86.W512
	bases, coeffs := unit.Bases(u).Words(), unit.Coefficients(u).Words()
	t := e.alloc()
	e.VVI(x86.VPSRLD, w, t, x, k.Fraction)
	masks := e.segmentMasks(len(bases), t)
	base = e.lookUp(bases, t, masks)
	c := e.lookUp(coeffs, t, masks)
	for _, m := range masks {
		e.release(loc{kind: inK, k: m, owned: true})
	}
	if k.Fraction == 17 {
		e.VVI(x86.VPSRAD, w, t, c, k.Shift)
		if coeffs[0]>>15&1 != 0 { // nothing of a c2' that is not negative is left
			e.vvc(cAnd, w, t, t, -(1<<(16-k.Shift))&0xffffffff)
		}
		m := e.allocK()
		e.KVM(x86.VPTESTMD, w, m, x, e.Const32(1<<16).Bcast())
		e.Masked(m).VVV(x86.VPADDD, w, base, base, t)
		e.release(loc{kind: inK, k: m, owned: true})
	}
	e.square512(k, t, x)
	z = e.alloc()
	if low := k.Low(); low != 0 {
		e.broadcast(w, tW, z, e.Const32(low))
	} else {
		e.zero(z)
	}
	e.VVV(x86.VPDPWSSD, w, z, c, t)
	e.release(temp(t))
	e.release(temp(c))
	return base, z
}

// segmentMasks have bits 5 and, if there is room for two, 6 of the elements.
func (e *emitter) segmentMasks(segments int, index x86.Vec) (masks []x86.K) {
	for bit := 5; bit == 5 || bit == 6 && segments == 128 && len(e.freeK) > 0; bit++ {
		masks = append(masks, e.allocK())
		e.testBit(masks[bit-5], index, bit)
	}
	return masks
}

func (e *emitter) testBit(k x86.K, v x86.Vec, bit int) {
	e.KVM(x86.VPTESTMD, x86.W512, k, v, e.Const32(1<<bit).Bcast())
}

// lookUp reads words of a table of 64 or 128 by the low bits of the elements.
func (e *emitter) lookUp(list []uint32, index x86.Vec, masks []x86.K) x86.Vec {
	w, at := x86.W512, e.unitTable(list)
	pair := func(n int32) x86.Vec {
		d := e.alloc()
		e.move(w, d, at.Plus(128*n))
		e.VVM(x86.VPERMT2D, w, d, index, at.Plus(128*n+64))
		return d
	}
	choose := func(k x86.K, d, s x86.Vec) {
		e.Masked(k).VV(x86.VMOVDQA32, w, d, s)
		e.release(temp(s))
	}
	d := pair(0)
	choose(masks[0], d, pair(1))
	if len(list) == 64 {
		return d
	}
	h := pair(2)
	choose(masks[0], h, pair(3))
	if len(masks) == 2 {
		choose(masks[1], d, h)
		return d
	}
	e.testBit(masks[0], index, 6)
	choose(masks[0], d, h)
	e.testBit(masks[0], index, 5)
	return d
}

// window is a byte of a product: bits of the operand from one on, those of mask.
type window struct{ from, mask uint8 }

// With A the bits from 10 on and B those below, the square is 2A² and for each bit j of A the bits of B
// from 18-j on.
var squareBytes = [2]struct{ bits, rest [4]window }{
	{[4]window{{10, 1}, {11, 1}, {12, 1}, {13, 1}}, [4]window{{8, 0x03}, {7, 0x07}, {6, 0x0f}, {5, 0x1f}}},
	{[4]window{{14, 1}, {15, 1}, {16, 1}, {10, 0x7f}}, [4]window{{4, 0x3f}, {3, 0x7f}, {2, 0xff}, {9, 0xfe}}},
}

// square512: the square below, the remainder less 2^15 above, of each element.
func (e *emitter) square512(k *unit.Rule, d, x x86.Vec) {
	w, bits, rest := x86.W512, e.alloc(), e.alloc()
	e.VVI(x86.VPSLLD, w, d, x, 16)
	e.vvc(cXor, w, d, d, 1<<31)
	for _, s := range squareBytes {
		e.windows(bits, x, &s.bits, k.Twice)
		e.windows(rest, x, &s.rest, k.Twice)
		e.VVV(x86.VPDPBUSD, w, d, rest, bits)
	}
	e.release(temp(bits))
	e.release(temp(rest))
}

// windows takes the bytes of each element; twice: of twice the operand.
func (e *emitter) windows(d, x x86.Vec, list *[4]window, twice bool) {
	var from, mask [64]byte
	for i := range from {
		win := list[i%4]
		if twice {
			win.from--
		}
		from[i], mask[i] = win.from+byte(i&4)<<3, win.mask
	}
	e.move(x86.W512, d, e.ConstRow(from[:], 64))
	e.VVV(x86.VPMULTISHIFTQB, x86.W512, d, d, x)
	e.VVM(x86.VPANDD, x86.W512, d, d, e.Const32(binary.LittleEndian.Uint32(mask[:])).Bcast())
}

// truncFloats512 makes floats of 64-bit numbers, in order.
func (e *emitter) truncFloats512(low, high x86.Vec) {
	t := e.alloc()
	e.VVV(x86.VPUNPCKHDQ, x86.W512, t, low, high)
	e.VVV(x86.VPUNPCKLDQ, x86.W512, low, low, high)
	for _, v := range []x86.Vec{low, t} {
		e.Round(x86.RZ).VV(x86.VCVTQQ2PS, x86.W512, v, v)
	}
	e.move(x86.W512, high, e.constRow(tW, func(i int) uint64 { return uint64(i>>2<<1 | i&1 | i&2<<3) }))
	e.VVV(x86.VPERMT2D, x86.W512, low, high, t)
	e.release(temp(t))
}
