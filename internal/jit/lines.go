package jit

// Words of lanes that lie behind each other, two or four, each accessed by an instruction of its own: whole lines
// move between memory and registers, which are turned there. Loads come all at the first of them, stores at the last;
// what a row cannot take yet, or may no longer have by then, is kept in the state.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// lines are the accesses to all words of a stretch of memory.
type lines struct {
	stretch *stretch
	key     coverKey
	of      []*static // by word
	pcs     []int32   // of the instructions, in their order
	step    int       // words of a lane

	borrowed bool // spare and held have been found (lines_held.go)
	spare    []x86.Vec
	held     map[int][2]x86.Vec // by word; nil: they wait in memory
}

// access takes a load or store; false if it is no part of lines.
func (t *stretch) access(pc int32) bool {
	s := &t.c.steps[pc]
	a := t.c.accessAt(pc, false, allLanes)
	if s.index != nil || s.fetched || s.loaded != nil || len(a.m.At) != 1 || a.src[0].pat == nil {
		return false
	}
	st := a.static()
	if st == nil || st.moves[0] != strewn || st.acc.m.Elem != 4 || st.acc.src[1].typ != tW || !st.stride.like(stride{w: 32, row: 32, step: st.stride.step}) ||
		st.stride.step != 8 && st.stride.step != 16 || st.align > 4 || !t.same(st.acc.src[0].pat, pc) {
		return false
	}
	n := len(t.groups)
	if n == 0 || t.groups[n-1].whole() {
		t.groups = append(t.groups, &lines{stretch: t, key: st.key(), step: int(st.stride.step / 4)})
		n++
	}
	l := t.groups[n-1]
	t.at[pc] = l
	return l.add(st)
}

// whole tells whether there is an access to each word.
func (l *lines) whole() bool { return len(l.of) == l.step }

// add adds an access; false if it is not one of these.
func (l *lines) add(s *static) bool {
	if s.key() != l.key || int(s.stride.step/4) != l.step || len(l.of) > 0 && s.align != l.of[0].align {
		return false
	}
	l.of, l.pcs = append(l.of, s), append(l.pcs, s.acc.pc)
	if !l.whole() {
		return true
	}
	slices.SortFunc(l.of, func(a, b *static) int { return int(a.disp - b.disp) })
	for k, s := range l.of {
		if s.disp != l.of[0].disp+int64(4*k) {
			return false
		}
	}
	return true
}

// test goes to other unless all bytes are inside.
func (l *lines) test(other x86.Label) {
	s := l.of[0]
	low, _ := s.reach()
	_, high := l.of[l.step-1].reach()
	all := cover{low: low, high: high, disp: s.disp, align: s.align}
	if v, ok := l.stretch.c.covered[l.key]; ok && v.low <= low && high <= v.high && v.holds(s) {
		return
	}
	if s.acc.bound < 0 {
		all.host = s.hostPlace()
	} else {
		l.stretch.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	}
	s.base, s.host = -1, false
	s.testRun(0, &all, other)
	l.stretch.c.covered[l.key] = all
}

// access assembles one of the accesses, or what is left of it.
func (l *lines) access(pc int32) {
	s := &l.stretch.c.steps[pc]
	k := slices.IndexFunc(l.of, func(s *static) bool { return s.acc.pc == pc })
	l.of[0].base, l.of[0].host = -1, false
	l.borrow()
	switch {
	case s.op.Kind == sem.OpStore:
		l.stretch.c.settleRows(s.settles)
		last := pc == l.pcs[l.step-1]
		if l.held == nil || !last {
			l.keep(k)
		}
		if last {
			l.lend(l.stores)
		}
	case pc == l.pcs[0]:
		l.lend(l.load)
	case !l.direct(k):
		l.stretch.c.eachPart(tW, func() { l.give(k, l.wait(k)) })
	}
	l.stretch.c.uncover(s)
}

// direct tells whether the row of a word that is loaded can take it at the first load: nobody looks at it until its own.
func (l *lines) direct(k int) bool {
	off, uses := l.of[k].acc.src[1].off, l.stretch.c.live.uses
	for pc := l.pcs[0]; pc < l.of[k].acc.pc; pc++ {
		if l.stretch.c.rowAmong(uses.reads(pc), off) || l.stretch.c.rowAmong(uses.writes(pc), off) {
			return false
		}
	}
	return true
}

// kept is where the running part of a word is kept, from a lane on.
func (l *lines) kept(k, lane int) x86.Mem {
	return x86.At(rCtx, saveLines+int32(128*k+l.stretch.c.full().Bytes()*l.stretch.c.part+4*lane))
}

// keep keeps what is to be stored.
func (l *lines) keep(k int) {
	if !l.stretch.c.evex {
		l.keepTurned(k)
		return
	}
	s := l.of[k]
	l.stretch.c.eachPart(tW, func() {
		from := s.acc.dataOf(&s.acc.src[1])
		v := l.stretch.c.load(from, tW)
		l.hold(k, v.v)
		l.stretch.c.unload(v, from)
		l.stretch.c.release(from)
	})
}

// give writes the running part of a word to its row.
func (l *lines) give(k int, from loc) {
	d := &l.of[k].acc.src[1]
	if d.row >= 0 {
		l.stretch.c.copyOf(x86.Vec(d.row+l.stretch.c.part), from, tW)
		return
	}
	v := l.stretch.c.load(from, tW)
	l.stretch.c.write(v, tW, d, allLanes)
	l.stretch.c.unload(v, from)
}

