package machine

// This file allocates tensor memory (9.7.16.7.1). The waits are real: a warp sleeps until the
// columns are free, or until the peer CTA makes the same call.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TensorCall is what a warp asks for.
type TensorCall struct {
	Free      bool        // dealloc, else alloc
	Addr      tensor.Addr // of dealloc
	Columns   uint32
	Group     int // 1, or 2: with the peer CTA
	Exclusive bool
}

func (q *TensorCall) String() string {
	name := "alloc"
	if q.Free {
		name = "dealloc"
	}
	return fmt.Sprintf("tcgen05.%s of %d columns", name, q.Columns)
}

// pairCall is a call of cta_group::2 whose warp waits for the peer's.
type pairCall struct {
	TensorCall
	warp   *Warp
	frag   *Fragment
	place  Place
	done   bool
	result *TensorAllocation
	err    error
}

// TensorAllocate does what a warp asks for, all 32 lanes at once. On Next alloc returns the
// address. On another state the handler returns it, having written nothing.
func (w *Warp) TensorAllocate(in *Inst, q TensorCall) (tensor.Addr, State) {
	if st := w.Collective(in); st != Next {
		return 0, st
	}
	if err := q.check(w.Tensor()); err != nil {
		return 0, w.tensorFault(in, err)
	}
	if w.helping && !w.callsAtOnce(&q) {
		return 0, Wait // nothing is done: the handler is executed again when compiled code has left
	}
	if q.Group == 2 {
		return w.pairAllocate(in, q)
	}
	w.frag.woken = false
	t := w.Tensor()
	a, err := t.perform(&q, nil)
	switch {
	case err != nil:
		return 0, w.tensorFault(in, err)
	case a == nil:
		w.sleepTensor(in)
		return 0, Wait
	}
	if q.Free {
		w.tellTensor(in, Freed, t, a)
		w.cta.wakeAll(WaitTensor)
		return 0, Next
	}
	a.Place = w.Place(in)
	w.tellTensor(in, Allocated, t, a)
	return tensor.At(0, int(a.Column)), Next
}

// TensorRelinquish gives up the right to allocate.
func (w *Warp) TensorRelinquish(in *Inst) State {
	if st := w.Collective(in); st != Next {
		return st
	}
	p := w.Place(in)
	w.Tensor().given = &p
	return Next
}

// callsAtOnce reports whether a call need not wait, for columns or for the peer CTA.
func (w *Warp) callsAtOnce(q *TensorCall) bool {
	if q.Group == 2 {
		call := w.myCall()
		return call != nil && call.done
	}
	_, ok := w.Tensor().room(q.Columns, nil)
	return q.Free || ok
}

// check refuses sizes, and what is out of order in this CTA.
func (q *TensorCall) check(t *TensorMemory) error {
	err := tensor.ColumnCount(q.Columns)
	if q.Exclusive {
		err = tensor.ExclusiveCount(q.Columns, t.Columns())
	}
	switch {
	case err != nil:
		return err
	case q.Free:
		return nil
	case t.given != nil:
		return fmt.Errorf("the CTA has relinquished the right to allocate (warp %d did)", t.given.Warp)
	case t.last != 0 && q.Columns > t.last:
		return fmt.Errorf("%d columns after an allocation of %d: sizes must not grow inside a CTA", q.Columns, t.last)
	}
	return nil
}

// perform executes a call in one CTA, or in a pair. It returns what was allocated or freed; nil
// without an error if there is no room yet.
func (t *TensorMemory) perform(q *TensorCall, peer *TensorMemory) (*TensorAllocation, error) {
	if q.Free {
		return t.free(q)
	}
	column, ok := t.room(q.Columns, peer)
	if !ok {
		return nil, nil
	}
	a := &TensorAllocation{Column: column, Columns: q.Columns, Group: q.Group}
	t.take(a)
	return a, nil
}

// free ends an allocation; address and size must be those of the alloc.
func (t *TensorMemory) free(q *TensorCall) (*TensorAllocation, error) {
	col := q.Addr.Column()
	switch {
	case q.Addr.Lane() != 0 || col >= int(t.Columns()) || t.units[col/tensor.Unit] == nil || int(t.units[col/tensor.Unit].Column) != col:
		return nil, fmt.Errorf("no allocation starts at %v%s", q.Addr, t.held())
	}
	a := t.units[col/tensor.Unit]
	switch {
	case a.Columns != q.Columns:
		return nil, fmt.Errorf("%d columns at %v: the allocation has %d", q.Columns, q.Addr, a.Columns)
	case a.Group != q.Group:
		return nil, fmt.Errorf("cta_group::%d at %v: it was allocated with cta_group::%d", q.Group, q.Addr, a.Group)
	}
	t.drop(a)
	return a, nil
}

