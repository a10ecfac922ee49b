//go:build unix

package main

// This file replaces the process.

import (
	"fmt"
	"syscall"
)

// replaceProcess runs a program in this one's place: its exit status and signals are the process's.
func replaceProcess(path string, args, env []string) error {
	defaultSignals()
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, args, env))
}
