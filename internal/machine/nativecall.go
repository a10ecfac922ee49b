package machine

import "ptxvm.invalid/ptxvm/internal/machine/abi"

// This file makes calls in the middle of compiled code. The callee runs as it would if the code had left in front of the call:
// its frames are the warp's, its fragments take the turns that they would take, and it may be compiled itself. What comes back
// is the fragment that has called, behind the call, with all its lanes; then the code that waits is entered again. Where
// anything else comes of the call, a fault, a wait, a turn that is over, lanes that have exited, the machine already has the warp
// as it is, and the code that waits is dropped: of it there is nothing but its abi.State.

// maxNested is how many calls may wait in compiled code at a time, each of which holds an abi.State and some of Go's stack. A call
// beyond leaves its code, as does one whose warp has lanes elsewhere in compiled code.
const maxNested = 8

// call makes the call at which compiled code has returned; false if the lanes are not behind it: nothing has been done, or
// Help.gone is set.
func (c *CTA) call(n *installed, t *nativeTable, s *abi.State, w *Warp) bool {
	h, core := &s.Help, w.core
	if h.Mask != s.Living() || core.nested == maxNested {
		t.count(&t.blocked, n, core, h.PC)
		return false
	}
	c.dissolve(n, s, w)
	f := w.frag
	if s.Exited != 0 {
		if w.exitLanes(f, s.Exited, h.PC) == Faulted {
			h.Faulted = true
			return false
		}
		w.arriving &^= 1 << f.index
		s.Mask, s.Exited = h.Mask, 0
	}
	t.count(&t.helped, n, core, h.PC)
	f.pc, f.fuel = h.PC, h.Fuel
	before := s.Steps + h.Steps
	w.steps += before // clocks go by them
	w.heated += before
	st := w.callAndReturn(f)
	if st == Next {
		w.steps -= before
		w.heated -= before
		h.Fuel = f.fuel
		if t.epoch != core.arena.Epoch() {
			t.refresh(core, n, c)
		}
		return true
	}
	h.Gone, h.Then = true, uint8(st)
	ops := s.Ops + 32*h.Steps
	w.ops += ops
	core.stats.NativeOps += ops - h.HandlerOps
	return false
}

// callAndReturn executes the call at which a fragment stands, and its callee. The state is Next if the fragment is behind the
// call, as it was; else the warp may be anything.
func (w *Warp) callAndReturn(f *Fragment) State {
	frame, lanes, pc := f.frame, f.mask, f.pc
	core := w.core
	outer := core.enterNested()
	defer core.leaveNested(outer)
	if st := w.callOnce(f); st != Diverge {
		return st
	}
	for {
		g := w.pick()
		switch {
		case g == nil:
			return Diverge // its turn is over, or it waits
		case g.frame != frame:
		case g.pc == pc+1 && g.mask == lanes && w.used == 1<<g.index && frame.variant == converged && w.watched == 0:
			w.backIn(f, g)
			return Next
		default:
			return Diverge
		}
		if st := w.execute(g); st == Exited || st == Faulted {
			return st
		}
	}
}

// callOnce executes the call alone, as execute does.
func (w *Warp) callOnce(f *Fragment) State {
	straight, pc := (*Warp).runPart, f.pc
	if f.mask == f.frame.lanes {
		straight = (*Warp).runFull
	}
	w.Mask, w.start = f.mask, pc
	_, st := straight(w, w.insts[pc:pc+1])
	w.count(pc+1, w.Mask)
	switch st {
	case Next: // its guard holds in no lane
		w.move(f, pc+1)
		return Diverge
	case Faulted:
		return w.ended(st, f, pc)
	}
	return st
}

// backIn makes the fragment that has come back the one that compiled code runs.
func (w *Warp) backIn(f, g *Fragment) {
	if f != g {
		index := f.index
		*f = *g
		f.index = index
		*g = Fragment{index: g.index}
		w.used, w.ready = 1<<index, 1<<index
	}
	w.frag, w.insts, w.regs, w.Mask = f, f.frame.code.Insts, f.frame.regs.P, f.mask
}

// enterNested gives compiled code a context of its own while that of another waits.
func (core *Core) enterNested() (outer *abi.State) {
	outer = core.native
	if core.nested == len(core.waiting) {
		core.waiting = append(core.waiting, core.newNativeState())
	}
	core.native = core.waiting[core.nested]
	core.nested++
	return outer
}

func (core *Core) leaveNested(outer *abi.State) {
	core.nested--
	core.native = outer
}
