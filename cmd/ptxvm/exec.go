package main

// This file holds the verbs that run CUDA programs: exec and cudart.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/sarif"
)

// runtimeLibrary is what programs load, and engineLibrary what it loads.
const (
	runtimeLibrary = "libcudart.so.13"
	runtime12      = "libcudart.so.12" // of CUDA 12
	driverLibrary  = "libcuda.so.1"
	engineLibrary  = "libptxvm.so"
)

// forwarders stand in front of NVIDIA's libraries that would give machine code. Python's packages load those by a path of their
// own, unless one of the name is loaded already.
var forwarders = []string{"libnvrtc.so.13", "libnvJitLink.so.13"}

// tritonVariable is where Triton looks for libcuda.so.1, which it links its launchers with.
const tritonVariable = "TRITON_LIBCUDA_PATH"

// assemblerVariables name the assembler that Triton runs. NVIDIA's drops from the PTX which line of Python an instruction is from.
var assemblerVariables = []string{"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}

// archVariable says which device there is.
const archVariable = "PTXVM_ARCH"

// errorVariable is the exit status where something was reported.
const errorVariable = "PTXVM_ERROR_EXITCODE"

// libraryVariable names a folder that holds the libraries.
const libraryVariable = "PTXVM_LIB"

// execFlags are exec's flags; each sets a variable that the libraries read.
type execFlags struct {
	values        map[string]*string // by variable
	capture       captureFlag
	deterministic bool
	stats         bool
}

// execVariable is a flag and the variable that it sets.
type execVariable struct{ flag, variable, usage string }

// execVariables are the flags, with what they set.
var execVariables = []execVariable{
	{"arch", archVariable, "device to emulate, such as `sm_90`; default that or the oldest newer one that the program's PTX needs"},
	{"assume", "PTXVM_ASSUME", "change assumptions about hardware: `U3=low`[,…]"},
	{"async", "PTXVM_ASYNC", "when asynchronous operations take effect: `eager|lazy|random`, as for run"},
	{"bounds", "PTXVM_BOUNDS", "how far an access may go: `exact|page`, to the end of its allocation, or of its 2 MiB page as on hardware"},
	{"capture-max", captureVariable + "_MAX", "most bytes that --capture keeps, a `SIZE` such as 4G; default 1G"},
	{"devices", "PTXVM_DEVICES", "number of devices, `N`"},
	{"error-exitcode", errorVariable, "exit status, `N`, of a program that would end with 0 though something was reported: a fault, a limit, a sanitizer's report, a failed launch that it never asks about; default 3, 0: the program's own"},
	{"engine", "PTXVM_ENGINE", "execution engine: `auto|interp|jit`"},
	{"kernel", "PTXVM_KERNEL", "sanitizers look only at launches of kernel `NAME`: symbol, demangled, without parameters, or kns=TEXT, kne=SYMBOL, regex:RE"},
	{"launch-count", "PTXVM_LAUNCH_COUNT", "sanitizers look only at `N` launches of such kernels; 0: all"},
	{"launch-skip", "PTXVM_LAUNCH_SKIP", "sanitizers look at none of the first `N` launches of such kernels"},
	{"max-steps", "PTXVM_MAX_STEPS", "stop a launch after `N` warp instructions"},
	{"memory", "PTXVM_MEMORY", "device memory, such as `2G`; as much, but no less than 512 MiB, may preparing a module take"},
	{"progress", "PTXVM_PROGRESS", "`1`: print every 10 s how far a kernel is; 0: never; default on a terminal only"},
	{"report", "PTXVM_REPORT", "append faults and reports to `FILE`, as JSON; FILE.sarif is written anew, for code scanning"},
	{"sanitize", "PTXVM_SANITIZE", "checks to run, `LIST` as for run"},
	{"schedule", "PTXVM_SCHEDULE", "how long a warp runs before the next one does: `long|fair`, as for run"},
	{"seed", "PTXVM_SEED", "permute the order of CTAs and warps by seed `N`"},
	{"suppress", "PTXVM_SUPPRESS", "leave out the reports that `FILE` names, as for run"},
	{"timeout", "PTXVM_TIMEOUT", "wall clock limit of each launch, and of preparing it, `DURATION` such as 10s"},
	{"trace", "PTXVM_TRACE", "print CUDA calls, all or only those that fail, or a line for each launch: `calls|errors|kernels[:FILE]`"},
	{"workers", "PTXVM_WORKERS", "run CTAs on `N` threads"},
}

const deterministicUsage = "the same results in every run: CTAs on one thread, clocks count instructions"

func newExec(s streams) *cli.Command {
	f := execFlags{values: map[string]*string{}}
	cmd := &cli.Command{
		Use:     "exec PROGRAM [ARGUMENT…]",
		Short:   "Run a CUDA program without a GPU, unmodified, on ptxvm's CUDA libraries",
		Example: "  ptxvm exec ./vectorAdd\n  ptxvm exec --engine interp --devices 2 ./program --its-own-flag\n  ptxvm exec --capture saxpy:3 DIR ./program",
		Leading: true,
		Args:    takes(1, -1),
		Run: func(_ *cli.Command, args []string) error {
			if err := f.check(); err != nil {
				return usageError{err}
			}
			noteMisplaced(s.err, args)
			return execError(s.err, f.exec(s.err, args))
		},
	}
	f.add(cmd)
	return cmd
}

// add gives a verb exec's flags.
func (f *execFlags) add(cmd *cli.Command) {
	for _, v := range execVariables {
		f.values[v.variable] = new(string)
		cmd.Flags().String(f.values[v.variable], v.flag, "", "", v.usage)
	}
	cmd.Flags().Add(&f.capture, "capture", "", captureUsage)
	cmd.Flags().Bool(&f.deterministic, "deterministic", "", deterministicUsage)
	cmd.Flags().Bool(&f.stats, "stats", "", "print to standard error what each kernel has executed: launches, time, lane operations, share of compiled code, helpers; --report gets it, too")
}

func newCudart(s streams) *cli.Command {
	return &cli.Command{
		Use:     "cudart",
		Short:   "Print the folder of the CUDA libraries, for nvcc -L and LD_LIBRARY_PATH",
		Example: "  nvcc -cudart shared -L$(ptxvm cudart) -o program program.cu",
		Args:    takes(0, 0),
		Run: func(*cli.Command, []string) error {
			dir, err := libraries()
			if err != nil {
				return execError(s.err, err)
			}
			_, err = fmt.Fprintln(s.out, dir)
			return err
		},
	}
}

// execError gives failures of exec itself an exit code that programs do not use.
func execError(errw io.Writer, err error) error {
	if err == nil {
		return nil
	}
	fmt.Fprintf(errw, "ptxvm: %v\n", err)
	return exitError{exitExec}
}

// libraries finds the folder of the CUDA libraries: $PTXVM_LIB, beside this binary, or in lib/ptxvm above it, else those
// that are bundled, unpacked.
func libraries() (string, error) {
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
		if isFile(filepath.Join(dir, runtimeLibrary)) && isFile(filepath.Join(dir, engineLibrary)) {
			return filepath.Abs(dir)
		}
	}
	if len(bundled) != 0 && os.Getenv(libraryVariable) == "" {
		return unpackLibraries(bundled)
	}
	return "", fmt.Errorf("%s and %s are not in %s; build them with .ci/cudart DIR from a clone (Linux, gcc), and set %s=DIR or put them beside this binary",
		runtimeLibrary, engineLibrary, strings.Join(dirs, " or "), libraryVariable)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// exec replaces the process by the program, with the libraries in its way.
func (f *execFlags) exec(errw io.Writer, args []string) error {
	path, env, err := f.prepared(errw, args)
	if err != nil {
		return err
	}
	return replaceProcess(path, args, env)
}

// prepared is the file of a program, and the environment that it runs in.
func (f *execFlags) prepared(errw io.Writer, args []string) (path string, env []string, err error) {
	dir, err := libraries()
	if err != nil {
		return "", nil, err
	}
	path, err = exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", nil, notStarted(args[0], err)
	}
	arch := f.values[archVariable]
	look, err := inspect(path, cmp.Or(*arch, os.Getenv(archVariable)))
	if err != nil {
		return "", nil, err
	}
	if *arch == "" && look.arch != "" {
		*arch = look.arch
	}
	env = withVariable(os.Environ(), "LD_LIBRARY_PATH", dir, ":")
	env = withDefault(env, tritonVariable, dir)
	if assembler, err := standIn(); err == nil {
		for _, name := range assemblerVariables {
			env = withDefault(env, name, assembler)
		}
	}
	env = preloaded(env, dir, forwarders...)
	env = audited(env, dir)
	env = withPackages(env, dir, path, &look)
	if look.rpath {
		fmt.Fprintf(errw, "ptxvm: %s names a folder of its own for libraries (RPATH); ours are preloaded\n", path)
		env = preloaded(env, dir, look.needed...)
	}
	return path, f.withFlags(env), beginLog(*f.values["PTXVM_REPORT"])
}

