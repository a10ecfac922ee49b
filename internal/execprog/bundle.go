package execprog

// This file unpacks the CUDA libraries that a release carries (.ci/release), on their first use.

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// unpackLibraries returns the folder with the files of an archive: one of the user's cache, by version and content. It is
// made under another name and renamed, so that it is never seen in part.
func unpackLibraries(archive []byte) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the CUDA libraries: %w; set %s to a folder with them (ptxvm cudart)", err, libraryVariable)
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return "", fmt.Errorf("BUG: the bundled libraries: %w", err)
	}
	dir := filepath.Join(cache, "ptxvm", fmt.Sprintf("%s-%.6x", strings.Trim(cli.About().Version, "()"), sha256.Sum256(archive)))
	if unpacked(dir, files) {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "new")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	for _, f := range files.File {
		if err := unpack(f, scratch); err != nil {
			return "", err
		}
	}
	for name, library := range linkerNames {
		if err := os.Symlink(library, filepath.Join(scratch, name)); err != nil {
			return "", err
		}
	}
	if !unpacked(dir, files) {
		_ = os.RemoveAll(dir) // damaged
		if err := os.Rename(scratch, dir); err != nil && !unpacked(dir, files) {
			return "", err
		}
	}
	return dir, nil
}

// unpacked reports whether a folder has the files, whole.
func unpacked(dir string, files *zip.Reader) bool {
	for _, f := range files.File {
		info, err := os.Stat(filepath.Join(dir, f.Name))
		if err != nil || uint64(info.Size()) != f.UncompressedSize64 {
			return false
		}
	}
	return true
}

// linkerNames are the names that linkers look for, and what they link with.
var linkerNames = map[string]string{"libcudart.so": RuntimeLibrary, "libcuda.so": driverLibrary}

// unpack writes a file.
func unpack(f *zip.File, dir string) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), data, 0o700)
}
