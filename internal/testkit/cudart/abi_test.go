package cudart

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// toolkit is the folder of the installed toolkit, above its compiler's.
func toolkit(t *testing.T) string {
	t.Helper()
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return filepath.Dir(filepath.Dir(compiler))
}

// toolkit12 is the folder of the runtime of CUDA 12 (the package nvidia-cuda-runtime-cu12, nvidia/cuda_runtime in it), which
// .ci/run does not install.
func toolkit12(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PTXVM_CUDA12")
	if dir == "" {
		t.Skip(nvcc.SkipMark + "PTXVM_CUDA12 names no runtime of CUDA 12")
	}
	return dir
}

// functions lists what a library exports by the version that is its name.
func functions(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		if s.Version != filepath.Base(path) {
			t.Errorf("%s: %s has version %q", path, s.Name, s.Version)
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// TestExports: our libraries export what NVIDIA's do, by the same versions.
func TestExports(t *testing.T) {
	needPrograms(t)
	for name, theirs := range map[string]func(*testing.T) string{"libcudart.so.13": toolkit, "libcudart.so.12": toolkit12} {
		t.Run(name, func(t *testing.T) {
			ours := functions(t, filepath.Join(Libraries(t), name))
			if theirs := functions(t, filepath.Join(theirs(t), "lib", name)); !slices.Equal(theirs, ours) {
				t.Errorf("%d functions, want %d; go run ./internal/gen/cudaabi -library FILE lists the differences", len(ours), len(theirs))
			}
		})
	}
}

// TestRuntime12: the library for programs of CUDA 12 exports the names of its list, all by its version.
func TestRuntime12(t *testing.T) {
	needPrograms(t)
	var want []string
	for line := range strings.Lines(readText(t, filepath.Join(Root(t), "internal", "cudaabi", "cudart12.txt"))) {
		if f := strings.Fields(line); f[0] != "#" {
			want = append(want, f[0])
		}
	}
	slices.Sort(want)
	if have := functions(t, filepath.Join(Libraries(t), "libcudart.so.12")); !slices.Equal(have, want) || len(have) < 400 {
		t.Errorf("%d names, the list has %d: %v", len(have), len(want), difference(have, want))
	}
}

// TestLayouts12: those of CUDA 12, too.
func TestLayouts12(t *testing.T) {
	dir := filepath.Join(Root(t), "internal", "cudaabi", "front")
	cmd := exec.Command("g++", "-std=c++17", "-Wno-invalid-offsetof", "-fsyntax-only", "-I", filepath.Join(toolkit12(t), "include"),
		"-idirafter", filepath.Join(toolkit(t), "include"), "-iquote", dir, "-x", "c++", filepath.Join(dir, "layout_check.cc"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// private are functions of NVIDIA's libraries that no header has.
var private = []string{"__nvrtcCPEx", "__nvrtcNvvmHandle", "__nvJitLinkAPI"}

// TestForwarders: libraries of ours that stand in front of NVIDIA's export what those do, by the same version.
func TestForwarders(t *testing.T) {
	needPrograms(t)
	python := interpreter(t)
	for _, name := range []string{"libnvrtc.so.13", "libnvJitLink.so.13"} {
		theirs, _ := filepath.Glob(filepath.Join(filepath.Dir(python), "..", "lib", "python3*", "site-packages", "nvidia", "*", "lib", name))
		if len(theirs) == 0 {
			continue
		}
		ours := functions(t, filepath.Join(Libraries(t), name))
		for _, f := range functions(t, theirs[0]) {
			if !slices.Contains(ours, f) && !slices.Contains(private, f) {
				t.Errorf("%s has no %s", name, f)
			}
		}
	}
}

// TestLayouts: our structures are laid out as those of the installed headers.
func TestLayouts(t *testing.T) {
	dir := filepath.Join(Root(t), "internal", "cudaabi", "front")
	check := func(structs string) ([]byte, error) {
		cmd := exec.Command("g++", "-std=c++17", "-Wno-invalid-offsetof", "-fsyntax-only", "-I", filepath.Join(toolkit(t), "include"),
			"-iquote", structs, "-x", "c++", "-")
		cmd.Stdin = strings.NewReader(readText(t, filepath.Join(dir, "layout_check.cc")))
		return cmd.CombinedOutput()
	}
	if out, err := check(dir); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	moved := t.TempDir() // one field elsewhere: the check must say so
	text := strings.Replace(readText(t, filepath.Join(dir, "structs.h")), "(concurrentKernels, 560", "(concurrentKernels, 556", 1)
	if err := os.WriteFile(filepath.Join(moved, "structs.h"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(moved); err == nil || !strings.Contains(string(out), "concurrentKernels") {
		t.Errorf("a field that is elsewhere passes: %v\n%s", err, out)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
