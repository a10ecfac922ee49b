package build

import (
	"cmp"
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has loops that lanes leave one by one, as long as none has: in a hot copy such a loop is built without a mask, so that what is
// strided in it stays strided, and its accesses are of whole vectors. Where some lanes leave and others do not, the code goes on in a cold
// copy of the rest of the turn, and then of the loop, under masks; behind the loop all lanes are together again.
//
//	for (i = t; i < n; i += 256) s += a[i];    →    if (all lanes have t < n) do s += a[i], i += 256; while (all lanes have i < n);
//	                                                if (some have i < n) the same for these, until none is left
//
// It does not apply where lanes leave for several places, exit, or wait elsewhere. What it finds out too late is an assumption that is
// dropped: that all lanes are in the loop.

// together is the key of that assumption, in place of a variable's.
const together = ^uint32(0)

// mostParting is how many branches of a loop lanes may leave it by: each has a cold copy.
const mostParting = 4

// mayBeTogether tells whether a loop that lanes leave one by one can be built for all of them.
func (p *path) mayBeTogether(l *loop) bool {
	return l.divergent && !l.apart && !p.opt.Without["loops of all lanes"] && p.assumed[assumed{at: int32(l.first), off: together}] == known &&
		p.isFull(p.mask) && len(p.waiting) == 0 && p.upTo == 0 && !p.Copies[p.Copy].Cold && !p.leavesLoop(l.outs[0]) && p.parting(l) <= mostParting
}

// parting counts the branches by which lanes may leave a loop or go round again.
func (p *path) parting(l *loop) (n int) {
	for b := l.first; b <= l.last; b++ {
		last := p.fn.Blocks[b].End - 1
		in := &p.code.Insts[last]
		if sem.OperationOf(in).Kind != sem.OpBranch || in.Guard == machine.NoGuard {
			continue
		}
		if to := p.fn.BlockOf(int32(in.Imm)); to <= b || to > l.last {
			n++
		}
	}
	return n
}

// inTogether is the innermost loop, if all lanes are in it and a branch leaves it or goes round again for some of them.
func (p *path) inTogether(id, target ir.BlockID, guard ssa.Value) *loop {
	if len(p.loops) == 0 {
		return nil
	}
	l := p.loops[len(p.loops)-1]
	if !l.together || target != l.first && target <= l.last {
		return nil
	}
	if !p.isFull(p.mask) || len(p.waiting) > 0 {
		refuse("lanes that have parted in a loop do not meet there")
	}
	if p.IsNum(guard) || p.isFull(guard) {
		return nil
	}
	if target == l.first && id != l.last {
		refuse("a branch back from within a loop")
	}
	return l
}

// dropTogether drops the assumption of all loops that it was made of; it tells whether there are any.
func (b *builder) dropTogether() bool {
	for _, id := range b.togethers {
		b.assumed[assumed{at: int32(id), off: together}] = lanes
	}
	return len(b.togethers) > 0
}

// leaveTogether is a branch out of a loop that all lanes are in.
func (p *path) leaveTogether(l *loop, pc int32, target ir.BlockID, guard ssa.Value) {
	maybe, surely := p.maybeSurely(pc, guard)
	br, rest := p.block, p.newBlock()
	some := p.outOf(l)
	br.Cond = maybe
	br.Jump(some)
	br.Jump(rest)
	taken, mixed := p.outOf(l), p.outOf(l)
	some.Cond = surely
	some.Jump(taken)
	some.Jump(mixed)
	p.joins[target] = append(p.joins[target], join{edge: taken.Jump(nil), env: maps.Clone(p.env), mask: p.mask, pure: maps.Clone(p.pure)})
	p.inParts(l, mixed, func(m *path) {
		m.partsFrom(target, pc, false)
		m.waiting[target], m.mask = guard, m.Not(guard)
		mixed.Add(&ssa.Effect{Kind: ssa.Lanes, N: -1, Mask: m.mask})
		m.run(pc + 1)
	})
	p.block = rest
	p.excluded(p.Truth(false))
}

// backTogether is the end of a loop that all lanes are in: where a guard holds they go round.
func (p *path) backTogether(l *loop, pc int32, guard ssa.Value) {
	none := p.Not(guard)
	left, out := p.maybeSurely(pc, none)
	all, maybe := p.Not(left), p.Not(out)
	br, back, some := p.block, p.newBlock(), p.outOf(l)
	br.Cond = all
	br.Jump(back)
	br.Jump(some)
	mixed, next := p.outOf(l), p.outOf(l)
	some.Cond = maybe
	some.Jump(mixed)
	some.Jump(next)
	p.inParts(l, mixed, func(m *path) {
		mixed.Add(&ssa.Effect{Kind: ssa.Lanes, N: -1, Mask: none})
		m.apartAgain(pc, l.last, guard)
		m.run(m.fn.Blocks[l.first].First)
	})
	next.Add(&ssa.Effect{Kind: ssa.Lanes, N: -1, Mask: p.mask}) // a branch counts for lanes that take it
	p.goRound(l, pc, back)
	p.block = next
}

// maybeSurely are numbers for a branch's guard: it may hold in a lane, and it does in all. Tests that what they follow from does not wrap are
// the branch's.
func (p *path) maybeSurely(pc int32, guard ssa.Value) (maybe, surely ssa.Value) {
	p.running, p.at = p, pc
	maybe, surely = p.Maybe(guard), p.Surely(guard)
	p.running = nil
	return maybe, surely
}

// inParts builds what some lanes do from a block on, in a cold copy, until all meet behind the loop.
func (p *path) inParts(l *loop, mixed *ssa.Block, build func(m *path)) {
	out := l.outs[0]
	p.inColdCopy(mixed, out, func(m *path) {
		m.loops, m.left = p.loops[:len(p.loops)-1:len(p.loops)-1], l
		build(m)
	})
}

// apartAgain is the end of a turn that some lanes have left: those for which a guard holds go round again, apart from the others.
func (p *path) apartAgain(pc int32, id ir.BlockID, guard ssa.Value) {
	l := p.left
	p.left = nil
	p.divergentBack(l, pc, id, p.cost(pc), guard)
}

// mostApart is how many ways on which lanes have parted go on apart from a hot copy.
const mostApart = 16

// apartWay is one of them, with the block at which it has left the others.
type apartWay struct {
	join
	at ir.BlockID
}

// apartFrom takes those of the ways that meet at a block out of a list on which lanes have parted, and a variable lives that is strided on
// all others and not on them: they go on apart, as the copy for any lanes does, and the others keep the variable as it is.
func (p *path) apartFrom(list []join, id ir.BlockID) []join {
	if p.front == nil || len(p.loops) > 0 || p.upTo != 0 || p.opt.Without["loops of all lanes"] {
		return list
	}
	whole := slices.DeleteFunc(slices.Clone(list), func(x join) bool { return x.parted != nil })
	if len(whole) == 0 {
		return list
	}
	all := p.front.ofAll()
	return slices.DeleteFunc(list, func(x join) bool {
		if x.parted == nil || len(all.apart) >= mostApart || !p.losesStride(whole, x, p.fn.Blocks[id].First) {
			return false
		}
		all.apart = append(all.apart, apartWay{x, id})
		return true
	})
}

// losesStride tells whether a variable that lives at an instruction is strided on some ways, and not on them and another one.
func (p *path) losesStride(ways []join, other join, pc int32) bool {
	for off := range ways[0].env {
		if _, even := p.evenly(ways, off); !even || !p.lives(off, pc) {
			continue
		}
		if _, even := p.evenly(append(slices.Clone(ways), other), off); !even {
			return true
		}
	}
	return false
}

// comers are ways that have left a hot copy and are to go on together.
type comers struct {
	ways []apartWay
	of   uint16    // the hot copy
	from ssa.Value // whose values they share up to this one
}

// goApart goes on to the end of the kernel, or to a barrier, on the ways that have left a hot copy. The first of them takes the others in
// where it comes by: one copy serves all, unless lanes wait there.
func (t *front) goApart(b *builder) {
	running, noWrap := b.Copy, b.NoWrap
	b.NoWrap = nil
	for c := (comers{ways: t.apart}); len(c.ways) > 0; {
		first := slices.MinFunc(c.ways, func(x, y apartWay) int { return cmp.Compare(x.at, y.at) })
		c.of, c.from = b.Copies[first.copy].Of, b.Copies[first.copy].From
		m := first.parted
		m.upTo, m.front, m.meets, m.dead, m.comers = 0, nil, nil, true, &c
		m.run(b.fn.Blocks[first.at].First)
	}
	b.Copy, b.NoWrap = running, noWrap
}

// takeIn are the ways of others that go on from a block on with those of the path.
func (p *path) takeIn(id ir.BlockID) (list []join) {
	c := p.comers
	if c == nil || len(p.waiting)+len(p.loops) > 0 || p.upTo != 0 {
		return nil
	}
	c.ways = slices.DeleteFunc(c.ways, func(x apartWay) bool {
		if x.at == id {
			x.parted = nil
			list = append(list, x.join)
		}
		return x.at == id
	})
	return list
}

// copyBehind begins a copy where ways of others may have come in. What has uses in front of such a block and behind it would else be one
// value, and computed in the hot code that leads to both.
func (p *path) copyBehind() {
	if c := p.comers; c != nil && p.upTo == 0 {
		p.NewCopy(32, true)
		p.Copies[p.Copy].Of, p.Copies[p.Copy].From = c.of, c.from
	}
}
