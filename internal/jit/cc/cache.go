package cc

// This file keeps what C compilers have made on disk, for other processes. A file is code that will be executed, so it counts only if the
// folder and the file are the user's and no one else may write them, if its name is the hash of what it was made from (the C, the
// compiler, its flags, the processor), and if it holds the hash of itself: what was cut off, or renamed, is compiled again. Files appear
// whole or not at all.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/internal/jit/native"
)

// cacheFormat begins each file; what changes the meaning of the others has another one.
const cacheFormat = "ptxvm cc 1\n"

// cacheBytes is how much the folder may hold: beyond it those that were not used for the longest time go.
const cacheBytes = 256 << 20

// cache is the folder of one user.
type cache struct {
	dir  string
	most int64
	tool *Toolchain

	mu       sync.Mutex
	identity []byte // of the compiler and the processor; nil: not asked for
}

// newCache is the user's, nil if there is none.
func newCache(t *Toolchain) *cache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &cache{dir: filepath.Join(dir, "ptxvm", "cc"), most: cacheBytes, tool: t}
}

// open opens the folder, which is made if there is none; it fails if others may write it.
func (c *cache) open() (*os.Root, error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	if info, err := root.Stat("."); err != nil || !own(info, 0o077) {
		root.Close()
		return nil, fmt.Errorf("%s is open to other users", c.dir)
	}
	return root, nil
}

// mostVersion is how long a compiler may take to say which one it is.
const mostVersion = 20 * time.Second

// key is the hash of what code is made from, nil if the compiler does not say which one it is, or was stopped while it was about to.
func (c *cache) key(text string, stopped func() bool) []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.identity == nil {
		version := new(bytes.Buffer)
		cmd := exec.Command(c.tool.path, "--version")
		cmd.Stdout = version
		if await(cmd, stopped, mostVersion) != nil {
			return nil
		}
		c.identity = fmt.Appendf(nil, "%s%s\n%s\n%q\n%s\n", cacheFormat, c.tool.path, version, c.tool.flags, native.Processor())
	}
	h := sha256.New()
	h.Write(c.identity)
	io.WriteString(h, text)
	return h.Sum(nil)
}

// writes makes the names of files that are being written differ.
var writes atomic.Uint64

func fileName(key []byte) string { return hex.EncodeToString(key) + ".so" }

// seal is the hash of a library under a key.
func seal(key, library []byte) []byte {
	h := sha256.New()
	h.Write(key)
	h.Write(library)
	return h.Sum(nil)
}

// get returns the library under a key, nil if there is none that counts.
func (c *cache) get(key []byte) []byte {
	if key == nil {
		return nil
	}
	root, err := c.open()
	if err != nil {
		return nil
	}
	defer root.Close()
	file, err := root.Open(fileName(key))
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !own(info, 0o022) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(file, maxImage))
	data, is := bytes.CutPrefix(data, []byte(cacheFormat))
	if err != nil || !is || len(data) < sha256.Size || !bytes.Equal(data[:sha256.Size], seal(key, data[sha256.Size:])) {
		return nil
	}
	now := time.Now()
	_ = root.Chtimes(fileName(key), now, now) // it was used
	return data[sha256.Size:]
}

// put keeps the library under a key, if it can: who cannot compiles again.
func (c *cache) put(key, library []byte) {
	if key == nil {
		return
	}
	root, err := c.open()
	if err != nil {
		return
	}
	defer root.Close()
	temporary := fmt.Sprintf("%s.%d.%d", fileName(key), os.Getpid(), writes.Add(1))
	data := slices.Concat([]byte(cacheFormat), seal(key, library), library)
	if root.WriteFile(temporary, data, 0o600) != nil || root.Rename(temporary, fileName(key)) != nil {
		_ = root.Remove(temporary)
		return
	}
	c.prune(root)
}

// prune removes what was not used for the longest time if the folder has become too large, down to three quarters.
func (c *cache) prune(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return
	}
	var files []fs.FileInfo
	sum := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files, sum = append(files, info), sum+info.Size()
		}
	}
	if sum <= c.most {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if sum <= c.most/4*3 {
			return
		}
		_ = root.Remove(f.Name())
		sum -= f.Size()
	}
}
