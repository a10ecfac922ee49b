package main

// This file runs other programs on one core and says what they used.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// commandTable builds the command in a directory of its own and prints the head of a table and a row for each item
// whose name matches.
func commandTable[T any](match *regexp.Regexp, head string, items []T, name func(*T) string, row func(item *T, binary, dir string) error) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := build(dir)
	if err != nil {
		return err
	}
	fmt.Println(head)
	for i := range items {
		if item := &items[i]; match.MatchString(name(item)) {
			if err := row(item, binary, dir); err != nil {
				return fmt.Errorf("%s: %w", name(item), err)
			}
		}
	}
	return nil
}

// build makes the command in dir.
func build(dir string) (binary string, err error) {
	binary = filepath.Join(dir, "ptxvm")
	cmd := exec.Command("go", "build", "-o", binary, "./cmd/ptxvm")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // one static binary, as it is released
	if cmd.Dir, err = root(); err != nil {
		return "", err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// usage is what a process used.
type usage struct {
	cpu  time.Duration // user and system
	peak float64       // memory, MB; 0 where the system does not tell
	exit int
}

// spend runs a program with one thread of Go code and drops what it prints. Exit code 1, a verdict, is no error.
func spend(program string, args ...string) (usage, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1) {
		return usage{}, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	s := cmd.ProcessState
	return usage{s.UserTime() + s.SystemTime(), peakMemory(s), s.ExitCode()}, nil
}
