package jit

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// stretch assembles the branch at the end of a segment with what is behind it, if that is a stretch.
func (c *compiler) stretch(i int, pc int32) bool {
	t := c.findStretch(i, pc)
	if t == nil || !c.uses(Stretches) {
		return false
	}
	other := c.later(func() {
		c.guardedBranch(i, pc)
		c.follow(i)
	})
	t.ask(other)
	c.title("all lanes, from %d to %d", t.from, t.end)
	c.count()
	c.RI(x86.ADD, x86.S64, rSteps, t.end-t.from)
	c.MI(x86.SUB, x86.S64, ctxOps, int32(32*len(t.branches)))
	c.inStretch = t
	t.settle(pc)
	for k := i + 1; k < len(c.segs) && c.segs[k].first < t.end; k++ {
		t.body(k)
	}
	c.inStretch = nil
	if !t.ends(t.end) {
		c.Jmp(c.segs[c.segAt[t.end]].full)
	}
	return true
}

// ask goes to other unless no lane takes a branch and all bytes of all lines are inside.
func (t *stretch) ask(other x86.Label) {
	for i := range t.asked {
		if a := &t.asked[i]; a.root == nil || !a.upper() {
			t.c.decide(&decision{comparison: a.comparison, when: a.when}, false, other)
		} else if t.speaks(i) {
			t.askUpper(a, other)
		}
	}
	t.askWords(other)
	for _, l := range t.groups {
		l.test(other)
	}
}

// speaks tells whether a comparison says what others say, too, that are like it: of those the one that adds most.
func (t *stretch) speaks(i int) bool {
	a := &t.asked[i]
	for j := range t.asked {
		b := &t.asked[j]
		like := b.root == a.root && b.upper() && b.hot() == a.hot() && b.typ == a.typ && *b.b == *a.b
		if like && (b.add > a.add || b.add == a.add && j < i) {
			return false
		}
	}
	return true
}

// askUpper compares the highest lane of each run. That it does not wrap says the same of those that less is added to.
func (t *stretch) askUpper(a *asked, other x86.Label) {
	_, highest := a.root.extents()
	size, wraps := a.typ.size(), x86.B
	if a.signed {
		wraps = x86.O
	}
	for run := range a.root.n() {
		t.c.RM(x86.MOV, size, x86.RAX, a.root.number(run))
		if far := highest + a.add; far != 0 {
			t.c.RI(x86.ADD, size, x86.RAX, int32(far))
			t.c.Jcc(wraps, other)
		}
		t.c.compareWith(x86.RAX, a.b, size)
		t.c.Jcc(a.hot().Not(), other)
	}
}

// askWords looks at predicates.
func (t *stretch) askWords(other x86.Label) {
	each := func(list []uint32, first, next x86.Op) {
		for k, off := range list {
			op := next
			if k == 0 {
				op = first
			}
			t.c.RM(op, x86.S32, x86.RAX, t.c.regs(off))
		}
	}
	if len(t.words) > 0 {
		each(t.words, x86.MOV, x86.OR)
		t.c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
		t.c.Jcc(x86.NE, other)
	}
	if len(t.turned) > 0 {
		each(t.turned, x86.MOV, x86.AND)
		t.c.RI(x86.CMP, x86.S32, x86.RAX, -1)
		t.c.Jcc(x86.NE, other)
	}
}

// settle writes the predicate of a branch for those who read it behind.
func (t *stretch) settle(pc int32) {
	if d := t.c.steps[pc].decided; d != nil && d.alive {
		t.c.MI(x86.MOV, x86.S32, t.c.regs(d.pred), -int32(bit(!d.when)))
	}
}

// body assembles the instructions of a segment.
func (t *stretch) body(k int) {
	t.c.instructions(k, t.c.segs[k].end, false, func(pc int32) bool {
		switch {
		case t.at[pc] != nil:
			t.at[pc].access(pc)
		case t.c.insts[pc].Guard != machine.NoGuard:
			t.settle(pc)
		case pc == t.end-1 && t.ends(t.end):
			t.c.leave(k, pc, false)
		default:
			t.c.compute(k, pc, false, allLanes)
		}
		return false
	})
}
