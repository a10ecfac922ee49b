//go:build !unix

package main

import (
	"io"
)

func ignoreSignals() {}

func warnNoOutput(io.Writer) {}

func endByPipe() {}

// closedPipe reports whether a write failed because the reader is gone: here that is an error like others.
func closedPipe(error) bool { return false }
