package jit

// The special function unit on amd64: segments are gathered from a table behind the code, sums have
// 64 bits, the truncated square 32 (num/sfu.go).

import (
	"encoding/binary"

	"ptxvm/internal/jit/x86"
	"ptxvm/internal/num"
)

// unit is how one function's sum becomes its result.
type unit struct {
	fraction uint8 // bits of the remainder
	twice    bool  // the square is of twice the remainder
	s0, s2   uint8 // shifts of c0 and c2
	bias     int64
	shift    uint8 // of the sum
	point    uint8 // if not 0: the result is the float sum·2^-point, truncated
	base     uint8 // if not 0: the second operand times 2^base is added behind the shift
}

var units = [num.NumUnits]unit{
	num.UnitRcp:   {fraction: 16, twice: true, s0: 13, bias: 0x47e7, shift: 15},
	num.UnitRsqrt: {fraction: 17, s0: 14, s2: 2, bias: 0x7fff, shift: 16},
	num.UnitEx2:   {fraction: 17, s0: 13, bias: 0x77e2, shift: 15},
	num.UnitLg2:   {fraction: 17, s0: 12, s2: 1, bias: 0x3345, shift: 2, point: 36, base: 36},
	num.UnitSin:   {fraction: 17, s0: 11, point: 37},
}

// unitTemps is how many registers a unit takes.
const unitTemps = 9

// unitTable is where the segments of a unit are: c0 with the bias in 8 bytes, c1 and c2 in 4 each.
func (e *emitter) unitTable(u num.Unit) x86.Mem {
	k := &units[u]
	var row []byte
	for _, s := range u.Segments() {
		row = binary.LittleEndian.AppendUint64(row, uint64(s.C0<<k.s0+k.bias))
		row = binary.LittleEndian.AppendUint32(row, uint32(s.C1))
		row = binary.LittleEndian.AppendUint32(row, uint32(s.C2<<k.s2))
	}
	return e.ConstRow(row, 64)
}

// unit assembles cUnit; RAX is lost.
func (e *emitter) unit(o *operation, a, b loc) loc {
	u := num.Unit(o.imm)
	k, w := &units[u], e.width(tW)
	x := e.load(a, tW)
	index, r, square := e.alloc(), e.alloc(), e.alloc()
	e.VVI(x86.VPSRLD, w, index, x.v, k.fraction)
	e.VVV(x86.VPADDD, w, index, index, index) // entries have 16 bytes, scales go up to 8
	e.vvx(e.opFor(cAnd, tW), w, r, x.v, e.constant(tW, 1<<k.fraction-1))
	e.unload(x, a)
	e.square(w, square, r, k.twice)
	second := loc{}
	if k.base != 0 {
		second = e.load(b, tW)
	}
	e.RM(x86.LEA, x86.S64, x86.RAX, e.unitTable(u))
	result := e.alloc()
	halves := max(1, e.lanes*8/e.full().Bytes())
	for h := range halves {
		sum := e.segment(h, halves, index, r, square)
		e.unitResult(k, sum, h, halves, second)
		e.narrow(result, sum, h, halves)
		e.release(temp(sum))
	}
	if k.base != 0 {
		e.unload(second, b)
	}
	for _, v := range []x86.Vec{index, r, square} {
		e.release(temp(v))
	}
	return done(result)
}

// wide64 is the register width of half the part's lanes with 64-bit elements, or of all.
func (e *emitter) wide64() x86.Width {
	if e.lanes == 1 {
		return x86.W128
	}
	return e.full()
}

// square: each set bit k of x adds x>>(18-k).
func (e *emitter) square(w x86.Width, sum, r x86.Vec, twice bool) {
	x, t := r, e.alloc()
	if twice {
		x = e.alloc()
		e.VVV(x86.VPADDD, w, x, r, r)
	}
	e.VVI(x86.VPSRLD, w, sum, x, 16)
	e.onlyBit(w, sum, sum, x, 2)
	for k := uint8(3); k <= 16; k++ {
		e.VVI(x86.VPSRLD, w, t, x, 18-k)
		e.onlyBit(w, t, t, x, k)
		e.VVV(x86.VPADDD, w, sum, sum, t)
	}
	e.VVI(x86.VPSRLD, w, sum, sum, 1)
	if twice {
		e.release(temp(x))
	}
	e.release(temp(t))
}

// onlyBit keeps the elements of s whose x has bit k set.
func (e *emitter) onlyBit(w x86.Width, d, s, x x86.Vec, k uint8) {
	if e.evex {
		m := e.allocK()
		e.KVM(x86.VPTESTMD, w, m, x, e.Const32(1<<k).Bcast())
		e.Zeroed(m).VV(x86.VMOVDQA32, w, d, s)
		e.release(loc{kind: inK, k: m, owned: true})
		return
	}
	t := e.alloc()
	e.VVI(x86.VPSLLD, w, t, x, 31-k)
	e.VVI(x86.VPSRAD, w, t, t, 31)
	e.VVV(x86.VPAND, w, d, s, t)
	e.release(temp(t))
}

// widen makes 64-bit elements of the lower or upper half of 32-bit ones, extended by zeros.
func (e *emitter) widen(d, s x86.Vec, h, halves int) {
	op, w := x86.VPMOVZXDQ, e.wide64()
	if halves == 2 && h == 1 {
		e.upper(d, s)
		s = d
	}
	e.VV(op, w, d, s)
}

// upper moves the upper half of a full register down.
func (e *emitter) upper(d, s x86.Vec) {
	if e.evex {
		e.VVI(x86.VEXTRACTI64X4, x86.W512, d, s, 1)
	} else {
		e.VVI(x86.VEXTRACTI128, x86.W256, d, s, 1)
	}
}

