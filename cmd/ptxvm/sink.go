package main

// This file writes results: files whole or not at all, the others as text.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// toStdout is the file name that stands for standard output.
const toStdout = "-"

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
		if r.sink == toStdout {
			data, err := r.encoded()
			if err == nil {
				_, err = out.Write(data)
			}
			if err != nil {
				return usageError{err}
			}
			continue
		}
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
		if r.sink == "" || r.sink == toStdout {
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

// stagedFile is a file under a temporary name next to the one that it is to have. A device such as
// /dev/null is written by commit.
type stagedFile struct {
	name string
	mode os.FileMode
	tmp  *os.File // nil: a device, or committed
	held []byte   // for a device
}

// create makes an empty staged file.
func create(name string) (*stagedFile, error) {
	f := &stagedFile{name: name, mode: 0o644}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		f.name = target
	}
	switch info, err := os.Stat(f.name); {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name a file in it", name)
	case !info.Mode().IsRegular():
		return f, nil
	default:
		f.mode = info.Mode().Perm()
		// The new file would replace one that its owner has protected.
		old, err := os.OpenFile(f.name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fileError(name, err)
		}
		_ = old.Close()
	}
	var err error
	if f.tmp, err = os.CreateTemp(filepath.Dir(f.name), filepath.Base(f.name)+".tmp*"); err != nil {
		return nil, fileError(name, err)
	}
	return f, nil
}

// fileError names the file that the user has named, not the temporary one.
func fileError(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	if dir := filepath.Dir(name); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no directory %s", name, dir)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Write implements io.Writer.
func (f *stagedFile) Write(data []byte) (int, error) {
	if f.tmp == nil {
		f.held = append(f.held, data...)
		return len(data), nil
	}
	n, err := f.tmp.Write(data)
	if err != nil {
		err = fileError(f.name, err)
	}
	return n, err
}

// commit gives the file its name.
func (f *stagedFile) commit() error {
	var err error
	if f.tmp == nil {
		err = os.WriteFile(f.name, f.held, 0o666)
	} else if err = errors.Join(f.tmp.Chmod(f.mode), f.tmp.Close()); err == nil {
		err = os.Rename(f.tmp.Name(), f.name)
	}
	if err != nil {
		return fileError(f.name, err)
	}
	f.tmp = nil
	return nil
}

// discard removes what has not been committed.
func (f *stagedFile) discard() error {
	if f.tmp == nil {
		return nil
	}
	_ = f.tmp.Close() // commit may have closed it
	return os.Remove(f.tmp.Name())
}

// stage writes data next to the file that is to have it.
func stage(name string, data []byte) (*stagedFile, error) {
	f, err := create(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.discard())
	}
	return f, nil
}

// writeWhole writes a file whole or not at all.
func writeWhole(name string, data []byte) error {
	f, err := stage(name, data)
	if err != nil {
		return err
	}
	return errors.Join(f.commit(), f.discard())
}
