package mem

// This file finds out how much memory the process may use.

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// fallbackLimit is the default where the system does not say how much memory there is.
const fallbackLimit = 4 << 30

// DefaultLimit is the bytes that a device's allocations may have unless told otherwise:
// half of the machine's memory, or of the control group's limit if that is less.
func DefaultLimit() int64 {
	total := min(machineMemory(), controlGroupLimit())
	if total == math.MaxInt64 {
		return fallbackLimit
	}
	return total / 2
}

// machineMemory reads Linux's MemTotal; MaxInt64 elsewhere.
func machineMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return math.MaxInt64
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 53)
			if err == nil {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// controlGroupLimit reads the limit of control groups, version 2 then 1; MaxInt64 without one.
func controlGroupLimit() int64 {
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return math.MaxInt64
}
