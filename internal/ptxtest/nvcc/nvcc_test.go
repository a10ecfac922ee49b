// This file tests the search and the cache, and holds the committed PTX against the compiler.

package nvcc

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm/internal/ptxtest/corpus"
)

var full = flag.Bool("full", false, "compile everything: all committed modules, and CUB")

const testdata = "../../../testdata"

func TestFindPrefersTheVariable(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(SkipMark + err.Error())
	}
	fake := filepath.Join(t.TempDir(), "nvcc")
	t.Setenv("PTXVM_NVCC", fake)
	if path, err := Find(); err == nil {
		t.Errorf("found %s where the variable names nothing", path)
	}
	if err := os.WriteFile(fake, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := Find(); err != nil || path != fake {
		t.Errorf("found %s, %v; want %s", path, err, fake)
	}
}

func TestCachedBuildsOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	builds := 0
	build := func(out string) error {
		builds++
		return os.WriteFile(out, []byte("text"), 0o644)
	}
	for range 2 {
		if text, err := cached("key", build); err != nil || text != "text" {
			t.Fatalf("%q, %v", text, err)
		}
	}
	if builds != 1 {
		t.Errorf("built %d times", builds)
	}
	failing := func(string) error { return fmt.Errorf("no") }
	if _, err := cached("other", failing); err == nil {
		t.Error("a failing build gives a result")
	}
}

// A debug build has symbols and keeps products and sums apart.
func TestDebugBuild(t *testing.T) {
	text := Compile(t, filepath.Join(testdata, "cuda", "saxpy.cu"), 75, "-G")
	if !strings.Contains(text, ", debug") || strings.Contains(text, "fma.rn") {
		t.Errorf("no debug build:\n%s", text)
	}
}

// Every case made at test time finds its kernels. CUB takes seconds, so it needs -full.
func TestHeaders(t *testing.T) {
	for _, c := range corpus.Headers() {
		t.Run(c.Name, func(t *testing.T) {
			if strings.Contains(c.Name, "cub") && !*full {
				t.Skip("needs -full")
			}
			for _, arch := range c.Archs {
				text := Compile(t, filepath.Join(testdata, filepath.FromSlash(c.Source())), arch, "-O3", "-lineinfo")
				for _, l := range c.Make(corpus.Target{Arch: arch}).Launches {
					if n := entries(text, l.Kernel); n != 1 {
						t.Errorf("sm_%d: %d kernels named %s", arch, n, l.Kernel)
					}
				}
			}
		})
	}
}

// entries counts the kernels whose symbol contains a piece.
func entries(text, piece string) int {
	n := 0
	for _, part := range strings.Split(text, ".entry ")[1:] {
		name, _, _ := strings.Cut(part, "(")
		if strings.Contains(name, piece) {
			n++
		}
	}
	return n
}

// The committed PTX is what the script makes of the committed sources.
func TestCommittedPTX(t *testing.T) {
	if !*full {
		t.Skip("needs -full")
	}
	compiler, err := Find()
	if err != nil {
		t.Skip(SkipMark + err.Error())
	}
	for _, folder := range []string{"cuda", "surface", "cases"} {
		regenerate(t, compiler, folder)
	}
}

// regenerate runs a folder's script and compares what it makes with what is committed.
func regenerate(t *testing.T, compiler, folder string) {
	t.Helper()
	out := t.TempDir()
	script := exec.Command(filepath.Join(testdata, folder, "regenerate.sh"))
	script.Env = append(os.Environ(), "NVCC="+compiler, "OUT="+out)
	if text, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	made, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(made) == 0 {
		t.Fatalf("%d files, %v", len(made), err)
	}
	for _, path := range made {
		want, _ := os.ReadFile(path)
		got, _ := os.ReadFile(filepath.Join(testdata, folder, filepath.Base(path)))
		if string(got) != string(want) {
			t.Errorf("%s differs; run testdata/%s/regenerate.sh", filepath.Base(path), folder)
		}
	}
}
