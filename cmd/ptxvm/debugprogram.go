package main

// This file opens a launch of a CUDA program: debug [--launch KERNEL[:N]] -- PROGRAM ARGUMENT….

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// programOf is what stands behind -- in a command line; ok is false without it.
func programOf(args []string) (before, program []string, ok bool) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil, false
	}
	return args[:i], args[i+1:], true
}

// captured runs a program as exec does, with a launch of it captured in a folder of the session's, and returns the options file of that.
// done removes the folder.
func (f *debugFlags) captured(ctx context.Context, s streams, program []string) (launch string, done func() error, err error) {
	if len(program) == 0 {
		return "", nil, usageError{errors.New("debug -- needs a program")}
	}
	folder, err := os.MkdirTemp("", "ptxvm-debug-")
	if err != nil {
		return "", nil, usageError{err}
	}
	done = func() error { return os.RemoveAll(folder) }
	run := execFlags{values: map[string]*string{}}
	cmd := &cli.Command{Use: "exec", Leading: true}
	run.add(cmd)
	words := []string{"--capture", filepath.Join(folder, "launch")}
	if f.launch != "" {
		words = slices.Insert(words, 1, f.launch)
	}
	rest, err := cmd.Parse(append(words, program...))
	if err != nil {
		return "", nil, errors.Join(usageError{err}, done())
	}
	if f.script == "" { // the commands are on standard input
		s.in = strings.NewReader("")
	}
	if launch, err = run.captureProgram(ctx, s, rest); err != nil {
		return "", nil, errors.Join(execError(s.err, err), done())
	}
	return launch, done, nil
}
