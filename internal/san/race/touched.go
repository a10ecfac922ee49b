package race

// This file keeps what a launch or a copy has done to global memory, and finds what two of them, which nothing orders, both
// have touched.

import (
	"iter"
	"math/bits"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// Touched is what a launch that is over, or a copy, has done to global memory.
type Touched struct {
	Owner any // of a launch, for reports; nil: a copy
	Bytes int // that keeping it takes

	launch *machine.Launch
	sites  *sites
	pages  map[uint64]*page       // by address / pageSize
	issued map[uint64]*issuedPage // likewise, by asynchronous operations
	early  map[uint64]*issuedPage // likewise, by threads that have not waited for what the launch comes behind
	ranges []Range                // of a copy
}

// Range is bytes that a copy reads or writes.
type Range struct {
	From, To uint64
	Writes   bool
}

// Copied is what a copy, or a fill, has done.
func Copied(ranges ...Range) *Touched { return &Touched{ranges: ranges} }

// Copy reports whether it is a copy.
func (t *Touched) Copy() bool { return t.launch == nil }

// Touched is what the launch has done to global memory, now that it is over.
func (o *Observer) Touched(owner any) *Touched {
	d := o.detector
	launch := *o.launch // the caller may use it again for the next one
	t := &Touched{Owner: owner, launch: &launch, sites: d.sites, pages: map[uint64]*page{}, issued: map[uint64]*issuedPage{}, early: map[uint64]*issuedPage{}}
	d.global.Range(func(n, p any) bool {
		t.pages[n.(uint64)] = p.(*page)
		t.Bytes += p.(*page).bytes()
		return true
	})
	for from, to := range map[*sync.Map]map[uint64]*issuedPage{&d.issues: t.issued, &d.early: t.early} {
		from.Range(func(n, p any) bool {
			to[n.(uint64)] = p.(*issuedPage)
			t.Bytes += pageBytes
			return true
		})
	}
	return t
}

// Early is what threads have done before they waited for what the launch comes behind.
func (t *Touched) Early() *Touched {
	return &Touched{Owner: t.Owner, launch: t.launch, sites: t.sites, issued: t.early}
}

// Forget makes memory new: what was done there before is over.
func (t *Touched) Forget(from, to uint64) {
	for n := from / pageSize; n*pageSize < to; n++ {
		base := n * pageSize
		first, end := (max(from, base)-base)/granule, (min(to, base+pageSize)-base+granule-1)/granule
		if p := t.pages[n]; p != nil {
			p.clear(first, end)
		}
		for _, p := range []*issuedPage{t.issued[n], t.early[n]} {
			if p != nil {
				p.clear(first, end)
			}
		}
	}
	for i := range t.ranges {
		if r := &t.ranges[i]; r.From >= from && r.To <= to {
			r.To = r.From
		}
	}
}

// Meeting is an access of the first and one of the second of two pieces of work to the same bytes, one of them a write.
type Meeting struct {
	Hazard        Hazard
	Scoped        bool          // both are strong, but a scope does not include the other one
	First, Second machine.Place // zero of a copy
	From, To      uint64        // the first bytes
	Times         int           // that the two instructions met so
}

// Meet returns the accesses of two pieces of work that conflict, one for each pair of instructions. near: both run on one
// device. Work that talks while it runs, by flags that one releases and the other reads, or by copies of what a
// kernel reads or writes with strong accesses, has none: what it orders so is not followed.
func Meet(first, second *Touched, near bool) (list []*Meeting, talk bool) {
	m := &meetings{first: first, second: second, scope: model.SysScope, found: map[meetingKey]*Meeting{}}
	if near {
		m.scope = model.GPUScope
	}
	m.all()
	if m.talk {
		return nil, true
	}
	return m.list, false
}

// meetings compares two pieces of work.
type meetings struct {
	first, second *Touched
	scope         model.Scope // at least, of strong accesses that include each other
	talk          bool
	found         map[meetingKey]*Meeting
	list          []*Meeting
}

type meetingKey struct {
	hazard Hazard
	a, b   uint32 // sites
}

// trace is an access to bytes of one granule, of any kind.
type trace struct {
	record
	site   Site
	copies bool
}

func (m *meetings) all() {
	for n := range m.first.numbers() {
		if !m.second.has(n) {
			continue
		}
		if m.talk = m.talk || m.first.tells(m.second, n) || m.second.tells(m.first, n); m.talk {
			return
		}
		for l := range uint64(pageCells / lineCells) {
			m.line(n, l)
		}
	}
	m.ranges()
}

// ranges compares copies with each other, whose pages are not kept.
func (m *meetings) ranges() {
	for _, a := range m.first.ranges {
		for _, b := range m.second.ranges {
			if from, to := max(a.From, b.From), min(a.To, b.To); from < to && (a.Writes || b.Writes) {
				m.add(&Meeting{Hazard: hazard(a.Writes, b.Writes), From: from, To: to}, meetingKey{})
			}
		}
	}
}

// numbers are those of the pages that a launch has touched, or of those of a copy that the other may have.
func (t *Touched) numbers() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for n := range t.pages {
			if !yield(n) {
				return
			}
		}
		for n := range t.issued {
			if t.pages[n] == nil && !yield(n) {
				return
			}
		}
		seen := map[uint64]bool{}
		for _, r := range t.ranges {
			for n := r.From / pageSize; n*pageSize < r.To; n++ {
				if !seen[n] && !yield(n) {
					return
				}
				seen[n] = true
			}
		}
	}
}

