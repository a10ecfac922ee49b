package capture

// This file reads folders, and trusts nothing in them.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Limits of what is read.
const (
	maxText    = 256 << 20 // bytes of memory.json
	maxAddress = 1 << 48   // end of what kernels can name as global memory
	window     = 1 << 20   // bytes that the compression looks back
	maxCopy    = 1 << 20   // bytes that Load has at a time
	maxName    = 1 << 20   // bytes of a name, an owner
	maxLevels  = 64        // images of a handle
)

// Open reads memory.json of the folder dir and checks it; all allocations together have at most limit bytes, else the
// error wraps ErrTooLarge.
func Open(dir string, limit uint64) (*Memory, error) {
	file, err := os.Open(filepath.Join(dir, MemoryFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := parse(file, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, MemoryFile), err)
	}
	return m, nil
}

// parse is Open of text.
func parse(text io.Reader, limit uint64) (*Memory, error) {
	bounded := &io.LimitedReader{R: text, N: maxText + 1}
	d := json.NewDecoder(bounded)
	var m Memory
	err := d.Decode(&m)
	switch {
	case bounded.N == 0:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, maxText)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends early")
	case err != nil:
		return nil, err
	case m.Schema != Schema:
		return nil, fmt.Errorf("the capture has schema %d; this version of ptxvm reads %d", m.Schema, Schema)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the object")
	}
	return &m, m.check(limit)
}

// check says what of a memory cannot be.
func (m *Memory) check(limit uint64) error {
	total, last := uint64(0), uint64(0)
	for i := range m.Allocations {
		a := &m.Allocations[i]
		start := uint64(a.Address)
		switch {
		case !slices.Contains(spaces, a.Space):
			return fmt.Errorf("allocation %d: there is no space %q", i, a.Space)
		case a.Size == 0 || start == 0 || start >= maxAddress || a.Size > maxAddress-start:
			return fmt.Errorf("allocation %d: %d bytes at %#x cannot be device memory", i, a.Size, start)
		case start < uint64(m.Base) && a.Space != Host:
			return fmt.Errorf("allocation %d, at %#x, lies before %#x, where the device's memory begins", i, start, uint64(m.Base))
		case start < last:
			return fmt.Errorf("allocation %d, at %#x, begins before %#x, the end of what is in front of it", i, start, last)
		case len(a.Label)+len(a.Owner) > maxName:
			return fmt.Errorf("allocation %d: a label and an owner of %d bytes", i, len(a.Label)+len(a.Owner))
		}
		last = start + a.Size
		if total += a.Size; total > limit { // sizes and their sum are below maxAddress, as allocations are disjoint
			return fmt.Errorf("%w: allocations have %d bytes or more, of %d allowed", ErrTooLarge, total, limit)
		}
		if err := errors.Join(a.checkRuns(a.Runs, "kept"), a.checkRuns(a.Unwritten, "unwritten")); err != nil {
			return fmt.Errorf("allocation %d: %w", i, err)
		}
	}
	if err := m.checkHandles(); err != nil {
		return err
	}
	return m.checkVariables()
}

// checkRuns holds the runs of bytes that are something against the allocation.
func (a *Allocation) checkRuns(list []Run, something string) error {
	last := uint64(0)
	for _, r := range list {
		if r.Size == 0 || r.Offset < last || r.Offset > a.Size || r.Size > a.Size-r.Offset {
			return fmt.Errorf("no %d bytes can be %s from byte %d on: of %d bytes, those before %d are behind", r.Size, something, r.Offset, a.Size, last)
		}
		last = r.Offset + r.Size
	}
	return nil
}

// checkHandles holds the order of handles, and the place of images. How many bytes these take, formats say.
func (m *Memory) checkHandles() error {
	last := Address(0)
	for i := range m.Handles {
		h := &m.Handles[i]
		switch {
		case h.Handle <= last:
			return fmt.Errorf("handle %#x stands behind %#x", uint64(h.Handle), uint64(last))
		case len(h.Name) > maxName:
			return fmt.Errorf("handle %#x: a name of %d bytes", uint64(h.Handle), len(h.Name))
		case len(h.Images) > maxLevels:
			return fmt.Errorf("handle %#x: %d images, of %d that a texture may have", uint64(h.Handle), len(h.Images), maxLevels)
		}
		last = h.Handle
		for _, im := range h.Images {
			if im.Bytes == 0 || !m.holds(uint64(im.Address), im.Bytes) {
				return fmt.Errorf("handle %#x: its image, %d bytes at %#x, lies in no allocation", uint64(h.Handle), im.Bytes, uint64(im.Address))
			}
		}
	}
	return nil
}

// checkVariables holds variables against the allocations.
func (m *Memory) checkVariables() error {
	seen := map[string]bool{}
	for i, v := range slices.Concat(m.Variables, m.References) {
		switch {
		case v.Name == "" || len(v.Name) > maxName || seen[v.Name]:
			return fmt.Errorf("the variable %.80q is named twice, or is no name", v.Name)
		case i < len(m.Variables) && !m.holds(uint64(v.Address), v.Size):
			return fmt.Errorf("the variable %.80s, %d bytes at %#x, lies in no allocation", v.Name, v.Size, uint64(v.Address))
		}
		seen[v.Name] = true
	}
	return nil
}

// holds reports whether an allocation holds all of these bytes.
func (m *Memory) holds(start, size uint64) bool {
	i, exact := slices.BinarySearchFunc(m.Allocations, start, func(a Allocation, at uint64) int {
		switch {
		case uint64(a.Address) < at:
			return -1
		case uint64(a.Address) > at:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 {
		return false
	}
	a := &m.Allocations[i]
	into := start - uint64(a.Address)
	return into <= a.Size && size <= a.Size-into
}

// Load writes the bytes of all runs of a memory that Open has read from dir, each to where to puts its allocation. What
// is not written is zero already. Memory.zst must hold these bytes and no more.
func (m *Memory) Load(dir string, to func(*Allocation) (io.WriterAt, error)) error {
	name := filepath.Join(dir, BytesFile)
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := m.load(file, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// load is Load of compressed bytes.
func (m *Memory) load(from io.Reader, to func(*Allocation) (io.WriterAt, error)) error {
	d, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(8<<20), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return err
	}
	defer d.Close()
	piece := make([]byte, maxCopy)
	for i := range m.Allocations {
		a := &m.Allocations[i]
		if len(a.Runs) == 0 {
			continue
		}
		w, err := to(a)
		if err != nil {
			return err
		}
		for _, r := range a.Runs {
			if err := loadRun(d, w, r, piece); err != nil {
				return fmt.Errorf("the allocation at %#x: %w", uint64(a.Address), err)
			}
		}
	}
	switch n, err := d.Read(piece[:1]); {
	case n != 0:
		return fmt.Errorf("it holds more bytes than %s names", MemoryFile)
	case err != io.EOF:
		return fmt.Errorf("behind the last byte: %w", err)
	}
	return nil
}

// loadRun copies the bytes of one run.
func loadRun(from io.Reader, to io.WriterAt, r Run, piece []byte) error {
	for done := uint64(0); done < r.Size; {
		part := piece[:min(r.Size-done, uint64(len(piece)))]
		if _, err := io.ReadFull(from, part); err != nil {
			return fmt.Errorf("byte %d and those behind are missing: %w", r.Offset+done, err)
		}
		if _, err := to.WriteAt(part, int64(r.Offset+done)); err != nil {
			return err
		}
		done += uint64(len(part))
	}
	return nil
}
