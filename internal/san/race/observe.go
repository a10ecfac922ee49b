package race

// This file puts a launch's events into the detector's terms, and races into reports.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Observer is the detector as an observer of one launch.
type Observer struct {
	detector *Detector
	launch   *machine.Launch
	reporter found.Reporter
	strict   bool // stores of equal bits are races, too
	peers    bool // shared memory of CTAs that may not be there
	silent   bool // about races
}

// Options are what an observer looks for beside races.
type Options struct {
	Strict bool // plain stores of the same bits are races, too
	Peers  bool // accesses to shared memory of CTAs that may not be there
}

// NewObserver returns an observer of a launch, which tells the reporter of races.
func NewObserver(l *machine.Launch, reporter found.Reporter, options Options) *Observer {
	o := &Observer{launch: l, reporter: reporter, strict: options.Strict, peers: options.Peers}
	o.detector = New(Shape{Cluster: l.ClusterOf, CTAs: l.CTAs(), Warps: l.Warps(), Lockstep: l.Lockstep, Clusters: l.Cluster != [3]uint32{1, 1, 1}, Tensor: l.Target.Arch >= 100}, o.tell)
	return o
}

// NewPeers returns an observer of a launch that reports accesses to shared memory of CTAs that may not be there, and no races.
func NewPeers(l *machine.Launch, reporter found.Reporter) *Observer {
	o := NewObserver(l, reporter, Options{Peers: true})
	o.silent = true
	return o
}

// Overlap tells, before the launch begins, that its threads may run before what it comes behind is over.
func (o *Observer) Overlap() { o.detector.shape.Overlaps = true }

// Takes lets took know of the memory that the shadow of global memory takes, in bytes, from now on.
func (o *Observer) Takes(took func(bytes int)) { o.detector.took = took }

// Observe implements machine.Observer.
func (o *Observer) Observe(e *machine.Event) {
	d := o.detector
	switch e.What {
	case events.Touch:
		o.touch(e)
	case events.ImageTouched:
		o.touchImage(e)
	case events.Loaded:
		o.loaded(e)
	case events.CTABegin:
		d.Begin(e.CTA)
	case events.CTAEnd:
		if o.peers && e.Warps == 0 {
			o.left(e.CTA)
		}
		d.End(e.CTA)
	case events.BarrierMet:
		d.Arrive(e.CTA, e.Warp, e.Lanes, e.ID)
	case events.BarrierDone:
		d.Done(e.CTA, e.Warps, e.ID, e.Counted)
	case events.WarpMet:
		d.Met(e.CTA, e.Warp, e.Lanes, e.Members)
	case events.GridWaited:
		d.GridWaited(e.CTA, e.Warp, e.Lanes)
	case events.LanesEnd:
		d.LanesEnd(e.CTA, e.Warp, e.Lanes, e.Members)
	case events.ClusterDone:
		d.ClusterDone(e.CTA)
	case events.PhaseDone:
		if owner := d.cta(e.CTA); owner != nil {
			d.PhaseDone(owner, e.Extent.From)
		}
	case events.PhaseSeen:
		o.phaseSeen(e)
	case events.Release:
		o.release(e)
	case events.Acquire:
		o.acquire(e)
	case events.Allocated, events.Freed:
		switch e.Extent.Space {
		case machine.Global:
			d.Forget(e.Extent.From, e.Extent.To)
		case machine.Tensor:
			o.forgetTensor(e)
		}
	default:
		o.tensorSync(e)
	}
}

// release is what happens before a fence or barrier instruction acts. CTA barriers tell when a whole warp has
// arrived.
func (o *Observer) release(e *machine.Event) {
	switch {
	case !e.Barrier:
		o.detector.Fence(e.CTA, e.Warp, e.Lanes, e.Order, e.Scope)
	case e.Scope == model.WarpScope:
		o.detector.Meet(e.CTA, e.Warp, e.Lanes)
	case e.Scope == model.ClusterScope:
		o.detector.ClusterArrive(e.CTA, e.Warp, e.Lanes, e.Order)
	}
}

// acquire is what happens behind one. A fence of both kinds has been dealt with before it, and what a wait for a
// phase of an mbarrier acquires PhaseSeen tells.
func (o *Observer) acquire(e *machine.Event) {
	switch {
	case e.Barrier && e.Scope == model.ClusterScope:
		o.detector.ClusterWait(e.CTA, e.Warp, e.Lanes, e.Order)
	case !e.Barrier && !e.Waits && !e.Order.Releases():
		o.detector.Fence(e.CTA, e.Warp, e.Lanes, e.Order, e.Scope)
	}
}

// phaseSeen lets lanes acquire what completed phases of mbarriers have published.
func (o *Observer) phaseSeen(e *machine.Event) {
	own := o.detector.cta(e.CTA)
	for m := e.Lanes; own != nil && m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		x, ok := e.ExtentOf(lane)
		if !ok {
			continue
		}
		if owner := o.owner(e, x, own); owner != nil {
			o.detector.PhaseSeen(e.CTA, e.Warp, lane, owner, x.From, e.Order, e.Scope)
		}
	}
}

