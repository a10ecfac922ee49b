package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has branches, exits and the parting of lanes.

func isExit(in *machine.Inst) bool {
	k := sem.OperationOf(in).Kind
	return k == sem.OpExit || k == sem.OpReturn
}

// instructions builds those of a block from one on.
func (p *path) instructions(from int32, id ir.BlockID) {
	for end := p.fn.Blocks[id].End; from < end && !p.dead; {
		last := from
		for last < end-1 && !p.control(last) {
			last++
		}
		p.segment = last + 1
		p.count(int64(last + 1 - from))
		for pc := from; pc < last; pc++ {
			p.instruction(pc)
		}
		switch in := &p.code.Insts[last]; {
		case isTable(in):
			p.settle()
			p.branchTable(last, id)
		case sem.OperationOf(in).Kind == sem.OpBranch:
			p.settle()
			p.branch(last, id)
		case isExit(in):
			p.settle()
			p.exit(last)
		case sem.OperationOf(in).Kind == sem.OpBarrier:
			p.settle()
			if p.group != nil {
				p.ends(ending{kind: endBarrier, pc: last})
			} else {
				p.barrier(last)
			}
		default:
			p.instruction(last)
		}
		from = last + 1
	}
	p.settle()
}

// control tells whether an instruction ends a segment.
func (p *path) control(pc int32) bool {
	in := &p.code.Insts[pc]
	switch sem.OperationOf(in).Kind {
	case sem.OpBranch, sem.OpExit, sem.OpReturn, sem.OpBarrier:
		return true
	}
	return isTable(in)
}

// exit ends lanes.
func (p *path) exit(pc int32) {
	guard := p.guard(pc)
	if pc == p.passes {
		guard = p.Truth(false)
	}
	p.takesExit(pc, !p.isNone(guard))
	rest := p.And(p.mask, p.Not(guard))
	if p.group == nil && p.mayTest() && !p.IsNum(guard) && !p.isNone(p.All(rest)) {
		p.versions(pc+1, rest, -1, func(hot, any *path) {
			hot.excluded(hot.Truth(false))
			any.excluded(guard)
		})
		return
	}
	p.excluded(guard)
	if p.group != nil && !p.isFull(rest) {
		if !p.isNone(rest) {
			p.wholeWarp()
		}
		p.ends(ending{kind: endExit})
		return
	}
	switch {
	case p.isNone(rest):
		if clear(p.meets); len(p.waiting) == 0 {
			p.block.Jump(p.end)
		}
		p.mask, p.dead = rest, true
	case p.isFull(rest), p.isNone(guard):
	case p.upTo != 0 || slices.ContainsFunc(p.loops, func(l *loop) bool { return !l.divergent || !l.apart }):
		refuse("lanes exit between a branch and where its ways meet")
	case p.IsNum(guard) && len(p.waiting) == 0:
		next := p.newBlock()
		p.block.Cond = guard
		p.block.Jump(p.end)
		p.block.Jump(next)
		p.block = next
	default:
		clear(p.meets)
		if p.mask = rest; len(p.waiting) == 0 {
			p.endIfNone()
		}
	}
}

// branch goes to another block, or parts lanes.
func (p *path) branch(pc int32, id ir.BlockID) {
	in := &p.code.Insts[pc]
	target, guard := p.fn.BlockOf(int32(in.Imm)), p.guard(pc)
	if l := p.inTogether(id, target, guard); l != nil && target == l.first {
		p.backTogether(l, pc, guard)
		return
	} else if l != nil {
		p.leaveTogether(l, pc, target, guard)
		return
	}
	if target <= id {
		p.excluded(guard)
		p.backEdge(pc, target, id, guard)
		return
	}
	if p.group != nil && !(p.IsNum(guard) || p.isFull(guard)) {
		p.wholeWarp()
	}
	if p.upTo != 0 && target > p.upTo {
		refuse("a branch leaves what lies between another and where its ways meet")
	}
	together := len(p.waiting) == 0 && (p.IsNum(guard) || p.isFull(guard))
	for _, l := range p.loops {
		switch {
		case target <= l.last:
		case l.divergent && slices.Contains(l.outs, target):
			together = false
		case l.divergent || !together:
			refuse("lanes leave a loop for different places")
		}
	}
	switch {
	case together:
		p.excluded(guard)
		p.sameWay(guard)
		p.uniformBranch(target, guard)
	case p.isFull(p.mask) && len(p.waiting) == 0 && p.coherent(id, target, guard):
	default:
		p.excluded(guard)
		p.part(pc, id, target, guard)
	}
}

// uniformBranch is one that all lanes take, or none.
func (p *path) uniformBranch(target ir.BlockID, guard ssa.Value) {
	if p.isNone(guard) {
		return
	}
	way := join{edge: p.block.Jump(nil), env: maps.Clone(p.env), mask: p.mask, pure: maps.Clone(p.pure)}
	p.joins[target] = append(p.joins[target], way)
	if p.isFull(guard) {
		p.dead = true
		return
	}
	next := p.newBlock()
	p.block.Cond = guard
	p.block.Jump(next)
	p.block = next
}

// part lets the lanes that take a branch wait at its target.
func (p *path) part(pc int32, id, target ir.BlockID, guard ssa.Value) {
	if !p.isFull(guard) {
		p.meetAgain(pc, id)
	}
	p.partsFrom(target, pc, p.isFull(guard))
	p.waitsToo(target, p.And(p.mask, guard))
	if p.mask = p.And(p.mask, p.Not(guard)); p.isNone(p.mask) || p.isFull(guard) {
		p.dead = true
	}
}

