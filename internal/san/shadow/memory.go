package shadow

// This file holds the shadow of global memory. Accesses take no lock: the allocations are a list that is replaced, never
// changed, and the bits are words that are set one by one.

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Memory knows which bytes of a device's tracked allocations have been written, by the host or
// by kernels. What is not tracked counts as written. A nil Memory tracks nothing.
type Memory struct {
	mu    sync.Mutex                 // of those that replace spans
	spans atomic.Pointer[[]*tracked] // by address
}

// tracked is an allocation. Bits are made when the first byte of their page is written.
type tracked struct {
	start, end uint64
	pages      []atomic.Pointer[writtenPage]
}

// writtenPage has a bit for each byte of a piece of an allocation.
type writtenPage [pageWords]atomic.Uint64

const (
	pageWords = 512
	pageBytes = pageWords * 64
)

// Track begins to look at an allocation, none of whose bytes is written.
func (m *Memory) Track(start, size uint64) {
	if m == nil || size == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	spans := m.list()
	i, _ := find(spans, start)
	t := &tracked{start: start, end: start + size, pages: make([]atomic.Pointer[writtenPage], (size+pageBytes-1)/pageBytes)}
	m.replace(slices.Insert(slices.Clone(spans), i, t))
}

// Drop ends an allocation.
func (m *Memory) Drop(start uint64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	spans := m.list()
	if i, ok := find(spans, start); ok {
		m.replace(slices.Delete(slices.Clone(spans), i, i+1))
	}
}

func (m *Memory) list() []*tracked {
	if p := m.spans.Load(); p != nil {
		return *p
	}
	return nil
}

func (m *Memory) replace(spans []*tracked) { m.spans.Store(&spans) }

// find is where an allocation that starts at an address is, or would be.
func find(spans []*tracked, start uint64) (int, bool) {
	return slices.BinarySearchFunc(spans, start, func(t *tracked, x uint64) int { return cmp.Compare(t.start, x) })
}

// Written notes that the host has written bytes.
func (m *Memory) Written(addr, n uint64) {
	if m != nil {
		m.touched(machine.Store, addr, addr+n)
	}
}

// Unwritten visits, in parts, the bytes of the allocation that starts at addr, up to end, that nothing has written.
func (m *Memory) Unwritten(addr, end uint64, visit func(from, to uint64)) {
	spans := m.list()
	i, tracked := find(spans, addr)
	if !tracked {
		return
	}
	t, size := spans[i], min(end, spans[i].end)-addr
	for at := uint64(0); at < size; {
		n := min(64-at%64, size-at)
		if t.page(at/pageBytes, false) == nil {
			n = min(pageBytes-at%pageBytes, size-at)
			visit(addr+at, addr+at+n)
		} else if !t.all(at, at+n) {
			for b := at; b < at+n; b++ {
				if !t.all(b, b+1) {
					visit(addr+b, addr+b+1)
				}
			}
		}
		at += n
	}
}

// touched notes a write; of a read it tells whether all bytes were written before, and where the
// allocation starts.
func (m *Memory) touched(kind machine.AccessKind, from, to uint64) (start uint64, ok bool) {
	spans := m.list()
	i, exact := find(spans, from)
	if !exact {
		i--
	}
	if i < 0 || to > spans[i].end || from >= to {
		return 0, true
	}
	t := spans[i]
	ok = kind == machine.Store || t.all(from-t.start, to-t.start)
	if kind != machine.Load {
		t.fill(from-t.start, to-t.start)
	}
	return t.start, ok
}

// words visits the bits from..to by word, until it is told to stop.
func (t *tracked) words(from, to uint64, visit func(word *atomic.Uint64, mask uint64) bool, fresh bool) bool {
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		var word *atomic.Uint64
		if p := t.page(i/pageBytes, fresh); p != nil {
			word = &p[i%pageBytes/64]
		}
		if !visit(word, ^uint64(0)>>(64-n)<<(i%64)) {
			return false
		}
		i += n
	}
	return true
}

// page returns the bits of a page, nil if none is set and none is to be.
func (t *tracked) page(i uint64, fresh bool) *writtenPage {
	p := t.pages[i].Load()
	if p == nil && fresh {
		p = new(writtenPage)
		if !t.pages[i].CompareAndSwap(nil, p) {
			p = t.pages[i].Load()
		}
	}
	return p
}

// fill sets the bits from..to.
func (t *tracked) fill(from, to uint64) {
	t.words(from, to, func(word *atomic.Uint64, mask uint64) bool {
		if word.Load()&mask != mask { // most stores find their bits set: the line stays shared
			word.Or(mask)
		}
		return true
	}, true)
}

// all reports whether the bits from..to are set.
func (t *tracked) all(from, to uint64) bool {
	return t.words(from, to, func(word *atomic.Uint64, mask uint64) bool { return word != nil && word.Load()&mask == mask }, false)
}
