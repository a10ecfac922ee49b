package jit

// The program of a series of forks: both arms of each go on from the same values, and where they meet, the branch selects
// what rows and predicates hold.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/sem"
)

// mergeArms builds the program.
func (r *region) mergeArms(a *arms) {
	a.run.first, a.run.end = a.first+1, a.end
	m := &a.run.merged
	m.evex, m.mem = r.wide512, r.mem
	m.ops, m.in = r.mem.ops.take(16 * int(a.end-a.first))[:0], r.mem.sources.take(int(a.end - a.first))[:0]
	g := r.merger.begin(r, m)
	g.base = map[uint32]val{}
	taken := make([]val, len(a.forks))
	for i := range a.forks {
		taken[i] = g.fork(a, &a.forks[i])
	}
	g.base = nil
	for _, off := range g.written() {
		if a.liveAtEnd(r, off) {
			g.result(off)
		}
	}
	for i, v := range taken {
		m.masks = append(m.masks, maskResult{v: v, off: noRow, place: int32(i + 1)})
	}
	m.fuse()
	if !m.evex {
		m.turnMasks()
	}
	m.findPrivate(r, a.lastLooking(r))
}

// result gives what a row or predicate holds now to those who read it behind.
func (g *merger) result(off uint32) {
	v, m := g.now[off], g.m
	switch {
	case g.wrote[off] == tM:
		m.masks = append(m.masks, maskResult{v: v, off: off})
		return
	case g.loose[off]:
		v = m.canon(v)
	}
	m.rows = append(m.rows, rowResult{v, source{typ: g.wrote[off], off: off, row: -1}})
}

// fork adds a fork; the value says who takes the branch.
func (g *merger) fork(a *arms, f *fork) (taken val) {
	g.arm(a, f.before)
	guard := g.r.insts[f.pc].Guard
	taken = g.flip(guard&^1, guard&1 != 0)
	now, loose := maps.Clone(g.now), maps.Clone(g.loose)
	g.arm(a, f.other)
	goes, looseGoes := g.now, g.loose
	g.now, g.loose = now, loose
	g.arm(a, f.taken)
	for _, off := range g.written() {
		g.meet(taken, off, goes)
		g.loose[off] = g.loose[off] || looseGoes[off]
	}
	return taken
}

// meet selects what a row or predicate holds where arms meet: now in lanes that take the branch, what it held in the
// other arm in those that do not.
func (g *merger) meet(taken val, off uint32, goes map[uint32]val) {
	held := func(now map[uint32]val) val {
		if v, ok := now[off]; ok {
			return v
		}
		return g.before(&source{typ: g.wrote[off], off: off, row: -1})
	}
	t, o := held(g.now), held(goes)
	switch {
	case t == o:
		g.now[off] = t
	case g.wrote[off] == tM:
		g.now[off] = g.m.op2(cMOr, tM, g.m.op2(cMAnd, tM, taken, t, 0), g.m.op2(cMAndn, tM, taken, o, 0), 0)
	default:
		g.now[off] = g.m.sel(taken, t, o)
	}
}

// before is what a source held when the program began.
func (g *merger) before(s *source) val {
	v, ok := g.base[s.off]
	if !ok {
		v = g.m.input(len(g.m.in), s.typ)
		g.m.in = append(g.m.in, *s)
		g.base[s.off] = v
	}
	return v
}

// arm adds instructions.
func (g *merger) arm(a *arms, list []int32) {
	for _, pc := range list {
		switch g.r.steps[pc].op.Kind {
		case sem.OpNothing:
		case sem.OpLoad:
			g.byteOf(a, pc)
		default:
			g.step(pc, true)
		}
	}
}

// byteOf adds a load of a byte of a word.
func (g *merger) byteOf(a *arms, pc int32) {
	k, _ := g.r.wordAt(pc)
	s, at := &g.r.steps[pc], g.r.insts[pc].Imm&3
	w, d, use := g.wordOf(a.word(k)), s.in[1].off, &s.op.Memory
	v := none
	if use.Signed {
		v = g.m.op1(cSarI, tW, g.m.shlI(w, 24-8*at), 24)
		if to := use.Bits[0]; to < 32 {
			v = g.m.op2(cAnd, tW, v, g.m.constant(tW, 1<<to-1), 0)
		}
	} else {
		v = g.m.op1(cShrI, tW, g.m.shlI(w, 24-8*at), 24)
	}
	g.now[d], g.wrote[d] = v, tW
	g.loose[d] = false
}

// wordOf is a word that has been fetched.
func (g *merger) wordOf(number int) val {
	i := slices.IndexFunc(g.m.in, func(s source) bool { return s.word == number })
	if i < 0 {
		i = len(g.m.in)
		g.m.in = append(g.m.in, source{typ: tW, off: noRow, row: -1, word: number})
	}
	return g.m.input(i, tW)
}
