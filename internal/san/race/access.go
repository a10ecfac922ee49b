package race

// This file looks at accesses.

import (
	"math/bits"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// Touch is what lanes of a warp are about to do to memory.
type Touch struct {
	CTA   uint64 // linear index
	Warp  int
	Func  *machine.FuncInfo
	PC    int32
	Kind  machine.AccessKind
	Order model.Order
	Scope model.Scope
	Waits bool // for a phase of an mbarrier: what it acquires is told by Passed

	ReadOnly bool // a load of what stays the same while the launch runs: nothing orders it behind a store of the launch
	Proxy    model.Proxy
	// Equal tells whether a lane stores to its byte at (counted from the lane's address) what another lane of the same
	// instruction stores there (other ≥ 0), or what is there already; nil: that is not known.
	Equal func(lane, other int, at uint64) bool
}

// access is a Touch of one lane, or of several that load the same bytes and know the same.
type access struct {
	*Site
	warp    *warp
	lane    int    // the first
	lanes   uint32 // all
	held    *page  // whose mutex it holds
	number  uint32 // of the site
	order   model.Order
	reads   bool
	writes  bool
	dense   bool // of all lanes to a line, each to its granule
	waits   bool // as in Touch
	advance bool // the warp's clock is to advance: something has been released
	// Of an asynchronous operation, or an access that the lanes make as one: the lanes behind whose earlier accesses it comes,
	// each of them; else 0.
	issuers uint32
	with    uint32 // lanes that execute the instruction as one with it (machine.Event.Together); else 0
	equal   func(lane, other int, at uint64) bool
	from    uint64 // first byte
}

// before reports whether a kept access happened before this one. Of a line, lane by lane.
func (a *access) before(r *record) bool {
	if a.issuers != 0 {
		return a.issuedAfter(r)
	}
	lanes := r.lanes
	if r.together() && (r.warp != a.warp.id || r.at != a.warp.now) {
		return a.behindSome(r)
	}
	if r.warp == a.warp.id {
		if a.dense || a.warp.lockstep || lanes == a.lanes && a.lanes == 1<<a.lane {
			return true
		}
		if a.lanes == 1<<a.lane {
			lanes &^= a.lanes
		}
	}
	return a.warp.covers(a.warp.lanes[a.lane].knows, r, lanes)
}

// stale reports whether nothing in a launch lets an access see what a kept one of it has written: reads of what no launch writes
// while it runs, and those through textures and surfaces, which no fence orders with other proxies (8.6). A surface sees what
// threads of its own CTA have written through surfaces (8.9.5).
func (a *access) stale(s *Site, by *record) bool {
	switch {
	case !s.Writes || a.writes:
		return false
	case a.Proxy == model.SurfaceProxy:
		return s.Proxy != model.SurfaceProxy || by.warp.cta() != a.warp.cta.index
	}
	return a.ReadOnly || a.Proxy == model.TextureProxy
}

// record is what is kept of the access to some bytes of a granule.
func (a *access) record(bytes uint32) record {
	r := record{a.warp.id, a.lanes, a.warp.now, a.number<<siteShift | bytes}
	if a.with != 0 {
		r.lanes, r.site = a.with, r.site|togetherBit
	}
	return r
}

// behindSome reports whether some lane of an access that a warp has made as one happened before this one: with it the others did.
func (a *access) behindSome(r *record) bool {
	if r.warp == a.warp.id && r.lanes>>a.lane&1 != 0 {
		return true
	}
	knows := a.warp.lanes[a.lane].knows.of(r.warp)
	for m := r.lanes; m != 0; m &= m - 1 {
		if knows.covers(m&-m, r.at) {
			return true
		}
	}
	return false
}

// supersedes reports whether each lane of a kept access happened before some lane of this one.
func (a *access) supersedes(r *record) bool {
	return r.warp == a.warp.id && r.lanes&^a.lanes == 0 || a.before(r)
}

// of makes the access that of some lanes.
func (a *access) of(lanes uint32) *access {
	a.lane, a.lanes = bits.TrailingZeros32(lanes), lanes
	return a
}

// begin makes the access of a touch; lanes are given one after the other to Global and Shared.
func (d *Detector) begin(t *Touch) (a access, ok bool) {
	c := d.cta(t.CTA)
	if c == nil {
		return a, false
	}
	a.warp = &c.warps[t.Warp]
	site := Site{
		Func: t.Func, PC: t.PC, Writes: t.Kind != machine.Load, Atomic: t.Kind == machine.Atomic,
		Strong: t.Order != model.Weak, Scope: t.Scope, ReadOnly: t.ReadOnly, Proxy: t.Proxy,
	}
	a.number = d.number(a.warp, site)
	a.Site = d.sites.at(a.number)
	a.order, a.reads, a.writes = t.Order, t.Kind != machine.Store, t.Kind != machine.Load
	a.equal, a.waits = t.Equal, t.Waits
	return a, true
}

// end gives memory back, and advances the clock of a warp that has released something.
func (a *access) end() {
	a.hold(nil)
	if a.advance {
		a.warp.now++
	}
}

// place is memory that an access touches.
type place struct {
	page   *page
	shared bool
	of     uint32 // linear index of the CTA whose shared memory it is
	base   uint64 // address of the page
}

// Forget makes global memory new: what was done there before is over.
func (d *Detector) Forget(from, to uint64) {
	for from < to {
		n := from / pageSize
		end := min(to, (n+1)*pageSize)
		if p, ok := d.global.Load(n); ok {
			p.(*page).clear(from%pageSize/granule, (end-n*pageSize+granule-1)/granule)
		}
		for _, pages := range []*sync.Map{&d.issues, &d.early} {
			if p, ok := pages.Load(n); ok {
				p.(*issuedPage).clear(from%pageSize/granule, (end-n*pageSize+granule-1)/granule)
			}
		}
		from = end
	}
}

func (d *Detector) globalPage(n uint64) *page {
	if p, ok := d.global.Load(n); ok {
		return p.(*page)
	}
	p, there := d.global.LoadOrStore(n, &page{took: d.took})
	if !there {
		d.took(pageBytes)
	}
	return p.(*page)
}

func (c *cta) sharedPage(n uint64) *page {
	p := c.shared[n]
	if p == nil {
		p = new(page)
		c.shared[n] = p
	}
	return p
}

// place returns the page of an address.
func (d *Detector) place(a *access, owner *cta, addr uint64) place {
	n := addr / pageSize
	at := place{base: n * pageSize}
	if owner != nil {
		if last := &owner.lastShared; last.page == nil || last.number != n {
			last.number, last.page = n, owner.sharedPage(n)
		}
		at.page, at.shared, at.of = owner.lastShared.page, true, owner.index
		return at
	}
	last := &a.warp.cta.last
	if last.page == nil || last.number != n {
		last.number, last.page = n, d.globalPage(n)
	}
	at.page = last.page
	return at
}

// hold takes the mutex of a page, of none if it is nil, and gives that of another back.
func (a *access) hold(p *page) {
	if a.held == p {
		return
	}
	if a.held != nil {
		a.held.mu.Unlock()
	}
	if a.held = p; p != nil {
		p.mu.Lock()
	}
}

// line looks at an access of all lanes to a line, each to its granule; false, with nothing done, where that needs
// the granules: something may race, or has been there in another way.
func (d *Detector) line(a *access, owner *cta, addr uint64) bool {
	if a.Strong || !a.warp.agree() || d.shape.Overlaps && owner == nil {
		return false
	}
	at := d.place(a, owner, addr)
	a.hold(at.page)
	l := &at.page.lines[addr%pageSize/lineSize]
	if l.split != nil || a.writes && at.page.places != nil {
		return false
	}
	a.dense, a.lane, a.lanes = true, 0, ^uint32(0)
	defer func() { a.dense = false }()
	if d.conflicts(a, &l.cell) {
		return false
	}
	l.note(d, a, a.record(wholeGranule))
	return true
}

// conflicts reports whether an access of a line may race with what is kept there.
func (d *Detector) conflicts(a *access, c *cell) bool {
	against := func(r *record) bool {
		s := d.sites.at(r.siteID())
		return r.some() && (a.writes || s.Writes) && (a.stale(s, r) || !a.before(r))
	}
	if against(&c.write) || against(&c.read) {
		return true
	}
	for i := range c.more {
		if against(&c.more[i]) {
			return true
		}
	}
	return false
}

// bytes looks at the bytes [from, to) of a space, page by page.
func (d *Detector) bytes(a *access, owner *cta, from, to uint64) {
	a.from = from
	if owner == nil && d.isEarly(a) {
		d.noteEarly(a, from, to)
	}
	for from < to {
		end := min(to, (from/pageSize+1)*pageSize)
		at := d.place(a, owner, from)
		a.hold(at.page)
		d.granules(a, &at, from%pageSize, from%pageSize+end-from)
		from = end
	}
}

// granules looks at the bytes [from, to) of a page.
func (d *Detector) granules(a *access, at *place, from, to uint64) {
	for g := from / granule; g*granule < to; g++ {
		first, last := max(from, g*granule)%granule, min(to, (g+1)*granule)-g*granule
		mask := uint32(1)<<last - uint32(1)<<first
		c := at.page.cell(g)
		r := a.record(mask)
		d.check(a, at, c, r, at.base+g*granule)
		c.note(d, a, r)
		switch {
		case a.Strong:
			d.synchronise(a, at.page, uint32(g))
		case a.writes && at.page.places != nil:
			at.page.unpublish(uint32(g))
		}
	}
}

// check reports the kept accesses that race with a new one.
func (d *Detector) check(a *access, at *place, c *cell, r record, addr uint64) {
	if old := &c.write; old.some() {
		d.pair(a, at, r, old, addr)
	}
	if old := &c.read; a.writes && old.some() {
		d.pair(a, at, r, old, addr)
	}
	for i := range c.more {
		if a.writes || d.sites.at(c.more[i].siteID()).Writes {
			d.pair(a, at, r, &c.more[i], addr)
		}
	}
}

// pair reports a kept access and a new one if they race.
func (d *Detector) pair(a *access, at *place, r record, old *record, addr uint64) {
	if old.bytes()&r.bytes() == 0 {
		return
	}
	s := d.sites.at(old.siteID())
	stale := a.stale(s, old)
	if !s.Writes && !a.writes || !stale && a.before(old) {
		return
	}
	both := s.Strong && a.Strong
	if both && old.bytes() == r.bytes() && d.include(s.Scope, a.Scope, old.warp.cta(), a.warp.cta.index) {
		return // morally strong (8.7)
	}
	same := old.warp == a.warp.id
	race := Race{
		First:  Access{*s, old.warp.cta(), old.warp.index(), d.unordered(a, old)},
		Second: Access{*a.Site, a.warp.cta.index, a.warp.id.index(), d.racing(a, old)},
		Scoped: both, SameCTA: old.warp.cta() == a.warp.cta.index, SameWarp: same,
		Address: addr, Shared: at.shared, SharedOf: at.of, Stale: stale,
	}
	switch {
	case !a.writes:
		race.Hazard = ReadAfterWrite
	case !s.Writes:
		race.Hazard = WriteAfterRead
	default:
		race.Hazard = WriteAfterWrite
		race.EqualBits = d.equalBits(a, r, old, s, addr)
	}
	d.report(race)
}

// racing is the lanes of an access that are not ordered with a kept one: all but one whose own that is.
func (d *Detector) racing(a *access, old *record) uint32 {
	if old.warp == a.warp.id && old.lanes&(old.lanes-1) == 0 {
		return a.lanes &^ old.lanes
	}
	return a.lanes
}

// unordered is the lanes of a kept access that are not ordered with a lane.
func (d *Detector) unordered(a *access, old *record) (lanes uint32) {
	for i := range 32 {
		one := record{old.warp, 1 << i, old.at, old.site}
		if old.lanes>>i&1 != 0 && (one.lanes != a.lanes || old.warp != a.warp.id) && !a.before(&one) {
			lanes |= one.lanes
		}
	}
	return lanes
}

// equalBits reports whether two plain stores leave the same bits.
func (d *Detector) equalBits(a *access, r record, old *record, s *Site, addr uint64) bool {
	if a.equal == nil || a.reads || s.Atomic {
		return false
	}
	bytes := old.bytes() & r.bytes()
	for i := range uint64(granule) {
		if bytes>>i&1 == 0 {
			continue
		}
		other := -1
		if old.warp == a.warp.id && old.siteID() == a.number && old.at == a.warp.now {
			other = bits.TrailingZeros32(old.lanes)
		}
		if !a.equal(a.lane, other, addr+i-a.from) {
			return false
		}
	}
	return true
}

// include reports whether the scopes of two strong accesses include each other's threads.
func (d *Detector) include(s, t model.Scope, a, b uint32) bool {
	return d.reaches(published{scope: s, cta: a}, b, t)
}