// touch looks at an access lane by lane.
func (o *Observer) touch(e *machine.Event) {
	switch {
	case e.Async && e.Extent != nil && e.Extent.Space == machine.Tensor:
		o.useTensor(e)
		return
	case e.Async && e.Extent != nil:
		o.issue(e)
		return
	case e.Async, e.Proxy != model.GenericProxy, e.Addr == nil:
		return
	case e.Space == machine.Param, e.Space == machine.Const, e.Space == machine.Local:
		return // of one thread, or never written
	}
	t := Touch{CTA: e.CTA, Warp: e.Warp, Func: e.Func, PC: e.PC, Kind: e.Kind, Order: e.Order, Scope: e.Scope, Waits: e.Waits, ReadOnly: e.ReadOnly}
	if e.Values != nil {
		t.Equal = func(lane, other int, addr uint64) bool { return sameByte(e, lane, other, addr) }
	}
	a, ok := o.detector.begin(&t)
	if !ok {
		return
	}
	defer a.end()
	if e.Together != 0 {
		o.together(e, &a)
		return
	}
	if o.dense(e, &a) {
		return
	}
	sets := lanesOf{lanes: e.Lanes}
	if !a.writes && !a.Strong && a.warp.agree() {
		sets.join(e.Addr)
	}
	if w, ok := o.window(e, &a); ok {
		for lanes := sets.next(); lanes != 0; lanes = sets.next() {
			a.of(lanes)
			from := e.Addr[a.lane&31] - w.less
			o.detector.bytes(&a, w.owner, from, from+uint64(e.Size))
		}
		return
	}
	for lanes := sets.next(); lanes != 0; lanes = sets.next() {
		o.touchLanes(e, a.of(lanes))
	}
}

// touchImage looks at an access to an image lane by lane.
func (o *Observer) touchImage(e *machine.Event) {
	a, ok := o.detector.begin(&Touch{CTA: e.CTA, Warp: e.Warp, Func: e.Func, PC: e.PC, Kind: e.Kind, Order: e.Order, Scope: e.Scope, Proxy: e.Proxy})
	if !ok {
		return
	}
	defer a.end()
	for m := e.Lanes; m != 0; m &= m - 1 {
		from := e.Addr[bits.TrailingZeros32(m)&31]
		o.detector.bytes(a.of(m&-m), nil, from, from+uint64(e.Size))
	}
}

// together looks at an access that lanes make as one. The clock goes on behind them, so that two of one
// execution, which nothing orders, are not taken for two one after the other.
func (o *Observer) together(e *machine.Event, a *access) {
	a.with, a.issuers, a.advance = e.Together, e.Together, true
	o.touchLanes(e, a.of(e.Lanes))
}

// loaded lets lanes see what was released to what they have read: another worker may have released and stored between what touch
// has told and the read.
func (o *Observer) loaded(e *machine.Event) {
	a, ok := o.detector.begin(&Touch{CTA: e.CTA, Warp: e.Warp, Func: e.Func, PC: e.PC, Kind: e.Kind, Order: e.Order, Scope: e.Scope})
	if !ok {
		return
	}
	defer a.end()
	for m := e.Lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if x, ok := e.ExtentOf(i); ok && x.Space == machine.Global {
			o.detector.see(a.of(1<<i), x.From, x.To)
		}
	}
}

// lanesOf hands out the lanes of an access: one by one, or together those with one address.
type lanesOf struct {
	lanes  uint32     // that are left
	joined bool       // sets has those with one address, at the first of them
	sets   [32]uint32 // by lane
}

// join finds the lanes with one address.
func (l *lanesOf) join(addr *[32]uint64) {
	const slots = 64
	var first [slots]uint8 // 1 + the first lane whose address went there
	rest := uint32(0)
	for m := l.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		h := (addr[i]/granule ^ addr[i]/lineSize/slots) % slots
		for first[h] != 0 && addr[(first[h]-1)&31] != addr[i] {
			h = (h + 1) % slots
		}
		if first[h] == 0 {
			first[h] = uint8(i + 1)
			rest |= 1 << i
		}
		l.sets[(first[h]-1)&31] |= 1 << i
	}
	l.lanes, l.joined = rest, true
}

// next returns the next lanes, 0 if there are no more.
func (l *lanesOf) next() uint32 {
	i := bits.TrailingZeros32(l.lanes) & 31
	one := l.lanes & -l.lanes
	if l.lanes &^= one; one != 0 && l.joined {
		return l.sets[i]
	}
	return one
}

// window is the memory that all lanes of an access meet: an address less less is an address or offset in it.
type window struct {
	owner *cta // of shared memory, nil of global
	less  uint64
}

