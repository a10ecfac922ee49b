package capture

// This file writes folders.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// page is the unit in which zeros are left out.
const page = 4096

// zeros is a page of nothing.
var zeros [page]byte

// Write makes the folder dir, which must not exist or be empty. It is there as a whole or not at all. The error wraps ErrTooLarge
// if the bytes of runs are more than limit.
func Write(dir string, f *Folder, limit uint64) (err error) {
	if err := vacant(dir); err != nil {
		return err
	}
	m, err := f.memory(limit)
	if err != nil {
		return err
	}
	files, err := f.texts(m)
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(made))
		}
	}()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(made, name), text, 0o666); err != nil {
			return err
		}
	}
	if err := f.writeBytes(filepath.Join(made, BytesFile), m); err != nil {
		return err
	}
	if err := os.Chmod(made, 0o755); err != nil { // a temporary folder is its maker's alone
		return err
	}
	return replace(made, dir)
}

// replace puts a folder in the place of an empty one, or of none.
func replace(made, dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

// vacant says why a capture may not be written at dir.
func vacant(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(list) != 0:
		return fmt.Errorf("%s is not empty: a capture wants a folder of its own", dir)
	}
	return nil
}

// memory is memory.json with the runs that hold something.
func (f *Folder) memory(limit uint64) (*Memory, error) {
	m := f.Memory
	m.Schema, m.Allocations, m.Variables = Schema, slices.Clone(m.Allocations), slices.Clone(m.Variables)
	if m.Allocations == nil {
		m.Allocations = []Allocation{}
	}
	if m.Variables == nil {
		m.Variables = []Variable{}
	}
	kept := uint64(0)
	for i := range m.Allocations {
		a := &m.Allocations[i]
		data, err := f.bytes(i)
		if err != nil {
			return nil, err
		}
		a.Runs = runs(data)
		for _, r := range a.Runs {
			kept += r.Size
		}
	}
	if kept > limit {
		return nil, fmt.Errorf("%w: the launch begins with %d bytes that are not zero, of %d allowed", ErrTooLarge, kept, limit)
	}
	return &m, m.check(^uint64(0))
}

// bytes are those of an allocation.
func (f *Folder) bytes(i int) ([]byte, error) {
	data, err := f.Bytes(i)
	if a := &f.Memory.Allocations[i]; err == nil && uint64(len(data)) != a.Size {
		err = fmt.Errorf("the allocation at %#x has %d bytes, not %d", uint64(a.Address), len(data), a.Size)
	}
	return data, err
}

// runs are the pages of an allocation that are not zero, those in a row as one.
func runs(data []byte) (list []Run) {
	for at := 0; at < len(data); at += page {
		one := data[at:min(at+page, len(data))]
		if bytes.Equal(one, zeros[:len(one)]) {
			continue
		}
		if n := len(list); n != 0 && list[n-1].Offset+list[n-1].Size == uint64(at) {
			list[n-1].Size += uint64(len(one))
			continue
		}
		list = append(list, Run{uint64(at), uint64(len(one))})
	}
	return list
}

// texts are the files beside memory.zst.
func (f *Folder) texts(m *Memory) (map[string][]byte, error) {
	files := map[string][]byte{}
	var launch bytes.Buffer
	fmt.Fprintf(&launch, "# A captured launch: ptxvm run @%s\n", LaunchFile)
	for i, text := range f.Modules {
		name := moduleFile(i, len(f.Modules))
		files[name] = text
		fmt.Fprintln(&launch, name)
	}
	for _, o := range f.Options {
		if strings.ContainsAny(o.Name+o.Value, "\n\r") {
			return nil, fmt.Errorf("%s %q does not fit into a line of %s", o.Name, o.Value, LaunchFile)
		}
		fmt.Fprintln(&launch, strings.TrimSpace(o.Name+" "+o.Value))
	}
	files[LaunchFile] = launch.Bytes()
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	files[MemoryFile] = append(text, '\n')
	if f.Report != nil {
		if !json.Valid(f.Report) {
			return nil, fmt.Errorf("the report is no JSON")
		}
		files[ReportFile] = f.Report
	}
	return files, nil
}

// writeBytes writes memory.zst.
func (f *Folder) writeBytes(name string, m *Memory) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for i, a := range m.Allocations {
		if len(a.Runs) == 0 {
			continue
		}
		data, err := f.bytes(i)
		if err != nil {
			return err
		}
		for _, r := range a.Runs {
			if _, err := w.Write(data[r.Offset:][:r.Size]); err != nil {
				return err
			}
		}
	}
	return nil
}
