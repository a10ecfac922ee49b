package cudart

// This file tests programs and libraries into which NVIDIA's runtime is linked, nvcc's default, and those of NVIDIA's that hold
// machine code alone.

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// staticToo are the programs that .ci/run builds with the static runtime as well: several sources, streams of threads, and
// variables that the host reads before its first call.
var staticToo = []string{"linkptx", "managed", "perthread"}

// TestStatic: programs with the static runtime do what those with the shared one do.
func TestStatic(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	for _, source := range sources(t, true) {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		want := read(t, source)
		if !programs.all && !slices.Contains(staticToo, name) || slices.Contains(want.flags, "-cudart") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			program := Program(t, libraries, append([]string{source}, want.with...), append(want.flags, "-cudart", "static")...)
			run(t, want, libraries, command, "exec", program)
		})
	}
}

// TestStripped: of a program without symbols exec says what can be done.
func TestStripped(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "vectoradd.cu")
	program := Program(t, libraries, []string{source}, "-cudart", "static")
	run(t, expected{stdout: []string{"PASSED"}}, libraries, command, "exec", program)
	stripped := filepath.Join(t.TempDir(), "stripped")
	if out, err := exec.Command("strip", "-o", stripped, program).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v\n%s", err, out)
	}
	run(t, expected{exit: 125, stderr: []string{"no symbols by which", "strip", "-cudart shared"}}, libraries, command, "exec", stripped)
}

// plugin is a library whose kernel runs in a constructor, and again when it is asked.
const plugin = `
#include <cstdio>
__global__ void twice(int *p) { *p *= 2; }
static int *p;
struct early { early() { int one = 1; cudaMalloc(&p, sizeof *p); cudaMemcpy(p, &one, sizeof one, cudaMemcpyDefault); twice<<<1, 1>>>(p); } } now;
extern "C" int answer() {
  int n = 0;
  twice<<<1, 1>>>(p);
  return cudaMemcpy(&n, p, sizeof n, cudaMemcpyDefault) == cudaSuccess ? n : -1;
}
`

// pluginHost loads libraries that it learns of when it runs, and calls a function of each.
const pluginHost = `
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    void *lib = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    int (*f)(void) = lib ? (int (*)(void))dlsym(lib, argv[1]) : NULL;
    if (!f) return puts(dlerror()), 1;
    printf("answer %d\n", f());
  }
  return 0;
}
`

// TestStaticPlugin: a library with the static runtime that a program without any loads later, as Python does with CuPy's. Two
// of them do not disturb each other.
func TestStaticPlugin(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	dir := t.TempDir()
	host := compileC(t, dir, "host", pluginHost, "-ldl")
	one := compileCUDA(t, dir, "libone.so", plugin, "-shared", "-Xcompiler=-fPIC", "-cudart", "static")
	two := filepath.Join(dir, "libtwo.so")
	if data, err := os.ReadFile(one); err != nil || os.WriteFile(two, data, 0o700) != nil {
		t.Fatal("copying", err)
	}
	run(t, expected{stdout: []string{"answer 4\nanswer 4\n"}}, libraries, command, "exec", host, "answer", one, two)
}

// TestAuditor: a runtime's functions become ours before constructors run, where all that it must have is there by name and has
// room for a jump; else the program is left as it is.
func TestAuditor(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	for flags, version := range map[string]string{"-O1": "version 13050", "-O1 -DSHORT -fno-toplevel-reorder": "version 77", "-O1 -DPART": "version 77", "-O1 -s": "version 77"} {
		program := fakeRuntime(t, "gcc", strings.Fields(flags)...)
		run(t, expected{stdout: []string{version}}, libraries, command, "exec", program)
	}
}

