// Package execprog is how a CUDA program runs on ptxvm's libraries, unmodified: where they are, what in the program keeps it from
// using them, and the environment in which it, and what it starts, finds them.
package execprog

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// Program is a program that can be started.
type Program struct {
	Path      string
	Env       []string // that it finds our libraries in
	Arch      string   // of the device that it needs, where none was asked for; "": the usual one
	OwnFolder bool     // it names a folder of its own for libraries
}

// Prepare finds a program by its name, and what it needs to run on the libraries in a folder: on a device of the given arch or
// any (""), which is the usual one unless the program needs another.
func Prepare(dir, name, arch, usual string) (*Program, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, notStarted(name, err)
	}
	found, err := inspect(path, arch, usual)
	if err != nil {
		return nil, err
	}
	env := WithVariable(os.Environ(), "LD_LIBRARY_PATH", dir, ":")
	env = WithDefault(env, tritonVariable, dir)
	if assembler, err := standIn(); err == nil {
		for _, name := range assemblerVariables {
			env = WithDefault(env, name, assembler)
		}
	}
	env = preloaded(env, dir, forwarders...)
	env = audited(env, dir)
	env = withPackages(env, dir, path, &found)
	if found.rpath {
		env = preloaded(env, dir, found.needed...)
	}
	return &Program{path, env, found.arch, found.rpath}, nil
}

// look is what stands in a program.
type look struct {
	rpath  bool
	needed []string // of our libraries
	linked string   // the one whose functions take the place of NVIDIA's runtime, where that is linked in
	arch   string   // of the device that its PTX needs, if that is not the default one
}

// inspect says what keeps a program from running with our libraries, on a device of the given arch or any (""), which is the usual one unless it needs another. What is no ELF
// file, such as a script, may load them in its own way.
func inspect(path, arch, usual string) (l look, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return look{}, nil
	}
	defer f.Close()
	all, err := f.ImportedLibraries()
	if err != nil {
		all = nil // a static program has no such list
	}
	for _, ours := range []string{RuntimeLibrary, runtime12, driverLibrary} {
		if slices.Contains(all, ours) {
			l.needed = append(l.needed, ours)
		}
	}
	if !l.shared() {
		l.linked = linkedRuntime(f)
	}
	if f.Section(".nv_fatbin") != nil || f.Section("__nv_relfatbin") != nil {
		if len(l.needed) == 0 && l.linked == "" {
			return l, fmt.Errorf("%s has NVIDIA's runtime linked in, which accepts NVIDIA's driver only, and no symbols by which its functions are found (strip). "+
				"Keep the symbols, or relink it: nvcc … -cudart shared (CMake: CUDA_RUNTIME_LIBRARY Shared)", path)
		}
		if l.arch, err = deviceFor(path, arch, usual); err != nil {
			return l, fmt.Errorf("%s cannot run here: %w", path, err)
		}
	}
	old, _ := f.DynString(elf.DT_RPATH)
	fresh, _ := f.DynString(elf.DT_RUNPATH)
	l.rpath = len(old) != 0 && len(fresh) == 0 && len(l.needed) != 0
	return l, nil
}

// deviceFor returns the arch of the device that a program needs, "" for the default one.
func deviceFor(path, arch, usual string) (string, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	needs, err := cli.ProgramArch(file, cmp.Or(arch, usual), arch != "")
	if needs == usual {
		needs = ""
	}
	return needs, err
}

// notStarted says what a name that starts no program may mean.
func notStarted(name string, err error) error {
	switch filepath.Ext(name) {
	case ".cu":
		return fmt.Errorf("%s is source: build it with nvcc -cudart shared, and run what comes out (%w)", name, err)
	case ".py":
		return fmt.Errorf("%s is a script: ptxvm exec python %s (%w)", name, name, err)
	}
	if IsFile(name) && !strings.ContainsRune(name, filepath.Separator) {
		return fmt.Errorf("%w; did you mean ./%s?", err, name)
	}
	return err
}
