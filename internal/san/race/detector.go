package race

// This file holds the detector and what it knows of CTAs, warps and lanes.

import (
	"math/bits"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// Shape is what the detector has to know of a launch.
type Shape struct {
	Cluster  func(cta uint64) uint64 // number of a CTA's cluster; both are linear indices
	CTAs     uint64
	Warps    int  // of a CTA
	Lockstep bool // below sm_70 an instruction orders the lanes of its warp
	Clusters bool // of more than one CTA
	Tensor   bool // the target has tensor memory
	Overlaps bool // threads may run before what the launch comes behind is over, until they wait for it
}

// Detector looks at one launch. CTAs of different workers call it at a time; calls about one CTA, and about the
// CTAs of one cluster, come one after the other.
type Detector struct {
	shape  Shape
	sites  *sites
	report func(Race)
	ctas   sync.Map        // linear index → *cta
	groups sync.Map        // index of the cluster → *group
	took   func(bytes int) // shadow of global memory has grown; never nil
	global sync.Map        // address / pageSize → *page
	issues sync.Map        // the same → *issuedPage
	early  sync.Map        // the same → *issuedPage: what threads have done that have not waited (Shape.Overlaps)
	spare  sync.Pool
}

// Race is two accesses that nothing orders.
type Race struct {
	Hazard    Hazard
	First     Access // that ran first
	Second    Access
	Scoped    bool // both are strong, but a scope does not include the other thread
	SameCTA   bool
	SameWarp  bool
	Address   uint64 // first byte of the granule: of global memory, or in the CTA's shared window
	Shared    bool
	Tensor    *machine.Extent // of tensor memory: the cells, and of which CTA of the cluster; else nil
	SharedOf  uint32          // linear index of the CTA that owns the shared memory
	EqualBits bool            // two plain stores of the same bits
	Stale     bool            // the second reads what nothing in the launch lets it see
}

// Hazard names a race by what its accesses do.
type Hazard uint8

// The hazards, in the order that ran.
const (
	ReadAfterWrite Hazard = iota
	WriteAfterRead
	WriteAfterWrite
)

// Reversed is the hazard of the same accesses in the other order.
func (h Hazard) Reversed() Hazard {
	switch h {
	case ReadAfterWrite:
		return WriteAfterRead
	case WriteAfterRead:
		return ReadAfterWrite
	}
	return h
}

func (h Hazard) String() string { return [...]string{"RAW", "WAR", "WAW"}[h] }

// Access is one side of a race.
type Access struct {
	Site
	CTA   uint32 // linear index
	Warp  int
	Lanes uint32
}

// New returns a detector; report gets each race, many times where many threads have it, from several workers
// at a time.
func New(shape Shape, report func(Race)) *Detector {
	return &Detector{shape: shape, sites: newSites(), report: report, took: func(int) {}}
}

// cta is what is known of a CTA.
type cta struct {
	index  uint32
	tree   uint8 // shift of trees of knowledge
	agents int   // in knowledge
	warps  []warp
	sites  [256]siteOf // by pc

	last, lastShared lastPage                   // of global memory, and of shared
	barriers         [barriers.Named]*knowledge // of those that have arrived in this phase
	shared           map[uint64]*page           // by offset / pageSize
	visits           map[visitKey]visit         // accesses of other CTAs of the cluster to shared
	tensor           []tensorUse                // of its tensor memory, in the order of issue
	commits          map[uint64]*knowledge      // by number of a tcgen05.commit that has not arrived everywhere: what it tracks
}

// lastPage is the page that was met last.
type lastPage struct {
	number uint64
	page   *page
}

// warp is what the lanes of a warp know.
type warp struct {
	id    warpID
	cta   *cta
	now   moment
	lanes [32]lane
	// In step, as below sm_70, an instruction orders the lanes: they know and release the same.
	lockstep bool
	covered  [8]covered // what was looked up last, by the number of the warp that it is about
	ended    uint32     // lanes
	over     bool       // all have ended
	last     *knowledge // what they have done then; nil until something asks
	pipe     moment     // of the agent that runs its operations on tensor memory
}

// covered is a moment of a warp up to which the accesses of all its lanes are known.
type covered struct {
	knows *knowledge
	warp  warpID
	upTo  moment
}

// covers reports whether a kept access of some lanes happened before, by what a lane of the warp knows.
func (w *warp) covers(knows *knowledge, r *record, lanes uint32) bool {
	c := &w.covered[r.warp%warpID(len(w.covered))]
	if c.knows != knows || c.warp != r.warp {
		*c = covered{knows, r.warp, knows.of(r.warp).all}
	}
	return knows != nil && (c.upTo >= r.at || knows.covers(r.warp, lanes, r.at))
}

// siteOf remembers the number of a site.
type siteOf struct {
	site   Site
	number uint32
}

// lane is a thread.
type lane struct {
	knows *knowledge
	fence *published // what its last release fence makes later strong stores publish
	early *published // likewise its last tcgen05.fence::before_thread_sync
	seen  location   // what strong loads have read and the next acquire fence takes
	met   *knowledge // at bar.warp.sync: what it brings

	arrivals uint32 // at the barrier of the cluster
	waited   bool   // there, at least once
}

// published is what a release makes known to those that read it.
type published struct {
	knows *knowledge
	scope model.Scope
	cta   uint32
}

// group is the barrier of a cluster.
type group struct {
	arrived *knowledge // in this phase
	ended   *knowledge // of threads that arrive no more; of clusters of more than one CTA
	passed  *knowledge // at the end of the last
	done    uint32     // phases that have completed
}

// Begin makes a CTA new.
func (d *Detector) Begin(index uint64) {
	c := d.newCTA()
	c.index, c.tree, c.agents = uint32(index), treeShift(d.shape.CTAs), d.shape.Warps
	if d.shape.Tensor {
		c.agents *= 2
	}
	for i := range c.warps {
		c.warps[i] = warp{id: warpID(index<<agentBits | uint64(i)), now: 1, pipe: 1, cta: c, lockstep: d.shape.Lockstep}
	}
	d.ctas.Store(index, c)
}

// End forgets a CTA and its shared memory; what it did to global memory stays.
func (d *Detector) End(index uint64) {
	c, ok := d.ctas.LoadAndDelete(index)
	if ok {
		d.spare.Put(c)
	}
}

// newCTA takes the memory of a CTA that has ended, if there is one.
func (d *Detector) newCTA() *cta {
	c, ok := d.spare.Get().(*cta)
	if !ok {
		return &cta{warps: make([]warp, d.shape.Warps), shared: map[uint64]*page{}}
	}
	clear(c.barriers[:])
	clear(c.visits)
	clear(c.commits)
	c.tensor = c.tensor[:0]
	c.lastShared = lastPage{}
	for _, p := range c.shared {
		p.renew()
	}
	return c
}

func (d *Detector) cta(index uint64) *cta {
	c, ok := d.ctas.Load(index)
	if !ok {
		return nil
	}
	return c.(*cta)
}

// group is the barrier of a CTA's cluster.
func (d *Detector) group(cta uint64) *group {
	g, _ := d.groups.LoadOrStore(d.shape.Cluster(cta), new(group))
	return g.(*group)
}

// number returns the site's number, mostly without a lock.
func (d *Detector) number(w *warp, s Site) uint32 {
	c := &w.cta.sites[uint32(s.PC)%uint32(len(w.cta.sites))]
	if c.site != s {
		*c = siteOf{s, d.sites.number(s)}
	}
	return c.number
}

// releases returns what lanes of a warp know together with what they have done, and advances the clock.
func (w *warp) releases(lanes uint32) *knowledge {
	k := w.together(lanes)
	w.now++
	return k
}

// agree reports whether all lanes know the same.
func (w *warp) agree() bool {
	for i := range w.lanes {
		if w.lanes[i].knows != w.lanes[0].knows {
			return false
		}
	}
	return true
}

// together is what lanes know, any of them, with what they have done.
func (w *warp) together(lanes uint32) (k *knowledge) {
	if w.lockstep {
		lanes = ^uint32(0)
	}
	for m := lanes; m != 0; m &= m - 1 {
		k = k.join(w.lanes[bits.TrailingZeros32(m)].knows)
	}
	return k.with(w.id, lanes, w.now, w.cta.tree, w.cta.agents)
}

// learn makes lanes know more; in step, all of them.
func (w *warp) learn(lanes uint32, more *knowledge) {
	if w.lockstep {
		lanes = ^uint32(0)
	}
	var from, to *knowledge
	for m := lanes; m != 0; m &= m - 1 {
		l := &w.lanes[bits.TrailingZeros32(m)]
		if l.knows == nil || l.knows != from {
			from = l.knows
			to = more.join(from) // the other way round: where more is all, lanes share it
		}
		l.knows = to
	}
}
