package main

// This file writes results: files whole or not at all, the others as text.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ptxvm"
)

// result is one buffer after a launch.
type result struct {
	array
	name string // of the parameter or image
	sink string // a file; empty: printed
	term bool   // printed as a picture of characters

	picture ptxvm.ArrayDesc // of an image
}

// writeResults writes sinks first, then prints the rest.
func writeResults(out io.Writer, results []result, color string) error {
	if err := writeSinks(results); err != nil {
		return usageError{fmt.Errorf("cannot write results: %w", err)}
	}
	for _, r := range results {
		if err := r.print(out, color); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// print shows a result that goes to no file.
func (r *result) print(out io.Writer, color string) error {
	switch {
	case r.sink != "":
		return nil
	case r.term:
		return printTerm(out, r, color)
	}
	return printArray(out, r.name, r.array)
}

// writeSinks writes all files before it gives any of them its name.
func writeSinks(results []result) (err error) {
	var staged []*stagedFile
	defer func() {
		for _, f := range staged {
			err = errors.Join(err, f.discard())
		}
	}()
	for _, r := range results {
		if r.sink == "" {
			continue
		}
		data, err := r.encoded()
		if err != nil {
			return err
		}
		f, err := stage(r.sink, data)
		if err != nil {
			return err
		}
		staged = append(staged, f)
	}
	for _, f := range staged {
		if err := f.commit(); err != nil {
			return err
		}
	}
	return nil
}

// encoded is the content of a result's file.
func (r *result) encoded() ([]byte, error) {
	switch {
	case strings.HasSuffix(r.sink, ".npy"):
		return encodeNpy(r.array), nil
	case strings.HasSuffix(r.sink, ".png") && r.picture.Size != nil:
		return encodePicture(r.bytes, r.picture)
	}
	return r.bytes, nil
}

// stagedFile is a file under a temporary name; a device such as /dev/null is written by commit.
type stagedFile struct {
	name, temporary string
	device          []byte
}

// stage writes data next to the file that is to have it.
func stage(name string, data []byte) (*stagedFile, error) {
	mode := os.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	switch info, err := os.Stat(name); {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		return &stagedFile{name: name, device: data}, nil
	default:
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return nil, err
	}
	f := &stagedFile{name: name, temporary: tmp.Name()}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err != nil {
		return nil, errors.Join(err, f.discard())
	}
	return f, nil
}

// commit gives the file its name.
func (f *stagedFile) commit() error {
	if f.temporary == "" {
		return os.WriteFile(f.name, f.device, 0o666)
	}
	err := os.Rename(f.temporary, f.name)
	if err == nil {
		f.temporary = ""
	}
	return err
}

// discard removes what has not been committed.
func (f *stagedFile) discard() error {
	if f.temporary == "" {
		return nil
	}
	return os.Remove(f.temporary)
}

// writeWhole writes a file whole or not at all.
func writeWhole(name string, data []byte) error {
	f, err := stage(name, data)
	if err != nil {
		return err
	}
	return errors.Join(f.commit(), f.discard())
}
