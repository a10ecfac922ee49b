package jit

// Tests of lanes that masks decide: first of all that may run, and where that fails of those that do.

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// masked tests whether a test is one of lanes that masks decide.
func (g *ctaGuard) masked() bool { return len(g.x.masked)+len(g.y.masked) != 0 }

// guard assembles a test.
func (m *ctaCode) guard(g *ctaGuard) {
	if !g.masked() {
		m.test(g)
		return
	}
	done, again, miss := m.c.NewLabel(), m.c.NewLabel(), m.miss
	m.miss = again
	m.test(g)
	m.miss = miss
	m.c.Bind(done)
	m.cold = append(m.cold, func() {
		if m.tooLong() {
			return
		}
		m.c.Bind(again)
		m.c.count()
		m.extents = map[*ctaSide]int{}
		for _, x := range []*ctaSide{&g.x, &g.y} {
			if len(x.masked) != 0 {
				m.narrow(x, done)
			}
		}
		m.test(g)
		m.extents = nil
		m.c.Jmp(done)
	})
}

// Places in memory of extents: the least and the greatest of what is known, then of each rate, in pairs.
func extentPlace(at, i int, greatest bool) x86.Mem {
	return x86.At(rCtx, saveSpill+8*ctaPlaces+int32(at+16*i+8*int(bit(greatest))))
}

// narrow computes the extent of the lanes of a side that run; who has none has been tested.
func (m *ctaCode) narrow(x *ctaSide, none x86.Label) {
	at := 512 * len(m.extents)
	var ends [][2]x86.Vec
	for i := range 1 + len(x.rates) {
		e := [2]x86.Vec{m.c.alloc(), m.c.alloc()}
		low, high := x.ends(i)
		m.c.move(m.c.full(), e[0], m.rowOfWords(func(int) uint32 { return uint32(low) }))
		m.c.move(m.c.full(), e[1], m.rowOfWords(func(int) uint32 { return uint32(high) }))
		ends = append(ends, e)
	}
	for _, r := range x.masked {
		for m.c.part = range 32 / m.c.lanes {
			if r.when.set.lanes()>>(m.c.part*m.c.lanes)&(1<<m.c.lanes-1) != 0 {
				m.widen(&r, ends)
			}
		}
	}
	for i, e := range ends {
		for k, v := range e {
			m.least(v, k == 1)
			m.c.RV(x86.VMOVD, x86.W128, x86.RAX, v)
			m.c.release(temp(v))
			m.c.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
			if i == 0 && k == 1 && x.reach != 0 {
				m.c.RI(x86.ADD, x86.S64, x86.RAX, int32(x.reach))
			}
			m.c.MR(x86.MOV, x86.S64, extentPlace(at, i, k == 1), x86.RAX)
		}
		if i == 0 && !x.sure.some {
			m.c.RM(x86.CMP, x86.S64, x86.RAX, extentPlace(at, 0, false))
			m.c.Jcc(x86.L, none)
		}
	}
	m.extents[x] = at
}

// ends are the least and the greatest of the lanes that run for sure.
func (x *ctaSide) ends(i int) (low, high int64) {
	switch {
	case !x.sure.some:
		return math.MaxInt32, math.MinInt32
	case i == 0:
		return x.sure.low, x.sure.high - x.reach
	}
	r := x.sure.rates[i-1]
	return r[0], r[1]
}

// widen makes the running part of extents have the lanes of a mask.
func (m *ctaCode) widen(r *ctaMasked, ends [][2]x86.Vec) {
	var mask x86.Vec
	if m.c.evex {
		m.under(r.when, m.first(), 1<<m.c.lanes-1)
	} else {
		mask = m.truths(r.when, m.first(), 1<<m.c.lanes-1)
	}
	for i, e := range ends {
		row := &r.known
		if i > 0 {
			row = &r.rates[i-1].coef
		}
		at := m.rowOfWords(func(i int) uint32 { return uint32(row[m.c.part*m.c.lanes+i]) })
		for k, op := range []x86.Op{x86.VPMINSD, x86.VPMAXSD} {
			if m.c.evex {
				m.c.Masked(kCTA).VVM(op, m.c.full(), e[k], e[k], at)
				continue
			}
			t := m.c.alloc()
			m.c.move(m.c.full(), t, at)
			m.c.VVVV(x86.VBLENDVPS, m.c.full(), t, e[k], t, mask)
			m.c.VVV(op, m.c.full(), e[k], e[k], t)
			m.c.release(temp(t))
		}
	}
	if !m.c.evex {
		m.c.release(temp(mask))
	}
}

// least has the least or the greatest element of a register in its first one.
func (m *ctaCode) least(v x86.Vec, greatest bool) {
	op := x86.VPMINSD
	if greatest {
		op = x86.VPMAXSD
	}
	t := m.c.alloc()
	m.c.across(op, v, t)
	m.c.release(temp(t))
}

// extremeAt is extreme for an extent that has been computed.
func (m *ctaCode) extremeAt(x *ctaSide, at int, greatest bool) {
	m.c.RM(x86.MOV, x86.S64, x86.RAX, extentPlace(at, 0, greatest))
	if x.num != nil {
		m.c.RM(x86.ADD, x86.S64, x86.RAX, x.num.mem())
	}
	for i, n := range x.rates {
		m.c.RM(x86.MOV, x86.S64, x86.RCX, extentPlace(at, 1+i, greatest))
		m.c.RM(x86.IMUL, x86.S64, x86.RCX, n.mem())
		m.c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
	}
}
