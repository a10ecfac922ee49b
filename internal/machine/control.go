package machine

// This file holds what control-flow handlers do to fragments: branch, exit, call, return, sleep.

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
)

// Branch sends the lanes of taken to target; in.D is where they meet the others again. taken
// must not be empty and lie in the running fragment.
func (w *Warp) Branch(in *Inst, taken uint32, target int32) State {
	f := w.frag
	if taken == f.mask {
		w.next = target
		return Jump
	}
	w.learn(f, true)
	w.enclose(f, int32(in.D))
	w.move(w.part(f, taken), target)
	w.move(f, w.PC(in)+1)
	return Diverge
}

// enclose puts a fragment whose lanes part, to meet again at a pc, into a region of its own.
func (w *Warp) enclose(f *Fragment, pc int32) {
	if r := f.region; r != nil && r.frame == f.frame && r.pc == pc {
		return
	}
	f.region = w.newRegion(f.frame, pc, f.mask, f.region)
}

// part separates lanes of a fragment into one of their own; all of them are the fragment itself.
func (w *Warp) part(f *Fragment, lanes uint32) *Fragment {
	if lanes == f.mask {
		return f
	}
	f.mask &^= lanes
	return w.newFragment(f, lanes, f.pc)
}

// move sets the pc of a ready fragment.
func (w *Warp) move(f *Fragment, pc int32) {
	f.pc = pc
	w.come(f)
}

// BranchTable sends every lane of w.Mask to in.Ext.To[index of the lane] (9.7.12.4 brx.idx).
// The caller has checked the indexes.
func (w *Warp) BranchTable(in *Inst, index *[32]uint32) State {
	f, groups := w.frag, w.Mask
	if t, all := sameTarget(in, index, groups); all && groups == f.mask {
		w.next = t
		return Jump
	}
	w.enclose(f, int32(in.D))
	rest := f.mask &^ groups
	for groups != 0 {
		lanes := sameIndex(in, index, groups)
		groups &^= lanes
		w.move(w.part(f, lanes), in.Ext.To[index[first(lanes)]])
	}
	w.stay(f, rest, w.PC(in)+1)
	return Diverge
}

// stay moves the lanes of f that an instruction did not send elsewhere to the next one.
func (w *Warp) stay(f *Fragment, rest uint32, pc int32) {
	if rest != 0 {
		w.move(f, pc)
	}
}

func sameTarget(in *Inst, index *[32]uint32, lanes uint32) (int32, bool) {
	t := in.Ext.To[index[first(lanes)]]
	return t, sameIndex(in, index, lanes) == lanes
}

// sameIndex returns the lanes that go where the first of them goes.
func sameIndex(in *Inst, index *[32]uint32, lanes uint32) uint32 {
	t := in.Ext.To[index[first(lanes)]]
	same := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		if i := first(m); in.Ext.To[index[i]] == t {
			same |= 1 << i
		}
	}
	return same
}

// Exit ends the lanes of w.Mask (9.7.12.7). Lanes that wait for them are looked at again.
func (w *Warp) Exit(in *Inst) State {
	if len(w.held) != 0 {
		if st := w.unsubmitted(in, w.Mask); st != Next {
			return st
		}
	}
	return w.exitLanes(w.frag, w.Mask, w.PC(in)+1)
}

// exitLanes ends lanes of a fragment; the others go on at a pc. The state is Diverge if the warp
// still lives.
func (w *Warp) exitLanes(f *Fragment, lanes uint32, pc int32) State {
	frame, r, rest := f.frame, f.region, f.mask&^lanes
	w.Live &^= lanes
	w.cta.cluster.changed++
	w.cta.cut = w.cta.cut || frame.caller != nil
	w.freeFragment(w.part(f, lanes))
	w.stay(f, rest, pc)
	w.remove(lanes, r, nil)
	for frame != nil {
		caller := frame.caller
		w.leave(frame, lanes)
		frame = caller
	}
	w.cta.tellBarrier(Event{What: events.LanesEnd, Warp: int(w.index), Lanes: lanes, Members: w.Live})
	if st := w.recheck(); st != Next {
		return st
	}
	if w.Live == 0 {
		return Exited
	}
	return Diverge
}

