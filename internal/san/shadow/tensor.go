package shadow

// This file checks that operations on tensor memory by different warps are fenced on both sides
// of the synchronisation between them (9.7.16.6.3, 9.7.16.6.4): tcgen05.fence::before_thread_sync
// behind the first, unless tcgen05.commit tracks it, and tcgen05.fence::after_thread_sync before
// the second.
//
// That they are synchronised at all is not asked here: an operation that is not over is reported
// as open. A fence counts for its whole warp, from the first operation on, wherever the
// synchronisation was.

import "ptxvm.invalid/ptxvm/internal/machine"

// tensorOrder is what has been done to a CTA's tensor memory last, and the last fences of its warps.
type tensorOrder struct {
	cells         map[uint64]*[128]tensorCell // by column, then by lane
	before, after [32]uint64                  // by warp, by the cluster's clock
}

// tensorCell is the last write, and the last read since.
type tensorCell struct{ wrote, read *tensorUse }

// tensorUse is one operation on tensor memory.
type tensorUse struct {
	by        *machine.Place
	time      uint64
	committed bool
}

// tensorFence notes a tcgen05.fence.
func (s *cluster) tensorFence(e *machine.Event) {
	c := s.cta(e.CTA)
	switch {
	case c == nil:
	case e.Order.Releases():
		c.before[e.Warp] = s.tick()
	default:
		c.after[e.Warp] = s.tick()
	}
}

// unordered notes an operation on the tensor memory of c, and finds what no fence orders before it.
func (s *cluster) unordered(c *cta, e *machine.Event, x machine.Extent, before, after *fault) {
	use := &tensorUse{s.writer(e), s.tick(), e.Committed}
	for column := x.From; column < min(x.To, columns); column++ {
		lanes := c.column(column)
		for row := x.Row; row < min(x.End, 128); row++ {
			cell := &lanes[row]
			s.ordered(cell.wrote, use, x, e, before, after)
			if e.Kind == machine.Load {
				cell.read = use
				continue
			}
			s.ordered(cell.read, use, x, e, before, after)
			cell.wrote, cell.read = use, nil
		}
	}
}

// column is the cells of a column.
func (o *tensorOrder) column(n uint64) *[128]tensorCell {
	if o.cells == nil {
		o.cells = map[uint64]*[128]tensorCell{}
	}
	if o.cells[n] == nil {
		o.cells[n] = new([128]tensorCell)
	}
	return o.cells[n]
}

// ordered checks two operations on one cell.
func (s *cluster) ordered(first, then *tensorUse, x machine.Extent, e *machine.Event, before, after *fault) {
	if first == nil || first == then {
		return
	}
	a, b := s.cta(first.by.CTARank), s.cta(e.CTA)
	same := first.by.CTARank == e.CTA && first.by.Warp == e.Warp
	switch {
	case same && first.committed == then.committed, same && then.committed, a == nil, b == nil:
		return // of one pipe, or behind the wait of its own kind
	case !first.committed && a.before[first.by.Warp] < first.time:
		before.note(first, x, e)
	}
	if b.after[e.Warp] < first.time {
		after.note(first, x, e)
	}
}

// note takes the first operation that is not ordered before the one that is told.
func (f *fault) note(first *tensorUse, x machine.Extent, e *machine.Event) {
	if f.lane(-1, x, e) {
		f.op = first.by
	}
}

// forget drops what is known of columns.
func (o *tensorOrder) forget(x machine.Extent) {
	for column := x.From; column < min(x.To, columns); column++ {
		delete(o.cells, column)
	}
}
