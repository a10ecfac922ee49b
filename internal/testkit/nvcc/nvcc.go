// Package nvcc compiles CUDA C++ to PTX in tests that must not rely on committed PTX: debug builds, and
// sources whose PTX contains code of NVIDIA's headers. Where the compiler is missing such a test is
// skipped with a reason that begins with [SkipMark], so that a run can count what it left out.
package nvcc

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// SkipMark begins the reason of every skip for want of a tool.
const SkipMark = "tool missing: "

// binary is the compiler's place in a folder filled by pip install --target.
const binary = "nvidia/cu13/bin/nvcc"

// Find returns the compiler: $PTXVM_NVCC, else the folder .cuda of the repository, else the one in PATH.
// It also needs a host compiler, which preprocesses the source.
func Find() (string, error) {
	if _, err := exec.LookPath("g++"); err != nil {
		return "", fmt.Errorf("nvcc needs a host compiler: %w", err)
	}
	if path := os.Getenv("PTXVM_NVCC"); path != "" {
		return exec.LookPath(path)
	}
	if root, err := root(); err == nil {
		if path, err := exec.LookPath(filepath.Join(root, ".cuda", filepath.FromSlash(binary))); err == nil {
			return path, nil
		}
	}
	return exec.LookPath("nvcc")
}

// root returns the folder of go.mod above the test.
func root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the test")
		}
	}
	return "", err
}

// Compile returns the PTX of one source for sm_ARCH, with more flags such as -G. Results are cached by
// compiler, source and flags. A missing compiler skips the test; a failing one fails it.
func Compile(t testing.TB, source string, arch int, flags ...string) string {
	t.Helper()
	return CompileFor(t, source, fmt.Sprintf("sm_%d", arch), flags...)
}

// CompileFor is Compile for an architecture such as sm_90a.
func CompileFor(t testing.TB, source, arch string, flags ...string) string {
	t.Helper()
	compiler, err := Find()
	if err != nil {
		t.Skip(SkipMark + err.Error())
	}
	args := append([]string{"-ptx", "-arch=" + arch}, flags...)
	key, err := cacheKey(compiler, source, args)
	if err != nil {
		t.Fatal(err)
	}
	text, err := cached(key, func(out string) error { return run(compiler, source, out, args) })
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// cacheKey names a result by all that determines it.
func cacheKey(compiler, source string, args []string) (string, error) {
	version, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", compiler, err)
	}
	code, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %q %q", version, filepath.Base(source), args, code)
	return fmt.Sprintf("%x.ptx", hash.Sum(nil)), nil
}

// cached returns the file of that name in the cache, and makes it first where it is missing.
func cached(name string, build func(out string) error) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "ptxvm", "nvcc")
	path := filepath.Join(dir, name)
	if text, err := os.ReadFile(path); err == nil {
		return string(text), nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(dir, "build")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	out := filepath.Join(scratch, "out.ptx")
	if err := build(out); err != nil {
		return "", err
	}
	text, err := os.ReadFile(out)
	if err == nil {
		err = os.Rename(out, path) // whole or not at all, even if another process builds it
	}
	return string(text), err
}

// run compiles in the source's folder, so that messages and __FILE__ name the file alone.
func run(compiler, source, out string, args []string) error {
	cmd := exec.Command(compiler, append(args, filepath.Base(source), "-o", out)...)
	cmd.Dir = filepath.Dir(source)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return nil
}
