package main

// This file reads the processor time of threads that run meanwhile.

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threadsTime returns a clock of the processor time of all threads that the process has now, each by its own: in the
// clock of the process what a thread has used is missing, up to a tick of some milliseconds, while it runs on another
// processor.
func threadsTime() (func() time.Duration, error) {
	files, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	clocks := make([]int32, len(files))
	for i, f := range files {
		thread, err := strconv.Atoi(f.Name())
		if err != nil {
			return nil, err
		}
		clocks[i] = int32(^thread<<3 | 6) // CPUCLOCK_SCHED of the thread
	}
	return func() (sum time.Duration) {
		for _, c := range clocks {
			var t unix.Timespec
			if unix.ClockGettime(c, &t) == nil { // else it has ended
				sum += time.Duration(t.Nano())
			}
		}
		return sum
	}, nil
}
