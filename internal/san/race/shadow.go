package race

// This file holds the shadow of memory: who touched each granule last.

import (
	"reflect"
	"sync"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// A granule is 4 bytes, a page 4 KiB.
const (
	granule      = 4
	pageSize     = 4096
	pageCells    = pageSize / granule
	lineCells    = 32
	lineSize     = lineCells * granule
	maxHistory   = 64 // accesses of one granule that are kept beside the last write and the last read
	manyAtomics  = 16
	manyReads    = 32 // kept at most before those that are over are looked for at each read
	bytesOfSite  = 4  // low bits of record.site
	siteShift    = bytesOfSite + 1
	togetherBit  = 1 << bytesOfSite // of record.site
	wholeGranule = 1<<granule - 1
	maxShared    = mem.MaxShared
)

// record is an access of some lanes of a warp at one moment to bytes of a granule. Of a line it is one of all lanes,
// each to its own granule.
type record struct {
	warp  warpID
	lanes uint32
	at    moment // 0: there is none
	site  uint32 // number of the site << 5 | made by the lanes as one << 4 | bytes
}

func (r *record) some() bool { return r.at != 0 }

func (r *record) bytes() uint32  { return r.site & (1<<bytesOfSite - 1) }
func (r *record) siteID() uint32 { return r.site >> siteShift }

// together reports whether the lanes made one access: what is ordered behind one of them is behind all.
func (r *record) together() bool { return r.site&togetherBit != 0 }

// cell is the shadow of one granule, or of a line.
type cell struct {
	write, read record
	more        []record // of either kind
}

// line is the shadow of 32 granules. Most accesses are of a whole warp, lane by granule: while a line has seen no other,
// they are records of the line.
type line struct {
	cell
	split *[lineCells]cell // by granule; nil: the line's own
	spare *[lineCells]cell // that of a page that has been renewed
}

// page is the shadow of 4 KiB. Its mutex is for global memory, where CTAs of other workers come.
type page struct {
	mu     sync.Mutex
	lines  [pageCells / lineCells]line
	places map[uint32]*location // by granule: what was released there
	took   func(bytes int)      // of global memory: it has grown; else nil
	passed map[uint32]location  // by granule: likewise up to the last phase of an mbarrier there that has completed
}

// What the shadow takes where it grows.
var (
	pageBytes  = int(reflect.TypeFor[page]().Size())
	splitBytes = int(reflect.TypeFor[[lineCells]cell]().Size())
)

// bytes is what the page takes.
func (p *page) bytes() int {
	n := pageBytes
	for i := range p.lines {
		if p.lines[i].split != nil {
			n += splitBytes
		}
	}
	return n
}

// cell returns the shadow of a granule, which from now on is by itself.
func (p *page) cell(g uint64) *cell {
	l := &p.lines[g/lineCells]
	if l.split == nil {
		l.divide()
		if p.took != nil {
			p.took(splitBytes)
		}
	}
	return &l.split[g%lineCells]
}

// divide gives each granule of a line its own shadow.
func (l *line) divide() {
	if l.split, l.spare = l.spare, nil; l.split == nil {
		l.split = new([lineCells]cell)
	}
	for i := range l.split {
		c := &l.split[i]
		c.write, c.read, c.more = l.write.ofLane(i), l.read.ofLane(i), c.more[:0]
		for _, r := range l.more {
			c.more = append(c.more, r.ofLane(i))
		}
	}
	l.cell = cell{}
}

// renew makes a page of shared memory that of a new CTA.
func (p *page) renew() {
	for i := range p.lines {
		l := &p.lines[i]
		if l.cell = (cell{}); l.split != nil {
			l.split, l.spare = nil, l.split
		}
	}
	p.places, p.passed = nil, nil
}

// ofLane is the part of a line's record that is one lane's.
func (r record) ofLane(i int) record {
	r.lanes = 1 << i
	return r
}

// clear forgets the granules [from, to).
func (p *page) clear(from, to uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for g := from; g < to; g++ {
		*p.cell(g) = cell{}
		p.unpublish(uint32(g))
	}
}

// unpublish forgets what was released to a granule.
func (p *page) unpublish(g uint32) {
	delete(p.places, g)
	delete(p.passed, g)
}

// note keeps a new access. Kept ones that it replaces go: those of the same bytes that happened before it and are not
// easier to race with. A race that one of them would have is one that the new access has, too.
func (c *cell) note(d *Detector, a *access, r record) {
	slot := &c.read
	if a.writes {
		slot = &c.write
		c.drop(d, a, r, &c.read)
	}
	old := *slot
	if old.warp == r.warp && old.at == r.at && old.site == r.site {
		slot.lanes |= r.lanes
		return
	}
	if len(c.more) != 0 {
		if c.merge(r) {
			return
		}
		if a.writes || len(c.more) >= manyReads || old.some() && c.replaces(d, a, r, &old) {
			c.sift(d, a, r)
		}
	}
	c.drop(d, a, r, slot)
	if slot.some() {
		c.push(*slot)
	}
	*slot = r
}

// merge adds lanes to an access of the list that is the same but for them.
func (c *cell) merge(r record) bool {
	for i := range c.more {
		if m := &c.more[i]; m.warp == r.warp && m.at == r.at && m.site == r.site {
			m.lanes |= r.lanes
			return true
		}
	}
	return false
}

// drop empties a slot whose access the new one replaces.
func (c *cell) drop(d *Detector, a *access, r record, slot *record) {
	if slot.some() && c.replaces(d, a, r, slot) {
		*slot = record{}
	}
}

// sift drops what the new access replaces from the list.
func (c *cell) sift(d *Detector, a *access, r record) {
	kept := c.more[:0]
	for i := range c.more {
		if !c.replaces(d, a, r, &c.more[i]) {
			kept = append(kept, c.more[i])
		}
	}
	c.more = kept
}

// push keeps an access in the list; the oldest goes where there are too many.
func (c *cell) push(r record) {
	if len(c.more) >= maxHistory {
		copy(c.more, c.more[1:])
		c.more = c.more[:maxHistory-1]
	}
	c.more = append(c.more, r)
}

// replaces reports whether a kept access is not needed beside a new one. A read replaces no write: another read
// may race with that alone.
func (c *cell) replaces(d *Detector, a *access, r record, old *record) bool {
	s := d.sites.at(old.siteID())
	if s.Writes && !a.writes || old.bytes()&^r.bytes() != 0 {
		return false
	}
	if a.Strong && (!s.Strong || a.Scope > s.Scope || old.bytes() != r.bytes()) {
		return false
	}
	// A strong access of another CTA may lie outside a scope that includes the new one. Where many of them pile
	// up, as at a ticket counter, only the last ones are kept apart.
	if a.Strong && old.warp.cta() != r.warp.cta() && len(c.more) < manyAtomics {
		return false
	}
	return a.supersedes(old)
}
