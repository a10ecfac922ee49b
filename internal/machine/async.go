package machine

// This file declares asynchronous operations: records of what an instruction has begun and
// others wait for (cp.async, bulk copies, st.async, tcgen05, wgmma).

import "iter"

// AsyncMode says when the steps of asynchronous operations happen. A correct kernel has the
// same results in all modes.
type AsyncMode uint8

// The modes.
const (
	Eager  AsyncMode = iota // at issue
	Lazy                    // as late as the rules allow: sources are read late, too
	Random                  // in between, by the launch's seed
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
	Pipe   PipeKind
	Proxy  Proxy
	Read   func(op *Op) *Fault // sources, into the record
	Write  func(op *Op) *Fault // the record, into destinations
	Signal func(op *Op) *Fault // mbarriers, groups of others
	// After: Signal comes after all that the same lanes have issued to the pipe before
	// (cp.async.mbarrier.arrive, tcgen05.commit).
	After bool
	// Touches lists what the steps will read (Load) and write (Store) for op.Lanes, for
	// reports; nil if nothing. It is only called while reports are wanted.
	Touches func(op *Op) iter.Seq2[Extent, AccessKind]
	Tensor  TensorStep  // of TensorPipe
	Product ProductStep // of ProductPipe

	Place // of the issue; filled by Issue
	cta   *CTA
	warp  *Warp
	seq   uint64
	group *[32]uint64 // of each lane, in pipes with groups
	done  step        // the last step that has happened
	sure  step        // the last of which a wait has told
}

// Place is where some lanes of a warp did something.
type Place struct {
	Site    // of the first lane
	Inst    *Inst
	Calls   []CallFrame // innermost first, without Func itself
	CTARank uint64      // linear index of the CTA in the grid
	Warp    int
	Lanes   uint32
	Proxy   Proxy // of an access
}

// IsPlace lets an allocation name the instruction that made it.
func (*Place) IsPlace() {}

// step is how far an operation is.
type step uint8

const (
	issued step = iota
	hasRead
	hasWritten
	hasSignalled
)

// PipeKind says where an operation queues. Pipes decide order: an operation of an ordered pipe
// takes its first step after the last step of all earlier ones in it.
type PipeKind uint8

// The pipes.
const (
	CopyPipe        PipeKind = iota // cp.async: by lane, with groups, no order
	BulkPipe                        // bulk and bulk tensor operations: by lane, with groups, no order
	StorePipe                       // st.async, red.async: no order
	TensorPipe                      // tcgen05.cp, shift, mma, commit of a CTA: ordered by pairs (TensorStep)
	TensorLoadPipe                  // tcgen05.ld of a warp: in order
	TensorStorePipe                 // tcgen05.st of a warp: in order
	ProductPipe                     // wgmma of a warp, with groups: in order
	FabricPipe                      // fabric operations: by lane, no order
)

// pipeFacts says what the kinds of pipes are like.
var pipeFacts = [...]struct {
	ordered bool
	shared  bool // one pipe for the CTA, whichever warp issues; else one for each warp
}{
	TensorPipe: {shared: true}, TensorLoadPipe: {ordered: true},
	TensorStorePipe: {ordered: true}, ProductPipe: {ordered: true}, FabricPipe: {},
}

// TensorStep is what an operation of TensorPipe does, and of products which accumulator, of which shape.
type TensorStep struct {
	Kind        TensorKind
	Accumulator uint64
}

// TensorKind tells the operations of TensorPipe apart.
type TensorKind uint8

// The kinds.
const (
	TensorCommitted TensorKind = iota // tcgen05.commit
	TensorProduct                     // tcgen05.mma
	TensorCopy                        // tcgen05.cp
	TensorCopyLanes                   // tcgen05.cp.4x256b
	TensorShift
)

// Follows reports whether an operation comes after an earlier one of its pipe (9.7.16.6.2). Of the manual's pairs one is
// missing that kernels of NVIDIA's own libraries rely on: a copy waits for earlier products, whose scale factors it may
// replace.
func (t TensorStep) Follows(earlier TensorStep) bool {
	switch t.Kind {
	case TensorCommitted:
		return true
	case TensorProduct:
		return earlier.Kind != TensorProduct || earlier.Accumulator == t.Accumulator
	case TensorCopyLanes:
		return earlier.Kind == TensorShift || earlier.Kind == TensorProduct
	}
	return earlier.Kind == TensorProduct
}