// waitsToo lets some lanes wait at a block.
func (p *path) waitsToo(id ir.BlockID, lanes ssa.Value) {
	p.alsoFuel(id, lanes)
	p.waiting[id] = p.orWaiting(id, lanes)
}

// orWaiting are some lanes and those that wait at a block.
func (p *path) orWaiting(id ir.BlockID, lanes ssa.Value) ssa.Value {
	if old, ok := p.waiting[id]; ok {
		return p.Or(old, lanes)
	}
	return lanes
}

// meetAgain notes the mask that lanes which part at the end of a block have again where they meet.
func (p *path) meetAgain(pc int32, id ir.BlockID) {
	meet, d := p.fn.Blocks[id].IPDom, p.code.Insts[pc].D
	switch {
	case d == machine.NoReconv: // where their pcs agree: the least goes first
	case int32(d) <= pc:
		refuse("lanes that part meet at an earlier instruction")
	case meet != ir.NoBlock && meet > id && !p.leavesLoop(meet) && !p.waitsBefore(meet):
		if p.meets == nil {
			p.meets = map[ir.BlockID]ssa.Value{}
		}
		if _, ok := p.meets[meet]; !ok {
			p.meets[meet] = p.allAt(meet)
		}
	}
}

// waitsBefore tells whether lanes wait in front of a block: they may come to it, too.
func (p *path) waitsBefore(meet ir.BlockID) bool {
	for id := range p.waiting {
		if id < meet {
			return true
		}
	}
	return false
}

// allAt is the mask of a block where all lanes that run come together again, with those that wait there.
func (p *path) allAt(meet ir.BlockID) ssa.Value {
	if m, ok := p.waiting[meet]; ok {
		return p.Or(p.mask, m)
	}
	return p.mask
}

// leavesLoop tells whether a block lies behind the innermost loop.
func (p *path) leavesLoop(id ir.BlockID) bool {
	return len(p.loops) > 0 && id > p.loops[len(p.loops)-1].last
}

// coherent builds a branch of lanes, all of which run, three times: none takes it, and the path goes on; all take it; and some do, in a
// cold copy of what lies between here and where the ways meet.
func (p *path) coherent(id, target ir.BlockID, guard ssa.Value) bool {
	meet := p.fn.Blocks[id].IPDom
	if !p.mayPartTo(id, meet) || target > meet {
		return false
	}
	br := p.block
	taken, any, mixed, rest := p.newBlock(), p.newBlock(), p.newBlock(), p.newBlock()
	br.Cond = p.Maybe(guard)
	br.Jump(any)
	br.Jump(rest)
	any.Cond = p.Surely(guard)
	any.Jump(taken)
	any.Jump(mixed)
	p.joins[target] = append(p.joins[target], join{edge: taken.Jump(nil), env: maps.Clone(p.env), mask: p.mask, pure: maps.Clone(p.pure)})
	some := func(m *path, guard ssa.Value) {
		m.goesOn(br, m.block)
		m.waiting, m.mask = map[ir.BlockID]ssa.Value{target: guard}, p.Not(guard)
		m.waitsAt(target, m.open)
		m.block.Add(&ssa.Effect{Kind: ssa.Lanes, N: -1, Mask: m.mask})
		m.run(p.fn.Blocks[id+1].First)
	}
	a := p.newArm(id, guard, target)
	if a == nil {
		p.inColdCopy(mixed, meet, func(m *path) { some(m, guard) })
	} else {
		p.armsOfSome(a, mixed, meet, guard, some)
	}
	p.goesOn(br, rest)
	p.block = rest
	p.enterArm(a)
	p.excluded(p.Truth(false))
	return true
}

// mayPartTo tells whether lanes that part at the end of a block can go on in a copy of what lies between it and where they meet.
func (p *path) mayPartTo(id, meet ir.BlockID) bool {
	return !p.opt.Without["coherent"] && meet != ir.NoBlock && meet > id && !p.leavesLoop(meet) && p.upTo == 0 && p.mayCopy(id+1, meet)
}

// inColdCopy builds what some lanes do from a block on, in a cold copy, until all meet.
func (p *path) inColdCopy(mixed *ssa.Block, meet ir.BlockID, build func(m *path)) {
	hot := p.Copy
	m := p.clone()
	m.Copy = p.NewCopy(32, true)
	mixed.Cold = true
	m.block, m.upTo, m.joins = mixed, meet, map[ir.BlockID][]join{}
	m.meets = map[ir.BlockID]ssa.Value{meet: p.mask}
	m.open, m.opens = []ir.BlockID{meet}, map[ir.BlockID][]ir.BlockID{}
	build(m)
	delete(m.waiting, meet)
	m.joinFuel(meet)
	m.mask, m.dead = p.mask, false
	if m.joinEdges(meet); len(m.waiting) > 0 {
		refuse("some lanes do not come to where all meet")
	}
	p.joins[meet] = append(p.joins[meet], join{m.block.Jump(nil), m.env, p.mask, m.pure, m, p.Copy})
	p.Copy = hot
}

// mayCopy tells whether blocks can be copied: nothing exits or goes back to one in front of them or from behind them.
func (p *path) mayCopy(from, to ir.BlockID) bool {
	for id := from; id < to; id++ {
		b := &p.fn.Blocks[id]
		if p.exitsIn(id) || p.hasBarrier(id, id) || slices.ContainsFunc(b.Preds, func(q ir.BlockID) bool { return q >= to || q >= id && p.opt.Without["loops of all lanes"] }) {
			return false
		}
	}
	return true
}
