package flow

// This file holds what outlives a launch: the shadow of global memory, and the objects that pointers point to.

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Memory is what is known of a device's global memory. A nil Memory is told everything and knows nothing.
type Memory struct {
	global *region

	// Took is told of the memory that the shadow takes, in bytes; nil: it is not counted.
	Took func(bytes int)

	mu      sync.Mutex
	fresh   []allocation // that began unwritten, by address
	objects []*Object
	known   atomic.Pointer[[]*Object] // objects, for readers without the mutex
	numbers map[objectKey]uint32
}

type allocation struct{ from, to uint64 }

// Object is what a pointer is held to.
type Object struct {
	Space    machine.Space
	From, To uint64
	Name     string
	Freed    *machine.Place // the free; nil while it lives
	Gone     bool           // it has ended
}

type objectKey struct {
	space    machine.Space
	from, to uint64
}

// unknown is the tag of a pointer of which nothing is known; the first object has the number 1.
const (
	unknown    = ^uint32(0)
	maxObjects = 1 << 22
)

// NewMemory returns the shadow of a new device.
func NewMemory() *Memory {
	m := &Memory{numbers: map[objectKey]uint32{}, objects: []*Object{nil}}
	m.publish()
	m.global = newRegion(m.begin)
	return m
}

// pageBytes is what a page of the shadow takes.
var pageBytes = int(reflect.TypeFor[page]().Size())

// begin makes the bytes of a page unwritten that lie in allocations that began so.
func (m *Memory) begin(number uint64, p *page) {
	if m.Took != nil {
		m.Took(pageBytes)
	}
	m.fill(number, p)
}

// fill is begin of a page that is not kept.
func (m *Memory) fill(number uint64, p *page) {
	m.mu.Lock()
	defer m.mu.Unlock()
	start := number * pageSize
	i, _ := slices.BinarySearchFunc(m.fresh, start, func(s allocation, x uint64) int { return cmp.Compare(s.to, x+1) })
	for ; i < len(m.fresh) && m.fresh[i].from < start+pageSize; i++ {
		p.fill(max(m.fresh[i].from, start)-start, min(m.fresh[i].to, start+pageSize)-start, true)
	}
}

// Track begins an allocation, none of whose bytes is written.
func (m *Memory) Track(start, size uint64) {
	if m == nil || size == 0 {
		return
	}
	m.Drop(start, size, nil)
	m.mu.Lock()
	i, _ := slices.BinarySearchFunc(m.fresh, start, func(s allocation, x uint64) int { return cmp.Compare(s.from, x) })
	m.fresh = slices.Insert(m.fresh, i, allocation{start, start + size})
	m.mu.Unlock()
	m.spread(start, size)
}

// spread fills the pages of a new allocation that are there already, for its neighbours.
func (m *Memory) spread(start, size uint64) {
	for n := start / pageSize; n*pageSize < start+size; n++ {
		m.global.mu.RLock()
		p := m.global.pages[n]
		m.global.mu.RUnlock()
		if p != nil {
			p.mu.Lock()
			p.fill(max(start, n*pageSize)-n*pageSize, min(start+size, (n+1)*pageSize)-n*pageSize, true)
			p.mu.Unlock()
		}
	}
}

// Drop ends an allocation, by an instruction or by the host.
func (m *Memory) Drop(start, size uint64, by *machine.Place) {
	if m == nil {
		return
	}
	m.mu.Lock()
	if i, ok := slices.BinarySearchFunc(m.fresh, start, func(s allocation, x uint64) int { return cmp.Compare(s.from, x) }); ok {
		size = m.fresh[i].to - m.fresh[i].from
		m.fresh = slices.Delete(m.fresh, i, i+1)
	}
	for key, n := range m.numbers {
		if key.space == machine.Global && key.from >= start && key.from < start+max(size, 1) {
			m.objects[n].Gone, m.objects[n].Freed = true, by
			delete(m.numbers, key)
		}
	}
	m.mu.Unlock()
}

// Written notes that the host has written bytes.
func (m *Memory) Written(addr, n uint64) {
	if m != nil {
		m.global.fill(addr, addr+n, false)
	}
}

// Unwritten visits, in parts, the bytes from addr up to end that have a bit which nothing has written.
func (m *Memory) Unwritten(addr, end uint64, visit func(from, to uint64)) {
	for at := addr; at < end; {
		number, stop := at/pageSize, min(end, (at/pageSize+1)*pageSize)
		m.global.mu.RLock()
		p := m.global.pages[number]
		m.global.mu.RUnlock()
		if p == nil { // as it begins
			p = &page{within: m.global}
			m.fill(number, p)
		}
		p.mu.Lock()
		p.unwritten(number*pageSize, at, stop, visit)
		p.mu.Unlock()
		at = stop
	}
}

// unwritten is Unwritten in a page that begins at start.
func (p *page) unwritten(start, from, to uint64, visit func(from, to uint64)) {
	for at := from; at < to; {
		off := at - start
		n := min(64-off%64, to-at)
		switch m := mask(off, n); p.poison[off/64] & m {
		case 0:
		case m:
			visit(at, at+n)
		default:
			for i := range n {
				if p.poison[off/64]>>((off+i)%64)&1 != 0 {
					visit(at+i, at+i+1)
				}
			}
		}
		at += n
	}
}

// Stored lists, in the order of addresses, the stores of unwritten values that have left their mark on some bytes.
func (m *Memory) Stored(addr, n uint64) (list []Stored) {
	if m == nil {
		return nil
	}
	for at := addr / granule * granule; at < addr+n; at += granule {
		m.global.mu.RLock()
		p := m.global.pages[at/pageSize]
		m.global.mu.RUnlock()
		if p == nil || len(p.stored) == 0 {
			at = (at/pageSize+1)*pageSize - granule
			continue
		}
		if s := p.stored[at%pageSize/granule]; s != nil {
			one := *s
			one.Addr = at
			list = append(list, one)
		}
	}
	return list
}

// object returns the number of an object, a new one at its first time.
func (m *Memory) object(o Object) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := objectKey{o.Space, o.From, o.To}
	if n, ok := m.numbers[key]; ok {
		return n
	}
	if len(m.objects) == maxObjects {
		return unknown
	}
	m.objects = append(m.objects, &o)
	n := uint32(len(m.objects) - 1)
	m.numbers[key] = n
	m.publish()
	return n
}

// publish lets readers without the mutex see all objects. What they see already is never written again.
func (m *Memory) publish() {
	list := m.objects
	m.known.Store(&list)
}

// at returns an object by its number.
func (m *Memory) at(n uint32) *Object {
	return (*m.known.Load())[n]
}
