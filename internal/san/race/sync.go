package race

// This file holds what orders threads: barriers, fences, and releases that acquires observe.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// Arrive: a warp has arrived at a barrier of its CTA (9.7.13.1), with those of its lanes that have ended.
func (d *Detector) Arrive(cta uint64, index int, lanes uint32, id uint8) {
	if c := d.cta(cta); c != nil {
		w := &c.warps[index]
		c.barriers[id] = c.barriers[id].join(w.releases(lanes | w.ended))
	}
}

// Done: a barrier of a CTA has completed; warps that waited at it go on. Where it expects all warps and not a number of
// threads, those that have ended count as arrived.
func (d *Detector) Done(cta uint64, warps uint64, id uint8, counted bool) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	all := c.barriers[id]
	c.barriers[id] = nil
	if !counted {
		all = c.withEnded(all)
	}
	for ; warps != 0; warps &= warps - 1 {
		c.warps[bits.TrailingZeros64(warps)].learn(^uint32(0), all)
	}
}

// Meet: lanes are at bar.warp.sync (9.7.13.2).
func (d *Detector) Meet(cta uint64, index int, lanes uint32) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	w := &c.warps[index]
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		w.lanes[i].met = w.together(1 << i)
	}
	w.now++
}

// Met: lanes go on behind bar.warp.sync, at which members have met.
func (d *Detector) Met(cta uint64, index int, lanes, members uint32) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	w := &c.warps[index]
	var all *knowledge
	for m := members; m != 0; m &= m - 1 {
		all = all.join(w.lanes[bits.TrailingZeros32(m)].met)
	}
	w.learn(lanes, all)
}

// LanesEnd: lanes have ended, and count as arrived at every later barrier that expects all threads of their warp, CTA or
// cluster: "non-exited" is what the manual says of those that are waited for (9.7.13.1 to 9.7.13.3).
func (d *Detector) LanesEnd(cta uint64, index int, lanes, rest uint32) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	w := &c.warps[index]
	w.ended |= lanes
	w.over = rest == 0
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		w.lanes[i].met = w.together(1 << i)
	}
	if d.shape.Clusters {
		g := d.group(cta)
		g.ended = g.ended.join(w.together(lanes))
	}
	w.now++
}

// withEnded adds to what threads know what the warps of a CTA that have ended have done.
func (c *cta) withEnded(all *knowledge) *knowledge {
	for i := range c.warps {
		if w := &c.warps[i]; w.over {
			if w.last == nil {
				w.last = w.together(w.ended)
			}
			all = all.join(w.last)
		}
	}
	return all
}

// GridWaited: lanes have waited for what the launch comes behind (9.7.13.13).
func (d *Detector) GridWaited(cta uint64, index int, lanes uint32) {
	c := d.cta(cta)
	if c == nil || !d.shape.Overlaps {
		return
	}
	w := &c.warps[index]
	w.learn(lanes, (*knowledge)(nil).afterWait(c.tree))
}

// Fence: lanes execute a fence (9.7.13.4).
func (d *Detector) Fence(cta uint64, index int, lanes uint32, order model.Order, scope model.Scope) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	w := &c.warps[index]
	if order.Acquires() {
		w.takeSeen(d, lanes, scope)
	}
	if order.Releases() {
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			w.lanes[i].fence = &published{w.together(1 << i), scope, c.index}
		}
		w.now++
	}
}

// takeSeen lets lanes acquire what their strong loads have observed (acquire pattern, 8.8).
func (w *warp) takeSeen(d *Detector, lanes uint32, scope model.Scope) {
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		l := &w.lanes[i]
		for _, p := range l.seen {
			if d.reaches(p, w.cta.index, scope) {
				w.learn(1<<i, p.knows)
			}
		}
		l.seen = nil
	}
}

// ClusterArrive: lanes have arrived at the barrier of their cluster (9.7.13.3). With .relaxed they publish what
// their last release fence covers.
func (d *Detector) ClusterArrive(cta uint64, index int, lanes uint32, order model.Order) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	g, w := d.group(cta), &c.warps[index]
	for m := lanes; m != 0; m &= m - 1 {
		w.lanes[bits.TrailingZeros32(m)].arrivals++
	}
	if order.Releases() {
		g.arrived = g.arrived.join(w.releases(lanes))
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		l := &w.lanes[bits.TrailingZeros32(m)]
		for _, f := range [...]*published{l.fence, l.early} {
			if f != nil && f.scope >= model.ClusterScope {
				g.arrived = g.arrived.join(f.knows)
			}
		}
	}
}

// ClusterDone: all threads of a CTA's cluster have arrived, or ended.
func (d *Detector) ClusterDone(cta uint64) {
	g := d.group(cta)
	g.passed, g.arrived = g.arrived.join(g.ended), nil
	g.done++
	c := d.cta(cta)
	if c == nil || d.shape.Clusters {
		return
	}
	for i := range c.warps {
		if w := &c.warps[i]; w.ended != 0 {
			g.passed = g.passed.join(w.together(w.ended))
		}
	}
}

// ClusterWait: lanes go on behind barrier.cluster.wait.
func (d *Detector) ClusterWait(cta uint64, index int, lanes uint32, order model.Order) {
	c := d.cta(cta)
	if c == nil {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		c.warps[index].lanes[bits.TrailingZeros32(m)].waited = true
	}
	if order.Acquires() {
		c.warps[index].learn(lanes, d.group(cta).passed)
	}
}

