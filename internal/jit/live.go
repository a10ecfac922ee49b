package jit

// What is live where. Code is assembled block by block, and asks about many instructions of each.

import (
	"slices"

	"ptxvm/internal/ir"
)

// liveness answers questions about one function.
type liveness struct {
	f      *ir.Func
	rowOf  []uint32            // by register: offset of its row, noRow for none
	regsOf map[uint32][]ir.Reg // by row
	blocks map[ir.BlockID][]ir.Bits
	words  int // in blocks
}

const noRow = ^uint32(0)

// maxLiveWords is how much of what was found is kept.
const maxLiveWords = 1 << 22

func newLiveness(f *ir.Func, offset func(ir.Reg) uint32) *liveness {
	l := &liveness{f: f, rowOf: make([]uint32, len(f.Regs)), regsOf: map[uint32][]ir.Reg{}, blocks: map[ir.BlockID][]ir.Bits{}}
	for g := range f.Regs {
		l.rowOf[g] = noRow
		if f.Rows.Of[g] >= 0 {
			off := offset(ir.Reg(g))
			l.rowOf[g] = off
			l.regsOf[off] = append(l.regsOf[off], ir.Reg(g))
		}
	}
	return l
}

// at returns the registers that are live before an instruction.
func (l *liveness) at(pc int32) ir.Bits {
	b := l.f.BlockOf(pc)
	blk := &l.f.Blocks[b]
	if sets, ok := l.blocks[b]; ok {
		return sets[pc-blk.First]
	}
	words := int(blk.End-blk.First) * len(ir.NewBits(len(l.f.Regs)))
	if words > maxLiveWords {
		return l.f.LiveAt(pc)
	}
	if l.words += words; l.words > maxLiveWords {
		clear(l.blocks)
		l.words = words
	}
	l.blocks[b] = l.f.LiveSets(b)
	return l.blocks[b][pc-blk.First]
}

// holds tells whether a row holds what somebody reads, before an instruction.
func (l *liveness) holds(live ir.Bits, off uint32) bool {
	return slices.ContainsFunc(l.regsOf[off], func(g ir.Reg) bool { return live.Has(int(g)) })
}

// behind tells whether a row holds what somebody reads behind the instruction before end.
func (l *liveness) behind(end int32, off uint32) bool {
	b := l.f.BlockOf(end - 1)
	if end < l.f.Blocks[b].End {
		return l.holds(l.at(end), off)
	}
	return slices.ContainsFunc(l.regsOf[off], func(g ir.Reg) bool { return l.f.LiveOut(b, g) })
}
