//go:build !unix && !windows

package cputime

import "time"

var start = time.Now()

// Used is the time since the process began, where the system does not tell what its threads have run.
func Used() time.Duration { return time.Since(start) }
