package jit

// Sets of words of a program for borders: CTAs at the left and at the right of a grid take turns, so what one of either
// kind has computed is kept for the next one.

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// wordSets are where differences, conditions, masks and what is counted by them lie: those of the running CTA, then
// those of another one.
type wordSets struct {
	first, size int // places of the running CTA's; as many behind them are the other's
	diffs       int // places of the running CTA's differences until it is known which set has them
}

// layWords gives the words their places, those of a set one behind the other in whole vectors.
func (m *ctaCode) layWords() {
	s := &m.sets
	s.first = m.places
	for _, d := range m.edge.diffs {
		d.at = m.place()
	}
	for _, w := range m.edge.words {
		w.at = m.place()
	}
	for _, x := range m.edge.masks {
		x.at = m.place()
	}
	m.maskSteps, m.maskOps = m.place(), m.place()
	s.size = (m.places - s.first + 7) &^ 7
	s.diffs = s.first + 2*s.size
	m.places = s.diffs + len(m.edge.diffs)
}

// forgetWords makes the first CTA of a launch compute them: no difference is that low.
func (m *ctaCode) forgetWords() {
	if m.edge == nil || len(m.edge.diffs) == 0 {
		return
	}
	at := m.edge.diffs[0].at
	for _, at := range []int{at, at + m.sets.size} {
		m.c.MI(x86.MOV, x86.S32, placeOf(at), math.MinInt32)
	}
}

// findWords goes on at found with the set of words that the running CTA's differences have made: all follow from those
// alone. If neither set is that one, that of the CTA before becomes the other, and the running one is to be computed.
func (m *ctaCode) findWords(found x86.Label) {
	if len(m.k.diffs) == 0 {
		return
	}
	m.c.Zero(x86.R9)
	m.c.Zero(x86.R10)
	for i, d := range m.k.diffs {
		m.differ(i, d)
	}
	if m.c.uses(CTASets) {
		m.c.RR(x86.TEST, x86.S32, x86.R9, x86.R9)
		m.c.Jcc(x86.E, found)
		m.exchangeSets()
		m.c.RR(x86.TEST, x86.S32, x86.R10, x86.R10)
		m.c.Jcc(x86.E, found)
	}
	for i, d := range m.k.diffs {
		m.c.RM(x86.MOV, x86.S32, x86.RAX, placeOf(m.sets.diffs+i))
		m.c.MR(x86.MOV, x86.S32, placeOf(d.at), x86.RAX)
	}
}

// differ computes a difference of numbers, cut to what rows are compared with, and adds the bits in which it is not
// what the running set has to R9, those for the other one to R10.
func (m *ctaCode) differ(i int, d *ctaDiff) {
	m.c.Zero(x86.RAX)
	if d.num != nil {
		m.c.RM(x86.MOV, x86.S64, x86.RAX, d.num.mem())
	}
	if d.less != nil {
		m.c.RM(x86.SUB, x86.S64, x86.RAX, d.less.mem())
	}
	low, high := m.k.rowsOf(d)
	for i, limit := range []int64{high + 1, low - 1} {
		m.c.MovImm(x86.RCX, uint64(limit))
		m.c.RR(x86.CMP, x86.S64, x86.RAX, x86.RCX)
		m.c.Cmov([]x86.Cond{x86.G, x86.L}[i], x86.S64, x86.RAX, x86.RCX)
	}
	m.c.MR(x86.MOV, x86.S32, placeOf(m.sets.diffs+i), x86.RAX)
	m.c.RM(x86.MOV, x86.S32, x86.RCX, placeOf(d.at))
	m.c.RR(x86.XOR, x86.S32, x86.RCX, x86.RAX)
	m.c.RR(x86.OR, x86.S32, x86.R9, x86.RCX)
	m.c.RM(x86.XOR, x86.S32, x86.RAX, placeOf(d.at+m.sets.size))
	m.c.RR(x86.OR, x86.S32, x86.R10, x86.RAX)
}

// exchangeSets makes the other set the running one.
func (m *ctaCode) exchangeSets() {
	a, b := m.c.alloc(), m.c.alloc()
	for at := 0; at < m.sets.size; at += m.c.full().Bytes() / 8 {
		running := placeOf(m.sets.first + at)
		other := placeOf(m.sets.first + m.sets.size + at)
		m.c.VM(x86.VMOVUPS, m.c.full(), a, running)
		m.c.VM(x86.VMOVUPS, m.c.full(), b, other)
		m.c.store(m.c.full(), running, b)
		m.c.store(m.c.full(), other, a)
	}
	m.c.release(temp(a))
	m.c.release(temp(b))
}
