package machine

// This file holds the fragment loop, the only one that every instruction passes.

import "math/bits"

// Fuel, in units of a back edge that does not poll. A fragment that polls gives way after
// turn/pollCost = 64 back edges.
const (
	turn     = 1 << 14
	pollCost = 256
)

// execute runs a fragment until something other than straight-line code, a uniform branch or
// a solitary loop happens. It keeps three things out of the per-instruction path: statistics
// are counted per straight run, fuel at back edges, meeting others by one compare with the
// next pc at which somebody could be met.
func (w *Warp) execute(f *Fragment) State {
	w.enterFragment(f)
	insts, mask, pc := w.insts, f.mask, f.pc
	ahead, behind := w.limits(f)
	full := mask == f.frame.lanes
	w.Mask = mask
	w.start = pc
	for {
		in := &insts[pc]
		if asserting {
			in.assertScalar(f)
		}
		var st State
		switch {
		case in.Guard != NoGuard:
			st = w.guarded(in, mask, full)
		case full:
			st = in.Full(w, in)
		default:
			st = in.Part(w, in)
		}
		if st == Next {
			pc++
			if pc < ahead {
				continue
			}
			w.count(pc, mask)
			w.move(f, pc)
			return Diverge
		}
		w.count(pc+1, mask)
		if st != Jump {
			return w.ended(st, f, pc)
		}
		back := w.next <= pc
		pc, w.start = w.next, w.next
		if back && (!w.burn(f, in.cost()) || behind) || pc >= ahead {
			w.move(f, pc)
			return Diverge
		}
	}
}

// enterFragment makes a fragment the running one.
func (w *Warp) enterFragment(f *Fragment) {
	if f.frame.variant == split {
		f.frame.converge(f)
	}
	w.frag = f
	w.insts = f.frame.code.insts(f.frame.variant)
	w.regs = f.frame.regs.p
}

// guarded executes an instruction for the lanes whose guard predicate holds.
func (w *Warp) guarded(in *Inst, mask uint32, full bool) State {
	p := *w.P(in.Guard &^ 1)
	p ^= -(in.Guard & 1)
	m := p & mask
	w.lost += uint64(bits.OnesCount32(mask &^ m))
	if m == 0 {
		return Next
	}
	if m == mask && full {
		return in.Full(w, in)
	}
	w.Mask = m
	st := in.Part(w, in)
	w.Mask = mask
	return st
}

// ended stores what a fragment does after a state that is neither Next nor Jump.
func (w *Warp) ended(st State, f *Fragment, pc int32) State {
	switch st {
	case Again:
		w.move(f, pc+1)
		w.yielded |= 1 << f.index
	case Wait:
		f.pc = pc
		w.ready &^= 1 << f.index
	}
	return st
}

// count adds the straight run that ends before pc to the statistics.
func (w *Warp) count(pc int32, mask uint32) {
	n := uint64(pc - w.start)
	w.steps += n
	w.ops += n * uint64(bits.OnesCount32(mask))
}

func (in *Inst) cost() int32 {
	if in.Flags&QuietLoop != 0 {
		return 1
	}
	return pollCost
}

// burn takes fuel for a back edge; false if the fragment has to give way.
func (w *Warp) burn(f *Fragment, cost int32) bool {
	f.fuel -= cost
	if cost != pollCost {
		w.polled = false
	}
	if f.fuel > 0 {
		return true
	}
	f.fuel = turn
	w.yielded |= 1 << f.index
	return false
}
