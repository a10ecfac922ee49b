package jit

// Words of shared memory that many warps of a CTA's program read, or several parts of a row: a register holds them from
// the first reader to the last one, as long as nothing is stored to shared memory and there are registers. Of a product
// of tiles all warps read the same rows: they are loaded once.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// ctaWords are the words of a register, or the word of all its lanes, in shared memory.
type ctaWords struct {
	disp int32
	all  bool
}

// ctaHeld is a register that holds some.
type ctaHeld struct {
	at   ctaWords
	v    x86.Vec
	used int // when, last
}

// holding is what registers hold.
type holding struct {
	list  []ctaHeld
	clock int
	began int                // when the present item did
	left  []map[ctaWords]int // how often they are read until something is stored
}

// besides is how many registers a row may need that is computed, mostBesides how many if its program is a long one.
const (
	besides     = 4
	mostBesides = 10
)

// needs is how many registers a row needs besides its own: as many as its program has values at a time, and what one operation
// may take.
func (n *ctaNode) needs() int {
	if n.prog == nil {
		return besides
	}
	live, most, last := 0, 0, lastUses(n.prog)
	for i := range n.prog.ops {
		if last[i] < 0 {
			continue
		}
		live++
		most = max(most, live)
		for k, a := range n.prog.ops[i].args() {
			if last[a] == i && !repeated(n.prog.ops[i].args()[:k], a) {
				live--
			}
		}
	}
	return min(max(besides, most+2), mostBesides)
}

// words are those of the running part of a load that is read where it is used.
func (m *ctaCode) words(n *ctaNode, part int) ctaWords {
	r := n.at.runs(part*m.c.lanes, m.c.lanes, n.lanes)[0]
	return ctaWords{disp: int32(n.at.known[r.lane] - int64(r.lane-part*m.c.lanes)*r.step), all: r.step == 0}
}

// changes tells whether registers hold nothing behind an item that they held before it.
func (n *ctaNode) changes(store bool) bool {
	return n.kind == nodeBegin || n.kind == nodeEnd || store && n.at.shared
}

// findHeld counts how often words are read between two items behind which nothing is held.
func (m *ctaCode) findHeld() {
	m.held = holding{left: []map[ctaWords]int{{}}}
	for _, x := range m.k.items {
		n := x.of()
		for j := range n.in {
			if of := n.in[j].node; of != nil && of.fold && of.at.shared && n.reads(j) {
				for part := range 32 / m.c.lanes {
					m.held.left[len(m.held.left)-1][m.words(of, part)]++
				}
			}
		}
		if n.changes(x.store != nil) {
			m.held.left = append(m.held.left, map[ctaWords]int{})
		}
	}
}

// hold has words in a register; false if memory is as good.
func (m *ctaCode) hold(w ctaWords, at x86.Mem) (v x86.Vec, ok bool) {
	h := &m.held
	h.clock++
	h.left[0][w]--
	for i := range h.list {
		if h.list[i].at == w {
			h.list[i].used = h.clock
			return h.list[i].v, true
		}
	}
	if h.left[0][w] <= 0 || w.all && m.c.evex || !m.c.uses(CTAHeld) { // it can be an operand
		return 0, false
	}
	if len(m.c.free) <= besides && (m.c.evex || !m.letGo()) {
		return 0, false
	}
	v = m.c.alloc()
	if w.all {
		m.c.broadcast(m.c.full(), tW, v, at)
	} else {
		m.c.move(m.c.full(), v, at)
	}
	h.list = append(h.list, ctaHeld{at: w, v: v, used: h.clock})
	return v, true
}

// letGo gives back the register that was read longest ago, of the present instruction none; false if there is none.
func (m *ctaCode) letGo() bool {
	h, old := &m.held, -1
	for i := range h.list {
		if h.list[i].used <= h.began && (old < 0 || h.list[i].used < h.list[old].used) {
			old = i
		}
	}
	if old < 0 {
		return false
	}
	m.c.free = append(m.c.free, h.list[old].v)
	h.list = append(h.list[:old], h.list[old+1:]...)
	return true
}

// letAllGo gives back all registers that hold words: what follows reads others.
func (m *ctaCode) letAllGo() {
	for _, x := range m.held.list {
		m.c.free = append(m.c.free, x.v)
	}
	m.held.list, m.held.left = m.held.list[:0], m.held.left[1:]
}
