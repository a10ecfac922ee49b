package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
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
