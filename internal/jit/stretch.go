package jit

// Guarded accesses behind each other, `if (i+k < n) x[i+k] …` for k from 0 on: where no lane takes any of the
// branches and all bytes are inside, which is asked once, full warps go through the instructions between as one stretch.
// There whole lines move, and the lanes' words are put in order in registers (lines.go). Where something
// speaks against it, the ordinary code behind the first branch does all of it, test by test.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// stretch is instructions [from, end) behind a branch, up to the start of a segment.
type stretch struct {
	c         *compiler
	seg       int // of the first branch
	from, end int32
	branches  []int32 // with the one in front of it
	asked     []asked
	words     []uint32 // predicates of branches that follow from no numbers here
	turned    []uint32 // those that are to hold
	groups    []*lines
	at        map[int32]*lines // by access
	idle      map[int32]bool   // numbers that only decisions read
}

// asked is a comparison of numbers that decides for a branch.
type asked struct {
	*decision
	comparison
	root *pattern // with add: what the pattern follows from
	add  int64
}

// Bounds of what is looked at: code of any length compiles in linear time.
const (
	maxStretch = 64
	maxAdded   = 1 << 20
)

// findStretch finds the longest stretch behind the branch at the end of a segment; nil if there is none.
func (c *compiler) findStretch(i int, pc int32) *stretch {
	if c.node != nil || c.sweeping != nil || len(c.words) != 0 || int32(c.insts[pc].Imm) <= pc {
		return nil
	}
	t := &stretch{c: c, seg: i, from: pc + 1, at: map[int32]*lines{}, idle: map[int32]bool{}}
	if !t.branch(pc) {
		return nil
	}
	branches, groups := 0, 0
	for k := i + 1; k < len(c.segs) && c.segs[k].first == c.segs[k-1].end && !t.ends(c.segs[k].first) && t.segment(&c.segs[k]); k++ {
		if n := len(t.groups); n > groups && t.groups[n-1].whole() {
			branches, groups, t.end = len(t.branches), n, c.segs[k].end
		}
	}
	if _, starts := t.c.segAt[t.end]; groups == 0 || !starts && !t.ends(t.end) {
		return nil
	}
	t.branches, t.groups = t.branches[:branches], t.groups[:groups]
	for _, b := range t.branches {
		if !t.asks(b) {
			return nil
		}
	}
	t.findIdle()
	return t
}

// segment takes the instructions of one segment; false at one that is to be no part of a stretch.
func (t *stretch) segment(s *segment) bool {
	if s.end-t.from > maxStretch || s.first == s.end {
		return false
	}
	for pc := s.first; pc < s.end; pc++ {
		if !t.takes(pc, s) {
			return false
		}
	}
	return true
}

func (t *stretch) takes(pc int32, s *segment) bool {
	in, step := &t.c.insts[pc], &t.c.steps[pc]
	if step.leaves || step.tests || step.lasting {
		return false
	}
	switch step.op.Kind {
	case sem.OpBranch:
		return int32(in.Imm) > pc && pc == s.end-1 && t.branch(pc)
	case sem.OpExit, sem.OpReturn:
		return t.branch(pc)
	case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic, sem.OpNothing:
		return in.Guard == machine.NoGuard
	case sem.OpLoad, sem.OpStore:
		return in.Guard == machine.NoGuard && t.access(pc)
	}
	return false
}

// branch takes a branch or exit of some lanes, and an exit of all.
func (t *stretch) branch(pc int32) bool {
	some := t.c.insts[pc].Guard != machine.NoGuard
	if some {
		t.branches = append(t.branches, pc)
	}
	return some || t.c.steps[pc].op.Kind != sem.OpBranch
}

// ends tells whether all lanes exit in front of an instruction: no stretch goes by there.
func (t *stretch) ends(end int32) bool {
	kind := t.c.steps[end-1].op.Kind
	return t.c.insts[end-1].Guard == machine.NoGuard && (kind == sem.OpExit || kind == sem.OpReturn)
}

