package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file knows in which of the machine's regions lanes wait (machine: fragment.go). Lanes that part at a branch
// whose ways meet wait there for each other; others meet only where their pcs agree, and wait freely. Compiled code
// that leaves names pcs and lanes, from which the machine makes regions where ways meet: where lanes wait freely it
// is told so (abi.Native.Free), so all who wait at one pc have to be alike.

// partsFrom notes that lanes which part at a branch wait at its target, or all who run if they do not part.
func (p *path) partsFrom(target ir.BlockID, pc int32, whole bool) {
	if d := p.code.Insts[pc].D; !whole && d != machine.NoReconv {
		if meet := p.fn.BlockOf(int32(d)); !slices.Contains(p.open, meet) {
			p.open = append(slices.Clone(p.open), meet)
		}
	}
	p.waitsAt(target, p.open)
}

// waitsAt notes that lanes wait at a block, in the regions that end at some others.
func (p *path) waitsAt(at ir.BlockID, open []ir.BlockID) {
	open = ahead(open, at)
	free := len(open) == 0
	if old, ok := p.opens[at]; ok {
		open = common(open, old)
		if len(old) == 0 != free || len(open) == 0 != free {
			refuse("lanes wait at one place for others, and not for others")
		}
	}
	p.opens[at] = open
	if old, ok := p.freely[at]; ok && old != free {
		refuse("lanes wait at one place for others, and not for others")
	}
	p.freely[at] = free
}

// comes notes that the path comes to a block, where lanes may have waited. What they leave behind has to be free if
// they were.
func (p *path) comes(id ir.BlockID) {
	if open, ok := p.opens[id]; ok {
		for other := range p.opens {
			if p.freely[id] && other != id && !p.freely[other] {
				refuse("lanes meet freely while others wait for some of them")
			}
		}
		if delete(p.opens, id); !p.dead {
			open = common(open, p.open)
		}
		p.open = open
	}
	if p.open = ahead(p.open, id+1); len(p.waiting) == 0 {
		p.open = nil
	}
}

// asMade refuses what the machine would part another way than the kernel has where code leaves: it takes it that lanes
// meet where their ways first do, and they may wait for each other farther on. Where nothing keeps lanes from going on,
// that is the same: the least pc goes first.
func (p *path) asMade(pc int32) {
	at := p.fn.BlockOf(pc)
	for a := range p.waiting {
		p.meetWhere(at, pc != p.fn.Blocks[at].First, p.open, a)
		for b := range p.waiting {
			if a < b {
				p.meetWhere(a, false, p.opens[a], b)
			}
		}
	}
}

// meetWhere holds where two meet, one of which is within a block or at its start, to the regions that they are in.
func (p *path) meetWhere(at ir.BlockID, within bool, open []ir.BlockID, other ir.BlockID) {
	if p.freely[other] || p.freely[at] && !within {
		return // the machine is told
	}
	end, meet := ir.NoBlock, at
	if both := common(open, p.opens[other]); len(both) > 0 {
		end = both[len(both)-1]
	}
	if within {
		meet = p.fn.Blocks[at].IPDom
	}
	for meet != ir.NoBlock && (meet < other || !p.through(other, meet)) {
		meet = p.fn.Blocks[meet].IPDom
	}
	if meet != end && p.mayStop(min(at, other), end) {
		refuse("lanes wait for each other elsewhere than where their ways meet")
	}
}

// mayStop tells whether lanes may have to wait, or use up their turn, from a block on to the start of another.
func (p *path) mayStop(from, to ir.BlockID) bool {
	for id := from; id != to && int(id) < len(p.fn.Blocks); id++ {
		b := &p.fn.Blocks[id]
		if slices.ContainsFunc(b.Preds, func(q ir.BlockID) bool { return q >= id }) {
			return true
		}
		for pc := b.First; pc < b.End; pc++ {
			in := &p.code.Insts[pc]
			switch sem.OperationOf(in).Kind {
			case sem.OpBranch, sem.OpExit, sem.OpReturn, sem.OpActive:
			default:
				if in.Op.Reach() > uop.ReachMemory && !isTable(in) {
					return true
				}
			}
		}
	}
	return false
}

// through tells whether all ways from a block go through another.
func (p *path) through(from, to ir.BlockID) bool {
	for from != ir.NoBlock && from != to {
		from = p.fn.Blocks[from].IPDom
	}
	return from == to
}

// ahead are those blocks that are not in front of one.
func ahead(list []ir.BlockID, of ir.BlockID) (out []ir.BlockID) {
	for _, id := range list {
		if id >= of {
			out = append(out, id)
		}
	}
	return out
}

// common are the blocks in both lists.
func common(a, b []ir.BlockID) []ir.BlockID {
	return slices.DeleteFunc(slices.Clone(a), func(id ir.BlockID) bool { return !slices.Contains(b, id) })
}

// free are the places where lanes wait freely, nil if there are none.
func (b *builder) free() (pcs []bool) {
	for id, free := range b.freely {
		if free && pcs == nil {
			pcs = make([]bool, len(b.code.Insts))
		}
		if free {
			pcs[b.fn.Blocks[id].First] = true
		}
	}
	return pcs
}
