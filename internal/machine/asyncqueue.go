package machine

// This file runs the steps of open asynchronous operations: by waits, and where the mode and
// the schedule let them happen by themselves.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/shape"
)

// asyncOps is the open operations of a cluster, in the order of issue.
type asyncOps struct {
	mode   AsyncMode
	open   []*Op
	tracks bool   // an observer is told of them
	next   uint64 // number of the last operation
	chance uint64 // state of the random mode
	idle   int    // turns since an operation last went on by itself
	ending bool   // every lane has exited: no lane is left to be told
}

// start begins a cluster; rank is that of its first CTA.
func (q *asyncOps) start(g *Grid, rank uint64) {
	clear(q.open)
	*q = asyncOps{mode: g.Async, open: q.open[:0], tracks: g.wants(WantsOwed | WantsLeft), chance: shape.Mix(g.Seed ^ rank<<24 ^ 0x9e3779b9)}
}

func (q *asyncOps) draw(n int) int {
	q.chance += 0x9e3779b97f4a7c15
	return int(shape.Mix(q.chance) % uint64(n))
}

// state turns the success of steps into that of the handler that made them happen.
func (q *asyncOps) state(ok bool) State {
	if !ok {
		return Faulted
	}
	return Next
}

// patience is the turns of a warp after which the oldest operation of mode Lazy goes on although
// another lane can: a loop that waits may do other work, and would wait forever.
const patience = 1024

// turn lets operations go on by themselves: called when a warp has had its turn, and at each
// issue. It tells whether all went well.
func (q *asyncOps) turn() bool {
	switch {
	case len(q.open) == 0:
		return true
	case q.mode == Random:
		return q.shuffle()
	}
	if q.idle++; q.idle < patience {
		return true
	}
	return q.press()
}

// shuffle takes a random number of random steps.
func (q *asyncOps) shuffle() bool {
	for len(q.open) > 0 && q.draw(4) != 0 {
		op := q.open[q.draw(len(q.open))]
		if q.blocked(op, op.done+1) {
			continue
		}
		if !q.step(op) {
			return false
		}
	}
	return true
}

// blocked reports whether an earlier operation must come first.
func (q *asyncOps) blocked(op *Op, s step) bool {
	for _, o := range q.open {
		if op.follows(o, s) {
			return true
		}
	}
	return false
}

// press completes one operation because no warp of the cluster can go on without it: the oldest
// that signals, else the oldest. False if none was open or a step failed.
func (q *asyncOps) press() bool {
	q.idle = 0
	if len(q.open) == 0 {
		return false
	}
	op := q.open[0]
	for _, o := range q.open {
		if o.Signal != nil {
			op = o
			break
		}
	}
	return q.complete(op)
}

// drain completes everything when every lane has exited, but for signals.
func (q *asyncOps) drain() bool {
	q.ending = true
	for len(q.open) > 0 {
		if !q.complete(q.open[0]) {
			return false
		}
	}
	return true
}

// complete takes all steps of an operation, and before each those of operations that must come
// first.
func (q *asyncOps) complete(op *Op) bool {
	for op.done != hasSignalled {
		if !q.advance(op, op.done+1) {
			return false
		}
	}
	return true
}

// advance takes the steps of an operation up to one, and before them those that must come first.
func (q *asyncOps) advance(op *Op, to step) bool {
	for op.done < to {
		for o := q.predecessor(op); o != nil; o = q.predecessor(op) {
			if !q.complete(q.part(o, q.needed(op, o))) {
				return false
			}
		}
		if !q.step(op) {
			return false
		}
	}
	return true
}

// predecessor returns the oldest operation that must come before the next step of op.
func (q *asyncOps) predecessor(op *Op) *Op {
	for _, o := range q.open {
		if op.follows(o, op.done+1) {
			return o
		}
	}
	return nil
}

// needed returns the lanes of an earlier operation that op waits for.
func (q *asyncOps) needed(op, o *Op) uint32 {
	if op.After {
		return o.Lanes & op.Lanes
	}
	return o.Lanes
}

// step takes the next step of an operation; the last one closes it.
func (q *asyncOps) step(op *Op) bool {
	q.idle = 0
	if q.ending {
		op.Signal = nil
	}
	f := op.take(op.done + 1)
	if op.done == hasSignalled {
		q.remove(op)
	}
	if f != nil {
		op.fail(f)
	}
	return f == nil
}

func (q *asyncOps) remove(op *Op) {
	for i, o := range q.open {
		if o == op {
			q.open = append(q.open[:i], q.open[i+1:]...)
			if !q.ending {
				q.tell(OpOver, op)
			}
			return
		}
	}
}

// settled reports whether there is nothing to wait for, and no observer to tell.
func (q *asyncOps) settled() bool { return len(q.open) == 0 && !q.tracks }

// part returns the operation of some lanes of op: itself, or a record of their own in its place.
func (q *asyncOps) part(op *Op, lanes uint32) *Op {
	if lanes == op.Lanes {
		return op
	}
	mine := *op
	mine.Lanes = lanes
	op.Lanes &^= lanes
	for i, o := range q.open {
		if o == op {
			q.open = slices.Insert(q.open, i, &mine)
			break
		}
	}
	return &mine
}

// OpenOps returns the open operations of the warp's cluster in the order of issue. It must not
// be written.
func (w *Warp) OpenOps() []*Op { return w.cta.async.open }

// settle completes the operations that write registers of a frame, which is about to go: a
// function may end without a wait for loads whose values it does not want.
func (q *asyncOps) settle(f *Frame) {
	for again := true; again; {
		again = false
		for _, op := range q.open {
			if op.Writes(f) {
				again = q.complete(op)
				break
			}
		}
	}
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
