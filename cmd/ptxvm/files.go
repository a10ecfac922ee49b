package main

// This file reads files that the user names, and writes them whole or not at all.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// openFile opens a file that the user names; what does not exist may be a slip of the pen.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s%s", name, nearFile(name))
	}
	return f, err
}

// readFile reads a file that the user names.
func readFile(name string) ([]byte, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// nearFile suggests a file of the same folder: the name with an ending, else the nearest.
func nearFile(name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "; there is no directory " + dir
	}
	var names []string
	for _, e := range entries {
		if stem := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())); stem == filepath.Base(name) {
			return "; did you mean " + filepath.Join(dir, e.Name()) + "?"
		}
		names = append(names, e.Name())
	}
	if near := cli.Nearest(filepath.Base(name), names); near != "" {
		return "; did you mean " + filepath.Join(dir, near) + "?"
	}
	return ""
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
