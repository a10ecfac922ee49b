package kernelname

import (
	"strings"
	"testing"
)

// TestListCut: of nine kernels all are named; of ten, eight and a count.
func TestListCut(t *testing.T) {
	var kernels []Kernel
	for _, name := range strings.Split("abcdefghij", "") {
		kernels = append(kernels, Kernel{Symbol: name, Demangled: name})
	}
	for n, want := range map[int]string{9: "a, b, c, d, e, f, g, h, i", 10: "a, b, c, d, e, f, g, h, and 2 more"} {
		if got := List(kernels[:n]); got != want {
			t.Errorf("%d kernels: %q, want %q", n, got, want)
		}
	}
}
