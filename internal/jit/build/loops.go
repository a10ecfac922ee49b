package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has loops. One that all lanes of a warp leave together is a loop; one that they leave one by one has a mask, and runs
// until no lane is left in it.

// loop is one that the path is in.
type loop struct {
	first, last ir.BlockID
	outs        []ir.BlockID // blocks behind it to which lanes leave
	level       int8
	head        *ssa.Block
	divergent   bool
	together    bool        // lanes leave it one by one, and all are in it (together.go)
	apart       bool        // of a divergent one: lanes leave for several places, or exit; who waits where is a parameter of the head
	entry       ssa.Value   // mask of the lanes that have come
	before      ssa.Value   // lanes that wait at the only place from before; 0: there are none
	offs        []uint32    // variables that are parameters of the head
	steps       []int64     // how far the lanes of one are apart: the parameter is the number
	cores       []ssa.Value // lanes to which a parameter is added (induction.go); 0: it is the variable
	back        ssa.Value   // lanes that go round again
}

// loopAt describes the loop that begins at a block, nil if none does.
func (p *path) loopAt(id ir.BlockID) *loop {
	l := &loop{first: id, last: ir.NoBlock, level: p.level() + 1}
	for _, b := range p.fn.Blocks[id].Preds {
		if b >= id {
			l.last = max(l.last, b)
		}
	}
	if l.last == ir.NoBlock {
		return nil
	}
	for b := id; b <= l.last; b++ {
		last := p.fn.Blocks[b].End - 1
		in := &p.code.Insts[last]
		if sem.OperationOf(in).Kind == sem.OpBranch && in.Guard != machine.NoGuard && !p.uniform(in.Guard&^1, last) {
			to := p.fn.BlockOf(int32(in.Imm))
			l.divergent = l.divergent || to <= id || to > l.last
		}
		leaves := slices.ContainsFunc(p.fn.Blocks[b].Succs, func(s ir.BlockID) bool { return s > l.last })
		l.divergent = l.divergent || leaves && isTable(in) && p.slotOf(in.A, last) == nil
		l.apart = l.apart || p.exitsIn(b)
		for _, s := range p.fn.Blocks[b].Succs {
			if (s < id || s > l.last) && !slices.Contains(l.outs, s) {
				l.outs = append(l.outs, s)
			}
		}
	}
	slices.Sort(l.outs)
	l.divergent = l.divergent || l.apart
	l.apart = l.apart || len(l.outs) > 1
	if l.divergent && (len(l.outs) == 0 || l.outs[0] < id) {
		refuse("a loop that lanes leave for nowhere, or for an earlier block")
	}
	return l
}

// enterLoop starts a loop, if one begins here.
func (p *path) enterLoop(id ir.BlockID) {
	if p.isHead(id) {
		if p.head != id && p.group != nil {
			p.ends(ending{kind: endHead, target: id})
		} else if p.head != id {
			p.toHead(id)
		}
		p.head = ir.NoBlock
		return
	}
	if p.group != nil {
		return // its turns are built one by one
	}
	l := p.loopAt(id)
	if l == nil {
		return
	}
	if p.upTo != 0 && l.last >= p.upTo {
		refuse("a loop where some lanes run")
	}
	if p.mayBeTogether(l) {
		l.divergent, l.together = false, true
		p.togethers = append(p.togethers, l.first)
	}
	l.head = p.NewBlock(l.level)
	l.head.Cold = p.Copies[p.Copy].Cold
	var args []ssa.Value
	for _, off := range p.writtenIn(l) {
		delete(p.pure, off)
		v, ok := p.env[off]
		behind := l.divergent && p.livesBehind(off, l)
		if t := p.typeBehind(off, l); behind && t != ssa.None && (!ok || p.TypeOf(v) != t) {
			v, ok = p.Const(t, 0), true // lanes that leave early keep what the loop has given them
		}
		if !ok || !behind && !p.lives(off, p.fn.Blocks[id].First) {
			continue
		}
		args = append(args, p.loopVariable(l, off, v, behind))
	}
	p.keepFuel()
	if l.divergent {
		args = append(args, p.enterDivergent(l)...)
		args = append(args, p.enterFuels(l)...)
	}
	p.block.Jump(l.head, args...)
	p.block = l.head
	p.loops = append(p.loops, l)
}

