package check

// This file hands out the memory of side tables, again after an Info was released, so that a caller that checks many files
// collects little garbage.

import (
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// memory is where one file's side tables are.
type memory struct {
	info    Info
	cache   []cached
	places  placeSet
	objects [][]Object // chunks of them
	chunk   int        // the one that is being filled
	filled  int        // of it
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// maxReleased bounds the tokens of a file whose memory is kept.
const maxReleased = 1 << 23

// Release lets other files have the memory of an Info and of its file, which must not be used afterwards. Who does
// not release it leaves it to the garbage collector.
func (in *Info) Release() {
	if mem := in.mem; mem != nil && len(in.byToken) <= maxReleased {
		mem.info, mem.chunk, mem.filled = *in, 0, 0
		in.File.Release()
		memories.Put(mem)
	}
	*in = Info{}
}

// tables returns empty tables for a file.
func (mem *memory) tables(f *syntax.File) *Info {
	old := &mem.info
	in := &Info{File: f, AddressSize: 64, mem: mem,
		Objects: old.Objects[:0],
		byToken: zeros(old.byToken, len(f.Tokens)),
		sels:    slices.Grow(old.sels[:0], f.Instructions),
		uses:    slices.Grow(old.uses[:0], len(f.Words)),
	}
	mem.info = Info{}
	mem.places.clear()
	return in
}

// zeros returns n zeros, in the memory of old ones if they suffice.
func zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// newObject makes room for an object, which the caller fills.
func (mem *memory) newObject() *Object {
	const some = 64
	if mem.chunk == len(mem.objects) {
		mem.objects = append(mem.objects, make([]Object, some))
	}
	o := &mem.objects[mem.chunk][mem.filled]
	if mem.filled++; mem.filled == some {
		mem.chunk, mem.filled = mem.chunk+1, 0
	}
	return o
}
