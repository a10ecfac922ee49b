package tmem

// This file holds the calls that allocate and free columns.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// Call is what a warp asks for.
type Call struct {
	Free      bool        // dealloc, else alloc
	Addr      tensor.Addr // of dealloc
	Columns   uint32
	Group     int // 1, or 2: with the peer CTA
	Exclusive bool
}

func (q *Call) String() string {
	name := "alloc"
	if q.Free {
		name = "dealloc"
	}
	return fmt.Sprintf("tcgen05.%s of %d columns", name, q.Columns)
}

// Caller is who waits for columns, or for the peer CTA to make the same call. It is comparable.
type Caller interface {
	Wake() // it looks again
}

// Pending is a call of a CTA of a pair, until its warp has seen what came of it.
type Pending struct {
	Call
	who    Caller
	made   any
	Done   bool
	Result *Allocation
	Err    error
}

// Admit refuses sizes, and what is out of order in this CTA.
func (t *Memory) Admit(q *Call) error {
	err := tensor.ColumnCount(q.Columns)
	if q.Exclusive {
		err = tensor.ExclusiveCount(q.Columns, t.Width)
	}
	switch {
	case err != nil:
		return err
	case q.Free:
		return nil
	case t.given:
		return fmt.Errorf("the CTA has relinquished the right to allocate (warp %d did)", t.giver)
	case t.last != 0 && q.Columns > t.last:
		return fmt.Errorf("%d columns after an allocation of %d: sizes must not grow inside a CTA", q.Columns, t.last)
	}
	return nil
}

// Relinquish gives up the right to allocate, for a warp.
func (t *Memory) Relinquish(warp int) { t.given, t.giver = true, warp }

// AtOnce reports whether a call of one CTA need not wait for columns.
func (t *Memory) AtOnce(q *Call) bool {
	_, ok := t.room(q.Columns, nil)
	return q.Free || ok
}

// Perform executes a call of one CTA. It returns what was allocated, for made, or freed; nil without an error if there is no
// room yet.
func (t *Memory) Perform(q *Call, made any) (*Allocation, error) {
	a, err := t.perform(q, nil)
	if a != nil && !q.Free {
		a.Made = made
	}
	return a, err
}

// perform executes a call in one CTA, or in a pair. It returns what was allocated or freed; nil
// without an error if there is no room yet.
func (t *Memory) perform(q *Call, peer *Memory) (*Allocation, error) {
	if q.Free {
		return t.free(q)
	}
	column, ok := t.room(q.Columns, peer)
	if !ok {
		return nil, nil
	}
	a := &Allocation{Column: column, Columns: q.Columns, Group: q.Group}
	t.take(a)
	return a, nil
}

// free ends an allocation; address and size must be those of the alloc.
func (t *Memory) free(q *Call) (*Allocation, error) {
	col := q.Addr.Column()
	switch {
	case q.Addr.Lane() != 0 || col >= int(t.Width) || t.units[col/tensor.Unit] == nil || int(t.units[col/tensor.Unit].Column) != col:
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

// Meet makes a call of a CTA of a pair, and performs the calls that both have made.
func (t *Memory) Meet(peer *Memory, q Call, who Caller, made any) *Pending {
	call := &Pending{Call: q, who: who, made: made}
	t.paired = append(t.paired, call)
	matchPair(t, peer)
	return call
}

// Pending is the call that a caller of this CTA has made and not forgotten; nil: none.
func (t *Memory) Pending(who Caller) *Pending {
	for _, c := range t.paired {
		if c.who == who {
			return c
		}
	}
	return nil
}

// Forget ends a call whose result has been seen.
func (t *Memory) Forget(call *Pending) {
	for i, c := range t.paired {
		if c == call {
			t.paired = append(t.paired[:i], t.paired[i+1:]...)
			return
		}
	}
}

// next returns the oldest call that is not done; with frees, the oldest dealloc.
func (t *Memory) next(frees bool) *Pending {
	for _, c := range t.paired {
		if !c.Done && (c.Free || !frees) {
			return c
		}
	}
	return nil
}

// matchPair performs the calls that both CTAs of a pair have made, in order. While an alloc
// waits for columns, deallocs of other warps go first.
func matchPair(t, peer *Memory) {
	for frees := false; ; {
		a, b := t.next(frees), peer.next(frees)
		switch {
		case a == nil || b == nil:
			return
		case performPair(t, peer, a, b):
			frees = false
		case frees:
			return
		default:
			frees = true
		}
	}
}

// performPair performs two calls that belong together; false if there is no room yet.
func performPair(t, peer *Memory, a, b *Pending) bool {
	if a.Call != b.Call {
		a.Err, b.Err = a.differs(b, peer), b.differs(a, t)
		finishPair(a, b)
		return true
	}
	x, err := t.perform(&a.Call, peer)
	switch {
	case err != nil:
		a.Err, b.Err = err, err
	case x == nil:
		return false
	case a.Free:
		a.Result, b.Result = x, peer.units[x.Column/tensor.Unit]
		peer.drop(b.Result)
	default:
		y := *x
		x.Made, y.Made = a.made, b.made
		peer.take(&y)
		a.Result, b.Result = x, &y
	}
	finishPair(a, b)
	return true
}

func (q *Pending) differs(o *Pending, of *Memory) error {
	return fmt.Errorf("cta_group::2: %v here, %v in the peer CTA (rank %d): both must make the same call", &q.Call, &o.Call, of.CTARank)
}

// finishPair wakes those who have made two calls.
func finishPair(a, b *Pending) {
	for _, c := range []*Pending{a, b} {
		c.Done = true
		c.who.Wake()
	}
}

// Reason says what a caller waits for at alloc or dealloc; peer is the memory of the peer CTA, nil without one.
func (t *Memory) Reason(who Caller, peer *Memory) string {
	if c := t.Pending(who); c != nil && peer != nil && peer.next(false) == nil {
		return fmt.Sprintf("wait for the peer CTA (rank %d) to make the same call: %v", peer.CTARank, &c.Call)
	}
	return "wait for free columns of tensor memory" + t.held()
}
