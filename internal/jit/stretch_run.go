package jit

// Stretches as one program by AVX2: the accesses to words of lanes, with what is computed between them, part by part, as
// there are no registers for the rows of several words. Whole registers come from lines and go to them; instructions turn
// words within halves, so a half of a register is from lanes [0, 4) of the part, and the other from [4, 8).

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// linePlace is a place in the lines of the running part, in bytes.
type linePlace struct {
	*lines
	at int
}

// place is its memory.
func (p *linePlace) place() x86.Mem {
	p.of[0].base, p.of[0].host = -1, false // registers are others' between operations
	return p.of[0].at(0, int64(p.full().Bytes()*p.part*p.step+p.at))
}

// What cTurn makes of two registers.
const (
	turnJoin  = iota // of 16 bytes in memory each, one
	turnLow          // elements of the lower halves of halves, in turns
	turnHigh         // of the upper ones
	turnLow2         // the same in elements of 64 bits
	turnHigh2        //
	turnEven         // even elements of halves, those of a first
	turnOdd          // odd ones
	turnFirst        // both lower halves
	turnLast         // both upper halves
)

// turn assembles cTurn.
func (e *emitter) turn(how uint64, a, b loc, dst func() x86.Vec) loc {
	const w = x86.W256
	if how == turnJoin {
		d := dst()
		e.move(x86.W128, d, a.m)
		e.VVMI(x86.VINSERTI128, w, d, d, b.m, 1)
		return done(d)
	}
	x, y := e.load(a, tW), e.load(b, tW)
	d := dst()
	switch how {
	case turnEven, turnOdd:
		e.VVVI(x86.VSHUFPS, w, d, x.v, y.v, [2]uint8{0x88, 0xdd}[how-turnEven])
	case turnFirst, turnLast:
		e.VVVI(x86.VPERM2I128, w, d, x.v, y.v, [2]uint8{0x20, 0x31}[how-turnFirst])
	default:
		e.VVV([4]x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ, x86.VPUNPCKLQDQ, x86.VPUNPCKHQDQ}[how-turnLow], w, d, x.v, y.v)
	}
	e.unload(x, a)
	e.unload(y, b)
	return done(d)
}

// giveLine writes a value to its place.
func (r *room) giveLine(v val, p *linePlace) {
	l := r.get(v)
	r.spare(1)
	x := r.load(l, tW)
	r.store(x86.W256, p.place(), x.v)
	r.unload(x, l)
}

// woven assembles all of the stretch as one program; false if it is none.
func (t *stretch) woven() bool {
	if t.evex || !t.joins() || !t.uses(WovenStretches) {
		return false
	}
	for k := t.segAt[t.from]; k < len(t.segs) && t.segs[k].first < t.end; k++ {
		for pc := t.segs[k].first; pc < t.segs[k].end; pc++ {
			switch {
			case t.insts[pc].Guard != machine.NoGuard:
				t.settle(pc)
			case t.at[pc] == nil && t.steps[pc].once(false):
				t.compute(k, pc, false, allLanes)
			}
		}
	}
	t.note(t.from, t.end)
	u := t.weave()
	t.placeMerged(&u.merged)
	t.runLanes(u, allLanes)
	for _, l := range t.groups {
		l.of[0].base, l.of[0].host = -1, false
		if l.storing() {
			l.ahead(x86.PREFETCHW)
		} else {
			l.ahead(x86.PREFETCHT0)
		}
	}
	for pc := range t.at {
		t.uncover(&t.steps[pc])
	}
	if t.ends() {
		t.leave(t.segAt[t.end-1], t.end-1, false)
	}
	return true
}

// joins tells whether the instructions of the stretch can be one program: it has loads alone, or the stores of one group, since a part
// comes to its last access before the next one comes to its first; and predicates that branches settle are nobody else's.
func (t *stretch) joins() bool {
	if len(t.groups) > 1 && slices.ContainsFunc(t.groups, (*lines).storing) {
		return false
	}
	n := t.touched.begin(t.from, false)
	for pc := t.from; pc < t.end; pc++ {
		switch s := &t.steps[pc]; {
		case t.at[pc] != nil:
			if len(s.settles) > 0 || !t.noteWord(n, pc, s.op.Kind == sem.OpStore) {
				return false
			}
		case t.insts[pc].Guard != machine.NoGuard || pc == t.end-1 && t.ends():
		case !n.takes(t.region, pc):
			return false
		}
	}
	for _, pc := range t.branches {
		if d := t.steps[pc].decided; d != nil && d.alive && n.has(d.pred) {
			return false
		}
	}
	return n.masksBehind(t.region, t.end) <= maxMasks
}

