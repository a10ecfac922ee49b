package machine

// This file gives warps the tensor memory of their CTAs, and has them wait where an allocation does (9.7.16.7.1): until the
// columns are free, or the peer CTA makes the same call.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// Tensor returns the tensor memory of the warp's CTA.
func (w *Warp) Tensor() *tmem.Memory { return &w.cta.tensor }

// PeerTensor returns that of the peer CTA (9.7.16.5.2), nil if there is no CTA that lives.
func (w *Warp) PeerTensor() *tmem.Memory {
	if p := w.cta.pair(); p != nil && p.alive != 0 {
		return &p.tensor
	}
	return nil
}

// pair returns the peer CTA: the other one whose rank in the cluster differs in the last bit
// (9.7.16.5.1); nil if there is none.
func (c *CTA) pair() *CTA {
	if r := int(c.crank ^ 1); r < len(c.cluster.ctas) {
		return c.cluster.ctas[r]
	}
	return nil
}

// ClusterSize returns the number of CTAs of the warp's cluster.
func (w *Warp) ClusterSize() int { return len(w.cta.cluster.ctas) }

// beginTensor makes the tensor memory of a CTA that starts. Observers find what is read before it is written: poison.
func (c *CTA) beginTensor() {
	d := tmem.Device{CTARank: c.crank, Width: tensor.Columns}
	if c.grid.Target.Arch == 107 {
		d.Width = tensor.MaxColumns
	}
	if c.grid.observing {
		d.Fresh = tmem.Poison
	}
	c.tensor.Begin(d)
}

// TensorExtent describes lanes × columns of a tensor memory for reports.
func TensorExtent(t *tmem.Memory, lane, lanes, column, columns int) Extent {
	return Extent{
		Space: Tensor, CTA: t.CTARank, Lane: -1, From: uint64(column), To: uint64(column + columns),
		Row: uint32(lane), End: uint32(lane + lanes),
	}
}

// tensorWaiter is lanes that wait at alloc or dealloc.
type tensorWaiter struct {
	w *Warp
	f *Fragment
}

// Wake lets them look again.
func (v tensorWaiter) Wake() {
	v.w.wake(v.f)
	v.w.cta.runnable |= 1 << v.w.index
}

// TensorAllocate does what a warp asks for, all 32 lanes at once. On Next alloc returns the
// address. On another state the handler returns it, having written nothing.
func (w *Warp) TensorAllocate(in *Inst, q tmem.Call) (tensor.Addr, State) {
	if st := w.Collective(in); st != Next {
		return 0, st
	}
	t := w.Tensor()
	if err := t.Admit(&q); err != nil {
		return 0, w.tensorFault(in, err)
	}
	if w.helping && !w.callsAtOnce(&q) {
		return 0, Wait // nothing is done: the handler is executed again when compiled code has left
	}
	if q.Group == 2 {
		return w.pairAllocate(in, q)
	}
	w.frag.woken = false
	a, err := t.Perform(&q, w.Place(in))
	switch {
	case err != nil:
		return 0, w.tensorFault(in, err)
	case a == nil:
		w.sleepTensor(in)
		return 0, Wait
	}
	if q.Free {
		w.tellTensor(in, events.Freed, t, a)
		w.cta.wakeAll(waits.Tensor)
		return 0, Next
	}
	w.tellTensor(in, events.Allocated, t, a)
	return tensor.At(0, int(a.Column)), Next
}

// TensorRelinquish gives up the right to allocate.
func (w *Warp) TensorRelinquish(in *Inst) State {
	if st := w.Collective(in); st != Next {
		return st
	}
	w.Tensor().Relinquish(int(w.index))
	return Next
}

// callsAtOnce reports whether a call need not wait, for columns or for the peer CTA.
func (w *Warp) callsAtOnce(q *tmem.Call) bool {
	if q.Group == 2 {
		call := w.Tensor().Pending(tensorWaiter{w, w.frag})
		return call != nil && call.Done
	}
	return w.Tensor().AtOnce(q)
}

