package jit

// Permutations that move lanes by a distance, zeros coming in behind them: two registers next to each other, shifted.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// shiftBy is permuteBy where a part is lanes next to each other; false if it is not.
func (e *emitter) shiftBy(t *[32]uint32, row loc, dst func() x86.Vec) (v loc, ok bool) {
	by, ok := distance(t, e.part*e.lanes, e.lanes)
	if !ok {
		return loc{}, false
	}
	q := (by + 32) / e.lanes // parts, and lanes of one
	high, within := e.part+32/e.lanes-q, (by+32)%e.lanes
	if within == 0 {
		return e.whole(row, high, dst()), true
	}
	low, h, l := high-1, loc{}, loc{}
	if low >= 0 {
		l = e.partOf(row, low)
	}
	h = e.load(e.partOf(row, high), tW)
	d := dst()
	e.shiftParts(d, h.v, l, low < 0, within)
	e.unload(h, e.partOf(row, high))
	return done(d), true
}

// shiftParts is the lanes of a register, moved up by some of it behind those of the part before, or behind zeros.
func (e *emitter) shiftParts(d, high x86.Vec, low loc, first bool, by int) {
	if !e.evex {
		e.shift256(d, high, low, first, by)
		return
	}
	if first {
		low = e.zeros()
	}
	e.concat(x86.VALIGND, d, high, low, uint8(e.lanes-by))
	if first {
		e.release(low)
	}
}

// distance is how far lanes [first, first+n) are moved up; false if they do not come from lanes next to each other.
func distance(t *[32]uint32, first, n int) (by int, ok bool) {
	some := false
	for i := first; i < first+n; i++ {
		if t[i] != noLane && !some {
			by, some = i-int(t[i]), true
		}
	}
	if !some {
		return first + n, true // nothing but zeros
	}
	for i := first; i < first+n; i++ {
		if from := i - by; from > 31 || (from < 0) != (t[i] == noLane) || from >= 0 && int(t[i]) != from {
			return 0, false
		}
	}
	return by, true
}

// whole is a part as it is, zeros in front of the first.
func (e *emitter) whole(row loc, q int, d x86.Vec) loc {
	if q < 0 {
		e.zero(d)
	} else {
		e.copyOf(d, e.partOf(row, q), tW)
	}
	return done(d)
}

// zeros is a register of zeros.
func (e *emitter) zeros() loc {
	if r, ok := e.bcast.of(bcastKey{typ: tW}); ok {
		return vecAt(r)
	}
	v := e.alloc()
	e.zero(v)
	return temp(v)
}

// concat takes a register's width from high and low, behind each other, from element or byte n of low on.
func (e *emitter) concat(op x86.Op, d, high x86.Vec, low loc, n uint8) {
	if low.kind == inVec {
		e.VVVI(op, e.full(), d, high, low.v, n)
	} else {
		e.VVMI(op, e.full(), d, high, low.m, n)
	}
}

// shift256 is the lanes of eight from low and high: the upper half of low with the lower half of high first, since
// AVX2 shifts bytes within halves alone. Behind zeros there is only the lower half of high.
func (e *emitter) shift256(d, high x86.Vec, low loc, first bool, by int) {
	const half = 4 // lanes
	middle := d
	if by < half && d == high || by > half {
		middle = e.alloc()
		defer e.release(temp(middle))
	}
	switch {
	case first:
		e.VVVI(x86.VPERM2I128, x86.W256, middle, high, high, 0x08)
	case low.kind == inVec:
		e.VVVI(x86.VPERM2I128, x86.W256, middle, low.v, high, 0x21)
	default:
		e.VVMI(x86.VPERM2I128, x86.W256, middle, high, low.m, 0x03)
	}
	switch {
	case by < half:
		e.VVVI(x86.VPALIGNR, x86.W256, d, high, middle, uint8(4*(half-by)))
	case by > half && first:
		e.VVI(x86.VPSLLDQ, x86.W256, d, middle, uint8(4*(by-half)))
	case by > half:
		l := e.load(low, tW)
		e.VVVI(x86.VPALIGNR, x86.W256, d, middle, l.v, uint8(4*(2*half-by)))
		e.unload(l, low)
	}
}
