//go:build !unix

package main

func ignoreSignals() {}

func outputClosed() bool { return false }

func endByPipe() {}

// closedPipe tells whether a write failed because the reader is gone: here that is an error like others.
func closedPipe(error) bool { return false }
