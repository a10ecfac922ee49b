//go:build !unix

package main

// This file stands in for processor time where it is not read.

import "time"

var begin = time.Now()

// cpuTime is wall time: run the figures alone.
func cpuTime() time.Duration { return time.Since(begin) }
