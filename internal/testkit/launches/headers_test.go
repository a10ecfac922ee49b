package launches_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// TestHeaders runs kernels whose PTX holds code of nvcc's headers (cuda_fp16, cooperative
// groups, libdevice, CUB), compiled now; sanitizers find nothing in them. Without nvcc it is skipped, and the skip counted.
func TestHeaders(t *testing.T) {
	for _, c := range corpus.Headers() {
		for _, arch := range c.Archs {
			t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
				t.Parallel()
				src := nvcc.Compile(t, sourceOf(c), arch, "-O3", "-lineinfo")
				runText(t, c.Source(), []byte(src), arch, c.Make(corpus.Target{Arch: arch}))
				runWith(t, ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeAll}, c.Source(), []byte(src), arch, c.Make(corpus.Target{Arch: arch}))
			})
		}
	}
}

// TestDebugBuilds runs the corpus as nvcc -G makes it: no inlining, everything in local
// memory, DWARF sections.
func TestDebugBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the whole corpus")
	}
	for _, c := range corpus.Cases() {
		if filepath.Dir(c.Module) != "cuda" {
			continue // Triton has no debug build
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			arch := c.Archs[0]
			src := nvcc.CompileFor(t, sourceOf(c), c.GPU(arch), "-G")
			runText(t, c.Source(), []byte(src), arch, c.Make(corpus.Target{Arch: arch, Debug: true}))
		})
	}
}

func sourceOf(c corpus.Case) string {
	return filepath.Join("testdata", filepath.FromSlash(c.Source()))
}
