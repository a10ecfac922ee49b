package jit

// Short blocks that some lanes of a full warp go through, `if (lane == 0) s[warp] = x`: the others wait for them a few
// instructions further on, so nobody need leave the code for full warps. What the block computes for itself is
// computed for all lanes, what it leaves behind and its accesses to memory are for those that are there. Where an access
// would fault, or leaves for another reason, the lanes part there, with everything before it done.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// maxInline is how many instructions such a block has at most.
const maxInline = 12

// maxInlineAccesses is how many accesses it has at most.
const maxInlineAccesses = 4

// inlined tells whether the segment behind a branch is such a block, and where it is executed so.
func (c *compiler) inlined(i int, pc int32) bool {
	if c.sweeping != nil || len(c.words) != 0 || c.opt.Whole || i+2 >= len(c.segs) || !c.canWait(i+2) {
		return false
	}
	if c.node != nil {
		return c.node.inner != nil
	}
	return c.inlines(i, pc) && c.uses(Inlines)
}

// inlines tells whether the segment behind a branch is such a block.
func (r *region) inlines(i int, pc int32) bool {
	if i+2 >= len(r.segs) || !r.allows(Inlines) {
		return false
	}
	in, s := &r.insts[pc], &r.segs[i+1]
	if s.first != pc+1 || s.end != int32(in.Imm) || s.end-s.first > maxInline || s.first == s.end || r.segs[i+2].first != s.end {
		return false
	}
	accesses := 0
	for at := s.first; at < s.end; at++ {
		step := &r.steps[at]
		if step.leaves || step.tests || step.lasting || step.loaded != nil || step.index != nil || r.insts[at].Guard != machine.NoGuard || r.rowAmong(r.live.uses.writes(at), in.Guard&^1) {
			return false
		}
		switch step.op.Kind {
		case sem.OpLoad, sem.OpStore:
			accesses++
		case sem.OpLane, sem.OpSelect, sem.OpNothing:
		default:
			return false
		}
		if step.once(false) && r.staysBehind(at, s.end) {
			return false
		}
	}
	return accesses > 0 && accesses <= maxInlineAccesses
}

// staysBehind tells whether an instruction writes a row that somebody reads from a pc on.
func (r *region) staysBehind(at, pc int32) bool {
	live := r.live.at(pc)
	return slices.ContainsFunc(r.live.uses.writes(at), func(g ir.Reg) bool { return r.f.Rows.Of[g] < 0 || r.live.holds(live, r.offset(g)) })
}

// inline assembles a branch of a full warp with the block behind it.
func (c *compiler) inline(i int, pc int32) {
	s := &c.segs[i+1]
	n := int32(s.end - s.first)
	if c.others = c.othersKnown(pc); c.others == 0 {
		c.whoGoes(i, pc)
	}
	node := c.node
	if node != nil {
		c.enter(node.inner)
	}
	c.title("some of all lanes, from %d", s.first)
	c.count()
	masked := c.others != 0 && !c.evex // who executes is a constant there
	for at := s.first; at < s.end; at++ {
		if u := c.fullRuns[at]; u != nil && len(u.loads) == 0 && !c.anyStays(u, s.end) {
			c.note(at, u.end)
			c.runInstructions(i+1, u, false)
			at = u.end - 1
			continue
		}
		c.note(at, at+1)
		masked = c.inlineOne(i, at, pc, masked)
	}
	if node != nil {
		c.enter(node)
	}
	c.countOthers(pc, n)
	c.others = 0
	c.Jmp(c.fullLabel(i + 2))
}

// othersKnown has the lanes that go through the block, 0 if that is known only then, or none or all do.
func (c *compiler) othersKnown(pc int32) uint32 {
	taken, ok := c.laneMasks[c.f.Insts[pc].Guard.Reg]
	if c.insts[pc].Guard&1 != 0 {
		taken = ^taken
	}
	if !ok || taken == 0 {
		return 0
	}
	return ^taken
}

// whoGoes goes elsewhere where all lanes take the branch, or none does.
func (c *compiler) whoGoes(i int, pc int32) {
	c.loadGuard(&c.insts[pc], false)
	c.RI(x86.CMP, x86.S32, rGuard, -1)
	c.Jcc(x86.E, c.later(func() { c.take(i, pc, c.segs[i+1].end, false) }))
	c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	c.Jcc(x86.E, c.later(func() {
		c.uncountAll(false)
		c.follow(i)
	}))
}

// countOthers counts the block's instructions and their lanes. All lanes have been counted for the branch.
func (c *compiler) countOthers(pc, n int32) {
	c.MI(x86.ADD, x86.S64, ctxSteps, n)
	switch {
	case n == 1:
	case c.others != 0:
		c.MI(x86.ADD, x86.S64, ctxOps, int32(bits.OnesCount32(c.others))*(n-1))
	default:
		c.guardOthers(pc)
		c.RR(x86.POPCNT, x86.S32, x86.RCX, rGuard)
		c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, n-1)
		c.MR(x86.ADD, x86.S64, ctxOps, x86.RCX)
	}
}

// anyStays tells whether a run leaves something behind.
func (c *compiler) anyStays(u *run, end int32) bool {
	for at := u.first; at < u.end; at++ {
		if c.staysBehind(at, end) {
			return true
		}
	}
	return false
}

// guardOthers leaves in R9 the lanes that do not take a branch.
func (c *compiler) guardOthers(pc int32) {
	if c.others != 0 {
		c.MovImm(rGuard, uint64(c.others))
		return
	}
	c.loadGuard(&c.insts[pc], false)
	c.R(x86.NOT, x86.S32, rGuard)
}

// inlineOne assembles one instruction of the block behind the branch at a pc. It tells whether the mask of those that execute has
// been made, which is masked before it.
func (c *compiler) inlineOne(i int, at, pc int32, masked bool) bool {
	s, use := &c.steps[at], allLanes
	if memory := s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore; memory || !s.moot && c.staysBehind(at, c.segs[i+1].end) {
		use = guardLanes
		c.guardOthers(pc)
		if !masked {
			c.setMask(rGuard, kGuard, saveGuard)
		}
		masked = true
		if memory {
			c.settleRows(s.settles)
			a := c.accessAt(at, false, use)
			a.miss = c.leaveBlock(i, at, pc)
			a.assemble(i + 1)
			return masked
		}
	}
	c.compute(i+1, at, false, use)
	return masked
}

// leaveBlock is the label of code that leaves before an access of the block behind the branch at a pc, where its lanes part
// from those that wait for them.
func (c *compiler) leaveBlock(i int, at, pc int32) x86.Label {
	return c.later(func() {
		c.guardOthers(pc)
		c.others = 0
		n := at - c.segs[i+1].first
		c.MI(x86.ADD, x86.S64, ctxSteps, n)
		c.RR(x86.POPCNT, x86.S32, x86.RCX, rGuard)
		c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, n-1) // all lanes have been counted for the branch
		c.MR(x86.ADD, x86.S64, ctxOps, x86.RCX)
		c.unforesee(at, at)
		c.apart(at)
		c.RR(x86.MOV, x86.S32, rMask, rGuard)
		c.R(x86.NOT, x86.S32, rGuard)
		c.addPending(c.segs[i+2].pending, rGuard)
		c.partExit(at, 0, 0)
	})
}
