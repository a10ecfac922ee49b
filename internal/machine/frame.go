package machine

// This file holds frames: the register block and local memory of one call.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// variant says which of a Code's instruction arrays a frame runs.
type variant uint8

const (
	split     variant = iota // every register is a row
	converged                // uniform registers are scalar slots
)

func (c *Code) insts(v variant) []Inst {
	if v == converged {
		return c.Insts
	}
	return c.Split
}

// Frame is made by one call that one fragment executes and freed by the last lane that leaves.
type Frame struct {
	code    *Code
	regs    regs.Block
	variant variant
	caller  *Frame
	site    *CallSite
	join    *region // where lanes that return meet: in the caller, behind the call
	depth   int32
	lanes   uint32 // inside, also those that are in deeper frames

	local uint32     // start of the .param area in the warp's local memory, in bytes
	end   uint32     // end of the frame there, without alloca
	sp    [32]uint32 // end of what a lane has allocated; only if moved
	moved bool       // a handler has asked for the stack pointers

	flow  FlowState // of Launch.Values
	rests bool      // it need not see what leaves its shadows empty

	retry, wait uint32 // block starts until the next attempt to return to converged
}

// pushFrame makes a frame for lanes of the running fragment.
func (w *Warp) pushFrame(c *Code, caller *Frame, lanes uint32, v variant) *Frame {
	f := w.core.newFrame()
	f.code, f.caller, f.lanes, f.variant, f.regs = c, caller, lanes, v, w.core.takeBlock(c)
	f.site, f.join, f.depth, f.local, f.moved, f.flow, f.rests = nil, nil, 0, 0, false, nil, false
	f.retry, f.wait = firstRetry, firstRetry
	if caller != nil {
		f.depth = caller.depth + 1
		f.local = caller.top(lanes)
	}
	f.end = f.local + (c.ParamBytes+c.LocalBytes+15)&^15
	f.begin()
	w.fillSpecials(f)
	return f
}

// begin makes registers zero: rows, and of the scalar slots, of which a function may have very many, those that may
// be read before they are written.
func (f *Frame) begin() {
	c := f.code
	f.regs.Clear(c.Slots)
	f.regs.ClearFrom(c.SlotsEnd, c.RegBytes-c.SlotsEnd)
	if f.variant == split {
		return // converge writes the slots that live
	}
	for s := range c.scalarsAt(0) {
		if s.Width != regs.Pred {
			*f.regs.Slot(s.Slot) = 0
		}
	}
}

// top is where a callee's frame starts: above everything the lanes have allocated, because a
// frame has one address in every lane.
func (f *Frame) top(lanes uint32) uint32 {
	if !f.moved {
		return f.end
	}
	top := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		top = max(top, f.sp[first(m)])
	}
	return (top + 15) &^ 15
}

// at is an instruction of the frame's code with all that have called it.
func (f *Frame) at(pc int32) Whence {
	at := f.code.At(pc)
	for ; f.caller != nil; f = f.caller {
		from := f.caller.code.At(f.join.pc - 1)
		at.Calls = append(slices.Clip(at.Calls), CallFrame{from.Func, from.PC})
		at.Calls = append(at.Calls, from.Calls...)
	}
	return at
}

func (w *Warp) freeFrame(f *Frame) {
	w.core.memory.GiveBlock(f.code, f.regs)
	w.core.freeFrame(f)
}

// leave takes lanes out of one frame; the last one frees it, but for the kernel's own frame,
// which the next CTA uses again.
func (w *Warp) leave(f *Frame, lanes uint32) {
	f.lanes &^= lanes
	if n := w.cta.grid.Numbers; n != nil {
		n.Left(w, f, f.local, f.end, lanes)
	}
	if f.lanes == 0 && f.caller != nil {
		if w.cta.grid.wants(events.WantsRows | events.WantsOwed | events.WantsLeft) {
			w.cta.tellUse(Event{What: events.FrameGone, About: f})
		}
		w.settleOps(f)
		w.freeFrame(f)
	}
}

// splitFrame ends the converged state of a frame: the scalars that are live where each lane
// stands go to rows. Nothing of the frame may be running.
func (w *Warp) splitFrame(f *Frame) {
	if f.variant != converged {
		return
	}
	w.core.stats.Splits++
	f.variant = split
	f.retry, f.wait = firstRetry, firstRetry
	for m := w.used; m != 0; m &= m - 1 {
		g := &w.frags[first(m)]
		if pc, inside := g.pcIn(f); inside {
			f.broadcast(pc, g.mask)
		}
	}
}

// firstRetry is the number of block starts after which a split frame tries to converge again;
// it doubles at every failure.
const firstRetry = 4

// pcIn returns where the lanes of a fragment stand in a frame: its own pc, or the return pc of
// the call that leads to the fragment's frame.
func (g *Fragment) pcIn(f *Frame) (int32, bool) {
	if g.frame == f {
		return g.pc, true
	}
	for inner := g.frame; inner != nil; inner = inner.caller {
		if inner.caller == f {
			return inner.join.pc, true
		}
	}
	return 0, false
}

// scalarsAt is an iterator of the scalars that are live before the instruction at a pc.
func (c *Code) scalarsAt(pc int32) func(yield func(*regs.Scalar) bool) {
	return regs.Live(c.Scalars, &c.scalars, pc)
}

func (f *Frame) broadcast(pc int32, lanes uint32) {
	for s := range f.code.scalarsAt(pc) {
		f.regs.Spread(s, lanes)
	}
}

// converge tries to return a split frame to its converged variant: one fragment holds every
// lane, stands at a block start, and its lanes agree on every scalar that is live there.
func (f *Frame) converge(g *Fragment) {
	if f.variant != split || f.code.Insts == nil || g.mask != f.lanes {
		return
	}
	if f.code.Split[g.pc].Flags&BlockStart == 0 || !f.due() || !f.agree(g.pc) {
		return
	}
	for s := range f.code.scalarsAt(g.pc) {
		if s.Width != regs.Pred {
			*f.regs.Slot(s.Slot) = f.regs.Scalar(s, f.lanes)
		}
	}
	f.variant = converged
}

// due spaces out the attempts to converge.
func (f *Frame) due() bool {
	if f.wait--; f.wait > 0 {
		return false
	}
	f.retry *= 2
	f.wait = f.retry
	return true
}

func (f *Frame) agree(pc int32) bool {
	for s := range f.code.scalarsAt(pc) {
		if !f.regs.Agree(s, f.lanes) {
			return false
		}
	}
	return true
}
