package machine

// This file is where sanitizers, tracing and the debugger look on: launches with an observer run code
// of their own, whose handlers report before they act, so that unobserved code pays nothing.

import (
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// EventKind says what an event is about.
type EventKind uint8

// The events.
const (
	Touch        EventKind = iota // the lanes are about to access memory
	Release                       // a fence or barrier is about to publish what the lanes did before
	Acquire                       // a fence or barrier lets the lanes see what others published
	ProxyFence                    // a fence between the generic proxy and Proxy, for Space
	TensorFence                   // tcgen05.fence: a release before, an acquire after a synchronisation of threads
	BarrierMet                    // a warp's lanes have all arrived at barrier ID of the CTA
	BarrierDone                   // barrier ID of the CTA has completed, Warps may go on; each tells Acquire when it does
	WarpMet                       // Lanes go on behind bar.warp.sync, at which Members have met
	ClusterDone                   // the barrier of the CTA's cluster has completed
	CTABegin                      // a CTA starts: its shared memory is new
	CTAEnd                        // a CTA has ended, in whatever way
	Allocated                     // Extent is new: tensor memory (tcgen05.alloc), told behind the allocation
	Freed                         // Extent is gone
	PhaseDone                     // a phase of the mbarrier in Extent has completed
	Loaded                        // the strong access to Addr that Touch has told of has read: what others had published by then they have seen
	PhaseSeen                     // Lanes have waited for a phase of the mbarriers at Addr that has completed
	TensorWaited                  // Lanes have waited for their tcgen05.ld (Kind Load) or tcgen05.st (Store)
	TensorCommit                  // Op, a tcgen05.commit, is being issued
	TensorArrive                  // what Op, a tcgen05.commit, tracks is over: it is about to arrive at the mbarrier in Extent
	GridWaited                    // Lanes wait for what the launch comes behind (griddepcontrol.wait)
	LanesEnd                      // Lanes of a warp have ended, by exit or because they are dropped; Members go on
	ImageTouched                  // the lanes are about to access an image that lies in global memory at Addr, through Proxy

	// How things are used (WantsUse), told before it is done.

	BarrierCome   // Lanes come to a barrier; About a *Meeting
	BarrierWait   // Lanes wait at a barrier for others of their warp
	MembersCome   // Lanes come to an instruction with a member mask; About the *[32]uint32 of their masks
	MembersWait   // Lanes wait for others of the mask Members; About a *Meeting
	StrayShuffle  // Lanes takes the value of the lane About, an int, which is none of Members
	WarpArrives   // a warp arrives at barrier ID; About an *Arrival
	BarrierEnds   // barrier ID of a CTA completes; About a *BarrierEnd
	MbarrierUsed  // About a *mbarriers.Step; by Op, if not nil, where that was issued
	Collects      // a product uses a collector buffer; About a *CollectorStep
	GroupSteps    // About a *GroupStep
	RowsUsed      // Lanes touch registers (WantsOwed, too); About the []RowUse
	ProductFence  // wgmma.fence
	ProductBegins // wgmma.mma_async; About a *ProductStep

	// Asynchronous operations (WantsOwed, WantsLeft). An Op may be a part of the one that has begun, of fewer lanes.

	OpBegins    // Op is issued
	OpSignals   // Op is about to count in Phase of the mbarrier in Extent
	OpOver      // Op has taken its last step
	OpsAwaited  // Lanes wait for what they have issued; About a *Await
	PhasePassed // a wait has seen the phases before Phase of the mbarrier in Extent complete
	FrameGone   // registers are gone: About the *Frame
	CTAEmpty    // no lane of a CTA is left
	BytesAsked  // the mbarrier in Extent has been told of bytes to come in Phase (WantsLeft)
	CTAFinished // no lane of a cluster is left, told of each CTA before its open operations end; About a *Remains

	Endless // about an *EndlessLoop: a set of lanes for which nothing will ever change (WantsLoops)
)

// Wants is the set of events that an observer asks for: code tells no others.
type Wants uint16

// What code may tell.
const (
	WantsAccesses  Wants = 1 << iota // Touch, but for that of constants and kernel parameters
	WantsOthers                      // only those that are not Valued
	WantsConstants                   // those of constants and kernel parameters, too
	WantsOrder                       // Release and Acquire
	WantsFences                      // ProxyFence and TensorFence
	WantsRows                        // RowsUsed, in code with products or asynchronous operations on registers
	WantsAll       Wants = 1<<iota - 1
	WantsLoaded    Wants = 1 << (iota - 1) // Loaded, beside all: of use where workers share memory
	WantsUse       Wants = 1 << (iota - 1) // how barriers, member masks, mbarriers and products are used; such instructions are Watched
	WantsLeft      Wants = 1 << (iota - 1) // what CTAs leave behind; the code is Interpreted where they may
	WantsOwed      Wants = 1 << (iota - 1) // asynchronous operations, until something in the program tells that they are over
	WantsLoops     Wants = 1 << (iota - 1) // whether what is left of the launch can ever end
	WantsAlone     Wants = 1 << (iota - 1) // of loops that read global memory, too: nothing but the launch writes that until its end

	WantsTold   = WantsAll | WantsLoaded                        // what handlers tell before or behind they act, which is code of its own
	WantsOfCode = WantsTold | WantsUse | WantsLeft | WantsLoops // what code is decoded for
)

// wants reports whether the launch wants any of these.
func (l *Launch) wants(w Wants) bool { return l.Wants&w != 0 }

// Event is one access to memory, or one step of synchronisation, of the lanes of a warp. It
// and Addr are valid until Observe returns.
type Event struct {
	What  EventKind
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
		w.Observe(in, Event{What: TensorCommit, Lanes: w.Mask, Op: op})
	}
	if op.Touches == nil {
		return
	}
	for x, kind := range op.Touches(op) {
		lanes := w.Mask
		if x.Lane >= 0 {
			lanes = 1 << x.Lane
		}
		w.Observe(in, Event{What: Touch, Async: true, Op: op, Committed: op.Pipe == queue.Tensor, Proxy: op.Proxy, Space: x.Space, Kind: kind, Lanes: lanes, Extent: &x})
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
		What: TensorArrive, CTA: w.cta.rank, Cluster: w.cta.cluster.rank, Warp: int(w.index), Lanes: op.Lanes, Op: op, On: w, Extent: &x,
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
func (c *CTA) tell(what EventKind, warps uint64) { c.tellBarrier(Event{What: what, Warps: warps}) }

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
		c.grid.Observer.Observe(&Event{What: PhaseDone, CTA: c.rank, Cluster: c.cluster.rank, Extent: c.mbarrierExtent(addr)})
	}
}

// mbarrierExtent is the mbarrier at a shared address.
func (c *CTA) mbarrierExtent(addr uint32) *Extent {
	off := uint64(addr) & (mem.MaxShared - 1)
	return &Extent{Space: Shared, CTA: c.crank, Lane: -1, From: off, To: off + mem.MbarrierBytes}
}
