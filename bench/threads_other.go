//go:build !linux

package main

import "time"

// threadsTime returns the clock of the process.
func threadsTime() (func() time.Duration, error) { return cpuTime, nil }
