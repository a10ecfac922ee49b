package queue

// This file runs the steps of open operations: by waits, and where the mode and the schedule let them happen by
// themselves.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/shape"
)

// Op is an operation, T a record of it. Its steps are taken in their order.
type Op[T any] interface {
	*T
	State() *Entry
	On() uint32             // the lanes that it is for
	Divide(lanes uint32) *T // makes a record of their own for some of these
	Signals() bool          // the last step tells somewhere that the operation is over
	Take(Step) bool         // false if it has failed
	Over()                  // it is no longer open
}

// Queue is the open operations of a cluster, in the order of issue.
type Queue[T any, P Op[T]] struct {
	Mode   Mode
	Tracks bool // an observer is told of them: an operation is in the queue even where all of it happens at issue

	open   []P
	last   uint64 // number of the last operation
	chance uint64 // state of the random mode
	idle   int    // turns since an operation last went on by itself
	ending bool   // every lane has exited: no lane is left to be told
}

// Start begins a cluster.
func (q *Queue[T, P]) Start(mode Mode, tracks bool, seed uint64) {
	clear(q.open)
	*q = Queue[T, P]{Mode: mode, Tracks: tracks, open: q.open[:0], chance: shape.Mix(seed)}
}

// Enter gives an operation its number and its issuer.
func (q *Queue[T, P]) Enter(op P, by Issuer) {
	q.last++
	e := op.State()
	e.Number, e.by = q.last, by
}

// Add makes an operation that has entered an open one.
func (q *Queue[T, P]) Add(op P) bool {
	q.open = append(q.open, op)
	return q.Turn()
}

// Open are the open operations. They must not be written.
func (q *Queue[T, P]) Open() []P { return q.open }

// Settled reports whether there is nothing to wait for, and no observer to tell.
func (q *Queue[T, P]) Settled() bool { return len(q.open) == 0 && !q.Tracks }

// Instant reports whether operations happen at issue, and no observer is told.
func (q *Queue[T, P]) Instant() bool { return q.Mode == Eager && !q.Tracks }

// Quiet reports whether no operation is open that could still signal.
func (q *Queue[T, P]) Quiet() bool {
	return !slices.ContainsFunc(q.open, func(op P) bool { return op.Signals() })
}

func (q *Queue[T, P]) draw(n int) int {
	q.chance += 0x9e3779b97f4a7c15
	return int(shape.Mix(q.chance) % uint64(n))
}

// patience is the turns of a warp after which the oldest operation of mode Lazy goes on although
// another lane can: a loop that waits may do other work, and would wait forever.
const patience = 1024

// Turn lets operations go on by themselves: called when a warp has had its turn, and at each
// issue. It tells whether all went well.
func (q *Queue[T, P]) Turn() bool {
	switch {
	case len(q.open) == 0:
		return true
	case q.Mode == Random:
		return q.shuffle()
	}
	if q.idle++; q.idle < patience {
		return true
	}
	return q.Press()
}

// shuffle takes a random number of random steps.
func (q *Queue[T, P]) shuffle() bool {
	for len(q.open) > 0 && q.draw(4) != 0 {
		op := q.open[q.draw(len(q.open))]
		if q.predecessor(op) == nil && !q.step(op) {
			return false
		}
	}
	return true
}

// Press completes one operation because no warp of the cluster can go on without it: the oldest
// that signals, else the oldest. False if none was open or a step failed.
func (q *Queue[T, P]) Press() bool {
	q.idle = 0
	if len(q.open) == 0 {
		return false
	}
	i := max(slices.IndexFunc(q.open, func(op P) bool { return op.Signals() }), 0)
	return q.advance(q.open[i], HasSignalled)
}

// Drain completes everything when every lane has exited, but for signals.
func (q *Queue[T, P]) Drain() bool {
	q.ending = true
	for len(q.open) > 0 {
		if !q.advance(q.open[0], HasSignalled) {
			return false
		}
	}
	return true
}

// advance takes the steps of an operation up to one, and before each those of operations that must come first.
func (q *Queue[T, P]) advance(op P, to Step) bool {
	for e := op.State(); e.Done < to; {
		for o := q.predecessor(op); o != nil; o = q.predecessor(op) {
			if !q.advance(q.part(o, needed(op, o)), HasSignalled) {
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
func (q *Queue[T, P]) predecessor(op P) P {
	e := op.State()
	for _, o := range q.open {
		if e.Follows(o.State(), e.Done+1, op.On()&o.On() != 0) {
			return o
		}
	}
	return nil
}

// needed returns the lanes of an earlier operation that op waits for.
func needed[T any, P Op[T]](op, o P) uint32 {
	if op.State().After {
		return o.On() & op.On()
	}
	return o.On()
}

// step takes the next step of an operation; the last one closes it.
func (q *Queue[T, P]) step(op P) bool {
	q.idle = 0
	e := op.State()
	e.Done++
	ok := e.Done == HasSignalled && q.ending || op.Take(e.Done)
	if e.Done == HasSignalled {
		q.remove(op)
	}
	return ok
}

func (q *Queue[T, P]) remove(op P) {
	if i := slices.Index(q.open, op); i >= 0 {
		q.open = slices.Delete(q.open, i, i+1)
		if !q.ending {
			op.Over()
		}
	}
}

// part returns the operation of some lanes of op: itself, or a record of their own in its place.
func (q *Queue[T, P]) part(op P, lanes uint32) P {
	if lanes == op.On() {
		return op
	}
	mine := P(op.Divide(lanes))
	if i := slices.Index(q.open, op); i >= 0 {
		q.open = slices.Insert(q.open, i, mine)
	}
	return mine
}

// Await takes the steps, up to one, of the operations that a wait covers for some of their lanes, the oldest first.
func (q *Queue[T, P]) Await(to Step, covered func(P) (lanes uint32)) bool {
	for i := 0; i < len(q.open); {
		op := q.open[i]
		lanes := uint32(0)
		if op.State().sure < to {
			lanes = covered(op)
		}
		if lanes == 0 {
			i++
			continue
		}
		op = q.part(op, lanes)
		op.State().sure = to
		if !q.advance(op, to) {
			return false
		}
		i = 0
	}
	return true
}

// Settle completes the operations of which something holds.
func (q *Queue[T, P]) Settle(holds func(P) bool) {
	for ok := true; ok; {
		i := slices.IndexFunc(q.open, holds)
		ok = i >= 0 && q.advance(q.open[i], HasSignalled)
	}
}
