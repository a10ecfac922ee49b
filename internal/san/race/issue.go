package race

// This file looks at asynchronous operations when they are issued. What one does happens behind all that its issuing
// lanes know, and at no moment that they could name: so it must not meet an access that they do not know of. What others do
// to its bytes before a wait has told of it is the business of the machine (P8005).

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// issue looks at the bytes [from, to) of global memory, or of the shared memory of owner, that an operation issued by
// lanes will touch.
func (d *Detector) issue(t *Touch, lanes uint32, owner *cta, from, to uint64) {
	a, ok := d.begin(t)
	if !ok {
		return
	}
	defer a.end()
	a.of(lanes).issuers = lanes
	if owner == nil {
		d.noteIssued(&a, from, to)
		if d.isEarly(&a) {
			d.noteEarly(&a, from, to)
		}
	}
	for from < to {
		end := min(to, (from/pageSize+1)*pageSize)
		if at, ok := d.knownPlace(owner, from); ok {
			a.hold(at.page)
			d.issued(&a, &at, from%pageSize, from%pageSize+end-from)
		}
		from = end
	}
}

// knownPlace is the page of an address that has been touched.
func (d *Detector) knownPlace(owner *cta, addr uint64) (at place, ok bool) {
	n := addr / pageSize
	at.base = n * pageSize
	if owner != nil {
		at.page, at.shared, at.of = owner.shared[n], true, owner.index
		return at, at.page != nil
	}
	p, ok := d.global.Load(n)
	if ok {
		at.page = p.(*page)
	}
	return at, ok
}

// issued looks at the bytes [from, to) of a page.
func (d *Detector) issued(a *access, at *place, from, to uint64) {
	for g := from / granule; g*granule < to; g++ {
		l := &at.page.lines[g/lineCells]
		if l.split == nil && !l.write.some() && !l.read.some() && len(l.more) == 0 {
			g |= lineCells - 1
			continue
		}
		first, last := max(from, g*granule)%granule, min(to, (g+1)*granule)-g*granule
		r := a.record(uint32(1)<<last - uint32(1)<<first)
		c := l.of(int(g % lineCells))
		d.check(a, at, &c, r, at.base+g*granule)
	}
}

// of is a copy of the shadow of a granule, which the line keeps undivided if it is.
func (l *line) of(i int) (c cell) {
	if l.split != nil {
		return l.split[i]
	}
	c.write, c.read = l.write.ofLane(i), l.read.ofLane(i)
	for _, r := range l.more {
		c.more = append(c.more, r.ofLane(i))
	}
	return c
}

// issuedAfter reports whether each lane of a kept access happened before what some issuing lane does next.
func (a *access) issuedAfter(r *record) bool {
	lanes := r.lanes
	if r.warp == a.warp.id {
		if a.warp.lockstep {
			return true
		}
		lanes &^= a.issuers
	}
	if r.together() && lanes != r.lanes {
		return true
	}
	for m := lanes; m != 0; m &= m - 1 {
		if a.known(r, m&-m) == r.together() { // of an access made as one a lane is enough
			return r.together()
		}
	}
	return !r.together()
}

// known reports whether some issuing lane knows of a lane's access.
func (a *access) known(r *record, lane uint32) bool {
	var last *knowledge
	for m := a.issuers; m != 0; m &= m - 1 {
		k := a.warp.lanes[bits.TrailingZeros32(m)].knows
		if k != last && k.covers(r.warp, lane, r.at) {
			return true
		}
		last = k
	}
	return false
}

// issue is what an operation will do to one extent. Reductions are as atomic operations at gpu scope.
func (o *Observer) issue(e *machine.Event) {
	t := Touch{CTA: e.CTA, Warp: e.Warp, Func: e.Func, PC: e.PC, Kind: e.Kind}
	if e.Kind == machine.Atomic {
		t.Order, t.Scope = model.Relaxed, model.GPUScope
	}
	x := e.Extent
	switch x.Space {
	case machine.Global:
		o.detector.issue(&t, e.Lanes, nil, x.From, x.To)
	case machine.Shared:
		c := o.detector.cta(e.CTA)
		if c == nil {
			return
		}
		if owner := o.owner(e, *x, c); owner != nil {
			o.detector.issue(&t, e.Lanes, owner, x.From, x.To)
		}
	}
}
