package jit

// Signs of what is never negative. Compilers divide signed numbers by powers of two with a correction by the sign,
// `(i + (i >> 31 >>> 28)) >> 4`; where i follows from the thread index the sign is 0, so is the correction, and the last shift is one
// of bits.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// minSign is the least shift that may be by a sign.
const minSign = 16

// findSigns makes constants of what shifts leave of values that are too small, tells who reads them, and makes shifts of bits of those
// whose sign is 0.
func (r *region) findSigns() {
	signs := map[ir.Reg]uint64{}
	var once ir.Bits
	for pc := range r.steps {
		pc, s := int32(pc), &r.steps[pc]
		if s.leaves || s.op.Kind != sem.OpLane || s.prog == nil || r.insts[pc].Guard != machine.NoGuard {
			continue
		}
		if len(signs) > 0 && r.takeSigns(pc, signs) {
			r.replan(s)
		}
		o := &s.prog.ops[s.prog.result]
		if o.code != cSarI && o.code != cShrI || s.prog.ops[o.a].code != cIn {
			continue
		}
		if o.imm >= minSign {
			if v := r.madeSpan(pc); v.known && v.low == v.high && v.low >= 0 {
				s.prog = r.constantProgram(o.typ, uint64(v.low))
				if once == nil {
					once = r.writtenOnce()
				}
				if g := r.live.uses.writes(pc); len(g) == 1 && once.Has(int(g[0])) {
					signs[g[0]] = uint64(v.low)
				}
				continue
			}
		}
		if o.code == cSarI && r.sourceSpan(pc, &s.in[s.prog.ops[o.a].imm]).positive(o.typ) {
			p := r.newProgram()
			s.prog = p.becomes(p.shrI(r.input(p, s.in, int(s.prog.ops[o.a].imm)), o.imm))
		}
	}
}

// positive tells whether values of a type, as signed ones, are themselves and not below 0.
func (a span) positive(t typ) bool { return a.whole(t) && (t == tX || a.high < 1<<31) }

func (r *region) constantProgram(t typ, v uint64) *program {
	p := r.newProgram()
	return p.becomes(p.constant(t, v))
}

// takeSigns makes known operands of rows that are; false if there are none.
func (r *region) takeSigns(pc int32, signs map[ir.Reg]uint64) (some bool) {
	s := &r.steps[pc]
	for k := range s.in {
		src := &s.in[k]
		if src.known || src.slot || src.typ == tM {
			continue
		}
		if v, ok := signs[r.readAt(pc, src)]; ok {
			*src, some = src.fixed(v), true
		}
	}
	return some
}

// replan makes the program of a lane function of operands of which more is known than when it was planned.
func (r *region) replan(s *step) {
	p := r.newProgram()
	v := laneOf(s.op.Fn).twin(p, r.inputs(p, s.in))
	if o := &p.ops[v]; o.code == cAdd {
		if n, known := p.known(o.b); known && n == 0 {
			v = o.a
		}
	}
	r.settle(s, p, v, s.dst)
}
