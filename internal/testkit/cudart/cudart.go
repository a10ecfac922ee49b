// Package cudart builds the CUDA libraries and programs that use them, for tests. Where gcc or nvcc is missing the
// tests are skipped, with a reason that begins with nvcc.SkipMark.
package cudart

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// Libraries returns the folder of the libraries: $PTXVM_CUDART, or one that .ci/cudart fills now.
func Libraries(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("PTXVM_CUDART"); dir != "" {
		return dir
	}
	if runtime.GOOS != "linux" {
		t.Skip(nvcc.SkipMark + "the CUDA libraries are for Linux")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	dir, err := builtLibraries(Root(t), filepath.Join(cache(t), "lib"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// builtLibraries has .ci/cudart fill a folder, once a process: linking takes it as long as many a program.
var builtLibraries = once(func(root, dir string) error { return build(root, dir, "") })

// build has .ci/cudart fill a folder, with more tags.
func build(root, dir, tags string) error {
	cmd := exec.Command(filepath.Join(root, ".ci", "cudart"), dir)
	cmd.Env = append(os.Environ(), "PTXVM_TAGS="+tags)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf(".ci/cudart: %w\n%s", err, out)
	}
	return nil
}

// once makes what is at a path of a repository, the first time that it is asked for.
func once(build func(root, path string) error) func(root, path string) (string, error) {
	var do sync.Once
	var failed error
	return func(root, path string) (string, error) {
		do.Do(func() { failed = build(root, path) })
		return path, failed
	}
}

// Root is the folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// cache is a folder that outlives the test, one for each clone.
func cache(t testing.TB) string {
	t.Helper()
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "ptxvm", "cudart", fmt.Sprintf("%x", sha256.Sum256([]byte(Root(t))))[:16])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// NoLines as a flag of Program leaves out line information, with which machine code carries its PTX.
const NoLines = "without lines"

// Program returns the executable that nvcc makes of sources, linked with the libraries; the same sources and flags
// are compiled once.
func Program(t testing.TB, libraries string, sources []string, flags ...string) string {
	t.Helper()
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q", compiler, flags)
	headers, err := filepath.Glob(filepath.Join(filepath.Dir(sources[0]), "*.h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(headers, sources...) {
		text, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%q %q", filepath.Base(s), text)
	}
	path := filepath.Join(cache(t), fmt.Sprintf("%x", hash.Sum(nil)[:12]))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	scratch := path + fmt.Sprintf(".%d", os.Getpid())
	if !slices.Contains(flags, "-cudart") {
		flags = append([]string{"-cudart", "shared"}, flags...)
	}
	args := []string{"-lineinfo"}
	if i := slices.Index(flags, NoLines); i >= 0 {
		args, flags = nil, slices.Delete(slices.Clone(flags), i, i+1)
	}
	args = append(append(args, "-L", libraries, "-o", scratch), flags...)
	if out, err := exec.Command(compiler, append(args, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("nvcc %v: %v\n%s", sources, err, out)
	}
	if err := os.Rename(scratch, path); err != nil {
		t.Fatal(err)
	}
	return path
}