// withFlags sets what the flags say.
func (f *execFlags) withFlags(env []string) []string {
	for variable, value := range f.values {
		if *value != "" {
			env = withVariable(env, variable, fromHere(variable, *value), "")
		}
	}
	env = f.capture.set(env)
	if f.deterministic {
		env = withVariable(env, "PTXVM_DETERMINISTIC", "1", "")
	}
	if f.stats {
		env = withVariable(env, "PTXVM_STATS", "1", "")
	}
	if *f.values[errorVariable] == "" {
		env = withDefault(env, errorVariable, strconv.Itoa(exitFault))
	}
	return env
}

// beginLog writes a SARIF log without results, which the libraries add to; of other names nothing. A program in which nothing
// goes wrong leaves it as it is.
func beginLog(name string) error {
	if filepath.Ext(name) != ".sarif" {
		return nil
	}
	log := sarif.New(cli.About().Version)
	log.Describe("exec", 0, "")
	var b bytes.Buffer
	if err := log.Write(&b); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// fromHere makes the file that a value names independent of where the program goes.
func fromHere(variable, value string) string {
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

// withVariable sets a variable, or puts a value in front of it, with a separator.
func withVariable(env []string, name, value, separator string) []string {
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

// withDefault sets a variable that is not set.
func withDefault(env []string, name, value string) []string {
	if _, set := os.LookupEnv(name); set {
		return env
	}
	return withVariable(env, name, value, "")
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

// look is what stands in a program.
type look struct {
	rpath  bool
	needed []string // of our libraries
	linked string   // the one whose functions take the place of NVIDIA's runtime, where that is linked in
	arch   string   // of the device that its PTX needs, if that is not the default one
}

// inspect says what keeps a program from running with our libraries, on a device of the given arch or any (""). What is no ELF
// file, such as a script, may load them in its own way.
func inspect(path, arch string) (l look, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return look{}, nil
	}
	defer f.Close()
	all, err := f.ImportedLibraries()
	if err != nil {
		all = nil // a static program has no such list
	}
	for _, ours := range []string{runtimeLibrary, runtime12, driverLibrary} {
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
		if l.arch, err = deviceFor(path, arch); err != nil {
			return l, fmt.Errorf("%s cannot run here: %w", path, err)
		}
	}
	old, _ := f.DynString(elf.DT_RPATH)
	fresh, _ := f.DynString(elf.DT_RUNPATH)
	l.rpath = len(old) != 0 && len(fresh) == 0 && len(l.needed) != 0
	return l, nil
}

// deviceFor returns the arch of the device that a program needs, "" for the default one.
func deviceFor(path, arch string) (string, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	needs, err := cli.ProgramArch(file, cmp.Or(arch, cudaArch), arch != "")
	if needs == cudaArch {
		needs = ""
	}
	return needs, err
}
