package flow

// This file holds the shadow of memory: by byte whether it is unwritten, by 4 bytes the tag of what is stored there.

import (
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

const (
	pageSize = 4096
	granule  = 4
)

// page is the shadow of a page.
type page struct {
	mu      sync.Mutex
	poison  [pageSize / 64]uint64 // by byte: some bit of it is unwritten
	partial map[uint64]byte       // by byte: which bits, where some are written
	stored  map[uint64]*Stored    // by granule: the store of an unwritten value
	tags    *[pageSize / granule]uint32
	within  *region
}

// mask is n bytes at an offset of a page, in the word of its poison; they do not cross words of 64 bytes.
func mask(off, n uint64) uint64 { return (^uint64(0) >> (64 - n)) << (off % 64) }

// load returns the unwritten bits of n bytes, at most 8.
func (p *page) load(off, n uint64) (bits uint64) {
	if off%64+n <= 64 && p.poison[off/64]&mask(off, n) == 0 {
		return 0
	}
	for i := range n {
		at := off + i
		if at >= pageSize || p.poison[at/64]>>(at%64)&1 == 0 {
			continue
		}
		b, ok := p.partial[at]
		if !ok {
			b = 0xff
		}
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// store notes which bits of n bytes, at most 8, are unwritten, by what.
func (p *page) store(off, n, bits uint64, by *Stored) {
	if bits == 0 && off%64+n <= 64 {
		if m := mask(off, n); p.poison[off/64]&m != 0 {
			p.poison[off/64] &^= m
			delete(p.stored, off/granule)
		}
		return
	}
	for i := range n {
		at, b := off+i, byte(bits>>(8*i))
		if at >= pageSize {
			return
		}
		delete(p.partial, at)
		if b == 0 {
			p.poison[at/64] &^= 1 << (at % 64)
			continue
		}
		p.poison[at/64] |= 1 << (at % 64)
		if b != 0xff {
			if p.partial == nil {
				p.partial = map[uint64]byte{}
			}
			p.partial[at] = b
		}
		if p.stored == nil {
			p.stored = map[uint64]*Stored{}
		}
		p.stored[at/granule] = by
	}
}

// fill makes bytes from up to to written or unwritten.
func (p *page) fill(from, to uint64, unwritten bool) {
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		if m := mask(i, n); unwritten {
			p.poison[i/64] |= m
		} else {
			p.poison[i/64] &^= m
		}
		i += n
	}
	for at := range p.partial {
		if at >= from && at < to {
			delete(p.partial, at)
		}
	}
	for g := range p.stored {
		if g*granule >= from && g*granule < to {
			delete(p.stored, g)
		}
	}
	for g := from / granule; p.tags != nil && g*granule < to; g++ {
		p.tags[g] = 0
	}
}

// tag returns what n bytes at an offset point to: 4 or 8 of them, else nothing.
func (p *page) tag(off, n uint64) uint32 {
	if p.tags == nil || n < granule || off%granule != 0 || off+n > pageSize {
		return 0
	}
	t := p.tags[off/granule]
	if n == 8 && p.tags[off/granule+1] != t {
		return unknown
	}
	return t
}

// setTag notes what n bytes point to.
func (p *page) setTag(off, n uint64, t uint32) {
	if p.tags == nil {
		if t == 0 {
			return
		}
		p.within.pointers.Store(true)
		p.tags = new([pageSize / granule]uint32)
	}
	for g := off / granule; g*granule < off+n && g < pageSize/granule; g++ {
		p.tags[g] = t
	}
}

// region is the shadow of one memory. fresh fills a page that is touched first.
type region struct {
	mu    sync.RWMutex
	pages map[uint64]*page
	fresh func(number uint64, p *page)

	pointers atomic.Bool // one has been stored
}

func newRegion(fresh func(uint64, *page)) *region {
	return &region{pages: map[uint64]*page{}, fresh: fresh}
}

// renew makes the region new, in the pages that it has.
func (r *region) renew() {
	r.pointers.Store(false)
	for n, p := range r.pages {
		p.renew()
		r.fresh(n, p)
	}
}

// renew makes all bytes written, and no pointers.
func (p *page) renew() {
	clear(p.poison[:])
	clear(p.partial)
	clear(p.stored)
	p.tags = nil
}

// unwritten is the start of shared and local memory.
func unwritten(_ uint64, p *page) {
	for i := range p.poison {
		p.poison[i] = ^uint64(0)
	}
}

// page returns the shadow of a page.
func (r *region) page(number uint64) *page {
	r.mu.RLock()
	p := r.pages[number]
	r.mu.RUnlock()
	if p != nil {
		return p
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p = r.pages[number]; p == nil {
		p = &page{within: r}
		r.fresh(number, p)
		r.pages[number] = p
	}
	return p
}

// fill makes bytes from up to to written or unwritten; pages that are not there stay as they begin if that is the same.
func (r *region) fill(from, to uint64, dirty bool) {
	for from < to {
		end := min(to, (from/pageSize+1)*pageSize)
		p := r.page(from / pageSize)
		p.mu.Lock()
		p.fill(from%pageSize, from%pageSize+end-from, dirty)
		p.mu.Unlock()
		from = end
	}
}

// origin says where an unwritten value comes from.
type origin struct {
	place  machine.Place  // the load; without Func: a register that a frame never wrote
	extent machine.Extent // what it read
}

// Stored is a store of a value that nothing has written.
type Stored struct {
	Addr  uint64 // of the first byte, where it is asked for
	By    machine.Place
	Owner Owner
	from  *origin
}

// Report puts the store into the terms of sanitizers: the host gets its bytes.
func (s *Stored) Report() *found.Report {
	r := &found.Report{Kind: found.UnwrittenResult, Then: s.By, Extent: machine.Extent{Space: machine.Global, Lane: -1, From: s.Addr, To: s.Addr + granule}}
	if s.from != nil {
		r.Op = s.from.place
	}
	return r
}
