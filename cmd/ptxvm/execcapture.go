package main

// This file reads exec's --capture [KERNEL][:N] DIR.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/driver"
	"ptxvm.invalid/ptxvm/internal/execprog"
)

// captureVariable is the folder that a launch is captured in, and captureLaunchVariable says which.
const (
	captureVariable       = "PTXVM_CAPTURE"
	captureLaunchVariable = captureVariable + "_LAUNCH"
)

const captureUsage = "write a launch, with the memory that it begins with, to the folder DIR: the first that faults or is reported, else the first; KERNEL (as for --kernel) asks that of its own launches alone, :N for the N-th launch"

// captureFlag is the flag's value.
type captureFlag struct{ launch, dir string }

func (f *captureFlag) String() string { return "" }
func (f *captureFlag) Type() string   { return "[KERNEL][:N] DIR" }

// Set takes a folder alone.
func (f *captureFlag) Set(text string) error {
	_, err := f.Take([]string{text})
	return err
}

// Take implements cli.Words.
func (f *captureFlag) Take(args []string) (rest []string, err error) {
	f.launch = ""
	if namesLaunch(args) {
		if f.launch = args[0]; len(args) == 1 {
			return nil, errors.New("want the folder DIR behind it")
		}
		if _, err := driver.ParseLaunch(f.launch); err != nil {
			return nil, err
		}
		args = args[1:]
	}
	if f.dir, err = filepath.Abs(args[0]); err != nil || args[0] == "" {
		return nil, errors.Join(errors.New("want a folder DIR"), err)
	}
	return args[1:], driver.CheckCapture(f.dir)
}

// namesLaunch reports whether the first word says which launch is meant, and a folder stands behind it. A word with a colon does
// unless it is a path; of others what stands behind decides: DIR stands in front of another flag or of a program.
func namesLaunch(args []string) bool {
	first := args[0]
	switch {
	case strings.ContainsRune(first, filepath.Separator):
		return false
	case strings.Contains(first, ":"):
		return true
	case len(args) < 3 || strings.HasPrefix(args[1], "-"):
		return false
	}
	_, err := exec.LookPath(args[1])
	return err != nil && !errors.Is(err, exec.ErrDot)
}

// set sets what the libraries read.
func (f *captureFlag) set(env []string) []string {
	if f.dir == "" {
		return env
	}
	return execprog.WithVariable(execprog.WithVariable(env, captureVariable, f.dir, ""), captureLaunchVariable, f.launch, "")
}

// captureProgram runs a program beside this process, as exec runs it in its place, until it is over, and returns the options file of the
// launch that --capture has written. How the program ends is its own affair if there is one: a fault is what many a launch is captured for.
func (f *execFlags) captureProgram(ctx context.Context, s streams, args []string) (launch string, err error) {
	path, env, err := f.prepared(s.err, args)
	if err != nil {
		return "", err
	}
	program := exec.CommandContext(ctx, path)
	program.Args, program.Env, program.Stdin, program.Stdout, program.Stderr = args, env, s.in, s.out, s.err
	ended := program.Run()
	launch = driver.CapturedLaunch(f.capture.dir)
	if _, err := os.Stat(launch); err != nil {
		return "", fmt.Errorf("%s has launched no kernel that is captured: %w", args[0], cmp.Or(ended, err))
	}
	return launch, nil
}
