package machine

import "ptxvm.invalid/ptxvm/internal/machine/queue"

// This file holds the waits for asynchronous operations, and for groups of them (9.7.9.25.1.1).
// Waiting forces what it waits for, so it never blocks the fragment.

// CommitGroup closes a group for each lane of w.Mask: what the lane has issued to the pipe and
// belongs to no group yet.
func (w *Warp) CommitGroup(pipe queue.Pipe) State {
	q := w.cta.async
	if q.Instant() {
		return Next
	}
	w.groups.Commit(pipe, w.Mask)
	return nextIf(q.Turn())
}

// WaitGroups waits for the operations of all but the newest n groups of each lane of w.Mask; if
// only reads is set, until their sources have been read.
func (w *Warp) WaitGroups(pipe queue.Pipe, n uint64, reads bool) State {
	if w.cta.async.Settled() || !w.groups.Any(pipe) {
		return Next
	}
	return w.await(pipe, reads, func(op *Op, i int) bool { return w.groups.Closed(&op.Entry, i, n) })
}

// WaitPipe waits for all that the lanes of w.Mask have issued to a pipe.
func (w *Warp) WaitPipe(pipe queue.Pipe) State { return w.waitAll(pipe, false) }

// WaitReads waits until it has read its sources.
func (w *Warp) WaitReads(pipe queue.Pipe) State { return w.waitAll(pipe, true) }

func (w *Warp) waitAll(pipe queue.Pipe, reads bool) State {
	if w.cta.async.Settled() {
		return Next
	}
	return w.await(pipe, reads, func(*Op, int) bool { return true })
}

// await completes the operations that the warp has issued to a pipe, for the lanes of w.Mask for
// which covers holds.
func (w *Warp) await(pipe queue.Pipe, reads bool, covers func(op *Op, lane int) bool) State {
	q, to := w.cta.async, queue.HasSignalled
	if reads {
		to = queue.HasRead
	}
	if q.Tracks {
		w.tellAwait(&Await{pipe, reads, covers})
	}
	return nextIf(q.Await(to, func(op *Op) (lanes uint32) {
		if op.warp != w || op.Pipe != pipe {
			return 0
		}
		for m := op.Lanes & w.Mask; m != 0; m &= m - 1 {
			if covers(op, first(m)) {
				lanes |= m & -m
			}
		}
		return lanes
	}))
}
