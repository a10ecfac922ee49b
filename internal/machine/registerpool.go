package machine

// This file counts the registers that setmaxnreg moves between the warps of a CTA and its pool (9.7.19.5). Nothing is stored in
// them: rows of a frame are as many as its code names. What they decide is who waits.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// registerPool is what a CTA has of registers, per thread of a warp; without owners nothing has been moved yet.
type registerPool struct {
	owned []uint32 // by warp
	spare int      // that no warp owns; below 0 if they come from elsewhere
}

// RegisterChange is what a warp asks for.
type RegisterChange struct {
	Count   uint32 // registers of each thread, behind it
	More    bool   // .inc, else .dec
	Endless bool   // the pool always has enough
}

func (q *RegisterChange) String() string {
	return fmt.Sprintf("setmaxnreg.%s to %d", map[bool]string{true: "inc", false: "dec"}[q.More], q.Count)
}

// ChangeRegisters does what a warp asks for, all 32 lanes at once. On another state than Next the handler returns it. It has no effect
// in a kernel that does not say how many registers its threads begin with.
func (w *Warp) ChangeRegisters(in *Inst, q *RegisterChange) State {
	c := w.cta
	w.frag.woken = false
	if c.grid.Entry.Registers == 0 {
		return Next
	}
	if st := w.Collective(in); st != Next {
		return st
	}
	p := &c.pool
	if len(p.owned) == 0 {
		p.owned = slices.Repeat(append(p.owned, c.grid.Entry.Registers), len(c.warps))
	}
	have := p.owned[w.index]
	more := int(q.Count) - int(have)
	switch {
	case more > 0 && !q.More, more < 0 && q.More:
		return w.Fault(in, &Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Text: fmt.Sprintf("%v: the threads of the warp have %d registers each", q, have)})
	case more > p.spare && !q.Endless && w.helping:
		return Wait // nothing is done: the handler is executed again when compiled code has left
	case more > p.spare && !q.Endless:
		w.frag.wait, w.frag.pc, w.frag.want = waits.Registers, w.PC(in), q.Count
		return Wait
	}
	w.followRegisters(in, q)
	p.owned[w.index] = q.Count
	p.spare -= more
	if more < 0 {
		c.wakeAll(waits.Registers)
	}
	return Next
}

// poolReason says what a fragment at setmaxnreg.inc waits for.
func (w *Warp) poolReason(f *Fragment) string {
	p := &w.cta.pool
	return fmt.Sprintf("wait in setmaxnreg.inc to %d for %d more registers a thread: the CTA's pool has %d, its warps %v", f.want, f.want-p.owned[w.index], p.spare, p.owned)
}

// followRegisters tells of a change where misuse is looked for: the warps of a warpgroup make the same, in the same order.
func (w *Warp) followRegisters(in *Inst, q *RegisterChange) {
	if w.Watchful() {
		w.Observe(in, Event{What: events.GroupSteps, Lanes: w.Mask, About: &GroupStep{true, uint64(q.Count), uint64(w.PC(in))}})
	}
}
