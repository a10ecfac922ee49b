package jit

// Accesses of a CTA's program whose lanes are neither one behind the other nor in one place: words of structures, elements
// of vectors, columns. How far lanes are apart is known, so they are gathered or scattered by a constant row.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// scattered tells whether the lanes of a register are in too many runs for one access each.
func scattered(runs []ctaRun) bool { return len(runs) > maxCTARuns }

// alike tells whether those of n lanes from a first one on that execute an access follow from the same numbers.
func (s *ctaSplit) alike(first, n int, lanes uint32) bool {
	lead := -1
	for i := first; i < first+n; i++ {
		switch {
		case lanes>>i&1 == 0:
		case lead < 0:
			lead = i
		case !s.sameRates(i, lead):
			return false
		}
	}
	return true
}

// apart has how far the lanes of the running part are from the first of them that executes an access, and where that is;
// the others are in its place.
func (m *ctaCode) apart(n *ctaNode, first int) (index, at x86.Mem) {
	lead := first + bits.TrailingZeros32(n.lanes>>first)
	base := n.at.known[lead]
	index = m.rowOfWords(func(i int) uint32 {
		if n.lanes>>(first+i)&1 == 0 {
			return 0
		}
		return uint32(n.at.known[first+i] - base)
	})
	return index, m.memory(n, ctaRun{lane: lead, n: 1}, first)
}

// gather gathers the running part; lanes that do not load it have anything, where a mask decides 0.
func (m *ctaCode) gather(n *ctaNode, first int, v x86.Vec) {
	w, index := m.c.full(), m.c.alloc()
	row, at := m.apart(n, first)
	m.c.move(w, index, row)
	from := x86.AtVec(at.Base, index, 1, at.Disp).By(at.Proof)
	masked := n.when != nil && !n.at.shared // whoever does not load from shared memory could
	m.c.zero(v)
	switch {
	case m.c.evex && masked:
		m.c.Masked(m.under(n.when, first, m.running(n, first))).VM(x86.VPGATHERDDK, w, v, from)
	case m.c.evex:
		m.c.KKK(x86.KXNORW, kCTA, kCTA, kCTA)
		m.c.Masked(kCTA).VM(x86.VPGATHERDDK, w, v, from)
	case masked:
		t := m.truths(n.when, first, m.running(n, first))
		m.c.VMV(x86.VPGATHERDD, w, v, from, t)
		m.c.release(temp(t))
	default:
		ones := m.c.alloc()
		m.c.VVV(x86.VPCMPEQD, w, ones, ones, ones)
		m.c.VMV(x86.VPGATHERDD, w, v, from, ones)
		m.c.release(temp(ones))
	}
	m.c.release(temp(index))
}

// running are the lanes of a register, from a first one on, that may execute an access.
func (m *ctaCode) running(n *ctaNode, first int) uint32 {
	return n.lanes >> first & (1<<m.c.lanes - 1)
}

// scatter stores the running part.
func (m *ctaCode) scatter(n *ctaNode, first int, v x86.Vec) {
	lanes := m.running(n, first)
	switch {
	case m.c.evex:
		w, index := m.c.full(), m.c.alloc()
		row, at := m.apart(n, first)
		m.c.move(w, index, row)
		if n.when != nil {
			m.under(n.when, first, lanes)
		} else {
			m.mask(lanes)
		}
		m.c.Masked(kCTA).MV(x86.VPSCATTERDD, w, x86.AtVec(at.Base, index, 1, at.Disp).By(at.Proof), v)
		m.c.release(temp(index))
		return
	case n.when != nil:
		m.scatterMasked(n, first, v)
		return
	}
	half := m.c.alloc()
	for set := lanes; set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		from := v
		if i >= 4 {
			from = half
			if set == lanes&^0xf {
				m.c.VVI(x86.VEXTRACTI128, x86.W256, half, v, 1)
			}
		}
		at := m.memory(n, ctaRun{lane: first + i, n: 1}, first)
		m.c.MVI(x86.VPEXTRD, x86.W128, at, from, uint8(i%4))
	}
	m.c.release(temp(half))
}

// storeLast stores the last one of lanes that store to one place, unless lanes behind them all do, too.
func (m *ctaCode) storeLast(n *ctaNode, r ctaRun, first int, v x86.Vec) {
	lane := r.lane + r.n - 1
	if rest := n.at.runs(lane, 32-lane, n.lanes); lane < 31 && len(rest) == 1 && rest[0].n == 32-lane && rest[0].step == 0 {
		return
	}
	at, i := m.memory(n, ctaRun{lane: lane, n: 1}, first), lane-first
	t := m.c.alloc()
	switch {
	case i < 4:
		m.c.copy(x86.W128, t, v)
	case m.c.evex:
		m.c.VVI(x86.VEXTRACTI32X4, x86.W512, t, v, uint8(i/4))
	default:
		m.c.VVI(x86.VEXTRACTI128, x86.W256, t, v, 1)
	}
	m.c.MVI(x86.VPEXTRD, x86.W128, at, t, uint8(i%4))
	m.c.release(temp(t))
}

// scatterMasked is scatter for lanes of a mask by AVX2.
func (m *ctaCode) scatterMasked(n *ctaNode, first int, v x86.Vec) {
	all, one := m.truths(n.when, first, m.running(n, first)), m.c.alloc()
	for set := m.running(n, first); set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		m.c.VVM(x86.VPAND, m.c.full(), one, all, m.laneRow(1<<i))
		m.c.MVV(x86.VPMASKMOVD, m.c.full(), m.memory(n, ctaRun{lane: first + i, n: 1, step: 4}, first), one, v)
	}
	m.c.release(temp(one))
	m.c.release(temp(all))
}
