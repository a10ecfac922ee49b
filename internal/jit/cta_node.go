package jit

// Rows of a CTA's program that are computed when it runs.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// ctaNode is one of them.
type ctaNode struct {
	kind  ctaNodeKind
	prog  *program
	in    []ctaVal
	lanes uint32   // nodeLoad, a store: that execute; nodeMerge: of in[0]
	when  *ctaMask // which of them do; nil: all
	at    *ctaPlace
	from  *[32]uint32 // nodeShuffle: whose value each lane has
	pc    int32
	warp  int
	phase int

	wanted uint32 // lanes that somebody looks at
	item   int    // where it is computed
	last   int    // item that reads it last
	uses   int
	fold   bool // it is read where it is used
	regs   []x86.Vec
	slot   int // place and 1 in memory, 0 for none
}

type ctaNodeKind uint8

const (
	nodeProgram ctaNodeKind = iota
	nodeCanon               // in[0] with canonical NaNs
	nodeMerge               // lanes of in[0], the others of in[1]
	nodeShuffle             // in[0] of other lanes
	nodeLoad
)

// node adds a row to the program.
func (k *cta) node(w *ctaWarp, x ctaNode) *ctaNode {
	n := k.mem.cta.nodes.one()
	*n = x
	n.pc, n.warp, n.phase = w.pc, w.index, k.phase
	k.items = append(k.items, k.mem.cta.item(ctaItem{node: n}))
	return n
}

// settle finds which rows somebody looks at, in which lanes, and leaves out what nobody does.
func (k *cta) settle() {
	for i := len(k.items) - 1; i >= 0; i-- {
		n := k.items[i].of()
		want := n.wanted
		if k.items[i].store != nil {
			want = n.lanes
		}
		for j := range n.in {
			if m := n.in[j].node; m != nil {
				m.wanted |= want & n.laneUse(j)
			}
		}
	}
	k.pass()
	kept := k.items[:0]
	for _, x := range k.items {
		if x.node != nil && (x.node.wanted == 0 || x.node.same() != nil) {
			continue
		}
		n := x.of()
		n.item = len(kept)
		for j := range n.in {
			if !n.reads(j) {
				continue
			}
			if m := n.in[j].node; m != nil {
				m.last, m.uses = n.item, m.uses+1
			} else if p := n.in[j].poly; p != nil {
				k.split(p) // its numbers get their places
			}
		}
		kept = append(kept, x)
	}
	k.items = kept
	k.foldLoads()
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

// laneUse is the lanes of source j that a row takes.
func (n *ctaNode) laneUse(j int) uint32 {
	switch {
	case n.kind != nodeMerge || n.prog != nil:
		return ^uint32(0)
	case j == 0:
		return n.lanes
	case n.when != nil:
		return allOf
	}
	return ^n.lanes
}

// reads tells whether source j is read.
func (n *ctaNode) reads(j int) bool {
	if n.kind != nodeProgram || n.prog == nil {
		return true
	}
	need := needed(n.prog)
	for i := range n.prog.ops {
		if o := &n.prog.ops[i]; o.code == cIn && need[i] && int(o.imm) == j {
			return true
		}
	}
	return false
}

// same is the row that this one is, in all lanes that anybody looks at; nil if there is none.
func (n *ctaNode) same() *ctaVal {
	switch {
	case n.kind != nodeMerge:
	case n.wanted&^n.lanes == 0 && n.when == nil:
		return &n.in[0]
	case n.wanted&n.lanes == 0:
		return &n.in[1]
	case n.when != nil && n.zeroed():
		return &n.in[0]
	}
	return nil
}

// zeroed tells whether a row is a load, and 0 in lanes that do not load.
func (n *ctaNode) zeroed() bool {
	m := n.in[0].node
	return m != nil && m.kind == nodeLoad && m.when == n.when && !m.at.shared && n.in[1].isZero()
}

// pass has everybody read what rows that are others are.
func (k *cta) pass() {
	for _, x := range k.items {
		n := x.of()
		for j := range n.in {
			for m := n.in[j].node; m != nil && m.same() != nil; m = n.in[j].node {
				n.in[j] = *m.same()
			}
		}
	}
}

// foldLoads finds the loads that are read where they are used: nothing is stored to their space before, nor by the
// instruction that reads them, which goes on register by register.
func (k *cta) foldLoads() {
	var stores [2][]int
	for i, x := range k.items {
		if x.store != nil {
			stores[bit(x.store.at.shared)] = append(stores[bit(x.store.at.shared)], i)
		}
	}
	for _, x := range k.items {
		n := x.node
		if n == nil || n.kind != nodeLoad || n.uses > 2 || !k.foldable(n) {
			continue
		}
		n.fold = k.items[n.last].of().warp == n.warp
		for _, i := range stores[bit(n.at.shared)] {
			n.fold = n.fold && (i < n.item || i > n.last)
		}
	}
}

// foldable tells whether each register of a load is one operand of an instruction.
func (k *cta) foldable(n *ctaNode) bool {
	l := k.vectorLanes()
	for first := 0; first < 32; first += l {
		runs := n.at.runs(first, l, n.lanes)
		if len(runs) > 1 || len(runs) == 1 && runs[0].n != l {
			return false
		}
	}
	return n.lanes == allOf && n.when == nil
}
