package jit

// Conditions of a CTA's program for borders: comparisons of a row that is known with a number of the CTA, and what is
// made of them. They are computed in front of everything, a word of bits for each warp, and so are the lanes that
// execute an instruction.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// ctaMask is lanes of a warp that conditions decide, as a word in memory.
type ctaMask struct {
	set   ctaSet
	at    int   // its place (layWords)
	steps int64 // instructions that it executes if it has lanes, and those of them that count for each
	ops   int64
}

// ctaDiff is one number less another one, as far as a comparison with a known row needs it.
type ctaDiff struct {
	num, less *ctaNumber // nil: 0
	at        int
}

// ctaWord is a condition's bits in memory.
type ctaWord struct {
	cond  *ctaCond
	index int // among the words
	at    int
}

// ctaTree is a condition of some lanes as comparisons of rows.
type ctaTree struct {
	cond  *ctaCond
	lanes uint32
	needs []ctaNeed
}

// ctaNeed is a value that is compared: 32 bits hold it, and it has no sign if it is positive.
type ctaNeed struct {
	poly     *ctaPoly
	lanes    uint32
	positive bool
}

// maxCTARow bounds the elements of rows that are compared: numbers are cut to what is next to them.
const maxCTARow = 1 << 29

// place8 takes a place in memory.
func (k *cta) place8() int {
	k.places++
	return k.places - 1
}

// mask is the mask of a set; nil if it has all its lanes.
func (k *cta) mask(w *ctaWarp, s ctaSet) *ctaMask {
	if s.exact() {
		return nil
	}
	key := k.key(w.index, s)
	m := k.maskAt[string(key)]
	if m == nil {
		m = &ctaMask{set: s}
		k.maskAt[string(key)], k.masks = m, append(k.masks, m)
	}
	return m
}

// word has the bits of a condition.
func (k *cta) word(c *ctaCond) *ctaWord {
	w := k.wordAt[c]
	if w == nil {
		w = &ctaWord{cond: c, index: len(k.words)}
		k.wordAt[c], k.words = w, append(k.words, w)
	}
	return w
}

// tally counts an instruction to which some lanes have come, and which some of them execute.
func (k *cta) tally(w *ctaWarp, here, run ctaSet) {
	if m := k.mask(w, here); m != nil {
		m.steps++
	} else {
		k.executed++
	}
	if m := k.mask(w, run); m != nil {
		m.ops++
	} else {
		k.laneOps += int64(bits.OnesCount32(run.lanes()))
	}
}

// parted parts the lanes that have come to an instruction by a condition that is only known when the program runs;
// false if it is to come out the same for all.
func (k *cta) parted(w *ctaWarp, c *ctaCond, s ctaSet) (taken, rest ctaSet, ok bool) {
	if !k.border {
		return nil, nil, false
	}
	is := true
	for c.kind == condNot {
		c, is = c.a, !is
	}
	t := k.tree(w, c, s)
	if t == nil {
		return nil, nil, false
	}
	return s.when(ctaLit{t, is}), s.when(ctaLit{t, !is}), true
}

// mayPart tells whether lanes may part at a branch or an exit: they come together again before any warp waits, and
// without coming back.
func (k *cta) mayPart(pc int32, in *machine.Inst, s *step) bool {
	to := int32(len(k.insts))
	if s.op.Kind == sem.OpBranch {
		if to = int32(in.D); !meetsAhead(in, pc, int32(in.Imm)) || int32(in.Imm) <= pc {
			return false
		}
	}
	for at := pc + 1; at < min(to, int32(len(k.insts))); at++ {
		switch s := &k.steps[at]; {
		case s.op.Kind == sem.OpBarrier, s.op.Kind == sem.OpBranch && int32(k.insts[at].Imm) <= pc:
			return false
		}
	}
	return true
}

// tree is a condition as comparisons of rows, for the lanes of a set; nil if it is something else.
func (k *cta) tree(w *ctaWarp, c *ctaCond, s ctaSet) *ctaCond {
	lanes := s.lanes()
	for _, t := range k.trees[c] {
		if lanes&^t.lanes == 0 {
			k.demandTree(w, t, s)
			return t.cond
		}
	}
	t := &ctaTree{lanes: lanes}
	if t.cond = k.treeOf(t, c, lanes); t.cond == nil {
		return nil
	}
	k.trees[c] = append(k.trees[c], t)
	k.demandTree(w, t, s)
	return t.cond
}

// demandTree demands what the comparisons of a tree take for granted: numbers within 32 bits, and no sign where there is none.
func (k *cta) demandTree(w *ctaWarp, t *ctaTree, s ctaSet) {
	for _, n := range t.needs {
		run := s.and(n.lanes)
		when := k.mask(w, run)
		a := k.split(n.poly)
		k.demandFits(a, run.lanes(), when)
		if n.positive {
			k.order(w.pc, &ctaSplit{}, a, run.lanes(), when, true)
		}
	}
}

