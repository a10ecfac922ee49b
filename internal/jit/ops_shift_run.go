package jit

// Lanes moved up inside runs, `v += lane >= n ? shfl.up(v, n) : 0`: the running part of such a value is lanes of the same value's
// parts before, which wait in registers where there are enough, else in the state. By AVX2 a row is four registers of
// sixteen, so that steps which go row by row, as across lanes they must without this, pass each through memory. Parts ascend, so lanes move up.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// moved is a value whose lanes move up, while parts of a run are assembled.
type moved struct {
	by    int
	place int   // of its row in the state
	old   []loc // the parts before the running one, the last first
}

// movedUp is how far a shuffle with the selection behind it moves lanes up, zeros coming in; 0 if that is not what it does.
func (z *zeroed) movedUp() int {
	o := &z.prog.ops[z.prog.result]
	if by, ok := distance(&z.prog.tables[z.prog.ops[o.a].imm], 0, 32); ok && by > 0 && by < 32 {
		return by
	}
	return 0
}

// takesShuffle tells whether a shuffle can join the run, and notes it.
func (t *touched) takesShuffle(r *region, pc int32) bool {
	s := &r.steps[pc]
	if !t.across || t.moves == movedRows || s.zeroed == nil || s.zeroed.movedUp() == 0 || t.any && t.wide || s.warp.pred != nil && r.live.behind(pc+1, s.op.Warp.Pair) {
		return false
	}
	from, to := &s.full[1], &s.zeroed.dst
	if from.slot || from.known || from.pat != nil || from.seen != nil || !t.agrees([]source{*from, *to}) || !r.uses(ShiftRuns) {
		return false
	}
	t.moves++
	t.any, t.until = true, max(t.until, s.zeroed.selection+1)
	t.read[from.off], t.written[to.off] = from.typ, to.typ
	return true
}

// shuffle adds a shuffle with the selection behind it.
func (g *merger) shuffle(s *step) {
	v, to := g.splice(s.zeroed.prog, s.full), &s.zeroed.dst
	g.now[to.off], g.wrote[to.off], g.loose[to.off] = v, to.typ, false
}

// movedRows is how many such values a run may have: each has a row of the state.
const movedRows = 16

// beginMoved finds the values whose lanes move in a run.
func (c *compiler) beginMoved(m *merged, need []bool) {
	c.moved = c.moved[:0]
	for i := range m.ops {
		if o := &m.ops[i]; need[i] && o.code == cPerm {
			by, _ := distance(&m.tables[m.ops[o.a].imm], 0, 32)
			c.moved = append(c.moved, moved{by: by, place: len(c.moved)})
		}
	}
}

// endMoved gives their registers back.
func (c *compiler) endMoved() {
	for i := range c.moved {
		for _, l := range c.moved[i].old {
			c.release(l)
		}
	}
	c.moved = c.moved[:0]
}

// moveUp assembles the running part of a value whose lanes move up.
func (r *room) moveUp(v val) {
	o := &r.m.ops[v]
	u := &r.moved[r.nextMoved]
	r.nextMoved++
	r.pins = append(r.pins[:0], o.b)
	own := r.get(o.b)
	if n := len(r.free); n < 4 {
		r.spare(4)
	}
	k, within := u.by/r.lanes, u.by%r.lanes
	part := func(k int) (l loc, ok bool) {
		if k == 0 {
			return own, true
		}
		if k > len(u.old) {
			return loc{}, false
		}
		l = u.old[k-1]
		l.owned = false
		return l, true
	}
	high, ok := part(k)
	low, lowOK := part(k + 1)
	r.there[v] = true
	switch {
	case !ok:
		d := r.alloc()
		r.zero(d)
		r.at[v] = temp(d)
		r.hold(v)
	case within == 0 && high.kind == inVec: // nobody else will look at it
		u.old[k-1].owned = false
		r.at[v] = temp(high.v)
		r.hold(v)
	case within == 0:
		r.at[v], r.held[v] = high, false
	default:
		x := r.load(high, tW)
		d := r.alloc()
		r.shiftParts(d, x.v, low, !lowOK, within)
		r.unload(x, high)
		r.at[v] = temp(d)
		r.hold(v)
	}
	r.passed(o.a)
	r.passed(o.b)
	r.wait(u, o.b, own, k+int(bit(within > 0)))
	r.drop(o.b)
	r.pins = append(r.pins[:0], v)
	for _, d := range r.rows[v] {
		r.give(v, d)
	}
	r.drop(v)
}

// wait has the running part of a value wait for the parts behind, of which the last that look back as far as depth do.
func (r *room) wait(u *moved, v val, own loc, depth int) {
	if len(u.old) == depth {
		r.release(u.old[depth-1])
		u.old = u.old[:depth-1]
	}
	if r.part == 32/r.lanes-1 {
		return
	}
	var l loc
	switch m := r.movedAt(u); {
	case len(r.free) >= 4 && r.held[v]: // it stays where it is
		l = temp(r.at[v].v)
		r.held[v] = false
		r.at[v] = vecAt(l.v)
	case len(r.free) > 4:
		t := r.alloc()
		r.copyOf(t, own, tW)
		l = temp(t)
	default:
		x := r.load(own, tW)
		r.store(r.full(), m, x.v)
		r.unload(x, own)
		l = loc{kind: inMem, m: m}
	}
	u.old = slices.Insert(u.old, 0, l)
}

// movedAt is where the running part of a value waits in the state.
func (r *room) movedAt(u *moved) x86.Mem {
	return spillAt(spillSlots - 2*movedRows + 2*u.place).Plus(int32(r.part * r.full().Bytes()))
}

// across tells whether lanes move inside runs: where rows do not stay in registers.
func (r *region) across(masked bool) bool { return !masked && !r.wide512 }
