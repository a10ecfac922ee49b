package jit

// The element of one lane that is known, of a row in registers: through memory the whole row would be stored.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// onlyLane is the lane whose value stays where all lanes have one address; false if it is not known, or its row is not in registers.
func (s *static) onlyLane(d *source) (lane int, ok bool) {
	if s.stride.row != 32 || d.known || d.slot || d.typ != tW || d.row < 0 || d.seen != nil || d.pat != nil || !s.uses(Extracts) {
		return 0, false
	}
	switch {
	case s.use == allLanes:
		return 31, true
	case s.use == guardLanes && s.others != 0:
		return 31 - bits.LeadingZeros32(s.others), true
	}
	return 0, false
}

// extract brings a lane's element into R8.
func (c *compiler) extract(d *source, lane int) {
	n := c.full().Bytes() / 4
	v, quarter, t := x86.Vec(d.row+lane/n), lane%n/4, c.alloc()
	switch {
	case quarter > 0 && c.evex:
		c.VVI(x86.VEXTRACTI32X4, x86.W512, t, v, uint8(quarter))
		v = t
	case quarter > 0:
		c.VVI(x86.VEXTRACTI128, x86.W256, t, v, 1)
		v = t
	}
	if lane%4 != 0 {
		c.VVI(x86.VPSHUFD, x86.W128, t, v, uint8(lane%4))
		v = t
	}
	c.RV(x86.VMOVD, x86.W128, x86.R8, v)
	c.release(temp(t))
}