// line is as much of the memory of the running part as a register has.
func (l *lines) line(j int) x86.Mem {
	return l.of[0].at(0, int64(l.stretch.c.full().Bytes()*(l.stretch.c.part*l.step+j)))
}

// loaded is where a word goes that has been loaded, and what is to be done then.
func (l *lines) loaded(k int) (v x86.Vec, done func()) {
	if d := &l.of[k].acc.src[1]; l.direct(k) && d.row >= 0 {
		return x86.Vec(d.row + l.stretch.c.part), func() {}
	}
	if h, ok := l.held[k]; ok {
		return h[l.stretch.c.part], func() {}
	}
	v = l.stretch.c.alloc()
	return v, func() {
		if l.direct(k) {
			l.give(k, vecAt(v))
		} else {
			l.stretch.c.store(l.stretch.c.full(), l.kept(k, 0), v)
		}
		l.stretch.c.release(temp(v))
	}
}

// load loads all words.
func (l *lines) load() {
	if !l.stretch.c.evex {
		l.load256()
		return
	}
	if l.step == 4 && len(l.stretch.c.free) >= eight {
		l.loadHeld()
		return
	}
	if l.step == 2 {
		for k := range 2 {
			at := l.index(func(i int) int { return 2*i + k })
			l.stretch.c.eachPart(tW, func() {
				v, done := l.loaded(k)
				l.picked(v, 0, at)
				done()
			})
			l.stretch.c.release(temp(at))
		}
		return
	}
	for k := 0; k < 4; k += 2 { // eight lanes of one word and eight of the next
		at := l.index(func(i int) int { return 4*(i%8) + i/8 + k })
		l.stretch.c.eachPart(tW, func() { l.loadTwo(k, at) })
		l.stretch.c.release(temp(at))
	}
}

// loadTwo loads the running part of words k and k+1.
func (l *lines) loadTwo(k int, at x86.Vec) {
	a, b := l.stretch.c.alloc(), l.stretch.c.alloc()
	l.picked(a, 0, at)
	l.picked(b, 2, at)
	l.apart(k, a, b)
}

// apart makes words k and k+1 of two registers with eight lanes of each, and gives these back.
func (l *lines) apart(k int, a, b x86.Vec) {
	v, done := l.loaded(k + 1)
	l.stretch.c.VVVI(x86.VSHUFI64X2, x86.W512, v, a, b, 0xee)
	done()
	v, done = l.loaded(k)
	l.stretch.c.VVVI(x86.VINSERTI64X4, x86.W512, v, a, b, 1)
	done()
	l.stretch.c.release(temp(a))
	l.stretch.c.release(temp(b))
}

// picked picks words from lines j and j+1.
func (l *lines) picked(v x86.Vec, j int, at x86.Vec) {
	l.stretch.c.move(x86.W512, v, l.line(j))
	l.stretch.c.VVM(x86.VPERMT2D, x86.W512, v, at, l.line(j+1))
}

// index is a register with the places of words.
func (l *lines) index(word func(i int) int) x86.Vec {
	v := l.stretch.c.alloc()
	l.stretch.c.move(l.stretch.c.full(), v, l.stretch.c.constRow(tW, func(i int) uint64 { return uint64(word(i)) }))
	return v
}

// stores stores all words.
func (l *lines) stores() {
	if l.held != nil {
		l.storeHeld()
	} else {
		l.stretch.c.eachPart(tW, l.store)
	}
}

// store stores the running part of all words, which wait in memory.
func (l *lines) store() {
	if !l.stretch.c.evex {
		l.store256()
		return
	}
	if l.step == 2 {
		for j := range 2 {
			v, other := l.index(func(i int) int { return 16*(i%2) + i/2 + 8*j }), l.stretch.c.alloc()
			l.stretch.c.move(x86.W512, other, l.kept(0, 0))
			l.stretch.c.VVM(x86.VPERMI2D, x86.W512, v, other, l.kept(1, 0))
			l.stretch.c.store(x86.W512, l.line(j), v)
			l.stretch.c.release(temp(other))
			l.stretch.c.release(temp(v))
		}
		return
	}
	for j := 0; j < 4; j += 2 { // eight lanes of two words each
		a, b := l.halves(0, 4*j), l.halves(2, 4*j)
		for n := range 2 {
			v := l.index(func(i int) int { return 16*(i%4/2) + 8*(i%2) + i/4 + 4*n })
			l.stretch.c.VVV(x86.VPERMI2D, x86.W512, v, a, b)
			l.stretch.c.store(x86.W512, l.line(j+n), v)
			l.stretch.c.release(temp(v))
		}
		l.stretch.c.release(temp(a))
		l.stretch.c.release(temp(b))
	}
}

// halves has eight lanes of a word and of the next one.
func (l *lines) halves(k, lane int) x86.Vec {
	v := l.stretch.c.alloc()
	l.stretch.c.move(x86.W256, v, l.kept(k, lane))
	l.stretch.c.VVMI(x86.VINSERTI64X4, x86.W512, v, v, l.kept(k+1, lane), 1)
	return v
}