// pairAllocate meets the peer's call.
func (w *Warp) pairAllocate(in *Inst, q tmem.Call) (tensor.Addr, State) {
	t, who := w.Tensor(), tensorWaiter{w, w.frag}
	call := t.Pending(who)
	if call == nil {
		peer := w.PeerTensor()
		if peer == nil {
			return 0, w.tensorFault(in, w.noPeer())
		}
		w.sleepTensor(in)
		call = t.Meet(peer, q, who, w.Place(in))
	}
	if !call.Done {
		return 0, Wait
	}
	w.frag.wait, w.frag.woken = waits.Nothing, false // the call that completes the pair does not sleep
	t.Forget(call)
	if call.Err != nil {
		return 0, w.tensorFault(in, call.Err)
	}
	what := events.Allocated
	if q.Free {
		what = events.Freed
	}
	w.tellTensor(in, what, t, call.Result)
	return tensor.At(0, int(call.Result.Column)), Next
}

// noPeer says why there is no peer CTA.
func (w *Warp) noPeer() error {
	if w.cta.pair() != nil {
		return fmt.Errorf("cta_group::2: all threads of the peer CTA (rank %d) have exited", w.cta.crank^1)
	}
	return fmt.Errorf("cta_group::2 needs a peer CTA: the cluster has no CTA of rank %d", w.cta.crank^1)
}

// sleepTensor makes the running fragment wait.
func (w *Warp) sleepTensor(in *Inst) {
	f := w.frag
	f.wait, f.pc = waits.Tensor, w.PC(in)
}

// wakeAll lets all in the CTA that wait for something look again.
func (c *CTA) wakeAll(what waits.For) {
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
	var peer *tmem.Memory
	if p := w.cta.pair(); p != nil {
		peer = &p.tensor
	}
	return w.Tensor().Reason(tensorWaiter{w, f}, peer)
}

func (w *Warp) tensorFault(in *Inst, err error) State {
	return w.Fault(in, &Fault{Kind: faults.BadTensorAllocation, Lanes: w.Mask, Text: err.Error()})
}

// tellTensor tells observers that columns are new or gone.
func (w *Warp) tellTensor(in *Inst, what events.Kind, t *tmem.Memory, a *tmem.Allocation) {
	if w.Observing() {
		x := Extent{Space: Tensor, CTA: t.CTARank, Lane: -1, From: uint64(a.Column), To: uint64(a.Column + a.Columns), End: tensor.Lanes}
		w.Observe(in, Event{What: what, Space: Tensor, Lanes: w.Mask, Extent: &x})
	}
}

// TensorLeak is tensor memory that a CTA has not freed before it ended.
type TensorLeak struct {
	Column, Columns uint32
	Place           Place // of the allocation
	CTA             [3]uint32
	CTARank         uint64
	More            int // further allocations that were not freed, in this and other CTAs
}

// leaks counts what a CTA that has ended leaves allocated.
func (c *CTA) leaks() {
	if c.tensor.Untouched() {
		return
	}
	for a := range c.tensor.Allocations() {
		c.grid.leak(TensorLeak{Column: a.Column, Columns: a.Columns, Place: a.Made.(Place), CTA: c.id, CTARank: c.rank})
	}
}

// leak keeps the leak of the CTA with the lowest index, so that it does not depend on the cores.
func (g *Grid) leak(l TensorLeak) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.leaked
	switch {
	case old == nil:
		g.leaked = &l
	case old.CTARank > l.CTARank:
		l.More = old.More + 1
		g.leaked = &l
	default:
		old.More++
	}
}

// TensorShow asks for the tensor memory of one CTA as it is when the CTA ends, freed columns
// included.
type TensorShow struct {
	CTARank uint64
	Columns []int      // that were allocated at some time; nil: the CTA had none
	Words   [][]uint32 // by lane, a word for each of Columns
}

// show fills a launch's TensorShow if this is its CTA.
func (c *CTA) show() {
	s := c.grid.ShowTensor
	if s == nil || s.CTARank != c.rank || c.tensor.Untouched() {
		return
	}
	if s.Columns = c.tensor.Used(); len(s.Columns) == 0 {
		return
	}
	s.Words = make([][]uint32, tensor.Lanes)
	for lane := range s.Words {
		for _, col := range s.Columns {
			s.Words[lane] = append(s.Words[lane], c.tensor.Row(lane, col, 1)[0])
		}
	}
}
