package decode

// What the loops do that branches close: whether they wait for other threads, or store anything. Loops nest as deep as a function
// is long, so nothing here looks into each of them: it counts once, and subtracts.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// before counts, by pc, the instructions of a kind that stand before it; nil until it is asked.
type before []int32

func (b *before) fill(insts []ir.Inst, is func(*ir.Inst) bool) before {
	if *b == nil {
		*b = make([]int32, len(insts)+1)
		for pc := range insts {
			if (*b)[pc+1] = (*b)[pc]; is(&insts[pc]) {
				(*b)[pc+1]++
			}
		}
	}
	return *b
}

// any reports whether an instruction of the kind stands in [from, to).
func (b before) any(from, to int32) bool { return from < to && b[to] != b[from] }

// quiet reports whether a branch closes a loop that waits for no other thread: without access that others
// could answer, sleep, barrier or call.
func (x *function) quiet(in *ir.Inst) bool {
	return !x.closes(in, func() before { return x.waitsAt.fill(x.f.Insts, x.waits) })
}

// stores reports whether the loops that a branch closes store anything.
func (x *function) stores(in *ir.Inst) bool {
	return x.closes(in, func() before {
		return x.storesAt.fill(x.f.Insts, func(in *ir.Inst) bool { return in.Sel.Entry.Effects.Has(isa.Writes) })
	})
}

// closes reports whether an instruction of a kind stands in a loop that the branch at x.pc closes.
func (x *function) closes(in *ir.Inst, kind func() before) bool {
	for _, t := range in.Targets {
		if from := x.f.Blocks[t].First; from < x.pc && kind().any(from, x.pc) {
			return true
		}
	}
	return false
}

// loops tells of each instruction whether it stands in a loop that may wait for another thread, or that stores nothing.
func (x *function) loops() []bool {
	if x.inLoop != nil {
		return x.inLoop
	}
	opens := make([]int32, len(x.f.Insts)+1) // such loops that begin here, less those that end
	pc := x.pc
	for x.pc = range int32(len(x.f.Insts)) {
		if in := &x.f.Insts[x.pc]; in.IsBranch() && (!x.quiet(in) || !x.stores(in)) {
			for _, t := range in.Targets {
				if from := x.f.Blocks[t].First; from <= x.pc {
					opens[from]++
					opens[x.pc+1]--
				}
			}
		}
	}
	x.pc = pc
	x.inLoop = make([]bool, len(x.f.Insts))
	depth := int32(0)
	for i := range x.inLoop {
		depth += opens[i]
		x.inLoop[i] = depth > 0
	}
	return x.inLoop
}
