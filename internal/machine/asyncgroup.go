package machine

// This file holds groups of asynchronous operations (9.7.9.25.1.1) and the waits for them.
// Waiting forces what it waits for, so it never blocks the fragment.

const pipeKinds = int(FabricPipe) + 1

// CommitGroup closes a group for each lane of w.Mask: what the lane has issued to the pipe and
// belongs to no group yet.
func (w *Warp) CommitGroup(kind PipeKind) State {
	q := w.cta.async
	if q.mode == Eager && !q.tracks {
		return Next
	}
	if w.groups[kind] == nil {
		w.groups[kind] = new([32]uint64)
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		w.groups[kind][first(m)]++
	}
	return q.state(q.turn())
}

// WaitGroups waits for the operations of all but the newest n groups of each lane of w.Mask; if
// only reads is set, until their sources have been read.
func (w *Warp) WaitGroups(kind PipeKind, n uint64, reads bool) State {
	q := w.cta.async
	g := w.groups[kind]
	if q.settled() || g == nil {
		return Next
	}
	return w.await(kind, reads, func(op *Op, i int) bool { return op.group[i]+n < g[i] })
}

// WaitPipe waits for all that the lanes of w.Mask have issued to a pipe.
func (w *Warp) WaitPipe(kind PipeKind) State {
	if w.cta.async.settled() {
		return Next
	}
	return w.await(kind, false, func(*Op, int) bool { return true })
}

// await completes the operations that the warp has issued to a pipe, for the lanes of w.Mask for
// which covers holds.
func (w *Warp) await(kind PipeKind, reads bool, covers func(op *Op, lane int) bool) State {
	q, to := w.cta.async, hasSignalled
	if reads {
		to = hasRead
	}
	if q.tracks {
		w.tellAwait(&Await{kind, reads, covers})
	}
	for op := w.awaited(kind, to, covers); op != nil; op = w.awaited(kind, to, covers) {
		op.sure = to
		if !q.advance(op, to) {
			return Faulted
		}
	}
	return Next
}

// awaited returns the oldest open operation that a wait covers and has not told of, with the lanes that it covers.
func (w *Warp) awaited(kind PipeKind, to step, covers func(op *Op, lane int) bool) *Op {
	for _, op := range w.cta.async.open {
		if op.warp != w || op.Pipe != kind || op.sure >= to {
			continue
		}
		if lanes := w.covered(op, covers); lanes != 0 {
			return w.cta.async.part(op, lanes)
		}
	}
	return nil
}

// covered is the lanes of an operation that a wait of the running lanes covers.
func (w *Warp) covered(op *Op, covers func(op *Op, lane int) bool) (lanes uint32) {
	for m := op.Lanes & w.Mask; m != 0; m &= m - 1 {
		if covers(op, first(m)) {
			lanes |= m & -m
		}
	}
	return lanes
}
