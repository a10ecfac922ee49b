package launchlang

// This file reads files that the user names, and writes them whole or not at all.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// OpenFile opens a file that the user names; what does not exist may be a slip of the pen.
func OpenFile(name string) (*os.File, error) { return open(name, ".ptx") }

// OpenOptions is OpenFile for a file of options (@FILE).
func OpenOptions(name string) (*os.File, error) { return open(name, ".txt") }

func open(name, ending string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s%s", name, nearFile(name, ending))
	}
	return f, err
}

// ReadFile reads a file that the user names.
func ReadFile(name string) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// nearFile suggests a file of the same folder: the name with an ending, the first if there is such a file; else the nearest.
func nearFile(name, first string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "; there is no directory " + dir
	}
	var names []string
	if _, err := os.Stat(name + first); err == nil {
		return "; did you mean " + filepath.Clean(name+first) + "?"
	}
	for _, e := range entries {
		if stem := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())); stem == filepath.Base(name) {
			return "; did you mean " + filepath.Join(dir, e.Name()) + "?"
		}
		names = append(names, e.Name())
	}
	if near := isa.NearestFold(filepath.Base(name), names); near != "" {
		return "; did you mean " + filepath.Join(dir, near) + "?"
	}
	return ""
}

// StagedFile is a file under a temporary name next to the one that it is to have. A device such as
// /dev/null is written by commit.
type StagedFile struct {
	name string
	mode os.FileMode
	tmp  *os.File // nil: a device, or committed
	held []byte   // for a device
}

// Create makes an empty staged file.
func Create(name string) (*StagedFile, error) {
	f := &StagedFile{name: name, mode: 0o644}
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
func (f *StagedFile) Write(data []byte) (int, error) {
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

// Commit gives the file its name.
func (f *StagedFile) Commit() error {
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

// Discard removes what has not been committed.
func (f *StagedFile) Discard() error {
	if f.tmp == nil {
		return nil
	}
	_ = f.tmp.Close() // commit may have closed it
	return os.Remove(f.tmp.Name())
}

// stage writes data next to the file that is to have it.
func stage(name string, data []byte) (*StagedFile, error) {
	f, err := Create(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// WriteWhole writes a file whole or not at all.
func WriteWhole(name string, data []byte) error {
	f, err := stage(name, data)
	if err != nil {
		return err
	}
	return errors.Join(f.Commit(), f.Discard())
}