// asks notes what has to hold at the start, for no lane to take a branch; false if it is not known there.
func (t *stretch) asks(pc int32) bool {
	d := t.c.steps[pc].decided
	switch {
	case d == nil:
		g := t.c.insts[pc].Guard
		if t.writes(t.from, pc, g&^1) {
			return false
		}
		if g&1 != 0 {
			t.turned = append(t.turned, g&^1)
		} else {
			t.words = append(t.words, g)
		}
		return true
	case d.terms == nil:
		return t.compares(pc, d, d.comparison)
	}
	for i := range d.terms {
		if !t.compares(pc, &decision{comparison: d.terms[i].comparison, when: d.terms[i].when}, d.terms[i].comparison) {
			return false
		}
	}
	return true
}

// compares notes a comparison in front of a branch.
func (t *stretch) compares(pc int32, d *decision, c comparison) bool {
	if c.b.slot && t.writesNumber(pc, c.b.off) {
		return false
	}
	a := asked{decision: d, comparison: c}
	switch {
	case c.spread:
		a.root, a.add = t.rootOf(c.a.pat, pc)
		if a.root == nil || a.root != c.a.pat && !a.upper() {
			return false
		}
	case c.a.slot && t.writesNumber(pc, c.a.off):
		return false
	}
	t.asked = append(t.asked, a)
	return true
}

// hot is the condition that holds for all lanes where none of them takes the branch.
func (a *asked) hot() x86.Cond {
	if a.when {
		return a.holds.Not()
	}
	return a.holds
}

// upper tells whether the highest lane speaks for all.
func (a *asked) upper() bool {
	h := a.hot()
	return h == x86.L || h == x86.LE || h == x86.B || h == x86.BE
}

// rootOf is what a pattern was at the start of the stretch, or one that it is computed from there and what is
// added to it, which is not negative; nil if it is neither.
func (t *stretch) rootOf(p *pattern, pc int32) (root *pattern, add int64) {
	for !t.same(p, pc) {
		if len(p.from) != 1 || p.typ != tW || t.c.steps[p.from[0]].made != p {
			return nil, 0
		}
		pc = p.from[0]
		s := &t.c.steps[pc]
		o := &s.prog.ops[s.prog.result]
		if o.code != cAdd || s.prog.ops[o.a].code != cIn || s.prog.ops[o.b].code != cConst {
			return nil, 0
		}
		if p, add = s.full[s.prog.ops[o.a].imm].pat, add+int64(int32(s.prog.ops[o.b].imm)); p == nil || add < 0 || add > maxAdded {
			return nil, 0
		}
	}
	return p, add
}

// same tells whether nothing before a pc gives a pattern another value.
func (t *stretch) same(p *pattern, pc int32) bool {
	for at := t.from; at < pc; at++ {
		if s := &t.c.steps[at]; s.made == p || s.loaded == p {
			return false
		}
	}
	return true
}

func (t *stretch) writesNumber(pc int32, off uint32) bool {
	for at := t.from; at < pc; at++ {
		if t.c.region.writesSlot(&t.c.steps[at], off) {
			return true
		}
	}
	return false
}

// writes tells whether an instruction from one on before another writes the row at an offset.
func (t *stretch) writes(from, before int32, off uint32) bool {
	for pc := from; pc < before; pc++ {
		if t.c.rowAmong(t.c.live.uses.writes(pc), off) {
			return true
		}
	}
	return false
}

// findIdle finds the numbers that nobody reads but decisions that have been made at the start.
func (t *stretch) findIdle() {
	for pc := t.from; pc < t.end; pc++ {
		p := t.c.steps[pc].made
		if p == nil || p.home || !t.ends(t.end) && t.c.live.at(t.end).Has(int(p.reg)) {
			continue
		}
		read := false
		for at := t.from; at < t.end; at++ {
			read = read || !t.c.steps[at].moot && slices.Contains(t.c.live.uses.reads(at), p.reg)
		}
		t.idle[pc] = !read
	}
}
