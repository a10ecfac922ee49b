package build

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has shuffles (9.7.9.6): each lane takes what another one of its segment has, or keeps its own where that is out of range, or is
// no peer.

// isPair tells whether an instruction has a second result, a predicate.
func (b *builder) isPair(pc int32) bool {
	ops := b.fn.Insts[pc].Ops
	return len(ops) > 0 && ops[0].Kind == ir.OpPair
}

// shuffle builds one; peers are the lanes that take part.
func (p *path) shuffle(pc int32, op *sem.Operation, guard ssa.Value, peers func() ssa.Value) {
	in := &p.code.Insts[pc]
	a := p.read(pc, in.A, ssa.W, false)
	from, inRange := p.sourceLane(op.Warp.Mode, p.read(pc, in.B, ssa.W, false), p.read(pc, in.C, ssa.W, false))
	v := a
	if !p.Info[a].Uni {
		taken := inRange
		if m := peers(); m != p.ballotOfAll() {
			bit := p.Bin(ssa.And, p.Bin(ssa.Shr, m, p.Bin(ssa.And, from, p.Word(31))), p.Word(1))
			taken = p.And(taken, p.Cmp(ssa.Ne, bit, p.Word(0)))
		}
		v = p.Sel(taken, p.Make(ssa.Shuffle, ssa.W, 0, a, from), a)
	}
	p.put(in.D, v, guard)
	if p.isPair(pc) {
		p.put(op.Warp.Pair, inRange, guard)
	}
}

// ballotOfAll is what a ballot of all lanes is.
func (p *path) ballotOfAll() ssa.Value { return p.Make(ssa.Ballot, ssa.W, 0, p.Truth(true)) }

// sourceLane is the lane that each takes from, by b and c of the instruction, and where it is in range.
func (p *path) sourceLane(mode sem.WarpMode, b, c ssa.Value) (from, inRange ssa.Value) {
	lane, ones := p.Strided(p.Word(0), 1), p.Word(31)
	by := p.Bin(ssa.And, b, ones)
	segment := p.Bin(ssa.And, p.Bin(ssa.Shr, c, p.Word(8)), ones)
	outside := p.Bin(ssa.Xor, segment, p.Word(1<<32-1))
	limit := p.Bin(ssa.Or, p.Bin(ssa.And, lane, segment), p.Bin(ssa.And, p.Bin(ssa.And, c, ones), outside))
	switch mode {
	case sem.ShuffleUp:
		from = p.Bin(ssa.Sub, lane, by)
		return from, p.within(mode, by, c, p.Cmp(ssa.LeS, limit, from))
	case sem.ShuffleDown:
		from = p.Bin(ssa.Add, lane, by)
	case sem.ShuffleBfly:
		from = p.Bin(ssa.Xor, lane, by)
	default:
		from = p.Bin(ssa.Or, p.Bin(ssa.And, lane, segment), p.Bin(ssa.And, by, outside))
	}
	return from, p.within(mode, by, c, p.Cmp(ssa.LeS, from, limit))
}

// within is inRange, or that all lanes are, where it is known of c, and of how far the lanes are apart if that matters.
func (p *path) within(mode sem.WarpMode, by, c, inRange ssa.Value) ssa.Value {
	n, known := p.Known(by)
	k, bounded := p.Known(c)
	from0, upTo31, self := bounded && k&0x1f1f == 0, bounded && k&0x1f1f == 31, known && n == 0
	if mode == sem.ShuffleUp && from0 && self || mode == sem.ShuffleDown && upTo31 && self || mode != sem.ShuffleUp && mode != sem.ShuffleDown && upTo31 {
		return p.Truth(true)
	}
	return inRange
}
