package cc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// Why kernels cannot go through C.
var (
	ErrNoCompiler = errors.New("neither clang nor gcc is installed")
	ErrPlatform   = errors.New("code by a C compiler needs Linux or FreeBSD on amd64")
	ErrStopped    = errors.New("the launch that waits for the C compiler was stopped")
	ErrTooLong    = fmt.Errorf("the C compiler took more than %v", mostTime)
	ErrTooLarge   = errors.New("it has more C than a compiler is to take")
)

// What a kernel may cost: texts of PTX are not trusted, and a C compiler has no budget of its own.
const (
	mostTime = 2 * time.Minute
	mostText = 8 << 20
)

// flags make a library of one file that computes what the text says, each rounding where it has it. -O3 gains nothing: the text
// is vectors already. A frame that is larger than the stack is an error.
var flags = strings.Fields("-x c -std=gnu11 -O2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mpopcnt -mtune=native -ffp-contract=off -fno-math-errno " +
	"-fno-trapping-math -fwrapv -fno-strict-aliasing -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables " +
	"-fvisibility=hidden -fPIC -shared -nostdlib -Wl,--build-id=none " +
	"-Werror=frame-larger-than=" + strconv.Itoa(abi.Frame))

// compilers are those that are looked for, in order, with the flag that keeps each from calling memset. clang folds vectors that
// gcc leaves as they are written: of 16 kernels its code was as fast for two, and up to four times as fast for the others.
var compilers = []struct{ name, flag string }{{"clang", "-fno-builtin"}, {"gcc", "-fno-tree-loop-distribute-patterns"}}

// Toolchain is an installed C compiler.
type Toolchain struct {
	path  string
	flags []string
	cache *cache // nil: what it makes is not kept
}

// Find finds the C compiler. What it makes is kept on disk for other processes if the user has a cache and keeps is true.
func Find(keeps bool) (*Toolchain, error) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" && runtime.GOOS != "freebsd" {
		return nil, ErrPlatform
	}
	for _, c := range compilers {
		path, err := exec.LookPath(c.name)
		if err != nil {
			continue
		}
		t := &Toolchain{path: path, flags: slices.Concat(flags, []string{c.flag})}
		if keeps {
			t.cache = newCache(t)
		}
		return t, nil
	}
	return nil, ErrNoCompiler
}

// Code is a compiled function.
type Code struct {
	code *native.Code
	off  int
}

// Compile compiles what Print has made of a placed function, or finds it in the cache. It ends with ErrStopped as soon as stopped, if it
// is not nil, says so.
func (t *Toolchain) Compile(text string, stopped func() bool) (*Code, error) {
	if len(text) > mostText {
		return nil, ErrTooLarge
	}
	key := t.cache.key(text, stopped)
	image, off, err := load(t.cache.get(key))
	if err != nil {
		library, err := t.library(text, stopped)
		if err != nil {
			return nil, err
		}
		if image, off, err = load(library); err != nil {
			return nil, err
		}
		t.cache.put(key, library)
	}
	code, err := native.New(image)
	if err != nil {
		return nil, err
	}
	return &Code{code, off}, nil
}

// Call runs the code; how says where it is entered: abi.ByBatch or abi.ByCTA.
func (c *Code) Call(s *abi.State, how uintptr) error {
	return native.CallOn(c.code.Addr(c.off), unsafe.Pointer(s), uint64(how))
}

// Len is how many bytes the code takes.
func (c *Code) Len() int { return c.code.Len() }

// Free gives the memory back. The code must not run any more.
func (c *Code) Free() error { return c.code.Free() }

// library has text compiled to a library.
func (t *Toolchain) library(text string, stopped func() bool) (file []byte, err error) {
	dir, err := os.MkdirTemp("", "ptxvm-cc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, library := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel.so")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return nil, err
	}
	out := new(bytes.Buffer)
	cmd := exec.Command(t.path, slices.Concat(t.flags, []string{"-o", library, source})...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := await(cmd, stopped, mostTime); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(t.path), err, bytes.TrimSpace(out.Bytes()))
	}
	return os.ReadFile(library)
}

// await runs a command to its end, or ends it with all that it has started.
func await(cmd *exec.Cmd, stopped func() bool, most time.Duration) error {
	group(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	look, over := time.NewTicker(5*time.Millisecond), time.NewTimer(most)
	defer look.Stop()
	defer over.Stop()
	for why := error(nil); ; {
		select {
		case err := <-done:
			if why != nil {
				return why
			}
			return err
		case <-over.C:
			why = ErrTooLong
		case <-look.C:
			if why == nil && stopped != nil && stopped() {
				why = ErrStopped
			}
		}
		if why != nil {
			kill(cmd) // again and again, if it is starting another one just now
		}
	}
}
