package execprog

// This file changes lists of variables, and says which of them name files.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tritonVariable is where Triton looks for libcuda.so.1, which it links its launchers with.
const tritonVariable = "TRITON_LIBCUDA_PATH"

// assemblerVariables name the assembler that Triton runs. NVIDIA's drops from the PTX which line of Python an instruction is from.
var assemblerVariables = []string{"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}

// FromHere makes the file that a value names independent of where the program goes.
func FromHere(variable, value string) string {
	before, file := "", value
	switch variable {
	case "PTXVM_REPORT", "PTXVM_SUPPRESS":
	case "PTXVM_TRACE":
		before, file, _ = strings.Cut(value, ":")
		before += ":"
	default:
		return value
	}
	if abs, err := filepath.Abs(file); file != "" && err == nil {
		return before + abs
	}
	return value
}

// WithVariable sets a variable, or puts a value in front of it, with a separator.
func WithVariable(env []string, name, value, separator string) []string {
	for i, line := range env {
		if old, ok := strings.CutPrefix(line, name+"="); ok {
			if separator != "" && old != "" {
				value += separator + old
			}
			return append(slices.Delete(slices.Clone(env), i, i+1), name+"="+value)
		}
	}
	return append(env, name+"="+value)
}

// WithDefault sets a variable that is not set.
func WithDefault(env []string, name, value string) []string {
	if _, set := os.LookupEnv(name); set {
		return env
	}
	return WithVariable(env, name, value, "")
}

// standIn is this program by the name ptxas, a link in the user's cache.
func standIn() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "ptxvm", "ptxas", fmt.Sprintf("%x", sha256.Sum256([]byte(self)))[:16])
	link := filepath.Join(dir, "ptxas")
	if to, err := os.Readlink(link); err == nil && to == self {
		return link, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	_ = os.Remove(link)
	if err := os.Symlink(self, link); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have made it
		return "", err
	}
	return link, nil
}
