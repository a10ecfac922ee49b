package jit

// Bits of values that follow from the lane: `tid & 15` and `tid >> 4`, what `i % 16` and `i / 16` come to. Where the base of each run
// of lanes is a multiple of a power of two beyond all distances from it, the two have no bit in common, so that what acts on each bit
// by itself acts on the base and on the distances. Numbers compute the base; here is what becomes of the distances. The lower half of
// a tile's threads and the number of a warp are such values.
//
// From warp to warp (program.steps) values go on by one step: bits that it does not reach stay, those below it are left out.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// mayTakeBits tells whether bits of lanes are looked at: not where handlers execute instructions, products of matrices above all. They
// want rows, so that each number more is a row more to write in front of each of them.
func (r *region) mayTakeBits() bool {
	r.laneBits = r.allows(LaneBits) && !slices.ContainsFunc(r.steps, func(s step) bool { return s.leaves })
	return r.laneBits
}

// bitwise is the result of an operation on bits of a value and a constant; unknown if the distances reach the bits of the base.
func (p *program) bitwise(o *operation, out []stride) stride {
	a, k := out[o.a], o.imm
	if o.n == 2 {
		var ok bool
		if k, ok = p.known(o.b); !ok {
			if k, ok = p.known(o.a); !ok {
				return stride{}
			}
			a = out[o.b]
		}
	}
	if !a.known() {
		return stride{}
	}
	if p.steps {
		return p.bitsAhead(o, a, k)
	}
	low, high := a.extents()
	if low < 0 || bits.Len64(uint64(high)) > min(int(a.even), o.typ.bits()-1) {
		return stride{}
	}
	even := uint8(0)
	switch o.code {
	case cAnd:
		even = max(a.even, evenness(k))
	case cOr, cXor:
		even = min(a.even, evenness(k))
	default:
		even = a.even - min(a.even, uint8(k))
	}
	return a.mapped(o.typ, even, func(d int64) int64 { return bitsOf(o.code, d, int64(k)) })
}

// bitsOf is what an operation on bits makes of a distance, beside what it makes of the base.
func bitsOf(c code, d, k int64) int64 {
	switch c {
	case cAnd:
		return d & k
	case cOr:
		return d &^ k
	case cXor:
		return d ^ k - k
	}
	return d >> k
}

// mapped has other distances, of which the first is 0; even is of the new bases, where runs stay as long.
func (r stride) mapped(t typ, even uint8, of func(d int64) int64) stride {
	index := func(n int64) int64 { return of(r.offset(int(n))) }
	s := strideOf(t, int64(r.w), index)
	if !s.known() {
		return s
	}
	s = s.within(r.w)
	s.even = even
	for lane := s.w; lane < r.w; lane += s.w {
		s.even = min(s.even, evenness(uint64(index(int64(lane)))))
	}
	return s
}

// bitsAhead is bitwise of the step from warp to warp.
func (p *program) bitsAhead(o *operation, a stride, k uint64) stride {
	below, all := uint64(1)<<min(evenness(uint64(a.step)), 63)-1, ^uint64(0)>>(64-o.typ.bits())
	switch {
	case a.step == 0:
		return everyLane
	case o.code == cAnd && k&^below == 0:
		a.step = 0
		return a
	case o.code == cAnd && (k|below)&all == all, (o.code == cOr || o.code == cXor) && k&^below == 0:
		return a
	case o.code == cShrI && p.flat && a.step%(1<<k) == 0:
		a.step >>= k
		return a
	}
	return stride{}
}

// noteBits notes that a pattern follows from bits.
func (f *finder) noteBits(s *step) {
	for i, need := range needed(s.prog) {
		o := &s.prog.ops[i]
		if !need || o.n == 0 {
			continue
		}
		switch o.code {
		case cAnd, cOr, cXor, cShrI, cSarI:
			f.uses(LaneBits)
			return
		}
	}
}

// findIndexShifts finds the shifts of the thread index, which does not wrap from warp to warp.
func (f *finder) findIndexShifts() {
	once := f.writtenOnce()
	for pc := range f.steps {
		s := &f.steps[pc]
		if s.leaves || s.op.Kind != sem.OpLane || s.prog == nil {
			continue
		}
		o := &s.prog.ops[s.prog.result]
		if o.code == cShrI && o.typ == tW && s.prog.ops[o.a].code == cIn && f.threadIndex(int32(pc), &s.in[s.prog.ops[o.a].imm], once) {
			own := *s.prog // others may have the same
			own.flat = true
			s.prog = &own
		}
	}
}

// threadIndex tells whether a source is a component of the thread index, or a copy of one.
func (f *finder) threadIndex(pc int32, src *source, once ir.Bits) bool {
	for range 4 {
		if src.slot || src.known || src.typ != tW {
			return false
		}
		for i := range f.code.Specials {
			if s := &f.code.Specials[i]; s.Off == src.off && s.Reg == threadID() && s.Comp < 3 && s.Add == 0 {
				return true
			}
		}
		g := f.readAt(pc, src)
		if g == ir.NoReg || !once.Has(int(g)) || len(f.live.uses.writers(g)) == 0 {
			return false
		}
		at := f.live.uses.writers(g)[0]
		s := &f.steps[at]
		if s.leaves || s.op.Kind != sem.OpLane || s.prog == nil || s.prog.ops[s.prog.result].code != cIn {
			return false
		}
		pc, src = at, &s.in[s.prog.ops[s.prog.result].imm]
	}
	return false
}
