package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has operations across the lanes of a warp whose results follow from which lanes execute, and of which
// of these a predicate holds (9.7.13.9 to 9.7.13.15): votes, the elected lane, the executing lanes, bar.warp.sync.
// No lane waits for others here: where a member mask names living lanes that are elsewhere, or lanes name different
// masks, the code leaves in front of the operation, and the machine lets them meet.

// across builds one of them.
func (p *path) across(pc int32, op *sem.Operation, guard ssa.Value) {
	in := &p.code.Insts[pc]
	lanes := p.And(p.mask, guard)
	members := p.Word(^uint32(0))
	if op.Warp.Sync {
		members = p.members(pc, op.Warp.Members, lanes)
	}
	ballot := func(m ssa.Value) ssa.Value {
		return p.Bin(ssa.And, p.Make(ssa.Ballot, ssa.W, 0, p.And(lanes, m)), members)
	}
	peers := func() ssa.Value { return ballot(p.Truth(true)) }
	switch op.Kind {
	case sem.OpActive:
		p.put(in.D, peers(), guard)
	case sem.OpElect:
		below := p.Bin(ssa.Sub, peers(), p.Word(1))
		leader := p.Make(ssa.Popc, ssa.W, 0, p.Bin(ssa.And, below, p.Bin(ssa.Xor, peers(), p.Word(^uint32(0)))))
		p.put(in.D, leader, guard)
		p.put(op.Warp.Pair, p.Cmp(ssa.Eq, p.Strided(p.Word(0), 1), leader), guard)
	case sem.OpShuffle:
		p.shuffle(pc, op, guard, peers)
	case sem.OpRedux, sem.OpMatchAny, sem.OpMatchAll:
		p.combine(pc, op, guard, p.peersOf(lanes, members), peers())
	case sem.OpBallot:
		p.put(in.D, ballot(p.predicate(pc, in.A, op.Warp.Flip != 0)), guard)
	case sem.OpVote:
		p.put(in.D, p.vote(op.Warp.Mode, p.predicate(pc, in.A, op.Warp.Flip != 0), ballot), guard)
	}
}

// vote is the number that a vote is.
func (p *path) vote(mode sem.WarpMode, yes ssa.Value, ballot func(ssa.Value) ssa.Value) ssa.Value {
	none := func(m ssa.Value) ssa.Value { return p.Cmp(ssa.Eq, ballot(m), p.Word(0)) }
	switch mode {
	case sem.VoteAll:
		return none(p.Not(yes))
	case sem.VoteAny:
		return p.Not(none(yes))
	}
	return p.Or(none(yes), none(p.Not(yes)))
}

// members is the mask that the executing lanes name, as a number; the code leaves where they do not name the same
// one, and where that has a living lane which does not execute.
func (p *path) members(pc int32, off uint32, lanes ssa.Value) ssa.Value {
	v := p.read(pc, off, ssa.W, false)
	some := p.Any(lanes)
	leave := func(cond ssa.Value) {
		if m := p.And(some, cond); !p.isNone(m) {
			p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: m, State: p.state(pc), PC: pc})
		}
	}
	if !p.IsNum(v) {
		each := v
		v = p.Make(ssa.Least, ssa.W, 0, p.Sel(lanes, each, p.Word(1<<31-1)))
		leave(p.Any(p.And(lanes, p.Cmp(ssa.Ne, each, v))))
	}
	others := p.And(p.mask, p.Not(lanes))
	for _, id := range slices.Sorted(maps.Keys(p.waiting)) {
		others = p.Or(others, p.waiting[id])
	}
	named := p.Bin(ssa.And, p.Make(ssa.Ballot, ssa.W, 0, others), v)
	leave(p.Cmp(ssa.Ne, named, p.Word(0)))
	return v
}
