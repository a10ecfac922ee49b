//go:build amd64 && (linux || darwin || freebsd || windows)

package native

// This file divides memory among functions, most of which have less code than it costs to ask the system for pages and to give
// them back. A chunk is one mapping of 64 pages. A page is writable until code is in it, executable while it is a function's,
// and writable again when it is free: never both.

import (
	"math/bits"
	"os"
	"sync"
	"unsafe"
)

const (
	chunkPages = 64
	mostPages  = chunkPages / 4 // longer code has a mapping of its own
)

// room is the process's.
var room struct {
	sync.Mutex
	chunks []*chunk
}

// take returns writable memory for n bytes of code.
func take(n int) (*Code, error) {
	page := os.Getpagesize()
	count := max((n+page-1)/page, 1)
	if count > mostPages {
		m, err := pages(n)
		if err != nil {
			return nil, err
		}
		return &Code{mem: m}, nil
	}
	room.Lock()
	defer room.Unlock()
	for _, c := range room.chunks {
		if at := c.run(count); at >= 0 {
			return c.take(at, count), nil
		}
	}
	m, err := pages(chunkPages * page)
	if err != nil {
		return nil, err
	}
	c := &chunk{mem: m}
	room.chunks = append(room.chunks, c)
	return c.take(0, count), nil
}

// run is the first of count pages that are free one behind the other, -1 if there are none.
func (c *chunk) run(count int) int {
	free := ^c.used
	for range count - 1 {
		free &= free >> 1
	}
	if free == 0 {
		return -1
	}
	return bits.TrailingZeros64(free)
}

func (c *chunk) take(at, count int) *Code {
	page := len(c.mem) / chunkPages
	c.used |= c.pages(at, count)
	end := (at + count) * page
	return &Code{mem: c.mem[at*page : end : end], chunk: c}
}

func (c *chunk) pages(at, count int) uint64 { return (1<<count - 1) << at }

// give takes the memory of code back. Of the chunks without any, one stays.
func (c *Code) give() error {
	m := c.mem
	c.mem = nil
	switch {
	case m == nil:
		return nil
	case c.chunk == nil:
		return free(m)
	}
	room.Lock()
	defer room.Unlock()
	if err := unprotect(m); err != nil {
		return err // it stays taken
	}
	of := c.chunk
	page := len(of.mem) / chunkPages
	at := int(uintptr(unsafe.Pointer(&m[0]))-uintptr(unsafe.Pointer(&of.mem[0]))) / page
	if of.used &^= of.pages(at, len(m)/page); of.used != 0 {
		return nil
	}
	for i, other := range room.chunks {
		if other != of && other.used == 0 {
			room.chunks = append(room.chunks[:i], room.chunks[i+1:]...)
			return free(other.mem)
		}
	}
	return nil
}