// segment is c0 + c1·r + c2·square of half the lanes, from the table at RAX.
func (e *emitter) segment(h, halves int, index, r, square x86.Vec) x86.Vec {
	w := e.wide64()
	i, c, t, sum := index, e.alloc(), e.alloc(), e.alloc()
	if halves == 2 && h == 1 {
		i = e.alloc()
		e.upper(i, index)
	}
	e.gather64(w, sum, i, 0, t)
	e.gather64(w, c, i, 8, t)
	e.widen(t, r, h, halves)
	e.VVV(x86.VPMULDQ, w, t, t, c)
	e.VVV(x86.VPADDQ, w, sum, sum, t)
	e.VVI(x86.VPSRLQ, w, c, c, 32)
	e.widen(t, square, h, halves)
	e.VVV(x86.VPMULDQ, w, t, t, c)
	e.VVV(x86.VPADDQ, w, sum, sum, t)
	if i != index {
		e.release(temp(i))
	}
	e.release(temp(c))
	e.release(temp(t))
	return sum
}

// gather64 reads 8 bytes of each entry; t is lost.
func (e *emitter) gather64(w x86.Width, d, index x86.Vec, at int32, t x86.Vec) {
	m := x86.AtVec(x86.RAX, index, 8, at)
	if e.evex {
		k := e.allocK()
		e.KKK(x86.KXNORW, k, k, k)
		e.zero(d)
		e.Masked(k).VM(x86.VPGATHERDQK, w, d, m)
		e.release(loc{kind: inK, k: k, owned: true})
		return
	}
	e.VVV(x86.VPCMPEQD, w, t, t, t)
	e.zero(d)
	e.VMV(x86.VPGATHERDQ, w, d, m, t)
}

// unitResult makes the result of a sum, in the low 32 bits of each element.
func (e *emitter) unitResult(k *unit, sum x86.Vec, h, halves int, second loc) {
	w := e.wide64()
	if k.shift != 0 {
		e.VVI(x86.VPSRLQ, w, sum, sum, k.shift) // no sum is negative
	}
	if k.point == 0 {
		return
	}
	t := e.alloc()
	if k.base == 0 {
		e.truncFloat(sum, t, k.point)
		e.release(temp(t))
		return
	}
	e.widen(t, second.v, h, halves) // what the zeros above it make wrong is shifted out
	e.VVI(x86.VPSLLQ, w, t, t, k.base)
	e.VVV(x86.VPADDQ, w, sum, sum, t)
	sign := e.alloc()
	e.complement(sum, sign)
	e.truncFloat(sum, t, k.point)
	e.VVI(x86.VPSLLD, w, sign, sign, 31)
	e.VVV(e.opFor(cOr, tX), w, sum, sum, sign)
	e.release(temp(sign))
	e.release(temp(t))
}

// complement leaves in sign all ones where sum is negative, and complements it there.
func (e *emitter) complement(sum, sign x86.Vec) {
	w := e.wide64()
	if e.evex {
		e.VVI(x86.VPSRAQ, w, sign, sum, 63)
		e.VVV(x86.VPXORQ, w, sum, sum, sign)
		return
	}
	e.zero(sign)
	e.VVV(x86.VPCMPGTQ, w, sign, sign, sum)
	e.VVV(x86.VPXOR, w, sum, sum, sign)
}

// truncFloat makes the f32 nearest to zero of sum·2^-point, sum below 2^52, by way of an f64.
func (e *emitter) truncFloat(sum, t x86.Vec, point uint8) {
	const two52 = 0x4330000000000000
	w, magic := e.wide64(), e.unitConstant(two52)
	e.VVV(e.opFor(cOr, tX), w, t, sum, magic)
	e.VVV(x86.VSUBPD, w, t, t, magic)
	e.release(temp(magic))
	e.VVI(x86.VPSRLQ, w, t, t, 52-23)
	rebias := e.unitConstant(uint64(1023-127+int64(point)) << 23)
	e.VVV(x86.VPSUBD, w, t, t, rebias)
	e.zero(rebias)
	if e.evex {
		k := e.allocK()
		e.KVVI(x86.VPCMPUQ, w, k, sum, rebias, 4)
		e.Zeroed(k).VV(x86.VMOVDQA64, w, sum, t)
		e.release(loc{kind: inK, k: k, owned: true})
	} else {
		e.VVV(x86.VPCMPEQQ, w, sum, sum, rebias)
		e.VVV(x86.VPANDN, w, sum, sum, t)
	}
	e.release(temp(rebias))
}

// unitConstant is a 64-bit constant in a register.
func (e *emitter) unitConstant(v uint64) x86.Vec {
	r := e.alloc()
	e.broadcast(e.wide64(), tX, r, e.Const64(v))
	return r
}

// narrow puts the low 32 bits of the elements into half of the result.
func (e *emitter) narrow(result, sum x86.Vec, h, halves int) {
	switch {
	case e.lanes == 1:
		e.copy(x86.W128, result, sum)
		return
	case e.evex:
		if h == 0 {
			e.VV(x86.VPMOVQD, x86.W512, result, sum)
			return
		}
		e.VV(x86.VPMOVQD, x86.W512, sum, sum)
		e.VVVI(x86.VINSERTI64X4, x86.W512, result, result, sum, 1)
		return
	}
	even := e.alloc()
	e.move(x86.W256, even, e.constRow(tW, func(i int) uint64 { return uint64(2 * i & 7) }))
	if h == 0 {
		e.VVV(x86.VPERMD, x86.W256, result, even, sum)
	} else {
		e.VVV(x86.VPERMD, x86.W256, even, even, sum)
		e.VVVI(x86.VINSERTI128, x86.W256, result, result, even, 1)
	}
	e.release(temp(even))
}
