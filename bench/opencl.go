package main

// This file measures kernels against the same ones in OpenCL C (bench/opencl), on PoCL: the same work for each
// thread, the same bytes, both results held to the corpus; processor time of either side on one core, PoCL by the
// faster of its drivers.

import (
	"encoding/binary"
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

// times of PoCL that are to be reached, as the geometric mean of the four.
const openCLGoal = 8

// inOpenCL are the workloads that bench/opencl/kernels.cl has.
var inOpenCL = []string{"saxpy", "matmul", "reduce", "mandelbrot"}

// errNoOpenCL says what is missing.
var errNoOpenCL = errors.New("skipped: no OpenCL here (Debian: apt-get install pocl-opencl-icd ocl-icd-opencl-dev)")

// openCLTable prints a line for each workload that has a reference in OpenCL.
func openCLTable(s *series) error {
	host, err := s.buildOpenCL()
	if err != nil {
		return err
	}
	var all ratios
	err = s.each(func(w *workload) error {
		if !slices.Contains(inOpenCL, w.name) {
			return nil
		}
		r := w.make(corpus.Target{Arch: 90})
		theirs, by, platform, err := w.openCL(s, host, r)
		if err != nil {
			return err
		}
		ours, _, err := w.ours(s, r)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			fmt.Printf("Machine: %s, vectors of %d bits; %s.\n\n| Kernel | OpenCL | driver | ptxvm, %s | Times |\n|---|---|---|---|---|\n", machine(), vectorBits(), platform, s.engine)
		}
		ratio := theirs.Seconds() / ours.Seconds()
		all = append(all, ratio)
		fmt.Printf("| %s | %.1f µs | %s | %.1f µs | %.2f |\n", w.name, micros(theirs), by, micros(ours), ratio)
		return nil
	})
	if len(all) > 0 {
		fmt.Printf("\nGeometric mean: %.2f times (goal %d).\n", all.mean(), openCLGoal)
	}
	return err
}

// buildOpenCL compiles the host's program; errNoOpenCL if headers or loader are missing.
func (s *series) buildOpenCL() (host string, err error) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "", errNoOpenCL
	}
	host = filepath.Join(s.dir, "host")
	out, err := exec.Command("gcc", "-O2", "-w", "-o", host, filepath.Join(s.top, "bench", "opencl", "host.c"), "-lOpenCL").CombinedOutput()
	switch {
	case strings.Contains(string(out), "CL/cl.h") || strings.Contains(string(out), "-lOpenCL"):
		return "", errNoOpenCL
	case err != nil:
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return host, nil
}

// drivers are PoCL's that run in one thread: the caller, or one of its own, which the caller wakes and waits for.
var drivers = []string{"basic", "pthread"}

// openCL runs the reference by each driver, checks what it has written, and returns the faster one's time.
func (w *workload) openCL(s *series, host string, r *corpus.Run) (best time.Duration, by, platform string, err error) {
	args, err := w.openCLArguments(s, r)
	if err != nil {
		return 0, "", "", err
	}
	for _, driver := range drivers {
		out, err := runOpenCL(host, args, "POCL_DEVICES="+driver, "POCL_MAX_PTHREAD_COUNT=1", "POCL_CACHE_DIR="+s.dir)
		if err != nil {
			return 0, "", "", err
		}
		first, rest, _ := strings.Cut(out, "\n")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err == nil {
			err = checkFiles(s.dir, r)
		}
		if err != nil {
			return 0, "", "", fmt.Errorf("driver %s: %w", driver, err)
		}
		platform = strings.TrimSpace(rest)
		if took := time.Duration(max(ns, 1)); by == "" || took < best {
			best, by = took, driver
		}
	}
	return best, by, platform, nil
}

// openCLArguments writes the buffers and lists what the host's program is to be told.
func (w *workload) openCLArguments(s *series, r *corpus.Run) ([]string, error) {
	l := &r.Launches[0]
	args := []string{fmt.Sprint(s.span.Seconds()), filepath.Join(s.top, "bench", "opencl", "kernels.cl"), w.name}
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
			args = append(args, fmt.Sprintf("%x", binary.LittleEndian.Uint32(a.Scalar)))
		}
	}
	return args, nil
}

// runOpenCL returns what the host's program prints.
func runOpenCL(host string, args []string, env ...string) (string, error) {
	cmd := exec.Command(host, args...)
	cmd.Env = append(os.Environ(), env...)
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