// pairAllocate meets the peer's call.
func (w *Warp) pairAllocate(in *Inst, q TensorCall) (tensor.Addr, State) {
	t := w.Tensor()
	call := w.myCall()
	if call == nil {
		peer := w.PeerTensor()
		if peer == nil {
			return 0, w.tensorFault(in, w.noPeer())
		}
		call = &pairCall{TensorCall: q, warp: w, frag: w.frag, place: w.Place(in)}
		t.calls = append(t.calls, call)
		w.sleepTensor(in)
		matchPair(t, peer)
	}
	if !call.done {
		return 0, Wait
	}
	w.frag.wait, w.frag.woken = notWaiting, false // the call that completes the pair does not sleep
	t.forget(call)
	if call.err != nil {
		return 0, w.tensorFault(in, call.err)
	}
	what := Allocated
	if q.Free {
		what = Freed
	}
	w.tellTensor(in, what, t, call.result)
	return tensor.At(0, int(call.result.Column)), Next
}

// noPeer says why there is no peer CTA.
func (w *Warp) noPeer() error {
	if w.cta.pair() != nil {
		return fmt.Errorf("cta_group::2: all threads of the peer CTA (rank %d) have exited", w.cta.crank^1)
	}
	return fmt.Errorf("cta_group::2 needs a peer CTA: the cluster has no CTA of rank %d", w.cta.crank^1)
}

// myCall returns the call that the running fragment has made.
func (w *Warp) myCall() *pairCall {
	for _, c := range w.Tensor().calls {
		if c.warp == w && c.frag == w.frag {
			return c
		}
	}
	return nil
}

func (t *TensorMemory) forget(call *pairCall) {
	for i, c := range t.calls {
		if c == call {
			t.calls = append(t.calls[:i], t.calls[i+1:]...)
			return
		}
	}
}

// next returns the oldest call that is not done; with frees, the oldest dealloc.
func (t *TensorMemory) next(frees bool) *pairCall {
	for _, c := range t.calls {
		if !c.done && (c.Free || !frees) {
			return c
		}
	}
	return nil
}

// matchPair performs the calls that both CTAs of a pair have made, in order. While an alloc
// waits for columns, deallocs of other warps go first.
func matchPair(t, peer *TensorMemory) {
	for frees := false; ; {
		a, b := t.next(frees), peer.next(frees)
		switch {
		case a == nil || b == nil:
			return
		case performPair(a, b):
			frees = false
		case frees:
			return
		default:
			frees = true
		}
	}
}

// performPair performs two calls that belong together; false if there is no room yet.
func performPair(a, b *pairCall) bool {
	t, peer := a.warp.Tensor(), b.warp.Tensor()
	if a.TensorCall != b.TensorCall {
		a.err, b.err = a.differs(b), b.differs(a)
		finishPair(a, b)
		return true
	}
	x, err := t.perform(&a.TensorCall, peer)
	switch {
	case err != nil:
		a.err, b.err = err, err
	case x == nil:
		return false
	case a.Free:
		a.result, b.result = x, peer.units[x.Column/tensor.Unit]
		peer.drop(b.result)
	default:
		y := *x
		x.Place, y.Place = a.place, b.place
		peer.take(&y)
		a.result, b.result = x, &y
	}
	finishPair(a, b)
	return true
}

func (q *pairCall) differs(o *pairCall) error {
	return fmt.Errorf("cta_group::2: %v here, %v in the peer CTA (rank %d): both must make the same call", &q.TensorCall, &o.TensorCall, o.warp.cta.crank)
}

// finishPair wakes the warps of two calls.
func finishPair(a, b *pairCall) {
	for _, c := range []*pairCall{a, b} {
		c.done = true
		c.warp.wake(c.frag)
		c.warp.cta.runnable |= 1 << c.warp.index
	}
}

// sleepTensor makes the running fragment wait.
func (w *Warp) sleepTensor(in *Inst) {
	f := w.frag
	f.wait, f.pc = WaitTensor, w.PC(in)
}

// wakeAll lets all in the CTA that wait for something look again.
func (c *CTA) wakeAll(what WaitFor) {
	for i, w := range c.warps {
		for m := w.used; m != 0; m &= m - 1 {
			if f := &w.frags[first(m)]; f.wait == what {
				w.wake(f)
				c.runnable |= 1 << i
			}
		}
	}
}

// tensorReason says what a fragment at alloc or dealloc waits for.
func (w *Warp) tensorReason(f *Fragment) string {
	t := w.Tensor()
	for _, c := range t.calls {
		if c.warp == w && c.frag == f {
			if p := w.cta.pair(); p != nil && p.tensor.next(false) == nil {
				return fmt.Sprintf("wait for the peer CTA (rank %d) to make the same call: %v", p.crank, &c.TensorCall)
			}
		}
	}
	return "wait for free columns of tensor memory" + t.held()
}

func (w *Warp) tensorFault(in *Inst, err error) State {
	return w.Fault(in, &Fault{Kind: BadTensorAllocation, Lanes: w.Mask, Text: err.Error()})
}

// tellTensor tells observers that columns are new or gone.
func (w *Warp) tellTensor(in *Inst, what EventKind, t *TensorMemory, a *TensorAllocation) {
	if w.Observing() {
		x := Extent{Space: Tensor, CTA: t.cta.crank, Lane: -1, From: uint64(a.Column), To: uint64(a.Column + a.Columns), End: tensor.Lanes}
		w.Observe(in, Event{What: what, Space: Tensor, Lanes: w.Mask, Extent: &x})
	}
}
