package jit

// Where lanes that have parted come together again. A register that one way has written is another
// value for some lanes there, if somebody still reads it: a pattern no longer. Inside, full warps are
// those of which no lane has gone: the turns of a loop that lanes leave one by one count alike for those that stay.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// maxJoinVisits is how many blocks the search looks at.
const maxJoinVisits = 1 << 12

// joins finds those registers.
type joins struct {
	f       *ir.Func
	uses    *accesses
	differ  ir.Bits   // what is found
	written []ir.Bits // by block, nil as long as nobody has asked
	left    int
	seen    []ir.BlockID // the branch that has last come by a block
}

// differing has the registers of which lanes that come together may have different values because
// they came by different ways; false if the function has too many of them.
func (r *region) differing(sol *ir.Solution) (ir.Bits, bool) {
	j := &joins{f: r.f, uses: r.live.uses, differ: ir.NewBits(len(r.f.Regs)), written: make([]ir.Bits, len(r.f.Blocks)), left: maxJoinVisits, seen: make([]ir.BlockID, len(r.f.Blocks))}
	for b := range j.seen {
		j.seen[b] = ir.NoBlock
	}
	for b := range r.f.Blocks {
		blk := &r.f.Blocks[b]
		if blk.End == blk.First || len(blk.Succs) < 2 || !parts(r, sol, blk.End-1) {
			continue
		}
		if !j.from(ir.BlockID(b)) {
			return nil, false
		}
	}
	return j.differ, true
}

// parts tells whether lanes may go different ways at the end of a block.
func parts(r *region, sol *ir.Solution, pc int32) bool {
	g := r.f.Insts[pc].Guard.Reg
	return r.insts[pc].Guard == machine.NoGuard || g == ir.NoReg || sol.Regs[g].Kind != ir.Uniform
}

// from looks at all ways from a branch to where they meet; false if there is too much to see.
func (j *joins) from(x ir.BlockID) bool {
	meet := j.f.Blocks[x].IPDom
	if meet == ir.NoBlock {
		return true
	}
	live := ir.NewBits(len(j.f.Regs))
	j.f.EachLiveIn(meet, func(g ir.Reg) { live.Set(int(g)) })
	for work := []ir.BlockID{x}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range j.f.Blocks[b].Succs {
			if to == meet || j.seen[to] == x {
				continue
			}
			if j.left--; j.left < 0 {
				return false
			}
			j.seen[to] = x
			work = append(work, to)
			for i, w := range j.writes(to) {
				j.differ[i] |= w & live[i]
			}
		}
	}
	return true
}

// writes are the registers that a block writes.
func (j *joins) writes(b ir.BlockID) ir.Bits {
	if j.written[b] == nil {
		j.written[b] = ir.NewBits(len(j.f.Regs))
		for pc := j.f.Blocks[b].First; pc < j.f.Blocks[b].End; pc++ {
			for _, g := range j.uses.writes(pc) {
				j.written[b].Set(int(g))
			}
		}
	}
	return j.written[b]
}
