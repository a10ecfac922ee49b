package main

// This file holds the verbs that run CUDA programs: exec and cudart.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/execprog"
	"ptxvm.invalid/ptxvm/internal/sarif"
)

// archVariable says which device there is.
const archVariable = "PTXVM_ARCH"

// errorVariable is the exit status where something was reported.
const errorVariable = "PTXVM_ERROR_EXITCODE"

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
	{"engine", "PTXVM_ENGINE", "execution engine: `auto|interp|jit|cc`"},
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
			dir, err := execprog.Libraries(bundled)
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
	dir, err := execprog.Libraries(bundled)
	if err != nil {
		return "", nil, err
	}
	arch := f.values[archVariable]
	program, err := execprog.Prepare(dir, args[0], cmp.Or(*arch, os.Getenv(archVariable)), cudaArch)
	if err != nil {
		return "", nil, err
	}
	if *arch == "" {
		*arch = program.Arch
	}
	if program.OwnFolder {
		fmt.Fprintf(errw, "ptxvm: %s names a folder of its own for libraries (RPATH); ours are preloaded\n", program.Path)
	}
	return program.Path, f.withFlags(program.Env), beginLog(*f.values["PTXVM_REPORT"])
}

// withFlags sets what the flags say.
func (f *execFlags) withFlags(env []string) []string {
	for variable, value := range f.values {
		if *value != "" {
			env = execprog.WithVariable(env, variable, execprog.FromHere(variable, *value), "")
		}
	}
	env = f.capture.set(env)
	if f.deterministic {
		env = execprog.WithVariable(env, "PTXVM_DETERMINISTIC", "1", "")
	}
	if f.stats {
		env = execprog.WithVariable(env, "PTXVM_STATS", "1", "")
	}
	if *f.values[errorVariable] == "" {
		env = execprog.WithDefault(env, errorVariable, strconv.Itoa(exitFault))
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
