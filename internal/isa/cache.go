package isa

// This file remembers resolved modifier lists. Readers take no lock: the table is replaced
// when it grows, and entries only ever get in front of others.

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// formsCache maps lists of tokens to Forms.
type formsCache struct {
	seed  maphash.Seed
	table atomic.Pointer[[]atomic.Pointer[Forms]]
	mu    sync.Mutex // writers
	used  int
}

// maxForms bounds the cache, so that hostile modules cannot fill the memory: real code has a
// few hundred distinct lists.
const maxForms = 1 << 15

func (c *formsCache) init() {
	c.seed = maphash.MakeSeed()
	slots := make([]atomic.Pointer[Forms], 1<<10)
	c.table.Store(&slots)
}

// hash mixes the spellings.
func (c *formsCache) hash(tokens []string, suffix string) uint64 {
	h := uint64(len(tokens))
	for _, s := range tokens {
		h = (h ^ maphash.String(c.seed, s)) * 0x9e3779b97f4a7c15
	}
	if suffix != "" {
		h ^= maphash.String(c.seed, suffix)
	}
	return h ^ h>>32
}

// find returns the remembered Forms, nil if there are none.
func (c *formsCache) find(h uint64, tokens []string, suffix string) *Forms {
	slots := *c.table.Load()
	for f := slots[h&uint64(len(slots)-1)].Load(); f != nil; f = f.next {
		if f.hash == h && f.is(tokens, suffix) {
			return f
		}
	}
	return nil
}

func (f *Forms) is(tokens []string, suffix string) bool {
	if len(tokens) != len(f.tokens) || suffix != f.suffix {
		return false
	}
	for i := range tokens {
		if tokens[i] != f.tokens[i] {
			return false
		}
	}
	return true
}

// add remembers f.
func (c *formsCache) add(f *Forms) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used >= maxForms {
		return
	}
	c.used++
	slots := *c.table.Load()
	if c.used > len(slots) {
		slots = c.grown(slots)
	}
	push(slots, f)
	c.table.Store(&slots)
}

// grown copies the table into one of four times its length. Chains are built anew, since
// readers still follow the old ones.
func (c *formsCache) grown(old []atomic.Pointer[Forms]) []atomic.Pointer[Forms] {
	slots := make([]atomic.Pointer[Forms], 4*len(old))
	for i := range old {
		for f := old[i].Load(); f != nil; f = f.next {
			again := *f
			push(slots, &again)
		}
	}
	return slots
}

func push(slots []atomic.Pointer[Forms], f *Forms) {
	slot := &slots[f.hash&uint64(len(slots)-1)]
	f.next = slot.Load()
	slot.Store(f)
}

// Forms returns all readings of an opcode and its modifiers, from the cache if it can.
func (t *ISA) Forms(tokens []string, suffix string) *Forms {
	h := t.cache.hash(tokens, suffix)
	if f := t.cache.find(h, tokens, suffix); f != nil {
		return f
	}
	f := t.resolve(tokens, suffix)
	f.hash = h
	if len(f.plans) > 0 {
		t.cache.add(f)
	}
	return f
}
