package build

import (
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has redux and match (9.7.13.10, 9.7.13.12): what the words of all peers are together, and which of them are equal.

// peersOf are the lanes that execute and are members.
func (p *path) peersOf(lanes, members ssa.Value) ssa.Value {
	named := p.Bin(ssa.And, p.Bin(ssa.Shr, members, p.Strided(p.Word(0), 1)), p.Word(1))
	return p.And(lanes, p.Cmp(ssa.Ne, named, p.Word(0)))
}

// combine builds one of them; bits has one for each peer.
func (p *path) combine(pc int32, op *sem.Operation, guard, peers, bits ssa.Value) {
	in := &p.code.Insts[pc]
	if op.Kind == sem.OpRedux {
		v := p.Combine(updates[op.Fn], peers, p.read(pc, in.A, ssa.W, false))
		if v == 0 {
			refuse("%v of %v", in.Op, op.Fn)
		}
		p.put(in.D, p.Sel(p.Any(peers), v, p.Word(0)), guard)
		return
	}
	a := p.read(pc, in.A, lane.TypeOf(int(in.Imm)), false)
	words := []ssa.Value{a}
	if p.TypeOf(a) == ssa.X {
		words = []ssa.Value{p.Make(ssa.Trunc, ssa.W, 0, a), p.Make(ssa.Trunc, ssa.W, 0, p.Bin(ssa.Shr, a, p.Wide(32)))}
	}
	if op.Kind == sem.OpMatchAny {
		p.put(in.D, p.Bin(ssa.And, p.equals(words), bits), guard)
		return
	}
	all := p.allEqual(words, peers)
	p.put(in.D, p.Sel(all, bits, p.Word(0)), guard)
	if p.isPair(pc) {
		p.put(op.Warp.Pair, all, guard)
	}
}

// equals has for each lane a bit for each that has the same words: found lane after lane.
func (p *path) equals(words []ssa.Value) ssa.Value {
	same := p.Word(0)
	for i := range uint32(32) {
		is := p.Truth(true)
		for _, w := range words {
			if !p.Info[w].Uni {
				is = p.And(is, p.Cmp(ssa.Eq, w, p.Make(ssa.Shuffle, ssa.W, 0, w, p.Word(i))))
			}
		}
		same = p.Bin(ssa.Or, same, p.Sel(is, p.Word(1<<i), p.Word(0)))
	}
	return same
}

// allEqual is where lanes have the words that all peers have, or there are no peers.
func (p *path) allEqual(words []ssa.Value, peers ssa.Value) ssa.Value {
	all := p.Truth(true)
	for _, w := range words {
		if !p.Info[w].Uni {
			first := p.Make(ssa.Least, ssa.W, 0, p.Sel(peers, w, p.Word(1<<31-1)))
			is := p.Cmp(ssa.Eq, w, first)
			all = p.And(all, p.And(is, p.Not(p.Any(p.And(peers, p.Not(is))))))
		}
	}
	return p.Or(all, p.Not(p.Any(peers)))
}
