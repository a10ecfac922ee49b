package main

// This file holds the exit codes.

import (
	"errors"
	"fmt"
)

// The exit codes of CONTRACT §4; scripts depend on them.
const (
	exitDone        = 0
	exitInvalid     = 1   // the module is not valid; fmt -l: a file differs
	exitUsage       = 2   // usage, unreadable input, unwritable output
	exitFault       = 3   // the kernel faulted
	exitLimit       = 4   // time or step limit, or deadlock
	exitUnsupported = 5   // valid, but needs a form that is not executed
	exitDiffers     = 6   // a result differs from --expect
	exitDefect      = 70  // a defect in ptxvm
	exitExec        = 125 // exec could not start the program
	exitInterrupted = 130
	exitPipe        = 141 // nothing reads standard output any more; what a shell says of SIGPIPE
)

// exitError carries an exit code whose reason has been printed already.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// usageError is a mistake in the command line: exit 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode is the code of an error that ends a verb.
func exitCode(err error) int {
	var coded exitError
	var rejected compilerError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &rejected):
		return exitInvalid
	}
	return exitUsage
}
