package jit

// set, 9.7.6.1: a comparison, combined with a predicate, to a number for all lanes where it holds and 0 elsewhere. The masks are made
// words, as wide as what is compared, which are combined.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// set plans one of whole registers; false if it is left to the interpreter.
func (r *region) set(pc int32) bool {
	return r.setElements(pc, uint32(r.insts[pc].Imm), func(_ *program, a val, _ int) val { return a }, 1)
}

// setPacked plans one of elements.
func (r *region) setPacked(pc int32) bool {
	n, m := r.steps[pc].op.Bits, &r.steps[pc].op.Masks
	return r.setElements(pc, m.Yes, func(p *program, a val, k int) val {
		if up := 32 - n*(k+1); m.Signed {
			return p.sarI(p.shift(cShl, a, p.w(uint32(up))), uint64(32-n))
		}
		return p.lowBits(p.shift(cShr, a, p.w(uint32(n*k))), n)
	}, 32/n)
}

// compareHalves plans setp of packed halves.
func (r *region) compareHalves(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	l := laneOf(s.op.Fn)
	if l.twin == nil || l.out != tM || len(l.in) != 2 {
		return false
	}
	s.in = []source{r.source(pc, in.A, tW, false), r.source(pc, in.B, tW, false)}
	half := func(take func(p *program, a val) val) *program {
		p := r.newProgram()
		a, b := take(p, r.input(p, s.in, 0)), take(p, r.input(p, s.in, 1))
		if p.result = l.twin(p, []val{a, b}); p.result == none || !r.has(p) {
			return nil
		}
		p.settle()
		return p
	}
	lower, upper := half(func(p *program, a val) val { return p.lowBits(a, 16) }), half(func(p *program, a val) val { return p.shrI(a, 16) })
	if lower == nil || upper == nil {
		return false
	}
	s.prog, s.upper, s.dst = lower, upper, source{typ: tM, row: -1}
	return true
}

// computeHalves assembles it.
func (c *compiler) computeHalves(s *step, use maskUse) {
	c.run(s.upper, s.in, &s.dst, false, use)
	c.RR(x86.MOV, x86.S32, x86.R11, x86.R8) // which comparisons leave alone
	c.run(s.prog, s.in, &s.dst, false, use)
	c.combineBoth(&s.op.Masks, use)
}

// setElements plans a comparison of n elements, each of which gives yes, or 0, in its place.
func (r *region) setElements(pc int32, yes uint32, element func(p *program, a val, k int) val, n int) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	l, m := laneOf(s.op.Fn), &s.op.Masks
	if l.twin == nil || l.out != tM || len(l.in) != 2 {
		return false
	}
	s.in = []source{r.source(pc, in.A, l.in[0], s.op.Scalar), r.source(pc, in.B, l.in[1], s.op.Scalar)}
	if m.Op != uop.WordFirst {
		s.in = append(s.in, source{typ: tM, off: m.C, row: -1})
	}
	p := r.newProgram()
	vals := r.inputs(p, s.in)
	v := none
	for k := range n {
		holds := l.twin(p, []val{element(p, vals[0], k), element(p, vals[1], k)})
		if holds == none {
			return false
		}
		word := combinedWord(p, m.Op, wordOf(p, l.in[0], holds, 0), func() val { return wordOf(p, l.in[0], vals[2], uint64(int64(int32(m.Flip)))) })
		if word == none {
			return false
		}
		if word = p.and(word, p.constant(l.in[0], uint64(yes)<<(k*32/n))); v == none {
			v = word
		} else {
			v = p.or(v, word)
		}
	}
	if l.in[0] == tX {
		v = p.trunc(v)
	}
	return r.settle(s, p, v, source{typ: tW, off: m.D, slot: s.op.Scalar, row: -1})
}

// wordOf is all ones where a truth value holds, and 0 elsewhere, or turned.
func wordOf(p *program, t typ, m val, flip uint64) val {
	return p.sel(m, p.constant(t, ^flip), p.constant(t, flip))
}

// combinedWord combines two words; none if that is not known here.
func combinedWord(p *program, how uop.WordOp, a val, b func() val) val {
	switch how {
	case uop.WordFirst:
		return a
	case uop.WordAnd:
		return p.and(a, b())
	case uop.WordOr:
		return p.or(a, b())
	case uop.WordXor:
		return p.xor(a, b())
	}
	return none
}
