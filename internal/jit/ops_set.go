package jit

// set, 9.7.6.1: a comparison, combined with a predicate, to a number for all lanes where it holds and 0 elsewhere. The masks are made
// words, which are combined.

import (
	"ptxvm.invalid/ptxvm/internal/uop"
)

// set plans one; false if it is left to the interpreter: comparisons of 64 bits beside words of 32.
func (r *region) set(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	l, m := laneOf(s.op.Fn), &s.op.Masks
	if l.twin == nil || l.out != tM || len(l.in) != 2 || l.in[0] == tX || l.in[1] == tX {
		return false
	}
	s.in = []source{r.source(pc, in.A, l.in[0], s.op.Scalar), r.source(pc, in.B, l.in[1], s.op.Scalar)}
	if m.Op != uop.WordFirst {
		s.in = append(s.in, source{typ: tM, off: m.C, row: -1})
	}
	p := r.newProgram()
	vals := r.inputs(p, s.in)
	yes := l.twin(p, vals[:2])
	if yes == none {
		return false
	}
	word := p.sel(yes, p.w(^uint32(0)), p.w(0))
	if m.Op != uop.WordFirst {
		other := p.sel(vals[2], p.w(^m.Flip), p.w(m.Flip))
		switch m.Op {
		case uop.WordAnd:
			word = p.and(word, other)
		case uop.WordOr:
			word = p.or(word, other)
		case uop.WordXor:
			word = p.xor(word, other)
		default:
			return false
		}
	}
	return r.settle(s, p, p.and(word, p.w(uint32(in.Imm))), source{typ: tW, off: m.D, slot: s.op.Scalar, row: -1})
}
