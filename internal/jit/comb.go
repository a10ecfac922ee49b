package jit

// Whole registers of lanes at a small constant distance, by AVX-512: what lies between the first lane's element and
// the last one's is read as it stands, and the lanes are picked from it; what is stored is spread over
// registers first, of which only the lanes are written. Gathers and scatters would take one lane after the other.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// comb says how a register of lanes lies in memory: in n pieces of 64 bytes with so many lanes each.
type comb struct {
	static *static
	per, n int
}

// comb plans the access of a register of lanes; false if that is not worth while.
func (s *static) comb(w x86.Width, t typ) (c comb, ok bool) {
	step := int(s.stride.step)
	if !s.acc.c.evex || t != tW || w != x86.W512 || step <= 4 || step > 60 || step%4 != 0 {
		return c, false
	}
	c = comb{static: s, per: 60/step + 1}
	c.n = (15 + c.per) / c.per
	return c, c.n <= 4 && s.acc.c.uses(Combs)
}

// piece is where piece j begins: the last one of those that are read ends with the last lane's element.
func (c comb) piece(j int) int {
	step := int(c.static.stride.step)
	if j == c.n-1 {
		return 15*step - 60
	}
	return j * c.per * step
}

// index is a register that says where the lanes of pieces j and j+1 are in the two, behind each other. Other lanes
// are said to be in their place already.
func (c comb) index(j int) x86.Vec {
	v := c.static.acc.c.alloc()
	c.static.acc.c.move(x86.W512, v, c.static.acc.c.constRow(tW, func(lane int) uint64 {
		at := lane/c.per - j
		if at < 0 || at > 1 {
			return uint64(lane)
		}
		return uint64(16*at + (lane*int(c.static.stride.step)-c.piece(j+at))/4)
	}))
	return v
}

// load picks the lanes of two pieces from memory into v, of which j is the first.
func (c comb) load(j int, v x86.Vec, m x86.Mem) {
	at := c.index(j)
	c.static.acc.c.move(x86.W512, v, m.Plus(int32(c.piece(j))))
	c.static.acc.c.VVM(x86.VPERMT2D, x86.W512, v, at, m.Plus(int32(c.piece(j+1))))
	c.static.acc.c.release(temp(at))
}

// gather loads the lanes from m on.
func (c comb) gather(v x86.Vec, m x86.Mem) {
	c.load(0, v, m)
	switch c.n {
	case 3:
		c.append(v, 2, func(at x86.Vec) { c.static.acc.c.VVM(x86.VPERMT2D, x86.W512, v, at, m.Plus(int32(c.piece(2)))) })
	case 4:
		t := c.static.acc.c.alloc()
		c.load(2, t, m)
		c.append(v, 4, func(at x86.Vec) { c.static.acc.c.VVV(x86.VPERMT2D, x86.W512, v, at, t) })
		c.static.acc.c.release(temp(t))
	}
}

// append lets a permutation put the lanes behind the first two pieces into v: from piece j, or, with j 4, from
// where they are in a register.
func (c comb) append(v x86.Vec, j int, permute func(at x86.Vec)) {
	at := c.static.acc.c.alloc()
	c.static.acc.c.move(x86.W512, at, c.static.acc.c.constRow(tW, func(lane int) uint64 {
		switch {
		case lane < 2*c.per:
			return uint64(lane)
		case j == 4:
			return uint64(16 + lane)
		}
		return uint64(16 + (lane*int(c.static.stride.step)-c.piece(j))/4)
	}))
	permute(at)
	c.static.acc.c.release(temp(at))
}

// scatter stores the lanes of v from m on.
func (c comb) scatter(v x86.Vec, m x86.Mem) {
	step, last := int(c.static.stride.step), uint64(0)
	t := c.static.acc.c.alloc()
	for j := range c.n {
		mask := uint64(0)
		for lane := j * c.per; lane < min((j+1)*c.per, 16); lane++ {
			mask |= 1 << ((lane - j*c.per) * step / 4)
		}
		if mask != last {
			c.static.acc.c.MovImm(x86.R8, mask)
			c.static.acc.c.KR(x86.KMOVD, x86.K6, x86.R8)
			last = mask
		}
		c.static.acc.c.move(x86.W512, t, c.static.acc.c.constRow(tW, func(i int) uint64 { return uint64(j*c.per+4*i/step) & 15 }))
		c.static.acc.c.VVV(x86.VPERMD, x86.W512, t, t, v)
		c.static.acc.c.Masked(x86.K6).MV(x86.VMOVDQU32, x86.W512, m.Plus(int32(j*c.per*step)), t)
	}
	c.static.acc.c.release(temp(t))
}
