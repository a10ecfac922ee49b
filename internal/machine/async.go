package machine

// This file declares asynchronous operations: records of what an instruction has begun and
// others wait for (cp.async, bulk copies, st.async, tcgen05, wgmma).

import (
	"iter"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
)

// Op is an asynchronous operation. The handler that begins it fills the exported fields and
// passes it to Issue. Its steps happen in the order Read, Write, Signal, each at some moment
// between Issue and the wait that covers it; each may be nil.
//
// A step works for the lanes op.Lanes, which may be fewer than at Issue: lanes of one record
// that are waited for at different times become records of their own, with the same steps. A
// step must not touch the warp, which may be elsewhere; what it needs it keeps in
// its closure, by lane. It reaches memory through op.Global and op.Shared, which check. A fault
// is reported with the place of the issue, so the step fills only what went wrong.
type Op struct {
	queue.Entry
	Proxy  model.Proxy
	Read   func(op *Op) *Fault // sources, into the record
	Write  func(op *Op) *Fault // the record, into destinations
	Signal func(op *Op) *Fault // mbarriers, groups of others
	// Touches lists what the steps will read (Load) and write (Store) for op.Lanes, for
	// reports; nil if nothing. It is only called while reports are wanted.
	Touches func(op *Op) iter.Seq2[Extent, AccessKind]
	Product ProductStep // of the pipe Product

	Place // of the issue; filled by Issue
	cta   *CTA
	warp  *Warp
}

// Place is where some lanes of a warp did something.
type Place struct {
	Site    // of the first lane
	Inst    *Inst
	Calls   []CallFrame // innermost first, without Func itself
	CTARank uint64      // linear index of the CTA in the grid
	Warp    int
	Lanes   uint32
	Proxy   model.Proxy // of an access
}

// IsPlace lets an allocation name the instruction that made it.
func (*Place) IsPlace() {}

// Follows reports whether an operation must wait for an earlier one: before its first step, or before it signals.
func (op *Op) Follows(earlier *Op, signal bool) bool {
	step := queue.HasRead
	if signal {
		step = queue.HasSignalled
	}
	return op.Entry.Follows(&earlier.Entry, step, op.Lanes&earlier.Lanes != 0)
}

// openOps is the open operations of a cluster.
type openOps = queue.Queue[Op, *Op]

// State is what the queue knows of the operation.
func (op *Op) State() *queue.Entry { return &op.Entry }

// On are its lanes.
func (op *Op) On() uint32 { return op.Lanes }

// Divide makes a record of their own for some of them.
func (op *Op) Divide(lanes uint32) *Op {
	mine := *op
	mine.Lanes = lanes
	op.Lanes &^= lanes
	return &mine
}

// Signals reports whether it signals.
func (op *Op) Signals() bool { return op.Signal != nil }

// Take takes one step.
func (op *Op) Take(s queue.Step) bool {
	f := op.do(s)
	if f != nil {
		op.locate(f)
		op.cta.grid.Fail(f)
	}
	return f == nil
}

// Over tells that it has taken its last step.
func (op *Op) Over() { op.tell(events.OpOver) }

// AsyncMode returns the mode of the launch. In mode Eager nothing is ever open, so a handler may
// do at once what its operation does, without a record; a launch with an observer wants the
// record, though, and so never says queue.Eager.
func (w *Warp) AsyncMode() queue.Mode {
	if g := w.cta.grid; g.Async != queue.Eager || !g.observing && !g.wants(events.WantsLeft) {
		return g.Async
	}
	return queue.Lazy
}

// Issue begins an operation for the lanes of w.Mask, which the handler has checked. The handler
// returns the state.
func (w *Warp) Issue(in *Inst, op *Op) State {
	q := w.cta.async
	op.cta, op.warp = w.cta, w
	op.Inst, op.Lanes = in, w.Mask
	q.Enter(op, queue.Issuer{CTA: int32(w.cta.crank), Warp: w.index})
	w.tellOp(in, op)
	if q.Instant() {
		return w.perform(in, op)
	}
	op.Place = w.Place(in)
	op.Place.Proxy = op.Proxy
	op.Group = w.groups.Open(op.Pipe)
	op.tell(events.OpBegins)
	if q.Mode == queue.Eager {
		st := w.perform(in, op)
		op.tell(events.OpOver)
		return st
	}
	return nextIf(q.Add(op))
}

// nextIf turns the success of steps into the state of the handler that made them happen.
func nextIf(ok bool) State {
	if !ok {
		return Faulted
	}
	return Next
}

// OpsEndAtOnce reports whether nothing keeps an operation once Issue has returned.
func (w *Warp) OpsEndAtOnce() bool { return w.cta.async.Instant() && !w.cta.grid.observing }

// perform does all of an operation at its issue.
func (w *Warp) perform(in *Inst, op *Op) State {
	for op.Done < queue.HasSignalled {
		op.Done++
		if f := op.do(op.Done); f != nil {
			if f.Lanes == 0 {
				f.Lanes = w.Mask
			}
			return w.Fault(in, f)
		}
	}
	return Next
}

// do does a step.
func (op *Op) do(s queue.Step) *Fault {
	step := op.Read
	switch s {
	case queue.HasWritten:
		step = op.Write
	case queue.HasSignalled:
		step = op.Signal
	}
	if step == nil {
		return nil
	}
	return step(op)
}

// Place returns where the running lanes are.
func (w *Warp) Place(in *Inst) Place {
	pc := w.PC(in)
	return Place{
		Site: w.site(pc, first(w.Mask)), Inst: in, CTARank: w.cta.rank, Warp: int(w.index), Lanes: w.Mask, Calls: w.frag.frame.at(pc).Calls,
	}
}

// locate says where an operation that faults was started.
func (op *Op) locate(f *Fault) {
	if f.Lanes == 0 {
		f.Lanes = op.Lanes
	}
	g := op.cta.grid
	f.Kernel, f.Func, f.Inst, f.PC, f.Calls = g.Entry.Func.Name, op.Func, op.Inst, op.PC, op.Calls
	f.CTA, f.CTARank, f.Thread = op.CTA, op.CTARank, g.Thread(int32(op.Warp), first(f.Lanes))
}

// site is where a lane of the running fragment is.
func (w *Warp) site(pc int32, lane int) Site {
	at := w.frag.frame.code.At(pc)
	return Site{Func: at.Func, PC: at.PC, CTA: w.cta.id, Thread: w.cta.grid.Thread(w.index, lane)}
}

// settleOps completes the operations that write registers of a frame, which is about to go: a
// function may end without a wait for loads whose values it does not want.
func (w *Warp) settleOps(f *Frame) {
	w.cta.async.Settle(func(op *Op) bool { return op.Writes(f) })
}

// Writes reports whether an operation writes registers of a frame.
func (op *Op) Writes(f *Frame) bool {
	if op.Touches == nil {
		return false
	}
	for x, kind := range op.Touches(op) {
		if x.Space == Registers && x.Frame == f && kind != Load {
			return true
		}
	}
	return false
}
