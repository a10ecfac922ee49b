package jit

// The number of a warp in its block, as kernels compute it: the thread index without its low bits. Runs of lanes begin at
// multiples of their length, so that all lanes of one have the same.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// level is what a shift leaves of a value of which nothing else differs between lanes.
func (p *program) level(o *operation, a stride) stride {
	switch {
	case !a.known():
		return stride{}
	case !p.steps:
		return everyLane.within(a.w)
	case a.step%(1<<o.imm) != 0:
		return stride{}
	}
	a.step >>= o.imm
	return a
}

// findLevels finds the shifts that leave nothing of what differs between lanes of a run.
func (f *finder) findLevels(shape ir.LaunchShape) {
	once := f.writtenOnce()
	for pc := range f.steps {
		s := &f.steps[pc]
		if s.leaves || s.op.Kind != sem.OpLane || s.prog == nil {
			continue
		}
		o := &s.prog.ops[s.prog.result]
		if o.code != cShrI || o.typ != tW || s.prog.ops[o.a].code != cIn {
			continue
		}
		if comp, ok := f.threadIndex(int32(pc), &s.in[s.prog.ops[o.a].imm], once); ok && levels(shape, comp, o.imm) && f.uses(Levels) {
			own := *s.prog // others may have the same
			own.levels = true
			s.prog = &own
		}
	}
}

// levels tells whether the runs of a component of the thread index, in full warps, differ in none of the bits from n on.
func levels(s ir.LaunchShape, comp int, n uint64) bool {
	r := threadStride(s, comp)
	if !r.known() {
		return false
	}
	x, y := int64(s.BlockX), int64(s.BlockY)
	for first := int64(0); first < x*y*int64(s.BlockZ)&^31; first += int64(r.w) {
		base := [...]int64{first % x, first / x % y, first / x / y}[comp]
		low, high := r.extents()
		if (base+low)>>n != base>>n || (base+high)>>n != base>>n {
			return false
		}
	}
	return true
}

// threadIndex is the component of the thread index that a source is, or a copy of.
func (f *finder) threadIndex(pc int32, src *source, once ir.Bits) (comp int, ok bool) {
	for range 4 {
		if src.slot || src.known || src.typ != tW {
			return 0, false
		}
		for i := range f.code.Specials {
			if s := &f.code.Specials[i]; s.Off == src.off && s.Reg == threadID() && s.Comp < 3 && s.Add == 0 {
				return int(s.Comp), true
			}
		}
		g := f.readAt(pc, src)
		if g == ir.NoReg || !once.Has(int(g)) || len(f.live.uses.writers(g)) == 0 {
			return 0, false
		}
		at := f.live.uses.writers(g)[0]
		s := &f.steps[at]
		if s.leaves || s.op.Kind != sem.OpLane || s.prog == nil || s.prog.ops[s.prog.result].code != cIn {
			return 0, false
		}
		pc, src = at, &s.in[s.prog.ops[s.prog.result].imm]
	}
	return 0, false
}