// window finds the memory that all lanes meet; false if they lie far from each other, or it is none that is looked at.
func (o *Observer) window(e *machine.Event, a *access) (w window, ok bool) {
	low, high := e.Addr[bits.TrailingZeros32(e.Lanes)&31], uint64(0)
	for m := e.Lanes; m != 0; m &= m - 1 {
		at := e.Addr[bits.TrailingZeros32(m)&31]
		low, high = min(low, at), max(high, at)
	}
	if high-low >= maxShared {
		return w, false
	}
	x := e.On.ExtentAt(e.Space, low, high-low+uint64(e.Size))
	w.less = low - x.From
	switch x.Space {
	case machine.Global:
		return w, true
	case machine.Shared:
		w.owner = o.owner(e, x, a.warp.cta)
		return w, w.owner == a.warp.cta // lane by lane, which visits that of another CTA
	}
	return w, false
}

// touchLanes looks at lanes with one address.
func (o *Observer) touchLanes(e *machine.Event, a *access) {
	x, ok := e.ExtentOf(a.lane)
	switch {
	case !ok:
	case x.Space == machine.Global:
		o.detector.bytes(a, nil, x.From, x.To)
	case x.Space == machine.Shared:
		if owner := o.owner(e, x, a.warp.cta); owner != nil {
			if o.peers && owner != a.warp.cta {
				o.visit(a, owner)
			}
			o.detector.bytes(a, owner, x.From, x.To)
		}
	}
}

// dense looks at the access that most are: all lanes, 4 bytes each, one line.
func (o *Observer) dense(e *machine.Event, a *access) bool {
	if e.Size != granule || e.Lanes != ^uint32(0) {
		return false
	}
	x, ok := e.Dense()
	if !ok || x.From%lineSize != 0 {
		return false
	}
	var owner *cta
	if x.Space == machine.Shared {
		if owner = o.owner(e, x, a.warp.cta); owner == nil {
			return false
		}
		if owner != a.warp.cta {
			return false // granule by granule, which visits it
		}
	}
	return o.detector.line(a, owner, x.From)
}

// owner is the CTA whose shared memory an extent is, nil if there is none: addresses come before they are checked.
func (o *Observer) owner(e *machine.Event, x machine.Extent, own *cta) *cta {
	index, ok := e.On.Mate(x.CTA)
	switch {
	case !ok || x.To > maxShared:
		return nil
	case index == uint64(own.index):
		return own
	}
	return o.detector.cta(index)
}

// sameByte reports whether a store of a lane writes to an address the byte that another lane of the store writes there
// or, other than such lanes, that stands there.
func sameByte(e *machine.Event, lane, other int, addr uint64) bool {
	mine, ok := e.Stored(lane, e.Addr[lane]+addr)
	if !ok {
		return false
	}
	if other >= 0 {
		theirs, ok := e.Stored(other, e.Addr[lane]+addr)
		return ok && theirs == mine
	}
	at := e.On.Byte(e.Space, e.Addr[lane]+addr, lane)
	return at != nil && *at == mine
}

// tell reports a race.
func (o *Observer) tell(r Race) {
	if o.silent {
		return
	}
	rep := &found.Report{Kind: KindOf(r.Hazard, r.Scoped), Between: between(&r)}
	if r.EqualBits && !o.strict {
		rep.Kind = found.RaceEqual
	}
	rep.Extent = machine.Extent{Space: machine.Global, Lane: -1, From: r.Address, To: r.Address + granule}
	if r.Tensor != nil {
		rep.Extent = *r.Tensor
	}
	if r.Stale {
		rep.Kind = staleKind(&r.Second)
	}
	if r.Shared {
		rep.Extent.Space, rep.Extent.CTA = machine.Shared, o.launch.RankInCluster(uint64(r.SharedOf))
	}
	rep.Op, rep.Then = o.place(&r.First), o.place(&r.Second)
	o.reporter.Report(rep)
}

func (o *Observer) place(a *Access) machine.Place {
	return o.launch.PlaceOf(uint64(a.CTA), a.Warp, a.Lanes, a.Func, a.PC)
}

// staleKind is the kind of reports of a read that nothing in the launch could order.
func staleKind(read *Access) found.Kind {
	if read.Proxy != model.GenericProxy {
		return found.RaceImage
	}
	return found.RaceReadOnly
}

// KindOf is the kind of reports of a hazard; scoped: between strong accesses.
func KindOf(h Hazard, scoped bool) found.Kind {
	if scoped {
		return found.RaceScope
	}
	return kinds[h]
}

var kinds = [...]found.Kind{
	ReadAfterWrite: found.RaceRAW, WriteAfterRead: found.RaceWAR, WriteAfterWrite: found.RaceWAW,
}

func between(r *Race) found.Relation {
	switch {
	case r.SameWarp:
		return found.WithinWarp
	case r.SameCTA:
		return found.WithinCTA
	}
	return found.AcrossCTAs
}