// follows reports whether an operation must wait for an earlier one before it takes a step.
func (op *Op) follows(o *Op, s step) bool {
	f := &pipeFacts[op.Pipe]
	switch {
	case o.Pipe != op.Pipe || o.seq >= op.seq || o.cta != op.cta || !f.shared && o.warp != op.warp:
		return false
	case f.ordered:
		return true
	case op.Pipe == TensorPipe && !op.After:
		return o.Tensor.Kind != TensorCommitted && op.Tensor.Follows(o.Tensor)
	}
	return s == hasSignalled && op.After && o.warp == op.warp && o.Lanes&op.Lanes != 0
}

// Follows reports whether an operation must wait for an earlier one: before its first step, or before it signals.
func (op *Op) Follows(earlier *Op, signal bool) bool {
	if signal {
		return op.follows(earlier, hasSignalled)
	}
	return op.follows(earlier, hasRead)
}

// Number counts the operations of a cluster; parts of one that was divided have its number.
func (op *Op) Number() uint64 { return op.seq }

// AsyncMode returns the mode of the launch. In mode Eager nothing is ever open, so a handler may
// do at once what its operation does, without a record; a launch with an observer wants the
// record, though, and so never says Eager.
func (w *Warp) AsyncMode() AsyncMode {
	if g := w.cta.grid; g.Async != Eager || !g.observing && !g.wants(WantsLeft) {
		return g.Async
	}
	return Lazy
}

// Issue begins an operation for the lanes of w.Mask, which the handler has checked. The handler
// returns the state.
func (w *Warp) Issue(in *Inst, op *Op) State {
	q := w.cta.async
	op.cta, op.warp = w.cta, w
	op.Inst, op.Lanes = in, w.Mask
	q.next++
	op.seq = q.next
	w.tellOp(in, op)
	if q.mode == Eager && !q.tracks {
		return w.perform(in, op)
	}
	op.Place = w.Place(in)
	op.Place.Proxy = op.Proxy
	if g := w.groups[op.Pipe]; g != nil {
		numbers := *g
		op.group = &numbers
	} else {
		op.group = new([32]uint64)
	}
	q.tell(OpBegins, op)
	if q.mode == Eager {
		st := w.perform(in, op)
		q.tell(OpOver, op)
		return st
	}
	q.open = append(q.open, op)
	return q.state(q.turn())
}

// OpsEndAtOnce reports whether nothing keeps an operation once Issue has returned.
func (w *Warp) OpsEndAtOnce() bool {
	q := w.cta.async
	return q.mode == Eager && !q.tracks && !w.cta.grid.observing
}

// perform does all of an operation at its issue.
func (w *Warp) perform(in *Inst, op *Op) State {
	f := op.perform()
	if f == nil {
		return Next
	}
	if f.Lanes == 0 {
		f.Lanes = w.Mask
	}
	return w.Fault(in, f)
}

// perform takes all steps that are left.
func (op *Op) perform() *Fault {
	for s := op.done + 1; s <= hasSignalled; s++ {
		if f := op.take(s); f != nil {
			return f
		}
	}
	return nil
}

// take takes one step.
func (op *Op) take(s step) *Fault {
	op.done = s
	do := op.Read
	switch s {
	case hasWritten:
		do = op.Write
	case hasSignalled:
		do = op.Signal
	}
	if do == nil {
		return nil
	}
	return do(op)
}

// Place returns where the running lanes are.
func (w *Warp) Place(in *Inst) Place {
	pc := w.PC(in)
	return Place{
		Site: w.site(pc, first(w.Mask)), Inst: in, CTARank: w.cta.rank, Warp: int(w.index), Lanes: w.Mask, Calls: w.frag.frame.at(pc).Calls,
	}
}

// fail stops the launch with a fault of a step.
func (op *Op) fail(f *Fault) {
	op.locate(f)
	op.cta.grid.Fail(f)
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