// Call runs the callee of in.Ext.Call for the lanes of w.Mask (9.7.12.5). targets holds the
// function addresses of an indirect call, nil for a direct one.
func (w *Warp) Call(in *Inst, targets *[32]uint64) State {
	f, groups := w.frag, w.Mask
	if st := w.roomForCall(in, f); st != Next {
		return st
	}
	if targets != nil {
		if st := w.checkTargets(in, targets); st != Next {
			return st
		}
	}
	pc, site, rest := w.PC(in)+1, in.Ext.Call, f.mask&^groups
	r := w.newRegion(f.frame, pc, f.mask, f.region)
	f.region = r
	for groups != 0 {
		lanes, callee := groups, site.Callee
		if targets != nil {
			lanes = sameAddress(targets, groups)
			callee = w.cta.grid.Functions[targets[first(lanes)]]
		}
		groups &^= lanes
		w.enter(w.part(f, lanes), site, callee, r)
	}
	w.stay(f, rest, pc)
	return Diverge
}

// enter makes the frame of a call for all lanes of a fragment and passes the arguments.
func (w *Warp) enter(g *Fragment, site *CallSite, callee *Code, r *region) {
	caller := g.frame
	frame := w.pushFrame(callee, caller, g.mask, w.calleeVariant(g, site, callee))
	frame.site, frame.join = site, r
	if site.Open != nil {
		w.handOver(site.Open.Args, callee.Passed.Args, caller, frame, g.mask)
	} else {
		w.moveAll(site.Args, caller, frame, g.mask)
	}
	g.frame = frame
	w.move(g, 0)
}

func (w *Warp) calleeVariant(g *Fragment, site *CallSite, callee *Code) variant {
	if site.Converged && g.frame.variant == converged && g.mask == g.frame.lanes && callee.Insts != nil {
		return converged
	}
	return split
}

func (w *Warp) checkTargets(in *Inst, targets *[32]uint64) State {
	for m := w.Mask; m != 0; m &= m - 1 {
		i := first(m)
		callee := w.cta.grid.Functions[targets[i]]
		switch open := in.Ext.Call.Open; {
		case callee == nil:
			return w.Fault(in, &Fault{Kind: faults.BadIndirectCall, Lanes: 1 << i, Addr: targets[i]})
		case !open.Fits(callee.Passed):
			return w.Fault(in, &Fault{Kind: faults.BadIndirectCall, Lanes: 1 << i, Addr: targets[i], Text: open.Misfit(callee.Func.Name, callee.Passed)})
		}
	}
	return Next
}

// roomForCall faults when the stack of a lane has reached its limit.
func (w *Warp) roomForCall(in *Inst, f *Fragment) State {
	if f.frame.depth+1 < w.cta.grid.maxDepth && f.frame.top(w.Mask) < w.cta.grid.stackLimit {
		return Next
	}
	return w.Fault(in, &Fault{Kind: faults.StackOverflow, Lanes: w.Mask})
}

func sameAddress(targets *[32]uint64, lanes uint32) uint32 {
	t := targets[first(lanes)]
	same := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		if i := first(m); targets[i] == t {
			same |= 1 << i
		}
	}
	return same
}

// Ret returns the lanes of w.Mask to their caller (9.7.12.6), where they meet the others that
// made the same call.
func (w *Warp) Ret(in *Inst) State {
	f, lanes, rest := w.frag, w.Mask, w.frag.mask&^w.Mask
	frame, r := f.frame, f.region
	if frame.caller == nil {
		return w.Exit(in)
	}
	if open := frame.site.Open; open != nil {
		w.handOver(frame.code.Passed.Rets, open.Rets, frame, frame.caller, lanes)
	} else {
		w.moveAll(frame.site.Rets, frame, frame.caller, lanes)
	}
	g := w.part(f, lanes)
	g.frame, g.region = frame.caller, frame.join
	w.move(g, frame.join.pc)
	w.stay(f, rest, w.PC(in)+1)
	w.remove(lanes, r, frame.join)
	w.leave(frame, lanes)
	return Diverge
}

// Sleep makes the fragment give way once (9.7.19.2 nanosleep): the others of its warp, the
// other warps and, if no other warp moves, other CTAs run before it goes on. The warp's clock
// advances by ns.
func (w *Warp) Sleep(ns uint64) State {
	if w.helping {
		return Wait // not yet: when compiled code has left
	}
	w.slept += ns
	return Again
}
