package machine

// This file holds asynchronous operations that have happened, in whatever mode, though nothing in the program has told
// it so yet: their bytes are as much in use as those of an operation that is late (WantsOwed).
//
// A wait of the issuing lane for its group tells (asyncgroup.go), and so does a wait for a phase of an mbarrier that
// the operation has signalled, by whomever: which threads have learnt of it from there is not asked here.

// owedLimit bounds what is kept for a cluster: an operation without a necessary wait, such as a store to global memory
// whose source has been read, stays to the end.
const owedLimit = 512

// signalled is a phase of an mbarrier in which an operation has told that it is over.
type signalled struct {
	cta   *CTA
	addr  uint32
	phase uint64
}

// owe keeps an operation that has happened and that a wait has still to tell of.
func (q *asyncOps) owe(op *Op) {
	switch {
	case !q.tracks, q.ending, op.sure == hasSignalled, op.Touches == nil && !op.After:
		return
	case op.Pipe == StorePipe && op.Signal == nil: // nothing could ever tell
		return
	case len(q.owed) == owedLimit:
		copy(q.owed, q.owed[1:])
		q.owed = q.owed[:owedLimit-1]
	}
	q.owed = append(q.owed, op)
}

// pay takes out of the list what waits have told of.
func (q *asyncOps) pay() {
	left := q.owed[:0]
	for _, op := range q.owed {
		if op.sure != hasSignalled {
			left = append(left, op)
		}
	}
	clear(q.owed[len(left):])
	q.owed = left
}

// tellOwed notes that a wait of the warp's running lanes covers operations that have happened.
func (w *Warp) tellOwed(kind PipeKind, to step, covers func(op *Op, lane int) bool) {
	q := w.cta.async
	for i := 0; i < len(q.owed); i++ {
		op := q.owed[i]
		if op.warp != w || op.Pipe != kind || op.sure >= to {
			continue
		}
		if lanes := w.covered(op, covers); lanes != 0 {
			partOf(&q.owed, op, lanes).sure = to
		}
	}
	q.pay()
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

// tellPhase notes that a wait has seen the phases of an mbarrier before the current one complete.
func (b Mbarrier) tellPhase(current uint64) {
	q := b.cta.async
	if len(q.owed) == 0 {
		return
	}
	for _, op := range q.owed {
		for _, s := range op.told {
			if s.cta == b.cta && s.addr == b.addr && s.phase < current {
				op.sure = hasSignalled
			}
		}
	}
	for i := len(q.owed) - 1; i >= 0; i-- {
		if op := q.owed[i]; op.After && op.sure == hasSignalled {
			q.tellEarlier(op)
		}
	}
	q.pay()
}

// tellEarlier: a signal that comes after all that its lanes have issued before tells of that, too.
func (q *asyncOps) tellEarlier(op *Op) {
	for i := 0; i < len(q.owed); i++ {
		if o := q.owed[i]; o.sure != hasSignalled && op.follows(o, hasSignalled) {
			partOf(&q.owed, o, o.Lanes&op.Lanes).sure = hasSignalled
		}
	}
}

// signals notes which phase of an mbarrier an operation is about to count in.
func (op *Op) signals(b Mbarrier) {
	if op.cta.async.tracks {
		m, _ := b.cta.made(b.addr)
		op.told = append(op.told[:len(op.told):len(op.told)], signalled{b.cta, b.addr, m.phase})
	}
}

// hull is a range that an operation's extents in a space lie in, whichever CTA's memory they are.
type hull struct{ from, to uint64 }

// hulls are those of the spaces that operations touch.
type hulls [Registers + 1]hull

func (h *hulls) add(x Extent) {
	s := &h[x.Space]
	if s.to == 0 {
		*s = hull{x.From, x.To}
		return
	}
	s.from, s.to = min(s.from, x.From), max(s.to, x.To)
}

// meets reports whether an extent may overlap one of those in the hulls.
func (h *hulls) meets(x Extent) bool { return x.From < h[x.Space].to && h[x.Space].from < x.To }

// cross reports whether extents of both may overlap.
func (h *hulls) cross(o *hulls) bool {
	for s := range h {
		if h[s].from < o[s].to && o[s].from < h[s].to {
			return true
		}
	}
	return false
}

// reach is where an operation's extents lie.
type reach struct {
	all, written hulls
	frame        *Frame // of all extents in registers
	apart        bool   // they are of several frames
}

// meets reports whether an access may conflict with one of the extents: a load does so with what is written alone.
func (r *reach) meets(x Extent, kind AccessKind) bool {
	if x.Space == Registers && x.frame != r.frame && !r.apart {
		return false
	}
	if kind == Load {
		return r.written.meets(x)
	}
	return r.all.meets(x)
}

func (r *reach) add(x Extent, does AccessKind) {
	r.all.add(x)
	if does != Load {
		r.written.add(x)
	}
	if x.Space == Registers {
		r.apart = r.apart || r.frame != nil && r.frame != x.frame
		r.frame = x.frame
	}
}

// reaches is where the operation's extents lie.
func (op *Op) reaches() *reach {
	if op.reach == nil {
		op.reach = new(reach)
		for x, does := range op.Touches(op) {
			op.reach.add(x, does)
		}
	}
	return op.reach
}

// freedEarly reports columns that are given back while something that has happened may, for all that the program knows,
// still use them. Operations that are late find out by themselves.
func (w *Warp) freedEarly(in *Inst, x Extent) {
	for _, op := range w.cta.async.owed {
		if kind, bad := op.conflict(x, Store); bad {
			w.cta.grid.Reporter.Report(&Report{Kind: kind, Extent: x, Op: op.Place, Then: w.Place(in)})
			return
		}
	}
}
