package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file knows of variables that they follow from the launch, the CTA and the warp alone: a thread's number, an address that is computed
// from it. They are computed a second time, for all lanes of the warp and without anything that tests in front of a copy say, in copy 0:
// where nothing else uses them nothing is left of it. What they are holds behind a barrier, too, in any copy: there they are made again.

// notPure says that a variable does not follow so.
type notPure struct{}

// mostPure is how many operations a variable may take that is made again.
const mostPure = 24

// follow computes what an instruction writes once more, if it follows from what is known so.
func (p *path) follow(pc int32, op *sem.Operation) {
	if p.pure == nil || p.group != nil && p.group.first > 0 {
		return
	}
	in := &p.code.Insts[pc]
	if !p.isFull(p.mask) || in.Guard != machine.NoGuard || !p.follows(pc, op) {
		for _, off := range p.written(pc) {
			delete(p.pure, off)
		}
	}
}

// follows does so if it can.
func (p *path) follows(pc int32, op *sem.Operation) (ok bool) {
	switch op.Kind {
	case sem.OpLane, sem.OpCompare, sem.OpMove, sem.OpLogic, sem.OpSelect, sem.OpUnpack:
	case sem.OpLoad:
		if op.Memory.By != sem.ByKernel {
			return false
		}
	default:
		return false
	}
	running, noWrap := p.Copy, p.NoWrap
	p.Copy, p.NoWrap = 0, nil
	defer func() {
		p.Copy, p.NoWrap = running, noWrap
		switch r := recover().(type) {
		case nil:
		case notPure, Refusal:
			ok = false
		default:
			panic(r)
		}
	}()
	all := path{builder: p.builder, env: p.pure, mask: p.Truth(true), strict: true}
	all.does(pc, op, all.mask)
	all.spread(op)
	return true
}

// isCheap tells whether a value that follows from the launch takes few operations.
func (b *builder) isCheap(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var count func(v ssa.Value)
	count = func(v ssa.Value) {
		if seen[v] || len(seen) > mostPure || b.Ops[v].Code <= ssa.Const {
			return
		}
		seen[v] = true
		for _, a := range b.Ops[v].Operands() {
			count(a)
		}
	}
	count(v)
	return len(seen) <= mostPure
}

// onAllWays are the variables that follow so, and are the same, on all of some ways.
func onAllWays(list []join) map[uint32]ssa.Value {
	pure := maps.Clone(list[0].pure)
	for _, x := range list[1:] {
		maps.DeleteFunc(pure, func(off uint32, v ssa.Value) bool { return x.pure[off] != v })
	}
	return pure
}

// regrouped is a value of copy 0 as the running copy has it, of its group's lanes from one on: what is strided in a group of 16 lanes may be
// anything in the warp.
func (b *builder) regrouped(v ssa.Value, first int, done map[ssa.Value]ssa.Value) ssa.Value {
	if r, ok := done[v]; ok {
		return r
	}
	o := b.Ops[v]
	r := v
	switch {
	case b.IsNum(v):
	case o.Code == ssa.Bcast:
		r = o.A
	case o.Code == ssa.Strided:
		r = b.fromLane(o.A, int64(o.Imm), first)
	case o.Code == ssa.Each:
		r = b.Lanes(o.Type, b.Table(v)[first:first+b.Copies[b.Copy].Lanes])
	default:
		o = o.Map(func(a ssa.Value) ssa.Value { return b.regrouped(a, first, done) })
		r = b.Make(o.Code, o.Type, o.Imm, o.Operands()...)
	}
	done[v] = r
	return r
}

// fromLane is a number plus as much for each lane of the warp, from one lane on.
func (b *builder) fromLane(base ssa.Value, step int64, first int) ssa.Value {
	return b.Strided(b.Bin(ssa.Add, base, b.Const(b.TypeOf(base), uint64(step*int64(first)))), step)
}

// enter gives a copy the variables that live where its region begins.
func (p *path) enter() {
	c, first := p.from, p.firstLane()
	p.starts, p.from = false, nil
	if hot := !p.Copies[p.Copy].Cold; hot || c != nil {
		done := map[ssa.Value]ssa.Value{}
		for _, off := range slices.Sorted(maps.Keys(p.pure)) {
			if p.env[off] = p.pure[off]; hot {
				p.env[off] = p.regrouped(p.pure[off], first, done)
			}
		}
	}
	if c == nil {
		return
	}
	p.home = map[uint32]ssa.Value{} // but where handlers write there
	resume := &ssa.Effect{Kind: ssa.Resume, N: int64(first)}
	for _, k := range c.kept {
		off := k.home.Off
		switch {
		case k.known != 0:
		case k.param != 0:
			p.env[off] = p.fromLane(k.param, k.step, first)
		case p.group != nil && k.home.Kind == ssa.Pred:
			p.wholeWarp()
		default:
			resume.Homes = append(resume.Homes, k.home)
			p.env[off] = p.NewResult(p.block, resume, k.typ, false)
		}
		if (k.home.Kind != ssa.Slot || c.number > 0) && !p.plan.handlers { // by an edge numbers are brought
			p.home[off] = p.env[off]
		}
	}
	if len(resume.Homes) > 0 {
		p.block.Add(resume)
	}
}
