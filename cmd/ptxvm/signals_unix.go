//go:build unix

package main

// This file turns signals that would end the process into errors of the write that caused them, so that no
// temporary file stays.

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreSignals is for readers that leave early, and for limits on the size of files.
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }

// closedPipe tells whether a write failed because nobody reads.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
