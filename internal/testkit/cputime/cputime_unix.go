//go:build unix

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Used is the time that all threads of the process have run, in user mode and in the kernel.
func Used() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
