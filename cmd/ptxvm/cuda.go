package main

// This file has CUDA C++ compiled to PTX by the compiler that the user has: nvcc, else clang.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// cudaArch is what CUDA C++ is compiled for without --arch: the newest target without features of one generation alone
// that most kernels are written for.
const cudaArch = "sm_90"

// cudaCompiler is a compiler of CUDA C++, and how it is asked for PTX with lines.
type cudaCompiler struct {
	name string
	args func(arch, in, out string) []string
}

var (
	nvccCompiler = cudaCompiler{"nvcc", func(arch, in, out string) []string {
		return []string{"-ptx", "-lineinfo", "-arch=" + arch, "-o", out, in}
	}}
	clangCompiler = cudaCompiler{"clang", func(arch, in, out string) []string {
		return []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + arch, "-O3", "-gline-tables-only", "-S", "-o", out, in}
	}}
)

// compilerError is a source that its compiler has rejected: exit 1, as for PTX that is not valid.
type compilerError struct{ error }

// errNoCUDACompiler says how to get a compiler.
var errNoCUDACompiler = errors.New(`CUDA C++ needs a compiler that makes PTX of it, and none is found in PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda or Python's packages.
Install nvcc (no GPU, no driver; it needs g++):
    python3 -m pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl
or clang; PTXVM_NVCC=PATH names an nvcc that lies elsewhere`)

// isCUDA reports whether a FILE is CUDA C++, by its name.
func isCUDA(file string) bool { return strings.EqualFold(filepath.Ext(file), ".cu") }

// findCUDA returns a compiler and its place.
func findCUDA() (cudaCompiler, string, error) {
	if path := os.Getenv("PTXVM_NVCC"); path != "" {
		path, err := exec.LookPath(path)
		if err != nil {
			err = fmt.Errorf("PTXVM_NVCC: %w", err)
		}
		return nvccCompiler, path, err
	}
	for _, pattern := range nvccPlaces() {
		found, _ := filepath.Glob(pattern) // the patterns are ours
		for _, place := range append([]string{pattern}, found...) {
			if path, err := exec.LookPath(place); err == nil {
				return nvccCompiler, path, nil
			}
		}
	}
	if path, err := exec.LookPath(clangCompiler.name); err == nil {
		return clangCompiler, path, nil
	}
	return cudaCompiler{}, "", errNoCUDACompiler
}

// wheelNvcc is where the wheels put nvcc, below a folder of Python packages.
var wheelNvcc = filepath.Join("nvidia", "cu[0-9]*", "bin", "nvcc")

// nvccPlaces lists where nvcc may be, the first that is there counts: a name to look up in PATH, paths, and patterns.
func nvccPlaces() []string {
	places := []string{nvccCompiler.name}
	for _, root := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), filepath.FromSlash("/usr/local/cuda")} {
		if root != "" {
			places = append(places, filepath.Join(root, "bin", nvccCompiler.name))
		}
	}
	roots := []string{os.Getenv("VIRTUAL_ENV")}
	if python, err := exec.LookPath("python3"); err == nil {
		roots = append(roots, filepath.Dir(filepath.Dir(python)))
	}
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, filepath.Join(home, ".local"))
	}
	for _, root := range append(roots, filepath.FromSlash("/usr/local")) {
		if root == "" {
			continue
		}
		for _, packages := range []string{"site-packages", "dist-packages"} {
			places = append(places, filepath.Join(root, "lib", "python3*", packages, wheelNvcc))
		}
		places = append(places, filepath.Join(root, "Lib", "site-packages", wheelNvcc)) // Windows
	}
	return places
}

// asTyped names a source file in PTX as the command line does, where compilers write its absolute path: reports quote that name.
func asTyped(ptx []byte, file string) []byte {
	whole, err := filepath.Abs(file)
	if err != nil || strings.ContainsAny(file, "\"\n") {
		return ptx
	}
	return bytes.ReplaceAll(ptx, []byte(`"`+whole+`"`), []byte(`"`+file+`"`))
}

// compileCUDA returns the PTX of a CUDA source. The compiler's own messages go to standard error as they are.
func compileCUDA(s streams, file, arch string) (name string, ptx []byte, err error) {
	name = file + ".ptx"
	f, err := launchlang.OpenFile(file) // what does not exist is told as for every FILE
	if err != nil {
		return name, nil, usageError{err}
	}
	f.Close()
	compiler, path, err := findCUDA()
	if err != nil {
		return name, nil, usageError{fmt.Errorf("%s: %w", file, err)}
	}
	dir, err := os.MkdirTemp("", "ptxvm")
	if err != nil {
		return name, nil, usageError{err}
	}
	defer os.RemoveAll(dir)
	arch, out := cmp.Or(arch, cudaArch), filepath.Join(dir, "out.ptx")
	if !s.quiet {
		fmt.Fprintf(s.err, "note: %s: compiled for %s by %s\n", diag.Escape(file), diag.Escape(arch), diag.Escape(path))
	}
	cmd := exec.Command(path, compiler.args(arch, file, out)...)
	cmd.Stdout, cmd.Stderr = s.err, s.err
	if err := cmd.Run(); err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			hint := ""
			if compiler.name == clangCompiler.name {
				hint = fmt.Sprintf("; if it does not know %s, name an older one (--arch sm_80), or install nvcc", arch)
			}
			return name, nil, compilerError{fmt.Errorf("%s: %s ended with %w%s", file, compiler.name, failed, hint)} // it has said why
		}
		return name, nil, usageError{err}
	}
	ptx, err = os.ReadFile(out)
	ptx = asTyped(ptx, file)
	if err == nil && len(ptx) > ptxvm.MaxSource {
		ptx = ptx[:ptxvm.MaxSource+1] // the checker says so
	}
	return name, ptx, wrapUsage(err)
}
