package capture

// This file knows whether a launch has left the same bytes twice.

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Digest is a hash of the memory of a folder as Bytes gives it now: of each page that is not zero, its address, as 8 bytes from the
// lowest on, and its bytes.
func (f *Folder) Digest() ([sha256.Size]byte, error) {
	hash := sha256.New()
	var sum [sha256.Size]byte
	for i := range f.Memory.Allocations {
		data, err := f.bytes(i)
		if err != nil {
			return sum, err
		}
		for _, r := range f.runsOf(i, data) {
			for at := r.Offset; at < r.Offset+r.Size; at += page {
				var place [8]byte
				binary.LittleEndian.PutUint64(place[:], uint64(f.Memory.Allocations[i].Address)+at)
				_, _ = hash.Write(place[:]) // a hash takes everything
				_, _ = hash.Write(data[at:min(at+page, r.Offset+r.Size)])
			}
		}
	}
	return [sha256.Size]byte(hash.Sum(sum[:0])), nil
}

// WriteAfter puts the digest of what a launch has left into a folder that has been written.
func WriteAfter(dir, digest string) error {
	return put(filepath.Join(dir, AfterFile), []byte(digest+"\n"))
}

// After is the digest of what the captured launch has left, as it was written; "" if it is not known.
func After(dir string) (string, error) {
	file, err := os.Open(filepath.Join(dir, AfterFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 4*sha256.Size))
	return strings.TrimSpace(string(text)), err
}
