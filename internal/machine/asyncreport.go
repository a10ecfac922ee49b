package machine

// This file finds accesses that an open asynchronous operation does not allow yet (9.7.9.25.1:
// reading the destination or changing the source before completion is undefined).

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Extent is a piece of what an operation touches.
type Extent struct {
	Space    Space
	CTA      uint32 // Shared, Tensor: rank in the cluster
	Lane     int    // of the operation; -1: the operation as a whole
	From, To uint64 // Global: addresses; Shared: offsets in the CTA's window; Tensor: columns; Registers: bytes of the frame's block
	Row, End uint32 // Tensor: lanes [Row, End)
	frame    *Frame // Registers
}

// Overlaps reports whether two extents have something in common.
func (e Extent) Overlaps(o Extent) bool {
	switch {
	case e.Space != o.Space || e.From >= o.To || o.From >= e.To:
		return false
	case e.Space == Shared:
		return e.CTA == o.CTA
	case e.Space == Tensor:
		return e.CTA == o.CTA && e.Row < o.End && o.Row < e.End
	case e.Space == Registers:
		return e.frame == o.frame
	}
	return true
}

// Rows returns the extent of bytes of the running frame's register block.
func (w *Warp) Rows(from, to uint32) Extent {
	return Extent{Space: Registers, Lane: -1, From: uint64(from), To: uint64(to), frame: w.frag.frame}
}

// ReportKind says what is wrong about an order.
type ReportKind uint8

// The kinds of reports.
const (
	ReadBeforeDone   ReportKind = iota // of what an open operation writes
	WriteBeforeDone                    // of what an open operation writes
	WriteBeforeRead                    // of what an open operation reads
	OpenAtExit                         // the CTA ended while an operation reads its shared memory
	NeverWritten                       // a read of what was never written; Op is the allocation, if one is known
	NoProxyFence                       // the async proxy reads what the generic one wrote, at Op, without a fence
	NoFenceBefore                      // of two tcgen05 operations in tensor memory, behind Op
	NoFenceAfter                       // likewise, before Then
	RaceRAW                            // Then reads what Op has written, and nothing orders them
	RaceWAR                            // Then writes what Op has read
	RaceWAW                            // Then writes what Op has written
	RaceEqual                          // Then and Op write the same bits: the order does not show
	RaceScope                          // both are strong, but the scope of one does not include the other's thread
	RaceReadOnly                       // Then reads what Op, of the same launch, has written as what stays the same while it runs
	UnwrittenDecides                   // Text, at Then, is made of what nothing has written: Extent, read at Op
	UnwrittenResult                    // Then has stored what nothing has written, read at Op, to where the host reads Extent
	OutsideObject                      // Then leaves the object of its pointer; Text says by how much
	AfterFree                          // Then goes to a freed object, Text; Op is the free
	TensorKept                         // the CTA has ended, and what it has allocated at Op is still there: Extent
	BytesMissing                       // the CTA has ended, and Text is what an mbarrier, Extent, still expects; the last time at Op
	NotWaited                          // the CTA has ended, and Text is what no wait covers of the copies of Op
	HeapKept                           // what a kernel has allocated at Op was not freed: Extent
	NeverUsed                          // no kernel has touched Extent
	MbarrierMisuse                     // of an mbarrier's memory, by Then; Text says what
	MbarrierParity                     // Then waits for a parity of more than one bit; Text says which
	PeerMisuse                         // Then touches shared memory of a CTA that may not be there; Text says why
	ProductMisuse                      // of wgmma, by Then; Text says what
	CollectorMisuse                    // of a collector buffer, by Then; Text says what, Op is the last product that filled or discarded it
	Livelock                           // Then, in a loop that can never end, reads Extent, or Text if it reads nothing
	SyncMisuse                         // of a barrier or a member mask, by Then; Text says what
)

// Relation says how far the threads of a race are from each other.
type Relation uint8