// TestAuditorArm64: the same on arm64, emulated.
func TestAuditorArm64(t *testing.T) {
	needPrograms(t)
	const compiler, emulator = "aarch64-linux-gnu-gcc", "qemu-aarch64"
	for _, tool := range []string{compiler, emulator} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(nvcc.SkipMark + err.Error())
		}
	}
	dir, front := t.TempDir(), filepath.Join(Root(t), "internal", "cudaabi", "front")
	build := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		return compile(t, exec.Command(compiler, append([]string{"-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-soname," + name, "-o", path}, args...)...), "")
	}
	audit := build("libptxvm_audit.so", filepath.Join(front, "audit.c"), "-ldl")
	stand := build("libcudart.so.13", filepath.Join("testdata", "standruntime.c"))
	program := fakeRuntime(t, compiler, "-O1")
	out, err := exec.Command(emulator, "-L", "/usr/aarch64-linux-gnu", "-E", "LD_AUDIT="+audit, "-E", "LD_PRELOAD="+stand, program).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "version 13050") {
		t.Errorf("%v\n%s", err, out)
	}
}

// fakeRuntime builds a program with functions by the names of NVIDIA's runtime.
func fakeRuntime(t *testing.T, compiler string, flags ...string) string {
	t.Helper()
	args := append(flags, "-fno-builtin", "-o", filepath.Join(t.TempDir(), "fake"), filepath.Join("testdata", "fakeruntime.c"))
	return compile(t, exec.Command(compiler, args...), "")
}

// closedLibraries are names of NVIDIA's libraries and what is said of each.
var closedLibraries = map[string]string{
	"libcublas.so.13": "cublasCreate", "libcublasLt.so.13": "is cuBLAS", "libcudnn.so.9": "is cuDNN", "libcudnn_ops.so.9": "is cuDNN",
	"libcufft.so.12": "is cuFFT", "libcusparse.so.12": "is cuSPARSE", "libcusolver.so.12": "is cuSOLVER", "libcurand.so.10": "curand_kernel.h",
	"libnppc.so.13": "is NPP", "libnppial.so.13": "is NPP", "libnccl.so.2": "is NCCL",
}

// asksForTables does what a stripped runtime does first.
const asksForTables = `
int cuInit(unsigned), cuGetExportTable(const void **, const void *);
int answer(void) { const void *table; char id[16] = {1}; cuInit(0); return cuGetExportTable(&table, id); }
`

// TestClosed: each of NVIDIA's closed libraries is named at its first call, with what a program can do without it, whether its
// runtime is stripped or its machine code comes by ours.
func TestClosed(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	dir := t.TempDir()
	host := compileC(t, dir, "host", pluginHost, "-ldl")
	args := []string{"exec", host, "answer"}
	want := expected{stdout: []string{"answer 500"}}
	for name, said := range closedLibraries {
		args = append(args, compileC(t, dir, name, asksForTables, "-shared", "-fPIC", "-L"+libraries, "-lcuda"))
		want.stderr = append(want.stderr, "ptxvm: "+name+" is ", said)
	}
	run(t, want, libraries, command, args...)
	dir = t.TempDir()
	code := compileCUDA(t, dir, "libcufft.so.12", plugin, "-shared", "-Xcompiler=-fPIC", "-gencode", "arch=compute_90,code=sm_90", "-cudart", "shared", "-L"+libraries)
	run(t, expected{exit: 3, stdout: []string{"answer 1"}, stderr: []string{"ptxvm: libcufft.so.12 is cuFFT, which holds machine code and no PTX"}}, libraries, command,
		"exec", host, "answer", code)
}

func compileC(t *testing.T, dir, name, text string, flags ...string) string {
	t.Helper()
	return compile(t, exec.Command("gcc", append([]string{"-x", "c", "-", "-o", filepath.Join(dir, name)}, flags...)...), text)
}

func compileCUDA(t *testing.T, dir, name, text string, flags ...string) string {
	t.Helper()
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	source := filepath.Join(t.TempDir(), "source.cu")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return compile(t, exec.Command(compiler, append([]string{source, "-o", filepath.Join(dir, name)}, flags...)...), "")
}

// compile runs a compiler; the file that it makes stands behind its -o.
func compile(t *testing.T, cmd *exec.Cmd, input string) string {
	t.Helper()
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return cmd.Args[slices.Index(cmd.Args, "-o")+1]
}
