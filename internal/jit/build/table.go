package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has branches by a table of targets (9.7.12.4 brx.idx). Lanes with one index find its target by comparisons of a number, half of
// the table at a time; where they differ, those of each target wait for it, as at a branch. So no table lies in memory that an index could
// be beside. An index that is not in the table is a fault, for which the code leaves in front of the branch.
//
// Where lanes have an index of their own, and what lies behind is long, a hot copy asks first whether they have the same one, and has a
// cold copy for lanes that part, as coherent has of a branch.

// shortArms is up to how many instructions all ways of a table may have for lanes to go them under masks without asking whether they part:
// no more than it takes to ask.
const shortArms = 16

func isTable(in *machine.Inst) bool { return in.Op == uop.BranchTable }

// parts tells whether an instruction is a branch that some lanes may take and others not, or take to other targets.
func parts(in *machine.Inst) bool {
	return sem.OperationOf(in).Kind == sem.OpBranch && in.Guard != machine.NoGuard || isTable(in)
}

// indexed are the indices from one on that have a target: up to where the next ones begin.
type indexed struct {
	first  uint32
	target ir.BlockID
}

// tableOf lists the targets of a table in the order of indices.
func (p *path) tableOf(pc int32) (list []indexed) {
	for i, to := range p.code.Insts[pc].Ext.To {
		if t := p.fn.BlockOf(to); i == 0 || t != list[len(list)-1].target {
			list = append(list, indexed{uint32(i), t})
		}
	}
	return list
}

// branchTable sends lanes to the targets of their indices.
func (p *path) branchTable(pc int32, id ir.BlockID) {
	in := &p.code.Insts[pc]
	index, guard, list := p.read(pc, in.A, ssa.W, false), p.guard(pc), p.tableOf(pc)
	p.excluded(guard)
	p.holdTargets(list, id)
	p.leaveBeside(pc, index, guard)
	if p.group != nil && !(p.IsNum(index) && (p.IsNum(guard) || p.isFull(guard))) {
		p.wholeWarp()
	}
	together := len(p.waiting) == 0 && (p.IsNum(guard) || p.isFull(guard)) && !p.leavesApart(list)
	switch {
	case together && (p.IsNum(index) || len(list) == 1):
		p.sameWay(index)
		p.sameWay(guard)
		p.uniformTable(list, index, guard)
	case together && p.isFull(p.mask) && p.isFull(guard) && p.coherentTable(pc, id, list, index):
	default:
		p.partTable(pc, id, list, index, guard)
	}
}

// holdTargets refuses tables that lead back, or out of what is copied.
func (p *path) holdTargets(list []indexed, id ir.BlockID) {
	for _, x := range list {
		if x.target <= id {
			refuse("a branch by a table to an earlier block")
		}
		if p.upTo != 0 && x.target > p.upTo {
			refuse("a branch leaves what lies between another and where its ways meet")
		}
		for _, l := range p.loops {
			if x.target > l.last && !(l.divergent && slices.Contains(l.outs, x.target)) && (l.divergent || l.together) {
				refuse("lanes leave a loop by a table")
			}
		}
	}
}

// leavesApart tells whether targets lie behind a loop that lanes leave one by one.
func (p *path) leavesApart(list []indexed) bool {
	return slices.ContainsFunc(list, func(x indexed) bool {
		return slices.ContainsFunc(p.loops, func(l *loop) bool { return l.divergent && x.target > l.last })
	})
}

// leaveBeside leaves in front of the branch if lanes that take it have an index that is not in the table.
func (p *path) leaveBeside(pc int32, index, guard ssa.Value) {
	n := len(p.code.Insts[pc].Ext.To)
	if p.Limit(index) < uint64(n) {
		return
	}
	beside := p.And(p.And(p.mask, guard), p.Cmp(ssa.LeU, p.Word(uint32(n)), index))
	if p.isNone(beside) {
		return
	}
	if p.group != nil {
		p.wholeWarp()
	}
	p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.Any(beside), State: p.state(pc), PC: pc})
}

// uniformTable is a branch that all lanes that run take to one target, where a number holds, or none does.
func (p *path) uniformTable(list []indexed, index, guard ssa.Value) {
	if p.isNone(guard) {
		return
	}
	next := p.block
	if !p.isFull(guard) {
		next = p.newBlock()
		taken := p.newBlock()
		p.block.Cond = guard
		p.block.Jump(taken)
		p.block.Jump(next)
		p.block = taken
	}
	p.findTarget(p.block, list, index)
	p.dead, p.block = p.isFull(guard), next
}

