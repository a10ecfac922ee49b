package decode

// Where scalar slots are live: the machine spreads them to rows when a frame splits.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// scalarSlots lists the uniform registers with the pcs before which each is live. Uniform
// predicates are listed too: their lanes have to agree before a frame converges again.
func (x *function) scalarSlots() (list []regs.Scalar) {
	live := x.liveRanges()
	for r := range x.f.Regs {
		if len(live[r]) == 0 {
			continue
		}
		s := regs.Scalar{Slot: x.slot[r], Row: x.row(ir.Reg(r)), Width: x.rowShape(ir.Reg(r)), Live: live[r], Spread: x.spread[r]}
		if x.f.Regs[r].Bits == 1 {
			s.Slot, s.Width = s.Row, regs.Pred
		}
		list = append(list, s)
	}
	return list
}

// liveRanges walks the function backwards for the uniform registers. Between two blocks it looks only at those that live on
// one side and not on the other.
func (x *function) liveRanges() [][]regs.Range {
	w := rangeWalk{f: x.f, out: make([][]regs.Range, len(x.f.Regs)), end: make([]int32, len(x.f.Regs)), member: make([]bool, len(x.f.Regs))}
	for r := range x.f.Regs {
		w.member[r] = x.f.Rows.Of[r] >= 0 && x.uniform(ir.Reg(r))
	}
	for b := ir.BlockID(len(x.f.Blocks)) - 1; b >= 0; b-- {
		w.walk(b)
	}
	for r := range w.out {
		w.close(ir.Reg(r), 0)
		slices.Reverse(w.out[r])
		w.out[r] = join(w.out[r])
	}
	return w.out
}

// rangeWalk collects ranges, the last first; end is where the current range of a live register ends, 0 if it
// is dead.
type rangeWalk struct {
	f      *ir.Func
	member []bool
	end    []int32
	out    [][]regs.Range
}

func (w *rangeWalk) walk(b ir.BlockID) {
	blk := &w.f.Blocks[b]
	w.f.EachLiveChange(b, func(r ir.Reg) {
		switch {
		case w.end[r] > 0:
			w.close(r, blk.End)
		case w.member[r]:
			w.end[r] = blk.End
		}
	})
	for pc := blk.End - 1; pc >= blk.First; pc-- {
		w.step(pc)
	}
}

// step goes from behind an instruction to before it: an unguarded write ends the life of the
// old value, a read begins it.
func (w *rangeWalk) step(pc int32) {
	in := &w.f.Insts[pc]
	if in.Guard.Reg == ir.NoReg {
		w.f.EachReg(in, func(r ir.Reg, a ir.Access) {
			if a == ir.Write && w.member[r] {
				w.close(r, pc+1)
			}
		})
	}
	w.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		if a == ir.Read && w.member[r] && w.end[r] == 0 {
			w.end[r] = pc + 1
		}
	})
}

// close ends a range at its lower end.
func (w *rangeWalk) close(r ir.Reg, from int32) {
	if w.end[r] > from {
		w.out[r] = append(w.out[r], regs.Range{From: from, To: w.end[r]})
	}
	w.end[r] = 0
}

// join unites ranges that touch.
func join(list []regs.Range) []regs.Range {
	var out []regs.Range
	for _, v := range list {
		if n := len(out); n > 0 && out[n-1].To >= v.From {
			out[n-1].To = max(out[n-1].To, v.To)
			continue
		}
		out = append(out, v)
	}
	return out
}
