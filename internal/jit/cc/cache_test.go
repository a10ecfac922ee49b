package cc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// trivial is a text that a compiler takes little time for.
const trivial = "#pragma GCC visibility push(default)\nint kernel(void) { return 1; }\n"

// kept is a compiler with a cache of its own.
func kept(t *testing.T) *Toolchain {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	tool, err := Find(true)
	if err != nil {
		t.Skip(err)
	}
	if tool.cache == nil {
		t.Fatal("there is no cache")
	}
	return tool
}

// counted has a compiler say how often it has run.
func counted(t *testing.T, tool *Toolchain) func() int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	script := filepath.Join(t.TempDir(), "cc")
	text := "#!/bin/sh\necho >>" + log + "\nexec " + tool.path + ` "$@"` + "\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	tool.path = script
	tool.cache.key("", nil) // asks for the version
	before := lines(log)
	return func() int { return lines(log) - before }
}

func lines(name string) int {
	data, _ := os.ReadFile(name)
	return bytes.Count(data, []byte("\n"))
}

// compiled compiles a text and gives the code back.
func compiled(t *testing.T, tool *Toolchain, text string) {
	t.Helper()
	c, err := tool.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Free(); err != nil {
		t.Error(err)
	}
}

// TestCache: what was compiled is not compiled again, whatever else is.
func TestCache(t *testing.T) {
	tool := kept(t)
	times := counted(t, tool)
	for range 3 {
		compiled(t, tool, trivial)
		compiled(t, tool, trivial+"//")
	}
	if times() != 2 {
		t.Errorf("two texts were compiled %d times", times())
	}
	other := *tool
	other.flags = append(other.flags, "-O1")
	other.cache = newCache(&other)
	if compiled(t, &other, trivial); times() != 4 { // it has asked for the version
		t.Errorf("other flags: %d runs of the compiler", times())
	}
}

// TestCacheCorrupt: a file that is not whole, not what it is called, or that others could have written is compiled again.
func TestCacheCorrupt(t *testing.T) {
	tool := kept(t)
	times := counted(t, tool)
	compiled(t, tool, trivial)
	compiled(t, tool, trivial+"//")
	name, other := filepath.Join(tool.cache.dir, fileName(tool.cache.key(trivial, nil))), filepath.Join(tool.cache.dir, fileName(tool.cache.key(trivial+"//", nil)))
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	others, _ := os.ReadFile(other)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	write := func(data []byte) func() error {
		return func() error { return os.WriteFile(name, data, 0o600) }
	}
	for what, spoil := range map[string]func() error{
		"empty": write(nil), "cut off": write(good[:len(good)-1]), "begins otherwise": write(append([]byte("x"), good...)), "a bit": write(flipped),
		"another": write(others), "no header": write(good[len(cacheFormat):]), "short": write(good[:len(cacheFormat)+3]),
		"sealed, but no library": write(append(append([]byte(cacheFormat), seal(tool.cache.key(trivial, nil), []byte("code"))...), "code"...)),
		"others may write":       func() error { return os.Chmod(name, 0o622) },
		"a folder":               func() error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		before := times()
		if compiled(t, tool, trivial); times() != before+1 {
			t.Errorf("%s: it was not compiled again", what)
		}
		os.RemoveAll(name)
		compiled(t, tool, trivial)
	}
	before := times()
	if compiled(t, tool, trivial); times() != before {
		t.Error("a good file is not read")
	}
}

// TestCacheOpen: a folder that others may enter counts for nothing, and a link to such a one neither.
func TestCacheOpen(t *testing.T) {
	tool := kept(t)
	times := counted(t, tool)
	compiled(t, tool, trivial)
	dir := tool.cache.dir
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	compiled(t, tool, trivial)
	moved := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(dir, moved), os.Symlink(moved, dir)); err != nil {
		t.Fatal(err)
	}
	if compiled(t, tool, trivial); times() != 3 {
		t.Errorf("compiled %d times", times())
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if tool, err := Find(true); err != nil || tool.cache != nil {
		t.Errorf("without a home: %v, %v", tool, err)
	}
}

// TestCacheSize: what was not used for long goes when the folder is too large.
func TestCacheSize(t *testing.T) {
	tool := kept(t)
	tool.cache.most = 5 << 10
	library, first := make([]byte, 1<<10), tool.cache.key("/", nil)
	for i := range 12 {
		key := tool.cache.key(strings.Repeat("/", i+1), nil)
		tool.cache.put(key, library)
		at := time.Now().Add(time.Duration(i-20) * time.Minute)
		_ = os.Chtimes(filepath.Join(tool.cache.dir, fileName(key)), at, at)
		tool.cache.get(first) // used all the time
	}
	files, err := os.ReadDir(tool.cache.dir)
	if err != nil || len(files) > 5 || len(files) < 2 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if tool.cache.get(first) == nil || tool.cache.get(tool.cache.key("//", nil)) != nil {
		t.Error("not what was used last has stayed")
	}
}

// TestCacheTogether: many compile the same and other texts at the same time.
func TestCacheTogether(t *testing.T) {
	tool := kept(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range 3 {
				if c, err := tool.Compile(trivial+strings.Repeat("/", 2+(i+k)%3), nil); err != nil {
					t.Error(err)
				} else if err := c.Free(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if files, err := os.ReadDir(tool.cache.dir); err != nil || len(files) != 3 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestStopped: a compiler that runs is ended with what it has started, when its launch is stopped or it takes too long.
func TestStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	sleep := func() *exec.Cmd { return exec.Command("sh", "-c", "sleep 60 & wait") }
	start := time.Now()
	if err := await(sleep(), func() bool { return time.Since(start) > 20*time.Millisecond }, time.Hour); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
	if err := await(sleep(), nil, 20*time.Millisecond); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	tool, err := Find(false)
	if err != nil {
		t.Skip(err)
	}
	if _, err := tool.Compile(strings.Repeat(" ", mostText+1), nil); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// FuzzLoad: whatever a file holds, reading it says what is wrong.
func FuzzLoad(f *testing.F) {
	if tool, err := Find(false); err == nil {
		if library, err := tool.library(trivial, nil); err == nil {
			f.Add(library)
			f.Add(library[:len(library)/2])
		}
	}
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if image, off, err := load(file); err == nil && off >= len(image) {
			t.Errorf("the function is at %d of %d", off, len(image))
		}
	})
}