// findTarget goes from a block to the target of an index, which is a number unless the list has one target.
func (p *path) findTarget(from *ssa.Block, list []indexed, index ssa.Value) {
	if len(list) == 1 {
		way := join{edge: from.Jump(nil), env: maps.Clone(p.env), mask: p.mask, pure: maps.Clone(p.pure)}
		p.joins[list[0].target] = append(p.joins[list[0].target], way)
		return
	}
	half := len(list) / 2
	below := p.Cmp(ssa.LtU, index, p.Word(list[half].first))
	switch {
	case p.isFull(below):
		p.findTarget(from, list[:half], index)
		return
	case p.isNone(below):
		p.findTarget(from, list[half:], index)
		return
	}
	lower, upper := p.newBlock(), p.newBlock()
	from.Cond = below
	from.Jump(lower)
	from.Jump(upper)
	p.findTarget(lower, list[:half], index)
	p.findTarget(upper, list[half:], index)
}

// coherentTable builds a branch by a table twice: all lanes have the same index, or in a cold copy they have not.
func (p *path) coherentTable(pc int32, id ir.BlockID, list []indexed, index ssa.Value) bool {
	meet := p.fn.Blocks[id].IPDom
	if !p.mayPartTo(id, meet) || p.fn.Blocks[meet].First-pc <= shortArms || slices.ContainsFunc(list, func(x indexed) bool { return x.target > meet }) {
		return false
	}
	one := p.Make(ssa.Least, ssa.W, 0, index)
	same, mixed := p.newBlock(), p.newBlock()
	p.block.Cond = p.All(p.Cmp(ssa.Eq, index, one))
	p.block.Jump(same)
	p.block.Jump(mixed)
	p.findTarget(same, list, one)
	p.inColdCopy(mixed, meet, func(m *path) {
		m.waiting = map[ir.BlockID]ssa.Value{}
		m.toTargets(list, uint32(len(p.code.Insts[pc].Ext.To)), index, func(target ir.BlockID, lanes ssa.Value, _ bool) {
			m.waiting[target] = m.orWaiting(target, lanes)
			m.waitsAt(target, m.open)
		})
		m.mask, m.dead = p.Truth(false), true
		m.run(p.fn.Blocks[id+1].First)
	})
	p.dead = true
	return true
}

// partTable lets lanes that take the branch wait at their targets.
func (p *path) partTable(pc int32, id ir.BlockID, list []indexed, index, guard ssa.Value) {
	whole := len(list) == 1 && p.isFull(guard)
	if !whole {
		p.meetAgain(pc, id)
	}
	taking, rest, left := p.And(p.mask, guard), p.And(p.mask, p.Not(guard)), p.Truth(true)
	p.toTargets(list, uint32(len(p.code.Insts[pc].Ext.To)), index, func(target ir.BlockID, lanes ssa.Value, last bool) {
		p.partsFrom(target, pc, whole)
		if last { // no index is beside the table
			lanes = left
		}
		p.waitsToo(target, p.And(taking, lanes))
		left = p.And(left, p.Not(lanes))
	})
	p.mask = rest
	p.dead = p.isNone(rest)
}

// toTargets visits the targets of a table, in the order of their blocks, with the lanes that have one of their indices.
func (p *path) toTargets(list []indexed, n uint32, index ssa.Value, visit func(target ir.BlockID, lanes ssa.Value, last bool)) {
	lanes := map[ir.BlockID]ssa.Value{}
	for k, x := range list {
		upTo := n
		if k+1 < len(list) {
			upTo = list[k+1].first
		}
		is := p.between(index, x.first, upTo)
		if old, ok := lanes[x.target]; ok {
			is = p.Or(old, is)
		}
		lanes[x.target] = is
	}
	targets := slices.Sorted(maps.Keys(lanes))
	for k, target := range targets {
		visit(target, lanes[target], k == len(targets)-1)
	}
}

// between is where an index is one of those from first up to a limit.
func (p *path) between(index ssa.Value, first, limit uint32) ssa.Value {
	if limit == first+1 {
		return p.Cmp(ssa.Eq, index, p.Word(first))
	}
	return p.And(p.Cmp(ssa.LeU, p.Word(first), index), p.Cmp(ssa.LtU, index, p.Word(limit)))
}
