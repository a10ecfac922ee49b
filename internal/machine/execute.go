package machine

// This file holds the fragment loop, the only one that every instruction passes.

import "math/bits"

// Fuel, in units of a back edge of a QuietLoop. A fragment in any other loop may wait for a
// sibling and gives way after turn/pollCost = 64 back edges, fewer where that has helped.
const (
	turn     = 1 << 14
	pollCost = 256
	maxHurry = 6 // pollCost << maxHurry is a turn: one back edge
)

// execute runs a fragment until something other than straight-line code, a uniform branch or
// a solitary loop happens. It keeps three things out of the per-instruction path: statistics
// are counted per straight run, fuel at back edges, and meeting others by ending the straight
// run at the next pc at which a sibling could be met.
func (w *Warp) execute(f *Fragment) State {
	w.enterFragment(f)
	pc := f.pc
	ahead, behind := w.limits(f)
	straight := (*Warp).runPart
	if f.mask == f.frame.lanes {
		straight = (*Warp).runFull
	}
	w.Mask = f.mask
	native, left, slice := w.compiled(f), int32(-1), w.cta.grid.slice
	for {
		stop := ahead
		if native != nil {
			if native.Entries[pc] != 0 && pc != left && !f.woken {
				if st := w.runNative(f, native, pc); st != Next {
					return st
				}
				// Alone in its region, whose other lanes have exited, a fragment may have passed the place where it would meet them.
				if pc = f.pc; pc > ahead {
					ahead, behind = w.limits(f)
				}
				if left = pc; w.core.native.HasPolled() {
					left = -1
				}
				continue
			}
			left, stop = -1, min(ahead, native.next[pc])
		}
		if slice != 0 {
			if stop = min(stop, pc+slice-int32(w.steps)); stop <= pc {
				return w.turnEnds(f, pc)
			}
		}
		w.start = pc
		n, st := straight(w, w.insts[pc:stop])
		pc += int32(n)
		if st == Next {
			w.count(pc, f.mask)
			if pc < ahead {
				continue
			}
			w.move(f, pc)
			return Diverge
		}
		w.count(pc+1, w.Mask)
		if st != Jump {
			return w.ended(st, f, pc)
		}
		to := w.next
		if to <= pc && (!w.burn(f, &w.insts[pc]) || behind) || to >= ahead {
			w.move(f, to)
			return Diverge
		}
		if native == nil && to <= pc {
			native = w.compiled(f)
		}
		pc = to
	}
}

// runFull executes straight-line code for all lanes of the frame. It returns at the end, or
// with the index of the first instruction that returned another state than Next. The loop
// holds nothing but the slice: that is worth a third of its time.
func (w *Warp) runFull(insts []Inst) (int, State) {
	for i := range insts {
		in := &insts[i]
		if asserting {
			in.assertScalar(w.frag)
		}
		var st State
		if in.Guard == NoGuard {
			st = in.Full(w, in)
		} else {
			st = w.guarded(in, in.Full)
		}
		if st != Next {
			return i, st
		}
	}
	return len(insts), Next
}

// runPart is runFull for some lanes of the frame.
func (w *Warp) runPart(insts []Inst) (int, State) {
	for i := range insts {
		in := &insts[i]
		if asserting {
			in.assertScalar(w.frag)
		}
		var st State
		if in.Guard == NoGuard {
			st = in.Part(w, in)
		} else {
			st = w.guarded(in, in.Part)
		}
		if st != Next {
			return i, st
		}
	}
	return len(insts), Next
}

// enterFragment makes a fragment the running one.
func (w *Warp) enterFragment(f *Fragment) {
	if f.frame.variant == split {
		f.frame.converge(f)
	}
	w.frag = f
	w.insts = f.frame.code.insts(f.frame.variant)
	w.regs = f.frame.regs.P
}

// guarded executes an instruction for the lanes whose guard predicate holds; all is the handler
// for the case that all do.
func (w *Warp) guarded(in *Inst, all Handler) State {
	mask := w.Mask
	p := *w.P(in.Guard &^ 1)
	p ^= -(in.Guard & 1)
	m := p & mask
	if m == mask {
		return all(w, in)
	}
	w.lost += uint64(bits.OnesCount32(mask &^ m))
	if m == 0 {
		if in.Flags&TellsSkips != 0 {
			w.skipped(in)
		}
		return Next
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
		if f.pc = pc; !w.cut || !f.woken { // else it has passed the barrier (fair.go)
			w.ready &^= 1 << f.index
		}
	case Faulted:
		if w.dropped != 0 {
			return w.drop(f, pc)
		}
	}
	return st
}

// count adds the straight run that ends before pc to the statistics.
func (w *Warp) count(pc int32, mask uint32) {
	n := uint64(pc - w.start)
	w.steps += n
	w.ops += n * uint64(bits.OnesCount32(mask))
}

// burn takes fuel for a back edge; false if the fragment has to give way.
func (w *Warp) burn(f *Fragment, in *Inst) bool {
	if in.Flags&QuietLoop != 0 {
		f.fuel--
		w.polled = false
	} else {
		w.polled = w.polled || w.cta.grid.slice != 0
		w.learn(f, false)
		f.fuel -= pollCost << w.hurry
	}
	if f.fuel > 0 {
		return true
	}
	f.fuel = turn
	w.yielded |= 1 << f.index
	return false
}

// learn judges the release of a joining fragment by what a fragment that had given way does
// next. If lanes leave its loop at once, they waited for the released ones, as in a lock: next
// time polling loops give way after half as many back edges. If not, the released lanes would
// better have waited for the others.
func (w *Warp) learn(f *Fragment, left bool) {
	if w.watched>>f.index&1 == 0 {
		return
	}
	w.watched = 0
	switch {
	case left && w.hurry < maxHurry:
		w.hurry++
	case !left && w.hurry > 0:
		w.hurry--
	}
}
