// This file tests the search and the cache, and holds the committed PTX against the compiler.

package nvcc

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
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

// committed are the folders whose regenerate.sh makes PTX, and the compilers that each needs.
var committed = map[string][]func(*testing.T) string{
	"testdata/cuda": {nvcc}, "testdata/surface": {nvcc}, "testdata/cases": {nvcc},
	"testdata/clang": {clang}, "examples": {nvcc, clang, triton}, "bench/kernels": {nvcc, triton},
}

// The committed PTX is what the scripts make of the committed sources.
func TestCommittedPTX(t *testing.T) {
	if !*full {
		t.Skip("needs -full")
	}
	for folder, tools := range committed {
		t.Run(folder, func(t *testing.T) {
			env := os.Environ()
			for _, find := range tools {
				env = append(env, find(t))
			}
			regenerate(t, folder, env)
		})
	}
}

// The tools are settings of the environment that the scripts read.

func nvcc(t *testing.T) string {
	path, err := Find()
	if err != nil {
		t.Skip(SkipMark + err.Error())
	}
	return "NVCC=" + path
}

func clang(t *testing.T) string {
	for _, name := range []string{"clang-19", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return "CLANG=" + path
		}
	}
	t.Skip(SkipMark + "clang is not installed")
	return ""
}

func triton(t *testing.T) string {
	path := strings.Join([]string{filepath.Join(repository(t), ".cuda"), os.Getenv("PYTHONPATH")}, string(filepath.ListSeparator))
	python := exec.Command("python3", "-c", "import triton")
	python.Env = append(os.Environ(), "PYTHONPATH="+path)
	if err := python.Run(); err != nil {
		t.Skip(SkipMark + "Triton is not installed")
	}
	return "PYTHONPATH=" + path
}

// repository is its folder.
func repository(t *testing.T) string {
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// regenerate runs a folder's script in a copy and compares what it makes with what is committed.
func regenerate(t *testing.T, folder string, env []string) {
	t.Helper()
	copied := t.TempDir()
	for _, tree := range []string{"testdata", "examples", "bench/kernels"} {
		if err := os.CopyFS(filepath.Join(copied, tree), os.DirFS(filepath.Join(repository(t), tree))); err != nil {
			t.Fatal(err)
		}
	}
	script := exec.Command("bash", filepath.Join(copied, folder, "regenerate.sh"))
	script.Env = env
	if text, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(copied, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		compare(t, copied, path)
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// compare holds a file of the copy against the committed one. Another version of a compiler, which the first line names, may
// make something else.
func compare(t *testing.T, copied, path string) {
	name, err := filepath.Rel(copied, path)
	if err != nil {
		t.Fatal(err)
	}
	made, _ := os.ReadFile(path)
	have, err := os.ReadFile(filepath.Join(repository(t), name))
	if string(have) == string(made) {
		return
	}
	by, _, _ := strings.Cut(string(made), "\n")
	was, _, _ := strings.Cut(string(have), "\n")
	if strings.HasSuffix(name, ".ptx") && by != was {
		t.Logf("%s%s is by another version: %s, here is %s", SkipMark, name, was, by)
		return
	}
	t.Errorf("%s differs (%v); run regenerate.sh beside it", name, err)
}
