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
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// page is the unit in which zeros are left out.
const page = 4096

// zeros is a page of nothing.
var zeros [page]byte

// Report puts the reason of a capture into a folder that has been written.
func Report(dir string, report json.RawMessage) error {
	return put(filepath.Join(dir, ReportFile), report)
}

// put writes a file of a folder, whole or not at all.
func put(name string, text []byte) error {
	if err := os.WriteFile(name+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Write makes the folder dir, which must not exist or be empty. It is there as a whole or not at all. The error wraps ErrTooLarge
// if the bytes of runs are more than limit.
func Write(dir string, f *Folder, limit uint64) (err error) {
	if err := Vacant(dir); err != nil {
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

// Vacant says why a capture may not be written at dir.
func Vacant(dir string) error {
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
	f.Memory.Schema, f.Memory.Allocations = Schema, slices.Clone(f.Memory.Allocations)
	kept := uint64(0)
	for i := range f.Memory.Allocations {
		if f.held == nil {
			if _, err := f.find(i); err != nil {
				return nil, err
			}
		}
		for _, r := range f.Memory.Allocations[i].Runs {
			kept += r.Size
		}
	}
	if kept > limit {
		return nil, tooMuch(kept, limit)
	}
	m := f.Memory
	m.Allocations = orEmpty(m.Allocations)
	m.Variables = orEmpty(m.Variables)
	return &m, m.check(^uint64(0))
}

// orEmpty is a list that JSON has as [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// texts are the files beside memory.zst.
func (f *Folder) texts(m *Memory) (map[string][]byte, error) {
	files := map[string][]byte{}
	var launch bytes.Buffer
	fmt.Fprintf(&launch, "# A captured launch: ptxvm run @%s\n", LaunchFile)
	for _, kernel := range m.Beside {
		fmt.Fprintf(&launch, "# %s ran meanwhile: what it writes may have been caught in the middle\n", strconv.Quote(kernel))
	}
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
	if f.held != nil {
		_, err := w.Write(f.held)
		return err
	}
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
