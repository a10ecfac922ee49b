package execprog

// This file holds what exec sets for programs that bring CUDA's runtime as a package, or build extensions: Python's above all.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// execVariableName tells processes under exec, and those that they start, where the libraries are: ptxvm.torch and the plug-in of pytest
// do nothing without it.
const execVariableName = "PTXVM_EXEC"

// cachingVariable makes PyTorch ask for each tensor's memory by itself. Its own allocator cuts tensors from blocks of 2 MiB, in which
// a tensor's end is no end of an allocation.
const cachingVariable = "PYTORCH_NO_CUDA_MEMORY_CACHING"

// withPackages sets what a program of packages needs, which is started from path. PyTorch's libraries name the folder of NVIDIA's
// runtime (RPATH), so that ours must be there before them; and where that runtime is linked in, its functions become those of ours.
func withPackages(env []string, dir, path string, l *look) []string {
	env = WithVariable(env, execVariableName, dir, "")
	env = withoutCaching(env)
	env = behindVariable(env, "LIBRARY_PATH", dir)
	switch {
	case len(l.needed) != 0 && l.linked != "":
		return preloaded(env, dir, l.linked)
	case len(l.needed) != 0:
		return env // the program's own libraries are of the same kind
	case l.linked == runtime12 || bringsRuntime12(path):
		return preloaded(env, dir, RuntimeLibrary, runtime12)
	}
	return preloaded(env, dir, RuntimeLibrary)
}

// withoutCaching sets the variable, whose mere presence counts to PyTorch; who wants its allocator says 0, or nothing.
func withoutCaching(env []string) []string {
	if value, set := os.LookupEnv(cachingVariable); set {
		if value != "" && value != "0" {
			return env
		}
		return slices.DeleteFunc(slices.Clone(env), func(line string) bool { return strings.HasPrefix(line, cachingVariable+"=") })
	}
	return WithVariable(env, cachingVariable, "1", "")
}

// behindVariable puts a folder behind those of a list.
func behindVariable(env []string, name, dir string) []string {
	if old := os.Getenv(name); old != "" {
		dir = old + ":" + dir
	}
	return WithVariable(env, name, dir, "")
}

// runtime12Packages are what packages leave that bring the runtime of CUDA 12, or have it linked in.
var runtime12Packages = []string{"nvidia/*/lib/" + runtime12, "cupy_cuda12x-*.dist-info"}

// bringsRuntime12 reports whether the environment of an interpreter has a package with the runtime of CUDA 12.
func bringsRuntime12(path string) bool {
	for _, root := range []string{filepath.Join(filepath.Dir(path), ".."), os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX")} {
		if root == "" {
			continue
		}
		for _, left := range runtime12Packages {
			found, err := filepath.Glob(filepath.Join(root, "lib", "python3*", "site-packages", left))
			if err == nil && len(found) != 0 {
				return true
			}
		}
	}
	return false
}