// treeOf makes the tree of a condition.
func (k *cta) treeOf(t *ctaTree, c *ctaCond, lanes uint32) *ctaCond {
	if m, ok := c.value(lanes); ok {
		return knownCond(m)
	}
	switch c.kind {
	case condRow:
		return c
	case condCompare:
		return k.rows(t, c, lanes)
	case condNot:
		return k.treeOf(t, c.a, lanes).turned(true)
	case condBlend:
		return either(both(k.treeOf(t, c.a, lanes&c.lanes), knownCond(c.lanes)), both(k.treeOf(t, c.b, lanes&^c.lanes), knownCond(^c.lanes)))
	case condAnd:
		return both(k.treeOf(t, c.a, lanes), k.treeOf(t, c.b, lanes))
	}
	return either(k.treeOf(t, c.a, lanes), k.treeOf(t, c.b, lanes))
}

// both and either join conditions; nil if one is.
func both(a, b *ctaCond) *ctaCond   { return joined(uop.WordAnd, a, b) }
func either(a, b *ctaCond) *ctaCond { return joined(uop.WordOr, a, b) }

func joined(op uop.WordOp, a, b *ctaCond) *ctaCond {
	if a == nil || b == nil {
		return nil
	}
	return combined(op, a, b)
}

// rows makes comparisons of rows of one of values.
func (k *cta) rows(t *ctaTree, c *ctaCond, lanes uint32) *ctaCond {
	x, y := c.x.of(lanes), c.y.of(lanes)
	zero := k.mem.cta.known(tW, 0)
	less := func(x, y *ctaPoly, how uint64) *ctaCond { return k.rowLess(t, x, y, how, lanes) }
	negative := func(n *ctaNode) *ctaCond { // one of those that have been joined
		return either(less(n.in[0].of(lanes).poly, zero, cmpLTS), less(n.in[1].of(lanes).poly, zero, cmpLTS))
	}
	switch c.how {
	case cmpNE:
		return less(x.poly, y.poly, cmpEQ).turned(true)
	case cmpLTU, cmpLEU: // y is not negative
		if y.poly != nil {
			t.needs = append(t.needs, ctaNeed{y.poly, lanes, true})
		}
		return both(less(zero, x.poly, cmpLES), less(x.poly, y.poly, c.how-cmpLTU+cmpLTS))
	case cmpLTS:
		if y.isZero() && x.node != nil && x.node.isOr() {
			return negative(x.node)
		}
	case cmpLES:
		if x.isZero() && y.node != nil && y.node.isOr() {
			return negative(y.node).turned(true)
		}
	}
	return less(x.poly, y.poly, c.how)
}

// isZero tells whether a value is 0 in all lanes.
func (v ctaVal) isZero() bool {
	if v.poly == nil {
		return false
	}
	row, ok := v.poly.known()
	return ok && *row == [32]uint64{}
}

// rowLess is the comparison of the row of x less that of y with the number of y less that of x; nil if lanes have
// numbers of their own.
func (k *cta) rowLess(t *ctaTree, x, y *ctaPoly, how uint64, lanes uint32) *ctaCond {
	if x == nil || y == nil || x.typ != tW || y.typ != tW {
		return nil
	}
	a, b := k.split(x), k.split(y)
	if len(a.rates)+len(b.rates) != 0 {
		return nil
	}
	row := [32]int64{}
	for i := range row {
		if lanes>>i&1 == 0 {
			continue
		}
		if row[i] = a.known[i] - b.known[i]; how == cmpLES {
			row[i]--
		}
		if row[i] <= -maxCTARow || row[i] >= maxCTARow {
			return nil
		}
	}
	if how == cmpLES {
		how = cmpLTS
	}
	t.needs = append(t.needs, ctaNeed{x, lanes, false}, ctaNeed{y, lanes, false})
	return &ctaCond{kind: condRow, how: how, row: &row, diff: k.difference(b.num, a.num)}
}

// difference is the place of one number less another one.
func (k *cta) difference(num, less *ctaNumber) *ctaDiff {
	for _, d := range k.diffs {
		if d.num == num && d.less == less {
			return d
		}
	}
	d := &ctaDiff{num: num, less: less}
	k.diffs = append(k.diffs, d)
	return d
}

// condOf is a set as a condition.
func (k *cta) condOf(s ctaSet) *ctaCond {
	out := knownCond(0)
	for _, p := range s {
		c := knownCond(p.lanes)
		for _, l := range p.when {
			c = both(c, l.cond.turned(!l.is))
		}
		out = either(out, c)
	}
	return out
}

// blended takes what the lanes that run have of a condition, and what the others had; nil if it is none.
func (k *cta) blended(w *ctaWarp, c, old *ctaCond) *ctaCond {
	if w.when == nil {
		return c.blend(w.run, old)
	}
	run := k.condOf(w.runs)
	return either(both(run, c), both(run.turned(true), old))
}
