package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file tests what the code between a branch and its target relies on where that code begins, and not in front of the whole copy:
//
//	if (t < d) s[t] += s[t + d];
//
//	no lane has t < d     it is not executed
//	all lanes have        s[t] and s[t + d] are in bounds: the same, of whole vectors; else under masks, where each access tests itself
//	some have             s[t] and s[t + d] are in bounds for all lanes: under masks, without tests; else as above
//
// Warps that do not execute it need not have s[t + d]: by a test in front of all they would run the copy for any lanes. It applies where the
// numbers that decide are known in front of the copy, as those of thread indices are. Where it depends on what has been loaded one test in
// front is best: a warp most likely has lanes that execute it.

// arm is what lies between a branch and its target, for warps of which no lane takes the branch.
type arm struct {
	outer  *front
	target ir.BlockID
	masked *ssa.Block // the arm under masks, where each access tests itself
}

// newArm is the arm of the branch at the end of a block by a guard, if its tests are to be its own: no way from elsewhere leads into it.
func (p *path) newArm(id ir.BlockID, guard ssa.Value, target ir.BlockID) *arm {
	t := p.front
	if t == nil || p.Copies[p.Copy].Cold || len(p.loops) > 0 || p.opt.Without["arms"] || !p.builder.before(p.Surely(guard), t.limit) || !p.builder.before(p.Maybe(guard), t.limit) {
		return nil
	}
	if t.arm != nil && t.arm.target < target {
		return nil
	}
	for in := id + 1; in < target; in++ {
		if slices.ContainsFunc(p.fn.Blocks[in].Preds, func(q ir.BlockID) bool { return q < id }) {
			return nil
		}
	}
	return &arm{outer: t, target: target}
}

// frontOf are tests of an arm at the end of the running block, where it goes on.
func (p *path) frontOf(a *arm) *front {
	t := &front{limit: len(p.Blocks), copy: p.Copy, checks: map[tested]ssa.CheckID{}, arm: a, at: p.block}
	t.hot = p.newBlock()
	p.goesOn(t.at, t.hot)
	p.block = t.hot
	return t
}

// armsOfSome builds an arm for warps of which some lanes are in it: with tests in front, and under masks alone.
func (p *path) armsOfSome(a *arm, mixed *ssa.Block, meet ir.BlockID, guard ssa.Value, build func(m *path, guard ssa.Value)) {
	hot := p.Copy
	a.masked = p.newBlock()
	p.inColdCopy(a.masked, meet, func(m *path) {
		m.front = nil
		m.Copies[m.Copy].From = 0 // it and the other are cold: what both have would be computed in the hot code in front of them
		build(m, m.anew(guard, func(v ssa.Value) bool { return m.Info[v].Block >= 0 || m.IsNum(v) || m.Ops[v].Code <= ssa.Strided }))
	})
	p.inColdCopy(mixed, meet, func(m *path) {
		m.front = m.frontOf(a)
		m.front.copy = hot
		build(m, guard)
		m.front.endArm(m.builder)
	})
}

// enterArm goes on with an arm for warps all of whose lanes are in it: what it relies on is tested here.
func (p *path) enterArm(a *arm) {
	if a != nil {
		p.front = p.frontOf(a)
	}
}

// leaveArm ends the arms that lead to a block.
func (p *path) leaveArm(id ir.BlockID) {
	for p.front != nil && p.front.arm != nil && p.front.arm.target == id && !p.Copies[p.Copy].Cold {
		p.front.endArm(p.builder)
		p.front = p.front.arm.outer
	}
}

// endArm makes the tests of an arm, as they are complete.
func (t *front) endArm(b *builder) {
	t.at.Jump(t.hot)
	if cond := t.condition(b, b.Truth(true)); cond != b.Truth(true) {
		t.at.Cond = cond
		t.at.Jump(t.arm.masked)
	}
}

// ofAll are the tests in front of the whole copy.
func (t *front) ofAll() *front {
	for t.arm != nil {
		t = t.arm.outer
	}
	return t
}
