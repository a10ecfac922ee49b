package execprog

// This file finds the folder of the libraries.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// runtimeLibrary is what programs load, and engineLibrary what it loads.
const (
	RuntimeLibrary = "libcudart.so.13"
	runtime12      = "libcudart.so.12" // of CUDA 12
	driverLibrary  = "libcuda.so.1"
	EngineLibrary  = "libptxvm.so"
)

// forwarders stand in front of NVIDIA's libraries that would give machine code. Python's packages load those by a path of their
// own, unless one of the name is loaded already.
var forwarders = []string{"libnvrtc.so.13", "libnvJitLink.so.13"}

// libraryVariable names a folder that holds the libraries.
const libraryVariable = "PTXVM_LIB"

// Libraries finds the folder of the CUDA libraries: $PTXVM_LIB, beside this binary, or in lib/ptxvm above it, else those
// that are bundled, a zip file, unpacked.
func Libraries(bundled []byte) (string, error) {
	var dirs []string
	if dir := os.Getenv(libraryVariable); dir != "" {
		dirs = []string{dir}
	} else if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dirs = []string{filepath.Dir(self), filepath.Join(filepath.Dir(self), "..", "lib", "ptxvm")}
	}
	for _, dir := range dirs {
		if IsFile(filepath.Join(dir, RuntimeLibrary)) && IsFile(filepath.Join(dir, EngineLibrary)) {
			return filepath.Abs(dir)
		}
	}
	if len(bundled) != 0 && os.Getenv(libraryVariable) == "" {
		return unpackLibraries(bundled)
	}
	return "", fmt.Errorf("%s and %s are not in %s; build them with .ci/cudart DIR from a clone (Linux, gcc), and set %s=DIR or put them beside this binary",
		RuntimeLibrary, EngineLibrary, strings.Join(dirs, " or "), libraryVariable)
}

func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
