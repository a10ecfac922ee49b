package jit

// Words of lanes that wait for their line, or for their row: registers have them where there are enough, those of rows that
// are dead from the first access of the lines to the last one. Memory has them else: a word on its way through it is
// stored as a whole and loaded in halves.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// borrow finds registers for all parts of those words that are to be kept; l.held is nil where there are too few.
func (l *lines) borrow() {
	if l.borrowed {
		return
	}
	l.borrowed = true
	if !l.stretch.c.evex {
		return
	}
	for i := range l.stretch.c.row {
		if r := &l.stretch.c.row[i]; l.dead(r.off) {
			for part := range 128 / l.stretch.c.full().Bytes() {
				l.spare = append(l.spare, x86.Vec(r.reg+part))
			}
		}
	}
	words := l.waiting()
	if len(words) == 0 || len(l.spare) < 2*len(words) || !l.stretch.c.uses(HeldLines) {
		return
	}
	l.held = map[int][2]x86.Vec{}
	for _, k := range words {
		l.held[k] = [2]x86.Vec{l.spare[0], l.spare[1]}
		l.spare = l.spare[2:]
	}
}

// waiting are the words that wait: all that are stored but the last one, and those that are loaded before their rows can take them.
func (l *lines) waiting() (list []int) {
	for k := range l.of {
		if l.storing() && l.of[k].acc.pc != l.pcs[l.step-1] || !l.storing() && !l.direct(k) {
			list = append(list, k)
		}
	}
	return list
}

// dead tells whether nobody reads or writes a row from the first access to the last one, nor what it holds then: no lane leaves
// in between.
func (l *lines) dead(off uint32) bool {
	if off >= l.stretch.c.code.RegBytes {
		return false
	}
	uses, last := l.stretch.c.live.uses, l.pcs[l.step-1]
	for pc := l.pcs[0]; pc <= last; pc++ {
		if l.stretch.c.rowAmong(uses.reads(pc), off) || l.stretch.c.rowAmong(uses.writes(pc), off) {
			return false
		}
	}
	return last+1 >= int32(len(l.stretch.c.insts)) || !l.stretch.c.live.holds(l.stretch.c.live.at(last+1), off)
}

// lend lets code that has no other ways out take the spare registers, too.
func (l *lines) lend(code func()) {
	own := l.stretch.c.free
	l.stretch.c.free = slices.Concat(l.spare, own)
	code()
	l.stretch.c.free = own
}

// wait is where the running part of a word waits.
func (l *lines) wait(k int) loc {
	if h, ok := l.held[k]; ok {
		return vecAt(h[l.stretch.c.part])
	}
	return loc{kind: inMem, m: l.kept(k, 0)}
}

// hold has the running part of a word wait.
func (l *lines) hold(k int, v x86.Vec) {
	if h, ok := l.held[k]; ok {
		l.stretch.c.copy(x86.W512, h[l.stretch.c.part], v)
	} else {
		l.stretch.c.store(l.stretch.c.full(), l.kept(k, 0), v)
	}
}

// eight is how many registers put four words in order, four of them lines.
const eight = 8

// loadHeld loads four words; each line is loaded once.
func (l *lines) loadHeld() {
	low, high := l.index(func(i int) int { return 4*(i%8) + i/8 }), l.index(func(i int) int { return 4*(i%8) + i/8 + 2 })
	l.stretch.c.eachPart(tW, func() {
		var line [4]x86.Vec
		for j := range line {
			line[j] = l.stretch.c.alloc()
			l.stretch.c.move(x86.W512, line[j], l.line(j))
		}
		var first [2]x86.Vec
		for n := range first {
			first[n] = l.stretch.c.alloc()
			l.stretch.c.copy(x86.W512, first[n], low)
			l.stretch.c.VVV(x86.VPERMI2D, x86.W512, first[n], line[2*n], line[2*n+1])
			l.stretch.c.VVV(x86.VPERMT2D, x86.W512, line[2*n], high, line[2*n+1])
			l.stretch.c.release(temp(line[2*n+1]))
		}
		l.apart(0, first[0], first[1])
		l.apart(2, line[0], line[2])
	})
	l.stretch.c.release(temp(low))
	l.stretch.c.release(temp(high))
}

// storeHeld stores four words, the last one from where it is.
func (l *lines) storeHeld() {
	last := slices.IndexFunc(l.of, func(s *static) bool { return s.acc.pc == l.pcs[l.step-1] })
	data := &l.of[last].acc.src[1]
	if l.step == 2 {
		l.storeTwo(last, data)
		return
	}
	var at [2]x86.Vec
	for n := range at {
		at[n] = l.index(func(i int) int { return 16*(i%4/2) + 8*(i%2) + i/4 + 4*n })
	}
	l.stretch.c.eachPart(tW, func() {
		word, done := l.words(last, data)
		a, b, v := l.stretch.c.alloc(), l.stretch.c.alloc(), l.stretch.c.alloc()
		for half := range 2 {
			for k, t := range [2]x86.Vec{a, b} {
				if half == 0 {
					l.stretch.c.VVVI(x86.VINSERTI64X4, x86.W512, t, word(2*k), word(2*k+1), 1)
				} else {
					l.stretch.c.VVVI(x86.VSHUFI64X2, x86.W512, t, word(2*k), word(2*k+1), 0xee)
				}
			}
			l.stretch.c.copy(x86.W512, v, at[0])
			l.stretch.c.VVV(x86.VPERMI2D, x86.W512, v, a, b)
			l.stretch.c.store(x86.W512, l.line(2*half), v)
			l.stretch.c.VVV(x86.VPERMT2D, x86.W512, a, at[1], b)
			l.stretch.c.store(x86.W512, l.line(2*half+1), a)
		}
		for _, t := range [...]x86.Vec{a, b, v} {
			l.stretch.c.release(temp(t))
		}
		done()
	})
	for _, v := range at {
		l.stretch.c.release(temp(v))
	}
}

// storeTwo is storeHeld for two words.
func (l *lines) storeTwo(last int, data *source) {
	l.stretch.c.eachPart(tW, func() {
		word, done := l.words(last, data)
		for j := range 2 {
			v := l.index(func(i int) int { return 16*(i%2) + i/2 + 8*j })
			l.stretch.c.VVV(x86.VPERMI2D, x86.W512, v, word(0), word(1))
			l.stretch.c.store(x86.W512, l.line(j), v)
			l.stretch.c.release(temp(v))
		}
		done()
	})
}

// words are the registers of the running part of all words; done gives back that of the last one.
func (l *lines) words(last int, data *source) (word func(k int) x86.Vec, done func()) {
	from := l.of[last].acc.dataOf(data)
	own := l.stretch.c.load(from, tW)
	return func(k int) x86.Vec {
			if k == last {
				return own.v
			}
			return l.held[k][l.stretch.c.part]
		}, func() {
			l.stretch.c.unload(own, from)
			l.stretch.c.release(from)
		}
}

// storing tells whether the accesses are stores.
func (l *lines) storing() bool { return l.stretch.c.steps[l.pcs[0]].op.Kind == sem.OpStore }