// enterDivergent makes masks of what enters a loop that lanes leave one by one; it returns what enters.
func (p *path) enterDivergent(l *loop) []ssa.Value {
	args := []ssa.Value{p.mask}
	l.entry, l.back = p.mask, p.Truth(false)
	p.mask = p.NewParam(l.head, ssa.M, false)
	l.parts(p)
	if !l.apart {
		l.before = p.waiting[l.outs[0]]
		p.waiting[l.outs[0]] = l.also(p, p.And(l.entry, p.Not(p.mask)))
		return args
	}
	for _, out := range l.outs {
		before, ok := p.waiting[out]
		if !ok {
			before = p.Truth(false)
		}
		args = append(args, before)
		p.waiting[out] = p.NewParam(l.head, ssa.M, false)
	}
	return args
}

// parts notes how lanes wait that leave a loop: states in it have them before the branch is built by which they do.
func (l *loop) parts(p *path) {
	for b := l.first; b <= l.last; b++ {
		last := p.fn.Blocks[b].End - 1
		in := &p.code.Insts[last]
		if !parts(in) {
			continue
		}
		for _, to := range p.fn.Blocks[b].Succs {
			if to > l.last {
				p.partsFrom(to, last, false)
			}
		}
	}
}

// also adds the lanes that have waited at the only place from before.
func (l *loop) also(p *path, m ssa.Value) ssa.Value {
	if l.before == 0 {
		return m
	}
	return p.Or(m, l.before)
}

// livesBehind tells whether a variable lives where lanes leave a loop.
func (p *path) livesBehind(off uint32, l *loop) bool {
	return slices.ContainsFunc(l.outs, func(out ir.BlockID) bool { return p.lives(off, p.fn.Blocks[out].First) })
}

// typeBehind is the type of a register where lanes leave a loop, none if it does not live there.
func (p *path) typeBehind(off uint32, l *loop) ssa.Type {
	for _, out := range l.outs {
		live := p.liveAt(p.fn.Blocks[out].First)
		for _, g := range p.regsOf[off] {
			if live.Has(int(g)) {
				return typeOf(p.fn.Regs[g].Width())
			}
		}
	}
	return ssa.None
}

// loopVariable makes a parameter of a variable; what enters the loop strided is assumed to stay so, a number to stay a number.
func (p *path) loopVariable(l *loop, off uint32, v ssa.Value, behind bool) (arg ssa.Value) {
	if l.divergent && !behind && p.mayBeInduction(l, off, v) {
		return p.inductionVariable(l, off, v)
	}
	base, step, strided := p.AsStrided(v)
	num := strided && p.assumed[assumed{at: int32(l.first), off: off}] == known && (!l.divergent || step == 0 && p.isSlot(off))
	if !num {
		base, step = v, 0
	}
	t := p.TypeOf(v)
	param := p.NewParam(l.head, t, num)
	l.offs, l.steps, l.cores = append(l.offs, off), append(l.steps, step), append(l.cores, 0)
	p.env[off] = p.Strided(param, step)
	return base
}

// writtenIn lists the variables that a loop writes.
func (p *path) writtenIn(l *loop) []uint32 {
	written := map[uint32]bool{}
	for pc := p.fn.Blocks[l.first].First; pc < p.fn.Blocks[l.last].End; pc++ {
		for _, off := range p.writes(pc) {
			written[off] = true
		}
	}
	return slices.Sorted(maps.Keys(written))
}

// again are the arguments of a back edge.
func (p *path) again(l *loop, mask ssa.Value) (args []ssa.Value) {
	drop := retry{}
	for i, off := range l.offs {
		param := l.head.Params[i]
		v := p.env[off]
		if v == 0 || p.TypeOf(v) != p.TypeOf(param) {
			v = p.Const(p.TypeOf(param), 0) // what is not live there
		} else if l.cores[i] != 0 {
			core, n := p.coreOf(v)
			if core != l.cores[i] {
				drop[inductionOf(l, off)] = lanes
			}
			v = n
		} else if p.IsNum(param) {
			base, step, ok := p.AsStrided(v)
			if !ok || step != l.steps[i] {
				drop[assumed{at: int32(l.first), off: off}] = lanes
			}
			v = base
		}
		args = append(args, v)
	}
	if len(drop) > 0 {
		panic(drop)
	}
	if l.divergent {
		args = append(args, mask)
	}
	for _, out := range l.outs {
		if l.divergent && l.apart {
			args = append(args, p.waiting[out])
		}
	}
	return append(args, p.againFuels(l)...)
}

