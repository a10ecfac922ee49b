package execprog

// This file lets programs run into which NVIDIA's runtime is linked, nvcc's default.

import (
	"debug/elf"
	"path/filepath"
	"slices"
)

// auditLibrary redirects the functions of a runtime that is linked in to ours (internal/cudaabi/front/audit.c).
const auditLibrary = "libptxvm_audit.so"

// A function of each copy of the runtime, and one that CUDA 12's has and that of 13 has not.
const (
	runtimeSymbol   = "__cudaRegisterFatBinary"
	runtime12Symbol = "cudaGetDeviceProperties_v2"
)

// linkedRuntime says which of our libraries has the functions of the runtime that is linked into a file; "" if none is, or if
// the file has no symbols.
func linkedRuntime(f *elf.File) string {
	symbols, err := f.Symbols()
	if err != nil {
		return ""
	}
	has := func(name string) bool {
		return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
	}
	switch {
	case !has(runtimeSymbol):
		return ""
	case has(runtime12Symbol):
		return runtime12
	}
	return RuntimeLibrary
}

// shared reports whether a program loads the runtime as a library.
func (l *look) shared() bool {
	return slices.Contains(l.needed, RuntimeLibrary) || slices.Contains(l.needed, runtime12)
}

// audited has the loader ask our auditor about each object.
func audited(env []string, dir string) []string {
	return withLibraries(env, "LD_AUDIT", dir, auditLibrary)
}

// preloaded puts libraries of a folder in front of what a program loads, the last one first.
func preloaded(env []string, dir string, libraries ...string) []string {
	return withLibraries(env, "LD_PRELOAD", dir, libraries...)
}

// withLibraries puts those libraries that are in a folder in front of a list of the loader's.
func withLibraries(env []string, list, dir string, libraries ...string) []string {
	for _, library := range libraries {
		if file := filepath.Join(dir, library); IsFile(file) {
			env = WithVariable(env, list, file, ":")
		}
	}
	return env
}
