package jit

// Lines by AVX2, whose instructions put words in order within halves of a register. Of four words, the even lanes come into
// the lower half by themselves, and the odd ones into the upper half.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// oddApart says where each lane is if the even ones are in the lower half; evenFirst, which lanes are there.
func oddApart(i int) int  { return i/2 + i%2*4 }
func evenFirst(i int) int { return i%4*2 + i/4 }

// crossed exchanges the middle quarters of a register.
const crossed = 0xd8

// load256 loads all words.
func (l *lines) load256() {
	if l.step == 2 {
		for k := range 2 {
			l.stretch.c.eachPart(tW, func() {
				v, done := l.loaded(k)
				l.stretch.c.move(x86.W256, v, l.line(0))
				l.stretch.c.VVMI(x86.VSHUFPS, x86.W256, v, v, l.line(1), [2]uint8{0x88, 0xdd}[k])
				l.stretch.c.VVI(x86.VPERMQ, x86.W256, v, v, crossed)
				done()
			})
		}
		return
	}
	at := l.index(oddApart)
	for k := 0; k < 4; k += 2 {
		l.stretch.c.eachPart(tW, func() { l.loadTwo256(k, at) })
	}
	l.stretch.c.release(temp(at))
}

// loadTwo256 loads the running part of words k and k+1.
func (l *lines) loadTwo256(k int, at x86.Vec) {
	pair := [2]x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ}[k/2]
	a, b := l.stretch.c.alloc(), l.stretch.c.alloc()
	l.stretch.c.move(x86.W256, a, l.line(0))
	l.stretch.c.VVM(pair, x86.W256, a, a, l.line(1))
	l.stretch.c.move(x86.W256, b, l.line(2))
	l.stretch.c.VVM(pair, x86.W256, b, b, l.line(3))
	for n, op := range [2]x86.Op{x86.VPUNPCKLQDQ, x86.VPUNPCKHQDQ} {
		v, done := l.loaded(k + n)
		l.stretch.c.VVV(op, x86.W256, v, a, b)
		l.stretch.c.VVV(x86.VPERMD, x86.W256, v, at, v)
		done()
	}
	l.stretch.c.release(temp(a))
	l.stretch.c.release(temp(b))
}

// keepTurned keeps what is to be stored, in the order in which halves are put together.
func (l *lines) keepTurned(k int) {
	var at x86.Vec
	if l.step == 4 {
		at = l.index(evenFirst)
		defer l.stretch.c.release(temp(at))
	}
	t := l.stretch.c.alloc()
	l.stretch.c.eachPart(tW, func() {
		from := l.of[k].acc.dataOf(&l.of[k].acc.src[1])
		v := from
		if l.step == 2 || from.kind != inMem {
			v = l.stretch.c.load(from, tW)
		}
		if l.step == 2 {
			l.stretch.c.VVI(x86.VPERMQ, x86.W256, t, v.v, crossed)
		} else {
			l.stretch.c.vvx(x86.VPERMD, x86.W256, t, at, v)
		}
		l.stretch.c.store(x86.W256, l.kept(k, 0), t)
		l.stretch.c.unload(v, from)
		l.stretch.c.release(from)
	})
	l.stretch.c.release(temp(t))
}

// store256 stores the running part of all words.
func (l *lines) store256() {
	for n, op := range [2]x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ} {
		a := l.paired(op, 0)
		if l.step == 2 {
			l.stretch.c.store(x86.W256, l.line(n), a)
			l.stretch.c.release(temp(a))
			continue
		}
		b, c := l.paired(op, 2), l.stretch.c.alloc()
		l.stretch.c.VVV(x86.VPUNPCKLQDQ, x86.W256, c, a, b)
		l.stretch.c.store(x86.W256, l.line(2*n), c)
		l.stretch.c.VVV(x86.VPUNPCKHQDQ, x86.W256, c, a, b)
		l.stretch.c.store(x86.W256, l.line(2*n+1), c)
		l.stretch.c.release(temp(a))
		l.stretch.c.release(temp(b))
		l.stretch.c.release(temp(c))
	}
}

// paired has words k and k+1 of lanes behind each other.
func (l *lines) paired(op x86.Op, k int) x86.Vec {
	v := l.stretch.c.alloc()
	l.stretch.c.move(x86.W256, v, l.kept(k, 0))
	l.stretch.c.VVM(op, x86.W256, v, v, l.kept(k+1, 0))
	return v
}
