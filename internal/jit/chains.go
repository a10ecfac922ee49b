package jit

// Branches and exits that several comparisons decide together: lanes leave where one of them says so,
// as behind a test that two coordinates are inside.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// term is a comparison of a chain: lanes leave where it holds, or where it does not.
type term struct {
	comparison
	when bool
}

// chainAhead is how far in front of a branch the first comparison may be.
const chainAhead = 32

// chain is what is found of the comparisons behind a predicate.
type chain struct {
	*region
	first, pc int32 // where to look
	terms     []term
	pcs       []int32 // the instructions of the chain
	preds     []uint32
}

// findChain finds the comparisons that decide a guard at the end of a segment: any of them, nothing
// leaves between the first and the guard, and nobody else looks at a predicate in between.
func (r *region) findChain(s *segment, pred uint32, when bool) *decision {
	pc := s.end - 1
	k := &chain{region: r, first: max(s.first, pc-chainAhead), pc: pc}
	if !k.follow(pc, pred, when) || len(k.terms) < 2 {
		return nil
	}
	slices.Sort(k.pcs)
	for _, off := range k.preds {
		if off != pred && r.live.behind(s.end, off) {
			return nil
		}
	}
	for at := k.pcs[0]; at < pc; at++ {
		if _, ok := slices.BinarySearch(k.pcs, at); !ok && !k.apart(at) {
			return nil
		}
	}
	if !r.uses(Chains) {
		return nil
	}
	for _, at := range k.pcs {
		r.steps[at].moot = true
	}
	return &decision{comparison: comparison{spread: true}, terms: k.terms, pcs: k.pcs, pred: pred, when: when, alive: r.live.behind(s.end, pred)}
}

// follow finds what decides whether lanes leave where a predicate is as when says, before a pc.
func (k *chain) follow(pc int32, pred uint32, when bool) bool {
	k.preds = append(k.preds, pred)
	for at := pc - 1; at >= k.first; at-- {
		s, in := &k.steps[at], &k.insts[at]
		reads, writes := s.lanesTouch(in, false)
		if s.leaves || slices.Contains(k.pcs, at) && touchMask(reads, pred) {
			return false // two ways to one predicate
		}
		if !touchMask(writes, pred) {
			continue
		}
		if in.Guard != machine.NoGuard || slices.Contains(k.pcs, at) {
			return false
		}
		k.pcs = append(k.pcs, at)
		switch s.op.Kind {
		case sem.OpMove:
			return k.follow(at, in.A, when != (in.Imm != 0))
		case sem.OpLogic:
			a, b := uint32(in.Imm) != 0, in.Imm>>32 != 0 // turned round
			return (s.op.Word == uop.WordOr && when || s.op.Word == uop.WordAnd && !when) &&
				k.follow(at, in.A, when != a) && k.follow(at, in.B, when != b)
		}
		c, ok := k.comparisonOf(s)
		k.terms = append(k.terms, term{c, when})
		return ok && !k.changed(&c, at+1, k.pc)
	}
	return false
}

// touchMask tells whether a predicate is among what an instruction reads or writes.
func touchMask(list []source, pred uint32) bool {
	return slices.ContainsFunc(list, func(s source) bool { return s.typ == tM && s.off == pred })
}

// apart tells whether an instruction between those of the chain has nothing to do with it.
func (k *chain) apart(at int32) bool {
	s, in := &k.steps[at], &k.insts[at]
	switch s.op.Kind {
	case sem.OpNothing:
		return true
	case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic:
	default:
		return false
	}
	if s.leaves || in.Guard != machine.NoGuard || s.tests {
		return false
	}
	reads, writes := s.lanesTouch(in, false)
	return !slices.ContainsFunc(append(reads, writes...), func(a source) bool { return a.typ == tM && slices.Contains(k.preds, a.off) })
}

// recompute computes the predicates of a chain lane by lane.
func (c *compiler) recompute(pcs []int32) {
	for _, pc := range pcs {
		switch in, s := &c.insts[pc], &c.steps[pc]; s.op.Kind {
		case sem.OpMove:
			c.moveMask(in)
			c.writeMask(in.D, x86.R8, allLanes)
		case sem.OpLogic:
			c.logic(in, s)
			c.writeMask(in.D, x86.R8, allLanes)
		default:
			c.run(s.prog, s.full, &s.dst, s.op.Scalar, allLanes)
			c.MR(x86.MOV, x86.S32, c.regs(s.dst.off), x86.R8)
		}
	}
}