// The relations.
const (
	WithinWarp Relation = iota
	WithinCTA
	AcrossCTAs
	AcrossLaunches
)

// Report is something that no rule orders: an access that an asynchronous operation may overtake.
type Report struct {
	Kind   ReportKind
	Extent Extent // what both touch
	Op     Place  // the operation's issue
	Then   Place  // the access; OpenAtExit: zero but for the CTA
	// Between is, of races, how far the threads are from each other.
	Between Relation
	Text    string // as the kinds say; of a race across launches, what Op or, where that is a copy, the other one is
	By      any    // AcrossLaunches: whose launch Op is of, nil if it is of the same or of none
	Object  string // what it is about, if the reporter cannot tell by Extent
}

// Reporter gets the reports of a launch, from several cores at a time.
type Reporter interface {
	Report(*Report)
}

// Conflict returns the oldest open operation of the warp's cluster that does not allow an access
// yet, with what is wrong about it; nil if none.
func (w *Warp) Conflict(e Extent, kind AccessKind) (*Op, ReportKind) {
	q := w.cta.async
	for _, list := range [...][]*Op{q.owed, q.open} {
		for _, op := range list {
			if r, bad := op.conflict(e, kind); bad {
				return op, r
			}
		}
	}
	return nil, 0
}

func (op *Op) conflict(e Extent, kind AccessKind) (ReportKind, bool) {
	if op.Touches == nil || !op.reaches().meets(e, kind) {
		return 0, false
	}
	for x, does := range op.Touches(op) {
		if !x.Overlaps(e) {
			continue
		}
		switch {
		case does != Load && op.sure < hasWritten && kind == Load:
			return ReadBeforeDone, true
		case does == Atomic && kind == Atomic: // in any order
		case does != Load && op.sure < hasWritten:
			return WriteBeforeDone, true
		case kind != Load && op.sure < hasRead:
			return WriteBeforeRead, true
		}
	}
	return 0, false
}

// reporting reports whether reports are wanted of a cluster's operations.
func (g *Grid) reporting() bool { return g.wants(WantsOwed) }

// checkOpen reports the lanes of an observed access that an open operation does not allow.
func (w *Warp) checkOpen(in *Inst, e *Event) {
	q := w.cta.async
	if !q.tells || q.settled() || e.What != Touch || e.Async || e.Addr == nil || !w.mayMeet(e) {
		return
	}
	for m := e.Lanes; m != 0; m &= m - 1 {
		i := first(m)
		x, ok := w.extentOf(e.Space, e.Addr[i], uint64(e.Size))
		if !ok {
			continue
		}
		if op, kind := w.Conflict(x, e.Kind); op != nil {
			then := w.Place(in)
			then.Lanes, then.Thread = 1<<i, w.cta.grid.thread(w.index, i)
			w.cta.grid.Reporter.Report(&Report{Kind: kind, Extent: x, Op: op.Place, Then: then})
			return
		}
	}
}

// CheckRows reports the running lanes if an open operation does not allow what they do to bytes of
// the frame's register block, and tells whether it did.
func (w *Warp) CheckRows(in *Inst, from, to uint32, kind AccessKind) bool {
	if q := w.cta.async; !q.tells || q.settled() {
		return false
	}
	x := w.Rows(from, to)
	op, what := w.Conflict(x, kind)
	if op != nil {
		w.cta.grid.Reporter.Report(&Report{Kind: what, Extent: x, Op: op.Place, Then: w.Place(in)})
	}
	return op != nil
}

// extentOf classifies an address; false for memory that no operation touches.
func (w *Warp) extentOf(space Space, addr, size uint64) (Extent, bool) {
	switch {
	case space == Generic && mem.InShared(addr):
		space, addr = Shared, addr-mem.SharedWindow
	case space == Generic && mem.InLocal(addr), space == Local:
		return Extent{}, false
	case space <= Param:
		space = Global
	}
	x := Extent{Space: space, Lane: -1, From: addr, To: addr + size}
	if space == Shared {
		off := addr & (mem.MaxShared - 1)
		x.CTA, x.From, x.To = uint32(addr>>mem.RankShift), off, off+size
	}
	return x, true
}

