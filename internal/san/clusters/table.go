// Package clusters finds what an observer knows of a cluster without a lock: one core runs a cluster at a time, so
// nothing else touches it.
package clusters

import (
	"sync"
	"sync/atomic"
)

// Buckets is a power of two near the most clusters that a device has room for.
const Buckets = 4096

// Table has what is known of the clusters that run, by their number in the grid. Looking one up takes no lock;
// beginning and ending one does. The zero Table has none.
type Table[T any] struct {
	mu      sync.Mutex
	buckets atomic.Pointer[[Buckets]atomic.Pointer[node[T]]] // nil before the first
}

type node[T any] struct {
	number uint64
	value  T
	next   atomic.Pointer[node[T]] // of the same bucket
}

// Of returns what is known of a cluster, nil if it has not begun.
func (t *Table[T]) Of(number uint64) *T {
	all := t.buckets.Load()
	if all == nil {
		return nil
	}
	n := all[number%Buckets].Load()
	for n != nil && n.number != number {
		n = n.next.Load()
	}
	if n == nil {
		return nil
	}
	return &n.value
}

// Begin adds a cluster that has not begun.
func (t *Table[T]) Begin(number uint64) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.buckets.Load()
	if all == nil {
		all = new([Buckets]atomic.Pointer[node[T]])
		t.buckets.Store(all)
	}
	n, at := &node[T]{number: number}, &all[number%Buckets]
	n.next.Store(at.Load())
	at.Store(n)
	return &n.value
}

// End forgets a cluster that has begun.
func (t *Table[T]) End(number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := &t.buckets.Load()[number%Buckets]
	for at.Load().number != number {
		at = &at.Load().next
	}
	at.Store(at.Load().next.Load()) // what has ended keeps its next: a look-up may stand there
}

// Len is how many there are.
func (t *Table[T]) Len() (n int) {
	all := t.buckets.Load()
	for i := 0; all != nil && i < Buckets; i++ {
		for at := all[i].Load(); at != nil; at = at.next.Load() {
			n++
		}
	}
	return n
}