// cost is the fuel of a back edge; 0 is that of polling.
func (p *path) cost(pc int32) int64 {
	if p.code.Insts[pc].Flags&machine.QuietLoop == 0 {
		return 0
	}
	return 1
}

// backEdge is a branch to the head of a loop.
func (p *path) backEdge(pc int32, target, id ir.BlockID, guard ssa.Value) {
	switch {
	case p.group != nil && p.isHead(target):
		p.sameWay(guard)
		p.ends(ending{kind: endBack, pc: pc, target: target, guard: guard})
		return
	case p.group != nil:
		p.nextTurn(pc, target, guard)
		return
	case p.isHead(target):
		p.keepFuel()
		p.backToHead(pc, target, guard)
		return
	case p.left != nil && target == p.left.first:
		p.apartAgain(pc, id, guard)
		p.next = target + 1
		return
	}
	if len(p.loops) == 0 {
		refuse("a branch to an earlier block that is no loop")
	}
	l := p.loops[len(p.loops)-1]
	if l.first != target || l.divergent && id != l.last {
		refuse("a branch back from within a loop")
	}
	if l.divergent {
		p.divergentBack(l, pc, id, p.cost(pc), guard)
		return
	}
	if !p.IsNum(guard) {
		refuse("lanes part at the end of a loop")
	}
	back := p.block
	if !p.isFull(guard) {
		next := p.outOf(l)
		back = p.newBlock()
		p.block.Cond = guard
		p.block.Jump(back)
		p.block.Jump(next)
		p.block = next
	} else {
		p.dead = true
	}
	p.goRound(l, pc, back)
}

// goRound ends a turn in a block, for all lanes that run.
func (p *path) goRound(l *loop, pc int32, back *ssa.Block) {
	s := p.stateOf(ssa.State{PC: p.fn.Blocks[l.first].First, Mask: p.mask, FuelOut: true})
	back.Add(&ssa.Effect{Kind: ssa.Fuel, N: p.cost(pc), Mask: p.Any(p.mask), State: s, PC: pc})
	back.Jump(l.head, p.again(l, 0)...)
}

// outOf makes a block behind a loop.
func (p *path) outOf(l *loop) *ssa.Block {
	b := p.newBlock()
	b.Level = l.level - 1
	return b
}

// divergentBack goes round for the lanes of a guard. It costs fuel where all lanes that run do.
func (p *path) divergentBack(l *loop, pc int32, id ir.BlockID, cost int64, guard ssa.Value) {
	if d := p.code.Insts[pc].D; d != machine.NoReconv && int32(d) <= pc && !p.isFull(guard) {
		refuse("lanes that part at the end of a loop meet at its start")
	}
	back, left := p.And(p.mask, guard), p.And(p.mask, p.Not(guard))
	l.back = back
	if behind := id + 1; !p.isFull(guard) {
		if !slices.Contains(l.outs, behind) {
			refuse("a loop that ends in front of what does not follow it")
		}
		p.partsFrom(behind, pc, false)
		p.waitsToo(behind, left)
	}
	p.keepFuel()
	p.mask = back
	s := p.stateOf(ssa.State{PC: p.fn.Blocks[l.first].First, Mask: back, FuelOut: true})
	charged := p.And(p.Any(back), p.Not(p.Any(left)))
	p.block.Add(&ssa.Effect{Kind: ssa.Fuel, N: cost, Mask: charged, State: s, PC: pc})
}

// leaveLoops ends the loops of which a block is the last.
func (p *path) leaveLoops(id ir.BlockID) {
	for len(p.loops) > 0 && p.loops[len(p.loops)-1].last == id {
		l := p.loops[len(p.loops)-1]
		if l.divergent {
			next := p.NewBlock(l.level - 1)
			next.Cold = p.Copies[p.Copy].Cold
			p.block.Cond = p.Any(l.back)
			p.block.Jump(l.head, p.again(l, l.back)...)
			p.block.Jump(next)
			p.block = next
			if !l.apart {
				p.waiting[l.outs[0]] = l.also(p, l.entry)
			}
			p.mask, p.dead = p.Truth(false), true
		}
		p.loops = p.loops[:len(p.loops)-1]
	}
}