// issueReports reports what a new operation and the open ones do to the same bytes without an
// order between them.
func (w *Warp) issueReports(q *asyncOps, op *Op) {
	if !q.tells || q.settled() || op.Touches == nil {
		return
	}
	for _, list := range [...][]*Op{q.owed, q.open} {
		for _, o := range list {
			if r := q.unordered(o, op); r != nil {
				w.cta.grid.Reporter.Report(r)
				return
			}
		}
	}
}

// unordered is the report of what a new operation and an earlier one do without an order between them; nil if there is nothing to
// report.
func (q *asyncOps) unordered(o, op *Op) *Report {
	if op.follows(o, hasRead) {
		return productClash(o, op)
	}
	if r := clash(o, op); r != nil && !q.chained(o, op) {
		return r
	}
	return nil
}

// clash is the report of what a new operation and an earlier one do to the same bytes; nil if there is nothing to report.
func clash(o, op *Op) *Report {
	for x, does := range op.Touches(op) {
		if kind, bad := o.conflict(x, does); bad {
			return &Report{Kind: kind, Extent: x, Op: o.Place, Then: op.Place}
		}
	}
	return nil
}

// chained reports whether operations between two of the tensor pipe order them: a copy of scale factors, the product that reads
// them, the copy of the next ones.
func (q *asyncOps) chained(o, op *Op) bool {
	if op.Pipe != TensorPipe || o.Pipe != TensorPipe {
		return false
	}
	behind := []*Op{op} // what comes before op, and op
	for i := 0; i < len(behind); i++ {
		for _, list := range [...][]*Op{q.owed, q.open} {
			for _, between := range list {
				switch {
				case between.seq < o.seq || !behind[i].follows(between, hasRead) || slices.Contains(behind, between):
				case between == o:
					return true
				default:
					behind = append(behind, between)
				}
			}
		}
	}
	return false
}

// mayMeet reports whether an access may touch what an operation does.
func (w *Warp) mayMeet(e *Event) bool {
	var h hulls
	for m := e.Lanes; m != 0; m &= m - 1 {
		if x, ok := w.extentOf(e.Space, e.Addr[first(m)], uint64(e.Size)); ok {
			h.add(x)
		}
	}
	q := w.cta.async
	for _, list := range [...][]*Op{q.owed, q.open} {
		for _, op := range list {
			if op.Touches != nil && op.reaches().all.cross(&h) {
				return true
			}
		}
	}
	return false
}

// exitReports reports the operations that still read the shared memory of a CTA that ends.
func (c *CTA) exitReports() {
	if !c.async.tells {
		return
	}
	for _, list := range [...][]*Op{c.async.owed, c.async.open} {
		for _, op := range list {
			if op.cta == c && op.sure < hasRead && op.Touches != nil {
				c.exitReport(op)
			}
		}
	}
}

// exitReport reports an operation that may still read the shared memory of a CTA that ends.
func (c *CTA) exitReport(op *Op) {
	for x, does := range op.Touches(op) {
		if x.Space == Shared && does == Load {
			c.grid.Reporter.Report(&Report{Kind: OpenAtExit, Extent: x, Op: op.Place, Then: Place{Site: Site{CTA: c.id}, CTARank: c.rank}})
			return
		}
	}
}

// Extent returns the extent of n bytes at an address of global memory or of the shared window,
// rank included, for a lane of the operation.
func (op *Op) Extent(space Space, lane int, addr, n uint64) Extent {
	x := Extent{Space: space, Lane: lane, From: addr, To: addr + n}
	if space == Shared {
		off := addr & (mem.MaxShared - 1)
		x.CTA, x.From, x.To = uint32(addr>>mem.RankShift), off, off+n
	}
	return x
}
