//go:build unix

package main

// This file reads the processor time of the process.

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what the process has used of all processors. Unlike wall time it is worth something on a
// machine that others use too.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
