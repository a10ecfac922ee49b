//go:build !linux

package check

import "time"

var began = time.Now()

// processorTime is the time that passes: the threads of other systems are not asked.
func processorTime() time.Duration { return time.Since(began) }
