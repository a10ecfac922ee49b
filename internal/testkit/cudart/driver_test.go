package cudart

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDriverPrograms builds each program of testdata/cuda, which calls the driver API, with gcc alone, and runs it by
// ptxvm exec in both engines.
func TestDriverPrograms(t *testing.T) {
	needPrograms(t)
	libraries := Libraries(t)
	sources, err := filepath.Glob(filepath.Join(Root(t), "testdata", "cuda", "*.c"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no programs", err)
	}
	command := ptxvm(t)
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".c")
		t.Run(name, func(t *testing.T) {
			program := driverProgram(t, libraries, source)
			for _, engine := range []string{"interp", "auto"} {
				run(t, read(t, source), libraries, command, "exec", "--engine", engine, program)
			}
		})
	}
}

// driverProgram builds a program that calls the driver API.
func driverProgram(t *testing.T, libraries, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	build := exec.Command("gcc", "-Wall", "-Wextra", "-Wno-unused", "-O1", "-o", program, source, "-L", libraries, "-lcuda", "-lpthread")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return program
}

// TestSignals runs each row of signals.c 200 times: what goes wrong there does so now and then.
func TestSignals(t *testing.T) {
	needPrograms(t)
	if !programs.all {
		t.Skip("runs each row often: -programs=all")
	}
	libraries := Libraries(t)
	source := filepath.Join(Root(t), "testdata", "cuda", "signals.c")
	run(t, read(t, source), libraries, ptxvm(t), "exec", driverProgram(t, libraries, source), "200")
}

// TestDriverFunctions: the programs together call each function of the driver API that is listed as supported. Those of CUDA C++
// say by NVIDIA's header which symbol a name means, or name an older one as assembly does.
func TestDriverFunctions(t *testing.T) {
	newest := map[string]string{}
	macro := regexp.MustCompile(`(?m)^#define\s+(cu\w+)\s+(?:__CUDA_API_PT[SD][SZ]\()?(cu\w+)`)
	for _, m := range macro.FindAllStringSubmatch(readText(t, filepath.Join(toolkit(t), "include", "cuda.h")), -1) {
		if newest[m[1]] == "" { // what follows is about default streams
			newest[m[1]] = m[2]
		}
	}
	called := map[string]bool{}
	name := regexp.MustCompile(`(__asm__\(")?\b(cu[A-Z]\w*)`)
	for _, pattern := range []string{"cuda/*.c", "cuda/driver.h", "cudart/*.cu", "cudart/*.h"} {
		files, err := filepath.Glob(filepath.Join(Root(t), "testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, file := range files {
			for _, m := range name.FindAllStringSubmatch(readText(t, file), -1) {
				symbol := m[2]
				if by := newest[symbol]; by != "" && m[1] == "" && strings.HasPrefix(pattern, "cudart/") {
					symbol = by
				}
				called[symbol] = true
			}
		}
	}
	demandSupported(t, called, "libcuda.so.1", "cu", 360)
}

// TestDriverNames compares what libcuda.so.1 exports, but for functions of ptxvm's own, with the list.
func TestDriverNames(t *testing.T) {
	needPrograms(t)
	f, err := elf.Open(filepath.Join(Libraries(t), "libcuda.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	exported, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, s := range exported {
		if s.Section != elf.SHN_UNDEF && !strings.HasPrefix(s.Name, "ptxvm") { // ptxvmHostView: ours, no driver has them
			have = append(have, s.Name)
		}
	}
	text, err := os.ReadFile(filepath.Join(Root(t), "internal", "cudaabi", "cuda.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] != "#" {
			want = append(want, f[0])
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("libcuda.so.1 exports %d names, the list has %d: %v", len(have), len(want), difference(have, want))
	}
}

// difference lists what is in one of two lists.
func difference(a, b []string) (list []string) {
	for _, name := range append(slices.Clone(a), b...) {
		if slices.Contains(a, name) != slices.Contains(b, name) {
			list = append(list, name)
		}
	}
	return list
}

// ptxvm is the command, built once a process.
func ptxvm(t *testing.T) string {
	t.Helper()
	command, err := builtCommand(Root(t), filepath.Join(cache(t), "ptxvm"))
	if err != nil {
		t.Fatal(err)
	}
	return command
}

var builtCommand = once(func(root, path string) error {
	build := exec.Command("go", "build", "-o", path, "./cmd/ptxvm")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
})