// location is what was released to a granule. A release at gpu or system scope stands there twice: joined with
// those of all other CTAs, for acquires at such a scope, and by itself, for narrower ones.
type location []published

// Whom a release is of, where it is not a CTA.
const (
	anyCTA = ^uint32(0) - iota // several: for acquires at gpu scope and above
	forAll                     // several, and so many that scopes are not told apart: for everyone
)

// maxReleases is how many releases of one location are kept apart.
const maxReleases = 16

// add joins a release to those that a read-modify-write keeps.
func (s location) add(p published) location {
	if p.scope >= model.GPUScope && p.cta < forAll {
		s = s.merge(published{p.knows, p.scope, anyCTA})
		p.scope = model.ClusterScope
	}
	return s.merge(p)
}

func (s location) merge(p published) location {
	for i := range s {
		if s[i].scope == p.scope && s[i].cta == p.cta || s[i].cta == forAll {
			s[i].knows = s[i].knows.join(p.knows)
			return s
		}
	}
	if len(s) < maxReleases {
		return append(s, p)
	}
	all := published{scope: model.SysScope, cta: forAll, knows: p.knows}
	for _, x := range s {
		all.knows = all.knows.join(x.knows)
	}
	return location{all}
}

// reaches reports whether a release orders a thread of a CTA that acquires at a scope: both must include each other.
func (d *Detector) reaches(p published, cta uint32, scope model.Scope) bool {
	narrow := min(p.scope, scope)
	switch {
	case p.cta == forAll:
		return true
	case narrow >= model.GPUScope:
		return true
	case p.cta == anyCTA:
		return false
	case narrow == model.CTAScope:
		return p.cta == cta
	}
	return p.cta == cta || d.shape.Cluster(uint64(p.cta)) == d.shape.Cluster(uint64(cta))
}

// synchronise does what a strong access of a lane does beside touching memory (8.8, 8.9.4).
func (d *Detector) synchronise(a *access, p *page, g uint32) {
	s := p.places[g]
	if a.reads && s != nil && !a.waits {
		d.observes(a, s)
	}
	if !a.writes {
		return
	}
	var kept location
	if s != nil && a.reads {
		kept = slices.Clone(*s)
	}
	for _, x := range a.releasing() {
		kept = kept.add(x)
	}
	switch {
	case len(kept) != 0:
		if p.places == nil {
			p.places = map[uint32]*location{}
		}
		p.places[g] = &kept
	case s != nil:
		p.unpublish(g)
	}
}

// observes lets a lane that reads a location see what was released there.
func (d *Detector) observes(a *access, s *location) {
	l := &a.warp.lanes[a.lane]
	for _, x := range *s {
		switch {
		case !d.reaches(x, a.warp.cta.index, a.Scope):
		case a.order.Acquires():
			a.warp.learn(1<<a.lane, x.knows)
		case l.knows.join(x.knows) != l.knows:
			l.seen = l.seen.merge(published{x.knows, min(x.scope, a.Scope), x.cta})
		}
	}
}

// see is observes of the bytes [from, to) of global memory.
func (d *Detector) see(a *access, from, to uint64) {
	for g := from / granule; g*granule < to; g++ {
		at := d.place(a, nil, g*granule)
		a.hold(at.page)
		if s := at.page.places[uint32(g%(pageSize/granule))]; s != nil {
			d.observes(a, s)
		}
	}
}

// releasing is what a strong write of a lane publishes.
func (a *access) releasing() (out []published) {
	l := &a.warp.lanes[a.lane]
	if a.order.Releases() {
		a.advance = true
		out = append(out, published{a.warp.together(1 << a.lane), a.Scope, a.warp.cta.index})
	}
	for _, f := range [...]*published{l.fence, l.early} {
		if f != nil {
			out = append(out, published{f.knows, min(f.scope, a.Scope), f.cta})
		}
	}
	return out
}

// PhaseDone: a phase of the mbarrier at an offset of a CTA's shared memory has completed: waits may see what was released
// there so far.
func (d *Detector) PhaseDone(owner *cta, off uint64) {
	p, g := owner.shared[off/pageSize], uint32(off%pageSize/granule)
	if p == nil || p.places[g] == nil {
		return
	}
	if p.passed == nil {
		p.passed = map[uint32]location{}
	}
	p.passed[g] = slices.Clone(*p.places[g])
}

// PhaseSeen: a lane has waited for a completed phase of the mbarrier at an offset.
func (d *Detector) PhaseSeen(cta uint64, index, lane int, owner *cta, off uint64, order model.Order, scope model.Scope) {
	c, p := d.cta(cta), owner.shared[off/pageSize]
	if c == nil || p == nil {
		return
	}
	w := &c.warps[index]
	for _, x := range p.passed[uint32(off%pageSize/granule)] {
		switch {
		case !d.reaches(x, c.index, scope):
		case order.Acquires():
			w.learn(1<<lane, x.knows)
		default:
			w.lanes[lane].seen = w.lanes[lane].seen.merge(published{x.knows, min(x.scope, scope), x.cta})
		}
	}
}
