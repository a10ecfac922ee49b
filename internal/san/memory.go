package san

// This file holds the shadow of global memory.

import (
	"cmp"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Memory knows which bytes of a device's tracked allocations have been written, by the host or
// by kernels. What is not tracked counts as written. A nil Memory tracks nothing.
type Memory struct {
	mu    sync.Mutex
	spans []*tracked // by address
}

type tracked struct {
	start, end uint64
	written    bitset
}

// Track begins to look at an allocation, none of whose bytes is written.
func (m *Memory) Track(start, size uint64) {
	if m == nil || size == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, _ := m.at(start)
	m.spans = slices.Insert(m.spans, i, &tracked{start: start, end: start + size})
}

// Drop ends an allocation.
func (m *Memory) Drop(start uint64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, ok := m.at(start); ok {
		m.spans = slices.Delete(m.spans, i, i+1)
	}
}

// at is where an allocation that starts at an address is, or would be.
func (m *Memory) at(start uint64) (int, bool) {
	return slices.BinarySearchFunc(m.spans, start, func(t *tracked, x uint64) int { return cmp.Compare(t.start, x) })
}

// Written notes that the host has written bytes.
func (m *Memory) Written(addr, n uint64) {
	if m != nil {
		m.touched(machine.Store, addr, addr+n)
	}
}

// touched notes a write; of a read it tells whether all bytes were written before, and where the
// allocation starts.
func (m *Memory) touched(kind machine.AccessKind, from, to uint64) (start uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, exact := m.at(from)
	if !exact {
		i--
	}
	if i < 0 || to > m.spans[i].end || from >= to {
		return 0, true
	}
	t := m.spans[i]
	ok = kind == machine.Store || t.written.all(from-t.start, to-t.start)
	if kind != machine.Load {
		t.written.fill(from-t.start, to-t.start, true)
	}
	return t.start, ok
}