// noteWord notes an access to a word.
func (t *stretch) noteWord(n *touched, pc int32, storing bool) bool {
	d := &t.wordOf(pc).src[1]
	if d.typ != tW || !storing && (d.slot || d.known || d.pat != nil || d.seen != nil) {
		return false
	}
	row := []source{*d}
	if d.known || !n.agrees(row) {
		return d.known
	}
	n.any = true
	if storing {
		n.read[d.off] = tW
	} else {
		n.written[d.off] = tW
	}
	return true
}

// wordOf is the access of an instruction.
func (t *stretch) wordOf(pc int32) *static {
	l := t.at[pc]
	return l.of[l.word(pc)]
}

// weave makes the program.
func (t *stretch) weave() *run {
	u := &run{first: t.from, end: t.end}
	m := &u.merged
	m.evex, m.mem = t.wide512, t.mem
	g := t.merger.begin(t.region, m)
	for pc := t.from; pc < t.end; pc++ {
		switch s := &t.steps[pc]; {
		case t.at[pc] == nil && (t.insts[pc].Guard != machine.NoGuard || s.once(false) || pc == t.end-1 && t.ends()):
		case t.at[pc] == nil:
			g.step(pc, false)
		case s.op.Kind == sem.OpLoad:
			t.at[pc].weaveLoad(g, pc)
		default:
			t.at[pc].weaveStore(g, pc)
		}
	}
	stores := m.rows
	m.rows = nil
	for _, off := range g.written() {
		if t.live.behind(t.end, off) {
			g.result(off)
		}
	}
	m.rows = append(m.rows, stores...)
	m.fuse()
	m.turnMasks()
	return u
}

// word is which word an instruction accesses.
func (l *lines) word(pc int32) int {
	for k, s := range l.of {
		if s.pc == pc {
			return k
		}
	}
	return -1
}

func (g *merger) turn(how uint64, a, b val) val { return g.m.op2(cTurn, tW, a, b, how) }

// weaveLoad adds a load. The first one of its lines adds those of all words.
func (l *lines) weaveLoad(g *merger, pc int32) {
	if l.vals == nil {
		in := func(at int) val {
			v := g.m.input(len(g.m.in), tW)
			g.m.in = append(g.m.in, source{typ: tW, off: machine.NoGuard, row: -1, line: &linePlace{l, at}})
			return v
		}
		var v []val
		for at := 0; at < 16*l.step; at += 16 { // 16 bytes of either half of the lanes
			v = append(v, g.turn(turnJoin, in(at), in(16*l.step+at)))
		}
		if l.step == 2 {
			l.vals = []val{g.turn(turnEven, v[0], v[1]), g.turn(turnOdd, v[0], v[1])}
		} else {
			for _, how := range [2]uint64{turnLow, turnHigh} {
				a, b := g.turn(how, v[0], v[1]), g.turn(how, v[2], v[3])
				l.vals = append(l.vals, g.turn(turnLow2, a, b), g.turn(turnHigh2, a, b))
			}
		}
	}
	d := &l.of[l.word(pc)].src[1]
	g.now[d.off], g.wrote[d.off], g.loose[d.off] = l.vals[l.word(pc)], tW, false
}

// weaveStore adds a store. The last one of its lines stores all words.
func (l *lines) weaveStore(g *merger, pc int32) {
	if l.vals == nil {
		l.vals = make([]val, l.step)
	}
	l.vals[l.word(pc)] = g.read(&l.of[l.word(pc)].src[1])
	if pc != l.pcs[l.step-1] {
		return
	}
	w := l.vals
	out := func(k int, v val) {
		g.m.rows = append(g.m.rows, rowResult{v, source{typ: tW, off: machine.NoGuard, row: -1, line: &linePlace{l, 32 * k}}})
	}
	pairs := func(k int, a, b val) { // two registers with lanes of both halves
		out(k, g.turn(turnFirst, a, b))
		out(k+l.step/2, g.turn(turnLast, a, b))
	}
	if l.step == 2 {
		pairs(0, g.turn(turnLow, w[0], w[1]), g.turn(turnHigh, w[0], w[1]))
		return
	}
	for k, how := range [2]uint64{turnLow, turnHigh} {
		a, b := g.turn(how, w[0], w[1]), g.turn(how, w[2], w[3])
		pairs(k, g.turn(turnLow2, a, b), g.turn(turnHigh2, a, b))
	}
}
