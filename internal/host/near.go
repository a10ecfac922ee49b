package host

// This file copies into device memory so that the kernel that follows finds it in the caches.

const (
	nearStep = 256 << 10 // below the megabyte from which on Go's copy writes around the caches (runtime/memmove_amd64.s)
	nearMost = 8 << 20   // from 16 MB on around them is as fast: what is read first has gone again (BenchmarkCopyRead)
)

// copyNear does what copy does.
func copyNear(to, from []byte) (n int) {
	if len(from) > nearMost {
		return copy(to, from)
	}
	for size := min(len(to), len(from)); n < size; {
		n += copy(to[n:size], from[n:min(n+nearStep, size)])
	}
	return n
}
