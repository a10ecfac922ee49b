package main

// This file measures kernels against the same ones in OpenCL C (bench/opencl, and NAME.cl of bench/kernels): the same work for each
// thread, the same bytes, both results held to the corpus; processor time of either side on one core, PoCL by the faster of its drivers.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// times of OpenCL that are to be reached, as the geometric mean of the four.
const openCLGoal = 8

// inOpenCL are the workloads that bench/opencl/kernels.cl has.
var inOpenCL = []string{"saxpy", "matmul", "reduce", "mandelbrot"}

// errNoOpenCL says what is missing.
var errNoOpenCL = errors.New("skipped: no OpenCL here (Debian: apt-get install pocl-opencl-icd ocl-icd-opencl-dev)")

// installed is the implementation that the system's loader finds first.
const installed = "installed"

// openCL is an implementation of OpenCL that runs kernels in one thread.
type openCL struct {
	host string // the program that launches
	icd  string // the implementation's shared library, or installed
}

// ranOpenCL is what one kernel has taken.
type ranOpenCL struct {
	took           time.Duration
	by             string // the driver, where there are several
	implementation string // with its version
}

// times is how many times as fast as OpenCL we are.
func (o ranOpenCL) times(ours time.Duration) float64 { return o.took.Seconds() / ours.Seconds() }

// openCLTable prints a line for each workload that has a reference in OpenCL.
func openCLTable(icd string) func(*series) error {
	return func(s *series) error {
		cl, err := s.buildOpenCL(icd)
		if err != nil {
			return err
		}
		var all ratios
		err = s.each(func(w *workload) error {
			if !slices.Contains(inOpenCL, w.name) {
				return nil
			}
			r := w.make(corpus.Target{Arch: 90})
			theirs, err := cl.run(s, filepath.Join("bench", "opencl", "kernels.cl"), w.name, r)
			if err != nil {
				return err
			}
			ours, _, err := w.ours(s, r)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Printf("Machine: %s, vectors of %d bits; %s.\n\n| Kernel | OpenCL | driver | ptxvm, %s | Times |\n|---|---|---|---|---|\n", machine(), vectorBits(),
					theirs.implementation, s.engine)
			}
			ratio := theirs.times(ours)
			all = append(all, ratio)
			fmt.Printf("| %s | %.1f µs | %s | %.1f µs | %.2f |\n", w.name, micros(theirs.took), theirs.by, micros(ours), ratio)
			return nil
		})
		if len(all) > 0 {
			fmt.Printf("\nGeometric mean: %.2f times (goal %d).\n", all.mean(), openCLGoal)
		}
		return err
	}
}

// buildOpenCL compiles the host's program; errNoOpenCL if headers or loader are missing.
func (s *series) buildOpenCL(icd string) (*openCL, error) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return nil, errNoOpenCL
	}
	host := filepath.Join(s.dir, "host")
	out, err := exec.Command("gcc", "-O2", "-w", "-o", host, filepath.Join(s.top, "bench", "opencl", "host.c"), "-lOpenCL").CombinedOutput()
	switch {
	case strings.Contains(string(out), "CL/cl.h") || strings.Contains(string(out), "-lOpenCL"):
		return nil, errNoOpenCL
	case err != nil:
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return &openCL{host, icd}, nil
}

// environment has kernels run in one thread, by vectors as wide as ours: PoCL's variables (of versions 3 and 7) and those of Intel's runtime.
func (o *openCL) environment(dir string) []string {
	env := append(os.Environ(), "POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1", "POCL_CACHE_DIR="+dir, "CL_CONFIG_CPU_TBB_NUM_WORKERS=1")
	if o.icd != installed { // what it is linked to lies beside it
		env = append(env, "OCL_ICD_FILENAMES="+o.icd, "LD_LIBRARY_PATH="+filepath.Dir(o.icd))
	}
	if vectorBits() == 256 {
		env = append(env, "POCL_KERNELLIB_NAME=avx2", "POCL_LLVM_CPU_NAME=haswell", "CL_CONFIG_CPU_TARGET_ARCH=core-avx2")
	}
	return env
}

// drivers are PoCL's that run in one thread: the caller, or one of its own, which the caller wakes and waits for.
var drivers = []string{"basic", "pthread"}

// run runs a kernel of a file, with PoCL by each driver, checks what it has written, and returns the fastest run.
func (o *openCL) run(s *series, file, kernel string, r *corpus.Run) (best ranOpenCL, err error) {
	args, err := o.arguments(s, r)
	if err != nil {
		return best, err
	}
	args = slices.Concat([]string{fmt.Sprint(s.span.Seconds()), filepath.Join(s.top, file), kernel}, args)
	for _, driver := range drivers {
		out, err := runOpenCL(o.host, args, append(o.environment(s.dir), "POCL_DEVICES="+driver))
		if err != nil {
			return best, err
		}
		first, rest, _ := strings.Cut(out, "\n")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err == nil {
			err = checkFiles(s.dir, r)
		}
		if err != nil {
			return best, fmt.Errorf("OpenCL, driver %s: %w", driver, err)
		}
		ran := ranOpenCL{time.Duration(max(ns, 1)), driver, strings.TrimSpace(rest)}
		if !strings.Contains(strings.ToLower(ran.implementation), "pocl") {
			ran.by = "–"
			return ran, nil
		}
		if best.took == 0 || ran.took < best.took {
			best = ran
		}
	}
	return best, nil
}

// arguments writes the buffers and lists what the host's program is to be told of the first launch.
func (o *openCL) arguments(s *series, r *corpus.Run) (args []string, err error) {
	l := &r.Launches[0]
	for _, n := range [][3]int{l.Grid, l.Block} {
		for _, k := range n {
			args = append(args, fmt.Sprint(max(k, 1)))
		}
	}
	for i, b := range r.Buffers {
		if err := os.WriteFile(bufferFile(s.dir, i), b.Init, 0o666); err != nil {
			return nil, err
		}
	}
	for _, a := range l.Args {
		if i := slices.Index(r.Buffers, a.Buffer); a.Buffer != nil {
			args = append(args, "@"+bufferFile(s.dir, i))
		} else {
			scalar := slices.Clone(a.Scalar)
			slices.Reverse(scalar) // the most significant byte first
			args = append(args, hex.EncodeToString(scalar))
		}
	}
	return args, nil
}

// runOpenCL returns what the host's program prints.
func runOpenCL(host string, args, env []string) (string, error) {
	cmd := exec.Command(host, args...)
	cmd.Env = env
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if strings.Contains(complaint.String(), "platform: ") {
		return "", errNoOpenCL // a loader without an implementation
	}
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, &complaint)
	}
	return string(out), nil
}
