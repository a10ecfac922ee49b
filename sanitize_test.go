package ptxvm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ptxvm"
	"ptxvm/internal/ptxtest/corpus"
)

// TestCorpusSanitized: observed code gives the results of unobserved code, and what nvcc and
// Triton made is free of reports.
func TestCorpusSanitized(t *testing.T) {
	for _, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
			path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cfg := ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeInit, Async: ptxvm.AsyncLazy}
			runWith(t, cfg, path, src, arch, c.Make(corpus.Target{Arch: arch}))
		})
	}
}
