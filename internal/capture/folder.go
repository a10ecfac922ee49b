package capture

// This file holds what folders are made of, and keeps it while memory goes on.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Folder is what Write writes.
type Folder struct {
	Modules [][]byte // texts of PTX
	Options []Option // behind the modules
	Memory  Memory   // runs and schema are Write's
	// Bytes are the bytes of an allocation, as many as its size. They are read while Write or Hold runs, and not kept.
	Bytes func(i int) ([]byte, error)
	// Touched are the parts of an allocation that may hold something, ascending and disjoint; nil: all may. It spares
	// memory that nothing has touched from being read, which would take as much of the host's.
	Touched func(i int) []Run
	Report  json.RawMessage // nil: nothing went wrong

	held []byte // the bytes of all runs, if Hold has taken them
}

// Hold copies what is kept of the memory, so that Write gives it as it is now; into is room for it, which may be used again
// when the folder is not. The error wraps ErrTooLarge if that is more than limit.
func (f *Folder) Hold(limit uint64, into []byte) (used []byte, err error) {
	into = into[:0]
	f.Memory.Allocations = slices.Clone(f.Memory.Allocations)
	for i := range f.Memory.Allocations {
		data, err := f.find(i)
		if err != nil {
			return into, err
		}
		for _, r := range f.Memory.Allocations[i].Runs {
			if uint64(len(into))+r.Size > limit {
				return into, tooMuch(uint64(len(into))+r.Size, limit)
			}
			into = append(into, data[r.Offset:][:r.Size]...)
		}
	}
	f.held = into
	return into, nil
}

func tooMuch(kept, limit uint64) error {
	return fmt.Errorf("%w: the launch begins with %d bytes or more that are not zero, of %d allowed", ErrTooLarge, kept, limit)
}

// find sets the runs of an allocation, and returns its bytes.
func (f *Folder) find(i int) ([]byte, error) {
	data, err := f.bytes(i)
	if err == nil {
		f.Memory.Allocations[i].Runs = f.runsOf(i, data)
	}
	return data, err
}

// runsOf are the parts of an allocation's bytes that are not zero.
func (f *Folder) runsOf(i int, data []byte) (list []Run) {
	if f.Touched == nil {
		return runs(nil, data, Run{0, uint64(len(data))})
	}
	for _, part := range f.Touched(i) {
		list = runs(list, data, part)
	}
	return list
}

// bytes are those of an allocation.
func (f *Folder) bytes(i int) ([]byte, error) {
	data, err := f.Bytes(i)
	if a := &f.Memory.Allocations[i]; err == nil && uint64(len(data)) != a.Size {
		err = fmt.Errorf("the allocation at %#x has %d bytes, not %d", uint64(a.Address), len(data), a.Size)
	}
	return data, err
}

// runs adds the pages of a part of an allocation that are not zero, those in a row as one.
func runs(list []Run, data []byte, part Run) []Run {
	end := part.Offset + part.Size
	for at := part.Offset; at < end; at += page {
		one := data[at:min(at+page, end)]
		if bytes.Equal(one, zeros[:len(one)]) {
			continue
		}
		if n := len(list); n != 0 && list[n-1].Offset+list[n-1].Size == at {
			list[n-1].Size += uint64(len(one))
			continue
		}
		list = append(list, Run{at, uint64(len(one))})
	}
	return list
}
