package jit

// Every second or fourth word in a CTA's program, as members of structures and elements of vectors are: whole registers are
// loaded and stored, and their words brought to their lanes, where gathers and scatters would go lane by lane.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// crossed exchanges the middle quarters of a register.
const crossed = 0xd8

// every is how many words lanes of a register are apart that all execute an access: 2 or 4, else 0.
func (m *ctaCode) every(n *ctaNode, first int) int64 {
	s := n.at.ctaSplit
	step := s.known[first+1] - s.known[first]
	if n.when != nil || m.running(n, first) != 1<<m.c.lanes-1 || step != 8 && step != 16 || !s.alike(first, m.c.lanes, allOf) {
		return 0
	}
	for i := first + 1; i < first+m.c.lanes; i++ {
		if s.known[i]-s.known[i-1] != step {
			return 0
		}
	}
	return step / 4
}

// loadEvery loads the running part of a load of every second or, by AVX2, fourth word; false if it is something else. The last
// register ends with the last word.
func (m *ctaCode) loadEvery(n *ctaNode, first int, v x86.Vec) bool {
	by := m.every(n, first)
	if by == 0 || by == 4 && m.c.evex {
		return false
	}
	w, at := m.c.full(), m.memory(n, ctaRun{lane: first, n: 1}, first)
	last := at.Plus(int32(4 * (int(by)*(m.c.lanes-1) + 1 - m.c.lanes)))
	switch {
	case m.c.evex:
		t := m.c.alloc()
		m.c.move(w, t, at)
		m.c.move(w, v, m.rowOfWords(func(i int) uint32 { return uint32(2*i + i/8) })) // the second register begins one word early
		m.c.VVM(x86.VPERMI2D, w, v, t, last)
		m.c.release(temp(t))
	case by == 2:
		m.c.move(w, v, at)
		m.c.VVMI(x86.VSHUFPS, w, v, v, last, 0xd8)
		m.c.VVI(x86.VPERMQ, w, v, v, crossed)
	default:
		t := m.c.alloc()
		m.c.move(w, v, at)
		m.c.VVMI(x86.VSHUFPS, w, v, v, at.Plus(32), 0x00)
		m.c.move(w, t, at.Plus(64))
		m.c.VVMI(x86.VSHUFPS, w, t, t, last, 0xf0)
		m.c.VVVI(x86.VSHUFPS, w, v, v, t, 0x88)
		m.c.move(w, t, m.rowOfWords(func(i int) uint32 { return uint32(i%2*4 + i/2) }))
		m.c.VVV(x86.VPERMD, w, v, t, v)
		m.c.release(temp(t))
	}
	return true
}

// storeVectors assembles the stores of all elements of vectors one behind the other, from an item on, and tells how many follow;
// 0 if it is not the first of such.
func (m *ctaCode) storeVectors(item int) int {
	list := m.vectors(item)
	if list == nil {
		return 0
	}
	m.makeRoom(12)
	m.c.note(list[0].pc, list[0].pc+1)
	for m.c.part = range 32 / m.c.lanes {
		first := m.c.part * m.c.lanes
		var vals, froms []loc
		for _, n := range list {
			x := m.loc(&n.in[0])
			vals, froms = append(vals, m.c.load(x, tW)), append(froms, x)
		}
		at := m.memory(list[0], ctaRun{lane: first, n: 1}, first)
		for _, n := range list[1:] { // their places are proved, too
			m.memory(n, ctaRun{lane: first, n: 1}, first)
		}
		m.interleave(at, vals)
		for i := range vals {
			m.c.unload(vals[i], froms[i])
			m.c.release(froms[i])
		}
	}
	return len(list) - 1
}

// vectors are the stores of the elements of vectors that one instruction stores, lane behind lane; nil if an item is not the first of such.
func (m *ctaCode) vectors(item int) (list []*ctaNode) {
	head := m.k.items[item].store
	if head == nil {
		return nil
	}
	by := int(m.every(head, 0))
	if by == 0 || by == 4 && m.c.evex || item+by > len(m.k.items) {
		return nil
	}
	for first := m.c.lanes; first < 32; first += m.c.lanes {
		if int(m.every(head, first)) != by {
			return nil
		}
	}
	for i := range by {
		n := m.k.items[item+i].store
		if n == nil || n.pc != head.pc || n.warp != head.warp || n.phase != head.phase || n.at.known[0] != head.at.known[0]+4*int64(i) {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// interleave stores two or four registers, a word of each in turn.
func (m *ctaCode) interleave(at x86.Mem, vals []loc) {
	w := m.c.full()
	if m.c.evex {
		for half := range 2 {
			t := m.c.alloc()
			m.c.move(w, t, m.rowOfWords(func(i int) uint32 { return uint32(8*half + i/2 + i%2*16) }))
			m.c.VVV(x86.VPERMI2D, w, t, vals[0].v, vals[1].v)
			m.c.store(w, at.Plus(int32(64*half)), t)
			m.c.release(temp(t))
		}
		return
	}
	// Each step has words of the same 128 bits one behind the other, the last one the lower and the upper ones.
	list := m.zip(x86.VPUNPCKLDQ, x86.VPUNPCKHDQ, vals[0].v, vals[1].v)
	if len(vals) == 4 {
		more := m.zip(x86.VPUNPCKLDQ, x86.VPUNPCKHDQ, vals[2].v, vals[3].v)
		low := m.zip(x86.VPUNPCKLQDQ, x86.VPUNPCKHQDQ, list[0], more[0])
		high := m.zip(x86.VPUNPCKLQDQ, x86.VPUNPCKHQDQ, list[1], more[1])
		m.releaseAll(append(list, more...))
		list = append(low, high...)
	}
	t := m.c.alloc()
	for upper := range 2 {
		for i := 0; i < len(list); i += 2 {
			m.c.VVVI(x86.VPERM2I128, w, t, list[i], list[i+1], uint8(0x20+0x11*upper))
			m.c.store(w, at.Plus(int32(32*(upper*len(list)/2+i/2))), t)
		}
	}
	m.c.release(temp(t))
	m.releaseAll(list)
}

func (m *ctaCode) releaseAll(list []x86.Vec) {
	for _, v := range list {
		m.c.release(temp(v))
	}
}

// zip interleaves two registers, 128 bits by 128 bits: the lower halves of these, and the upper ones.
func (m *ctaCode) zip(low, high x86.Op, a, b x86.Vec) []x86.Vec {
	l, h := m.c.alloc(), m.c.alloc()
	m.c.VVV(low, m.c.full(), l, a, b)
	m.c.VVV(high, m.c.full(), h, a, b)
	return []x86.Vec{l, h}
}
