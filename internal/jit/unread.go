package jit

// Constants that are moved to slots where nobody looks: all readers know the value, as what shuffles and votes take is
// known, and code for full warps can go nowhere between the move and the last of them. It makes no such move.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// findUnread marks those moves.
func (r *region) findUnread() {
	for pc := range r.steps {
		s, g := &r.steps[pc], r.live.uses.writes(int32(pc))
		if _, ok := r.known.slots[s.dst.off]; ok && s.op.Scalar && s.dst.slot && len(g) == 1 {
			s.unread = r.unread(int32(pc), g[0]) && r.uses(Unread)
		}
	}
}

// unread tells whether nobody looks at the slot of a constant that an instruction defines.
func (r *region) unread(pc int32, g ir.Reg) bool {
	last := pc
	for _, at := range r.live.uses.readers(g) {
		if at <= pc || r.segmentOf(at) != r.segmentOf(pc) || !r.knows(at, r.steps[pc].dst.off, r.offset(g)) {
			return false
		}
		last = max(last, at)
	}
	for at := pc; at <= last; at++ {
		if !r.goesOn(at) {
			return false
		}
	}
	return true
}

// knows tells whether an instruction that reads a slot, or the row of the same register, reads its value.
func (r *region) knows(pc int32, slot, row uint32) (ok bool) {
	for _, in := range r.steps[pc].in {
		switch {
		case in.known && in.off == slot:
			ok = true
		case !in.known && (in.off == slot || in.off == row):
			return false
		}
	}
	return ok
}

// goesOn tells whether code for full warps goes on behind an instruction, whatever it meets.
func (r *region) goesOn(pc int32) bool {
	s := &r.steps[pc]
	if s.leaves || r.insts[pc].Guard != machine.NoGuard {
		return false
	}
	switch s.op.Kind {
	case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic, sem.OpNothing, sem.OpShuffle:
		return true
	}
	return false
}
