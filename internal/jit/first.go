package jit

// Blocks that lane 0 of a warp goes through alone, `if (threadIdx.x == 0)`: code for some lanes computes for all of them
// there, eight registers of 64-bit elements by AVX2, to keep what 31 had, and what one access has stored as an element
// is loaded as a vector, which waits for the store. So such a block has another version, behind a test of who runs, that loads,
// computes and stores the elements of that lane.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// findFirst marks the segments behind branches that one lane of a warp goes by.
func (r *region) findFirst() {
	for pc := range r.insts {
		if to, ok := r.oneGoesTo(int32(pc)); ok {
			for i := range r.segs {
				if s := &r.segs[i]; s.first < s.end && r.f.Dominates(r.live.blockOf[to], r.live.blockOf[s.first]) {
					s.one = r.forOne(s) && r.uses(First)
				}
			}
		}
	}
}

// oneGoesTo is where the lane goes that a branch sends apart from the others, whose numbers differ.
func (r *region) oneGoesTo(pc int32) (to int32, ok bool) {
	in := &r.insts[pc]
	if r.steps[pc].op.Kind != sem.OpBranch || in.Guard == machine.NoGuard {
		return 0, false
	}
	list := r.live.uses.writers(r.f.Insts[pc].Guard.Reg)
	if len(list) != 1 {
		return 0, false
	}
	equal, ok := r.equality(list[0])
	if to = pc + 1; equal == (in.Guard&1 == 0) {
		to = int32(in.Imm)
	}
	return to, ok && to != int32(in.D) && int(to) < len(r.insts)
}

// equality tells whether an instruction compares what differs from lane to lane with what all have, and whether it asks for equal ones.
func (r *region) equality(pc int32) (equal, ok bool) {
	s := &r.steps[pc]
	if s.leaves || s.op.Kind != sem.OpLane || s.dst.typ != tM || len(s.full) != 2 {
		return false, false
	}
	a, b := &s.full[0], &s.full[1]
	if !b.shared() {
		a, b = b, a
	}
	p := &program{evex: true} // where every comparison is one operation
	o := &p.ops[laneOf(s.op.Fn).twin(p, []val{p.input(0, s.full[0].typ), p.input(1, s.full[1].typ)})]
	equal = o.imm == cmpEQ
	return equal, o.code == cCmp && (equal || o.imm == cmpNE) && b.shared() && a.pat != nil && a.pat.step != 0
}

// forOne tells whether all instructions of a segment can be those of one lane.
func (r *region) forOne(s *segment) bool {
	for pc := s.first; pc < s.end; pc++ {
		if t := &r.steps[pc]; !t.leaves && (t.warp != nil || t.op.Kind == sem.OpUnpack || t.op.Kind == sem.OpConvert || t.op.Kind == sem.OpCarry || t.local() || t.index != nil) {
			return false
		}
	}
	return true
}

// firstLane goes to the version of a segment for lane 0 if that runs alone.
func (c *compiler) firstLane(i int) {
	s := &c.segs[i]
	c.RI(x86.CMP, x86.S32, rMask, 1)
	c.Jcc(x86.E, c.later(func() {
		c.title("lane 0 of some lanes, from %d", s.first)
		c.count()
		c.alone = true
		c.setMask(rMask, kMask, saveRun)
		if n := s.end - s.first; n > 0 {
			c.MI(x86.ADD, x86.S64, ctxSteps, n)
			c.MI(x86.ADD, x86.S64, ctxOps, n)
		}
		left := c.instructions(i, s.end, true, func(pc int32) bool { return c.instruction(i, pc, true) })
		c.alone = false
		if i+1 < len(c.segs) && c.segs[i+1].first == s.end {
			c.Jmp(c.segs[i+1].part)
		} else if !left {
			c.behindSegment(s.end, true)
		}
	}))
}

// partsThatRun is parts, of lanes that run: one of one lane if it is alone.
func (e *emitter) partsThatRun(scalar bool) int { return e.parts(scalar || e.alone) }

// writeFirst writes the element of lane 0, which runs alone.
func (e *emitter) writeFirst(v loc, t typ, d *source, use maskUse) {
	switch {
	case d.row >= 0 && e.evex:
		e.Masked(e.laneMask(use)).VV(x86.VMOVDQA32, x86.W512, x86.Vec(d.row), v.v)
	case d.row >= 0:
		e.VVVI(x86.VPBLENDD, x86.W256, x86.Vec(d.row), x86.Vec(d.row), v.v, 1)
	case t == tX:
		e.MV(x86.VMOVQ, x86.W128, e.regs(d.off), v.v)
	default:
		e.MV(x86.VMOVD, x86.W128, e.regs(d.off), v.v)
	}
}