// has reports whether a launch has touched a page. Copies among each other are compared otherwise.
func (t *Touched) has(n uint64) bool {
	if t.pages[n] != nil || t.issued[n] != nil {
		return true
	}
	for _, r := range t.ranges {
		if r.From < (n+1)*pageSize && n*pageSize < r.To {
			return true
		}
	}
	return false
}

// tells reports whether a launch has released something in a page that the other one reads by strong accesses.
func (t *Touched) tells(other *Touched, n uint64) bool {
	p, q := t.pages[n], other.pages[n]
	if p == nil || q == nil {
		return false
	}
	for g, at := range p.places {
		if !at.leaves() {
			continue
		}
		l := &q.lines[g/lineCells]
		c := l.of(int(g % lineCells))
		for r := range c.records() {
			if s := other.sites.at(r.siteID()); s.Strong && (s.Atomic || !s.Writes) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether something was released for other launches.
func (s *location) leaves() bool {
	for _, p := range *s {
		if p.scope >= model.GPUScope {
			return true
		}
	}
	return false
}

// records are the accesses that a cell keeps.
func (c *cell) records() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		if c.write.some() && !yield(&c.write) || c.read.some() && !yield(&c.read) {
			return
		}
		for i := range c.more {
			if !yield(&c.more[i]) {
				return
			}
		}
	}
}

// line compares the accesses to a line of a page: its first granule stands for all where both have touched it as one.
func (m *meetings) line(n, l uint64) {
	step := uint64(1)
	if m.first.asOne(n, l) && m.second.asOne(n, l) {
		step = lineCells
	}
	for i := uint64(0); i < lineCells; i += step {
		addr := n*pageSize + l*lineSize + i*granule
		theirs := m.second.at(addr)
		if len(theirs) == 0 {
			continue
		}
		for _, x := range m.first.at(addr) {
			for _, y := range theirs {
				m.pair(&x, &y, addr)
			}
		}
	}
}

// asOne reports whether what was done to a line was done to all of its granules alike.
func (t *Touched) asOne(n, l uint64) bool {
	if p := t.pages[n]; t.issued[n] != nil || p != nil && p.lines[l].split != nil {
		return false
	}
	from := n*pageSize + l*lineSize
	for _, r := range t.ranges {
		if r.From < from+lineSize && from < r.To && (r.From > from || r.To < from+lineSize) {
			return false
		}
	}
	return true
}

// at lists the accesses to the granule at an address.
func (t *Touched) at(addr uint64) (list []trace) {
	n, g := addr/pageSize, addr%pageSize/granule
	if p := t.pages[n]; p != nil {
		c := p.lines[g/lineCells].of(int(g % lineCells))
		for r := range c.records() {
			list = append(list, trace{record: *r, site: *t.sites.at(r.siteID())})
		}
	}
	if p := t.issued[n]; p != nil {
		for i := range p.list {
			if is := &p.list[i]; is.granules[g/64]>>(g%64)&1 != 0 {
				list = append(list, trace{record: is.record, site: *t.sites.at(is.siteID())})
			}
		}
	}
	for _, r := range t.ranges {
		if from, to := max(r.From, addr), min(r.To, addr+granule); from < to {
			mask := uint32(1)<<(to-addr) - uint32(1)<<(from-addr)
			list = append(list, trace{record: record{site: mask}, site: Site{Writes: r.Writes}, copies: true})
		}
	}
	return list
}

// pair compares two accesses to a granule.
func (m *meetings) pair(a, b *trace, addr uint64) {
	common := a.bytes() & b.bytes()
	strong := a.site.Strong && b.site.Strong
	switch {
	case common == 0 || a.copies && b.copies:
		return
	case a.copies && b.site.Strong || b.copies && a.site.Strong:
		m.talk = m.talk || a.site.Writes || b.site.Writes
		return
	case !a.site.Writes && !b.site.Writes:
		return
	case strong && a.bytes() == b.bytes() && min(a.site.Scope, b.site.Scope) >= m.scope:
		return // morally strong (8.7)
	}
	first := uint64(bits.TrailingZeros32(common))
	meeting := &Meeting{
		Hazard: hazard(a.site.Writes, b.site.Writes), Scoped: strong, First: m.first.place(a), Second: m.second.place(b),
		From: addr + first, To: addr + uint64(bits.Len32(common)),
	}
	m.add(meeting, meetingKey{meeting.Hazard, a.siteID(), b.siteID()})
}

func (m *meetings) add(one *Meeting, key meetingKey) {
	key.hazard = one.Hazard
	if known := m.found[key]; known != nil {
		if known.Times++; one.From < known.From {
			one.Times = known.Times
			*known = *one
		}
		return
	}
	one.Times = 1
	m.found[key] = one
	m.list = append(m.list, one)
}

// place is where an access of a launch was made.
func (t *Touched) place(a *trace) (p machine.Place) {
	if a.copies {
		return p
	}
	return t.launch.PlaceOf(uint64(a.warp.cta()), a.warp.index(), a.lanes, a.site.Func, a.site.PC)
}

func hazard(first, second bool) Hazard {
	switch {
	case !second:
		return ReadAfterWrite
	case !first:
		return WriteAfterRead
	}
	return WriteAfterWrite
}

// issuedPage is what asynchronous operations have done to 4 KiB of global memory.
type issuedPage struct {
	mu   sync.Mutex
	list []issuedAt // one for each instruction
}

// issuedAt is the accesses of one instruction's operations: the last one, and all granules.
type issuedAt struct {
	record
	granules [pageCells / 64]uint64
}

func (p *issuedPage) clear(from, to uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.list {
		for g := from; g < to; g++ {
			p.list[i].granules[g/64] &^= 1 << (g % 64)
		}
	}
}

// noteIssued keeps that an operation touches the bytes [from, to) of global memory.
func (d *Detector) noteIssued(a *access, from, to uint64) {
	for from < to {
		end := min(to, (from/pageSize+1)*pageSize)
		d.pageOf(&d.issues, from/pageSize).note(a, wholeGranule, from%pageSize/granule, (from%pageSize+end-from+granule-1)/granule)
		from = end
	}
}

// noteEarly keeps an access to the bytes [from, to) of global memory by a thread that has not waited for what the launch comes
// behind.
func (d *Detector) noteEarly(a *access, from, to uint64) {
	for from < to {
		end := min(to, (from/granule+1)*granule)
		g, first := from%pageSize/granule, from%granule
		d.pageOf(&d.early, from/pageSize).note(a, uint32(1)<<(first+end-from)-uint32(1)<<first, g, g+1)
		from = end
	}
}

// isEarly tells whether the thread has not waited for what the launch comes behind.
func (d *Detector) isEarly(a *access) bool {
	if !d.shape.Overlaps {
		return false
	}
	k := a.warp.lanes[a.lane].knows
	return k == nil || !k.waited
}

// pageOf is the page of a number, a new one at its first time.
func (d *Detector) pageOf(pages *sync.Map, n uint64) *issuedPage {
	p, known := pages.Load(n)
	if !known {
		if p, known = pages.LoadOrStore(n, new(issuedPage)); !known {
			d.took(pageBytes)
		}
	}
	return p.(*issuedPage)
}

// note keeps that an access touches some bytes each of the granules [from, to).
func (p *issuedPage) note(a *access, bytes uint32, from, to uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := a.record(bytes)
	i := 0
	for i < len(p.list) && p.list[i].site != r.site {
		i++
	}
	if i == len(p.list) {
		p.list = append(p.list, issuedAt{record: r})
	}
	for g := from; g < to; g++ {
		p.list[i].granules[g/64] |= 1 << (g % 64)
	}
}
