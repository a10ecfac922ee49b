package jit

// Permutations that move lanes by a distance: two registers next to each other, shifted.

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
		d := dst()
		e.copyOf(d, e.partOf(row, high), tW)
		return done(d), true
	}
	h, low := e.load(e.partOf(row, high), tW), e.partOf(row, high-1)
	d := dst()
	e.shiftParts(d, h.v, low, within)
	e.unload(h, e.partOf(row, high))
	return done(d), true
}

// shiftParts is the lanes of a register, moved up by some of it behind those of the part before.
func (e *emitter) shiftParts(d, high x86.Vec, low loc, by int) {
	if !e.evex {
		e.shift256(d, high, low, by)
		return
	}
	e.concat(x86.VALIGND, d, high, low, uint8(e.lanes-by))
}

// distance is how far lanes [first, first+n) are moved up; false if they do not come from lanes next to each other.
func distance(t *[32]uint32, first, n int) (by int, ok bool) {
	by = first - int(t[first])
	for i := first; i < first+n; i++ {
		if t[i] > 31 || int(t[i]) != i-by {
			return 0, false
		}
	}
	return by, true
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
// AVX2 shifts bytes within halves alone.
func (e *emitter) shift256(d, high x86.Vec, low loc, by int) {
	const half = 4 // lanes
	middle := d
	if by < half && d == high || by > half {
		middle = e.alloc()
		defer e.release(temp(middle))
	}
	if low.kind == inVec {
		e.VVVI(x86.VPERM2I128, x86.W256, middle, low.v, high, 0x21)
	} else {
		e.VVMI(x86.VPERM2I128, x86.W256, middle, high, low.m, 0x03)
	}
	switch {
	case by < half:
		e.VVVI(x86.VPALIGNR, x86.W256, d, high, middle, uint8(4*(half-by)))
	case by > half:
		l := e.load(low, tW)
		e.VVVI(x86.VPALIGNR, x86.W256, d, middle, l.v, uint8(4*(2*half-by)))
		e.unload(l, low)
	}
}
