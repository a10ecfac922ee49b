package machine

// This file is where sanitizers, tracing and the debugger look on: launches with an observer run code
// of their own, whose handlers report before they act, so that unobserved code pays nothing.

import (
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// wants reports whether the launch wants any of these.
func (l *Launch) wants(w events.Wants) bool { return l.Wants&w != 0 }

// Event is one access to memory, or one step of synchronisation, of the lanes of a warp. It
// and Addr are valid until Observe returns.
type Event struct {
	What  events.Kind
	Space Space
	Kind  AccessKind
	Proxy model.Proxy
	Order model.Order
	Scope model.Scope
	Size  uint32 // bytes a lane touches
	Lanes uint32
	// Together are the lanes that make the access of Lanes, one of them, as one (.sync.aligned): what any of them did before
	// comes before it, what any of them does behind it comes behind. 0: the lanes act each by itself.
	Together uint32
	Warps    uint64 // BarrierDone; CTAEnd: those that have not exited, because the launch has stopped
	ID       uint8  // BarrierMet, BarrierDone: of the barrier
	// Barrier tells that a Release or Acquire is that of a barrier instruction, which releases or acquires
	// nothing where its Order is Relaxed.
	Barrier bool
	Members uint32 // WarpMet: those of the mask that have met or ended; LanesEnd
	Counted bool   // BarrierDone: only so many threads were expected, so that warps that have ended are none of them
	// Values are the rows that a store writes, element by element; nil where they are not known.
	Values []StoredRow
	Addr   *[32]uint64 // of the lanes, as computed, displacement included; nil without access

	// Extent is what an access covers where Addr is nil: one extent of an asynchronous operation,
	// tensor memory.
	Extent *Extent

	PC      int32
	Func    *FuncInfo
	CTA     uint64 // linear index in the grid
	Cluster uint64 // linear index of its cluster; what one core runs: events of one come one after the other
	Warp    int
	On      *Warp // who; nil for what a CTA tells: BarrierMet, BarrierDone, LanesEnd, CTABegin, CTAEnd

	Async     bool   // what an asynchronous operation will do: Issue checks it against open ones
	Op        *Op    // that one; TensorCommit, TensorArrive, and those of WantsOwed
	Phase     uint64 // of an mbarrier
	About     any    // as the kinds of events say; valid until Observe returns, as the event itself
	ReadOnly  bool   // a load of what stays the same while the launch runs (ld.global.nc)
	Valued    bool   // Launch.Values sees the access by itself
	Waits     bool   // a wait for a phase: what it acquires, PhaseSeen tells
	Committed bool   // Async: tcgen05.commit tells when it is over, not a wait of the warp
}

// Observer gets the events of a launch, from several cores at a time; those of one cluster come
// one after the other.
type Observer interface {
	Observe(*Event)
}

// Observe passes an event on; where it happened is filled in.
func (w *Warp) Observe(in *Inst, e Event) {
	at := &w.tells().event
	*at = e
	at.PC, at.Func, at.CTA, at.Warp, at.On = w.PC(in), w.frag.frame.code.Func, w.cta.rank, int(w.index), w
	at.Cluster = w.cta.cluster.rank
	w.cta.grid.Observer.Observe(at)
}

// telling is room for what a warp tells.
type telling struct {
	event       Event
	touch, read [32]uint64
	meeting     Meeting
	arrival     Arrival
	masks       [32]uint32
	step        mbarriers.Step
}

func (w *Warp) tells() *telling {
	if w.telling == nil {
		w.telling = new(telling)
	}
	return w.telling
}

// TouchAddresses is room for the addresses of an access that is told.
func (w *Warp) TouchAddresses() *[32]uint64 { return &w.tells().touch }

// ReadAddresses is room for those that are told behind an access, whatever is told meanwhile.
func (w *Warp) ReadAddresses() *[32]uint64 { return &w.tells().read }

// tellOp tells what an operation that is being issued will touch.
func (w *Warp) tellOp(in *Inst, op *Op) {
	switch {
	case !w.cta.grid.observing:
		return
	case op.Pipe == queue.Tensor && op.After:
		w.Observe(in, Event{What: events.TensorCommit, Lanes: w.Mask, Op: op})
	}
	if op.Touches == nil {
		return
	}
	for x, kind := range op.Touches(op) {
		lanes := w.Mask
		if x.Lane >= 0 {
			lanes = 1 << x.Lane
		}
		w.Observe(in, Event{What: events.Touch, Async: true, Op: op, Committed: op.Pipe == queue.Tensor, Proxy: op.Proxy, Space: x.Space, Kind: kind, Lanes: lanes, Extent: &x})
	}
}

// TellArrival tells of a tcgen05.commit that is about to arrive at the mbarrier at an address of shared memory.
func (op *Op) TellArrival(at uint64) {
	w := op.warp
	if !w.cta.grid.observing {
		return
	}
	x, _ := w.extentOf(Shared, at, mem.MbarrierBytes)
	w.cta.grid.Observer.Observe(&Event{
		What: events.TensorArrive, CTA: w.cta.rank, Cluster: w.cta.cluster.rank, Warp: int(w.index), Lanes: op.Lanes, Op: op, On: w, Extent: &x,
	})
}

// Observing reports whether the launch has an observer of what is WantsTold.
func (w *Warp) Observing() bool { return w.cta.grid.observing }

// Resuming reports whether the instruction executes again because its wait is over.
func (w *Warp) Resuming() bool { return w.frag.woken }

// Site is a place in a running kernel: an instruction and a thread that executes it.
type Site struct {
	Func   *FuncInfo
	PC     int32
	CTA    [3]uint32
	Thread [3]uint32
}

// Place returns where some lanes of an event are.
func (e *Event) Place(lanes uint32) Place {
	return Place{Site: e.On.site(e.PC, first(lanes)), CTARank: e.CTA, Warp: e.Warp, Lanes: lanes, Proxy: e.Proxy, Calls: e.On.frag.frame.at(e.PC).Calls}
}

// At returns a place of the warp's launch with another lane.
func (w *Warp) At(p Place, lane int) Place {
	p.Thread, p.Lanes = w.cta.grid.Thread(int32(p.Warp), lane), 1<<lane
	return p
}

// Extents visits what an event touches, lane by lane or as a whole (-1), but for local memory.
func (e *Event) Extents(visit func(lane int, x Extent)) {
	if e.Extent != nil {
		visit(e.Extent.Lane, *e.Extent)
		return
	}
	for m := e.Lanes; m != 0 && e.Addr != nil; m &= m - 1 {
		if x, ok := e.On.extentOf(e.Space, e.Addr[first(m)], uint64(e.Size)); ok {
			visit(first(m), x)
		}
	}
}

// ExtentOf returns what a lane touches, false if it is local memory.
func (e *Event) ExtentOf(lane int) (Extent, bool) {
	return e.On.extentOf(e.Space, e.Addr[lane], uint64(e.Size))
}

// Dense returns what an event touches as one extent, if its lanes touch neighbouring bytes in
// ascending order, as they mostly do.
func (e *Event) Dense() (x Extent, ok bool) {
	if e.Addr == nil || e.Lanes == 0 {
		return x, false
	}
	from := e.Addr[first(e.Lanes)]
	to := from
	for m := e.Lanes; m != 0; m &= m - 1 {
		if e.Addr[first(m)] != to {
			return x, false
		}
		to += uint64(e.Size)
	}
	return e.On.extentOf(e.Space, from, to-from)
}

// Mate returns the linear index in the grid of the CTA with a rank in the warp's cluster; false if
// there is none.
func (w *Warp) Mate(rank uint32) (index uint64, ok bool) {
	return w.cta.grid.Mate(w.cta.id, rank)
}

// Byte returns the host byte that a lane's address means, nil if there is none.
func (w *Warp) Byte(space Space, addr uint64, lane int) *byte {
	p, _, f := w.resolve(&Request{Space: space, Size: 1, Align: 1}, addr, lane)
	if f != nil {
		return nil
	}
	return (*byte)(p)
}

// StoredRow is a register whose low bytes a store writes: one element of each lane.
type StoredRow struct {
	Off   uint32 // in the frame's register block
	Wide  bool   // 64 bits
	Bytes uint32 // of the element
}

// Stored returns the byte that a lane of an observed store writes to an address.
func (e *Event) Stored(lane int, addr uint64) (b byte, ok bool) {
	at := addr - e.Addr[lane]
	for _, v := range e.Values {
		if at < uint64(v.Bytes) {
			x := uint64(e.On.R32(v.Off)[lane])
			if v.Wide {
				x = e.On.R64(v.Off)[lane]
			}
			return byte(x >> (8 * at)), true
		}
		at -= uint64(v.Bytes)
	}
	return 0, false
}

// PlaceOf returns the place of lanes of any warp of the launch; what called its function is not known.
func (l *Launch) PlaceOf(cta uint64, warp int, lanes uint32, fn *FuncInfo, pc int32) Place {
	p := Place{CTARank: cta, Warp: warp, Lanes: lanes}
	p.Func, p.PC, p.CTA, p.Thread = fn, pc, l.ID(cta), l.Thread(int32(warp), first(lanes))
	return p
}

// tell reports something about a CTA.
func (c *CTA) tell(what events.Kind, warps uint64) { c.tellBarrier(Event{What: what, Warps: warps}) }

// tellBarrier reports what happens at a barrier of a CTA. What is handed on is a copy, so that an event without an observer is not
// allocated: this runs twice for every CTA.
func (c *CTA) tellBarrier(e Event) {
	if c.grid.observing {
		told := e
		told.CTA, told.Cluster = c.rank, c.cluster.rank
		c.grid.Observer.Observe(&told)
	}
}

// tellPhase reports that a phase of an mbarrier of the CTA has completed.
func (c *CTA) tellPhase(addr uint32) {
	if c.grid.observing {
		c.grid.Observer.Observe(&Event{What: events.PhaseDone, CTA: c.rank, Cluster: c.cluster.rank, Extent: c.mbarrierExtent(addr)})
	}
}

// mbarrierExtent is the mbarrier at a shared address.
func (c *CTA) mbarrierExtent(addr uint32) *Extent {
	off := uint64(addr) & (mem.MaxShared - 1)
	return &Extent{Space: Shared, CTA: c.crank, Lane: -1, From: off, To: off + mem.MbarrierBytes}
}
